import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { parseDocument, stringify } from "yaml";
import { lineInPlainYaml, parsePlainYaml } from "../../src/load/plain-yaml.ts";
import type { Json } from "../../src/wire/snapshot.ts";

/** What the full parser makes of the text; "broken" where it finds an error. */
function full(text: string): unknown {
  const document = parseDocument(text, { merge: true, logLevel: "silent" });
  return document.errors.length > 0 ? "broken" : document.toJS({ maxAliasCount: 100 });
}

/** The values as JSON, which knows no undefined and no negative zero. */
function plainly(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function agrees(text: string): "read" | "left" {
  const plain = parsePlainYaml(text);
  if (plain === null) return "left";
  assert.deepEqual(plainly(plain.root?.value), plainly(full(text)), JSON.stringify(text));
  return "read";
}

/** Texts that are read here; the full parser says what they mean. */
const read: readonly string[] = [
  "a: 1\nb: [1, two, {c: d}]\n",
  "---\n# note\na:\n- x\n- y: z\n  w: v\n",
  "a:\n  - - 1\n    - 2\n  -\n    b: c\n",
  "a: 'it''s'\nb: \"q\\\"\\u00e9\\n\"\nc: ''\n",
  "a: |\n  one\n    two\n\n  three\nb: |-\n  x\nc: |+\n  y\n\nd: 1\n",
  "message: 'a long text that\n  goes on in the next line'\nb: 1\n",
  'message: "a long text \\\n  goes on without a space"\nb: 1\n',
  "message: a plain text that\n  goes on\nb: 1\n",
  "a: http://x:80/y # note\nb: x#y\n",
  "a: null\nb: ~\nc:\nd: true\ne: 'true'\nf: 1.5\ng: 1e3\nh: '1'\ni: 0123\n",
  "a: {}\nb: []\nc: -1\nd: -x\n",
  "\"quoted key\": 1\n'other': 2\n",
  "k8s.io/name: a\nnvidia.com/gpu: '1'\n",
];

for (const text of read) test(`reads ${JSON.stringify(text)}`, () => assert.equal(agrees(text), "read"));

/** Texts that are left to the full parser. */
const left: readonly string[] = [
  "a: &x 1\nb: *x\n",
  "a: !!str 1\n",
  "a: >\n  folded\n",
  "a: 1\na: 2\n",
  "a:\n  b: 1\n c: 2\n",
  "a: [1,\n  2]\n",
  "<<: {a: 1}\n",
  "? a\n: b\n",
  "a: b: c\n",
  "\ta: 1\n",
  "a: 1\r\nb: 2\r\n",
  "__proto__: {a: 1}\n",
  "%YAML 1.2\n---\na: 1\n",
  `a: ${"[".repeat(200)}${"]".repeat(200)}\n`,
  "just text\n",
];

for (const text of left) test(`leaves ${JSON.stringify(text.slice(0, 40))}`, () => assert.equal(agrees(text), "left"));

const word = fc.oneof(
  fc.constantFrom(
    "a",
    "true",
    "null",
    "~",
    "1",
    "01",
    "1.5",
    "x # y",
    "# x",
    "- x",
    "k:",
    "a: b",
    "'q'",
    '"d"',
    "",
    " lead",
    "trail ",
  ),
  fc.constantFrom(
    "two\nlines",
    "with\n\nempty\n",
    "\ttab",
    "{}",
    "[a",
    "*x",
    "&x",
    "!t",
    "|",
    ">",
    "%",
    "?",
    "\\",
    "--- x",
    "0x1f",
    "é",
  ),
  fc.string({ maxLength: 120 }),
);
const value = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(word, tie("node"), { maxKeys: 3 }),
  ),
})).node;
const style = fc.record({
  lineWidth: fc.constantFrom(0, 20, 40, 80),
  defaultStringType: fc.constantFrom<"PLAIN" | "QUOTE_SINGLE" | "QUOTE_DOUBLE">(
    "PLAIN",
    "QUOTE_SINGLE",
    "QUOTE_DOUBLE",
  ),
  indentSeq: fc.boolean(),
  indent: fc.constantFrom(2, 4),
  collectionStyle: fc.constantFrom<"any" | "flow" | "block">("any", "flow", "block"),
});

test("law: what is read at all is read as the full parser reads it, in every style of writing", () => {
  fc.assert(
    fc.property(value, style, (written, options) => {
      agrees(stringify(written, options));
    }),
    { numRuns: 1500 },
  );
});

const shard = fc.constantFrom(
  " ",
  "\n",
  ":",
  "-",
  "#",
  "'",
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  "|",
  ": ",
  "- ",
  "\n  ",
  "\n\n",
  " #",
  "k: ",
);
const change = fc.record({ at: fc.nat({ max: 2000 }), cut: fc.nat({ max: 2 }), put: shard });

test("law: and so with a few characters changed", () => {
  const texts = exampleDocuments();
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
      let changed = text;
      for (const { at, cut, put } of changes) {
        const place = at % (changed.length + 1);
        changed = changed.slice(0, place) + put + changed.slice(place + cut);
      }
      agrees(changed);
    }),
    { numRuns: 1500 },
  );
});

function exampleDocuments(): readonly string[] {
  const folder = join(import.meta.dirname, "../../examples/modelplane-incident/cluster");
  const text = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n---\n");
  // Pieces from everywhere: long enough to have structure, short enough to be read often.
  return Array.from({ length: 60 }, (_, index) => {
    const at = text.lastIndexOf("\n", Math.floor((text.length * index) / 60)) + 1;
    return text.slice(at, at + 800);
  });
}

test("lines of fields are found again", () => {
  const text =
    "apiVersion: v1\nitems:\n- metadata:\n    name: a\n  spec:\n    containers:\n    - name: x\n      image: y\n";
  const line = (...path: readonly (string | number)[]): number | null => lineInPlainYaml(text, ["items", 0], path);
  assert.equal(line("metadata", "name"), 4);
  assert.equal(line("spec", "containers", 0), 7);
  assert.equal(line("spec", "containers", 0, "image"), 8);
  assert.equal(line("spec", "containers", 0, "missing"), 7, "a missing field is the matter of what should have it");
});
