import assert from "node:assert/strict";
import { test } from "node:test";
import { mistakeInWords } from "./mistake.ts";

test("a mistake is told with where it happened, and no name in it acts on a terminal", () => {
  const text = mistakeInWords(new Error("pod \u001b[31mred\u202e exists"));
  assert.match(
    text,
    /^holdfast: this is a mistake in holdfast itself.*\nError: pod \\x1b\[31mred\\u202e exists\n {4}at /,
  );
  assert.match(mistakeInWords("a\u0007b"), /a\\x07b\n$/);
});
