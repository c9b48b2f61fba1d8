import { rows } from "../../test/support/rows.ts";
import { matches } from "./labels.ts";
import { parseSelectorText } from "./selector-text.ts";

const labels = new Map([
  ["app", "llm"],
  ["tier", ""],
  ["example.com/role", "decode"],
]);

/** Syntax read from apimachinery pkg/labels/selector.go, 0.36.3. */
rows<string, boolean | "error">(
  "selector text",
  (text) => {
    const parsed = parseSelectorText(text);
    return parsed.ok ? matches(parsed.selector, labels) : "error";
  },
  [
    ["nothing takes all", "", true],
    ["equal", "app=llm", true],
    ["equal, doubled", "app==llm", true],
    ["not equal", "app!=llm", false],
    ["not equal takes a missing key", "zone!=a", true],
    ["an empty value", "tier=", true],
    ["exists", "app", true],
    ["does not exist", "!app", false],
    ["in", "app in (chat, llm)", true],
    ["notin", "app notin (chat,llm)", false],
    ["a prefix", "example.com/role=decode", true],
    ["all must hold", "app=llm,tier=x", false],
    ["commas inside a set", "app in (a,llm),tier", true],
    ["two words", "a b", "error"],
    ["an empty part", "app=llm,", "error"],
    ["a node selector's operator", "gpus>2", "error"],
  ],
);
