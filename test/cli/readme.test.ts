import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/sources.ts";
import { holdfast } from "./shell.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");

test("what the README shows is what the program says", async () => {
  const block = /```\n(mp-ml-team[\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const { out } = await holdfast(["check", "-f", join(root, "examples", "modelplane-incident", "cluster")]);
  const said = out.split("\n").map(oneBlank);
  const shown = block.split("\n").filter((line) => line.trim() !== "");
  assert.ok(shown.length > 10);
  for (const line of shown) {
    // `…` stands for anything.
    const pattern = new RegExp(`^${oneBlank(line).split("…").map(quoted).join(".*")}$`, "u");
    assert.ok(
      said.some((candidate) => pattern.test(candidate)),
      `README.md shows, the program does not say: ${line}`,
    );
  }
});

test("the README names every exit code and the two commands", () => {
  assert.match(readme, /npm ci && npm start/);
  assert.match(readme, /npm ci && npm test/);
  for (const code of [0, 1, 2, 3, 4]) assert.match(readme, new RegExp(`^\\| ${code} \\| `, "m"));
});

function oneBlank(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
