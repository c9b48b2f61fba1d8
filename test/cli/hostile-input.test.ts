import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { CheckReport } from "../../src/report/types.ts";
import { holdfast } from "./shell.ts";

// Inputs made to break a reader. None crashes; what could not be read is told, as an error or as a problem of the report.

const small = readFileSync(join(import.meta.dirname, "small-cluster.yaml"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "holdfast-hostile-"));
after(() => rmSync(folder, { recursive: true }));

type Told = "told" | "fine";

const rows: readonly (readonly [about: string, told: Told, text: string | Uint8Array, file?: string])[] = [
  ["nothing", "told", ""],
  ["only control characters", "told", "\u0000\u0001\u0002\u001b[2J\u0007"],
  ["bytes that are no text", "told", Uint8Array.from({ length: 300 }, (_, index) => (index * 37) % 256)],
  ["a text of another encoding", "told", Buffer.from(small, "utf16le")],
  ["YAML that ends in the middle", "told", small.slice(0, Math.floor(small.length / 2))],
  [
    "JSON that ends in the middle",
    "told",
    '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","meta',
  ],
  ["gzip that ends in the middle", "told", gzipSync(small).subarray(0, 200), "cluster.yaml.gz"],
  ["gzip in name only", "told", small, "plain.yaml.gz"],
  ["deep nesting", "told", `${small}\n---\n${"[".repeat(20_000)}`],
  ["deep nesting of JSON", "told", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
  ["aliases that multiply", "told", `${small}\n---\n${aliases()}`],
  ["tabs", "told", `${small}\n---\nkind:\tNode\n\tmetadata: {}\n`],
  ["a document that is a word", "told", `${small}\n---\nword\n`],
  ["a document without a kind", "told", `${small}\n---\nmetadata: { name: x }\n`],
  ["a kind that is a list", "told", `${small}\n---\napiVersion: v1\nkind: [Pod]\nmetadata: { name: x }\n`],
  ["metadata that is nothing", "told", `${small}\n---\napiVersion: v1\nkind: Pod\nmetadata: null\n`],
  ["a list with holes", "told", `${small}\n---\napiVersion: v1\nkind: List\nitems: [null, 1, [], {}]\n`],
  ["replicas beyond any number", "told", small.replace("replicas: 2", "replicas: 1e308")],
  ["replicas that are less than none", "told", small.replace("replicas: 2", "replicas: -3")],
  ["replicas that are a word", "told", small.replace("replicas: 2", "replicas: two")],
  ["more replicas than any cluster has", "told", small.replace("replicas: 2", "replicas: 2147483647")],
  [
    "a quantity beyond any number, which Kubernetes takes as the largest",
    "fine",
    small.replace('cpu: "4"', 'cpu: "1e400"'),
  ],
  ["a quantity that is a word", "told", small.replace("memory: 16Gi", "memory: lots")],
  [
    "the same object twice, of which the later counts",
    "fine",
    `${small}\n---\n${small.slice(small.indexOf("apiVersion: apps/v1"))}`,
  ],
  [
    "keys of the language's own objects",
    "fine",
    small.replaceAll("app: chat", "app: chat, __proto__: x, constructor: y"),
  ],
  ["a name that paints the terminal", "fine", renamed('name: "\\e[31mchat\\a"')],
  ["a name that turns the line around", "fine", renamed('name: "chat\\u202Etac"')],
  ["names of emoji and of marks", "fine", renamed("name: 🚀ﬀ́")],
  ["Windows line ends and a byte order mark", "fine", `\ufeff${small.replaceAll("\n", "\r\n")}`],
  [
    "an owner that owns itself",
    "told",
    small.replace(
      "kind: Deployment, name: chat, uid: d-1, controller: true",
      "kind: ReplicaSet, name: chat-6b7f, uid: r-1, controller: true",
    ),
  ],
  ["a node shape beyond any count", "told", `${small}\n---\nkind: Node\nmetadata: { name: many }\ncount: 1e9\n`],
  [
    "a very long line",
    "fine",
    `${small}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, namespace: ml }\ndata: { a: ${"a".repeat(2_000_000)} }\n`,
  ],
];

for (const [index, [about, told, content, name]] of rows.entries()) {
  test(`${about}: ${told === "told" ? "told" : "read"}`, async () => {
    const file = join(folder, name ?? `${index}.yaml`);
    writeFileSync(file, content);
    const { code, out, err } = await holdfast([
      "check",
      "-f",
      file,
      "-o",
      "json",
      "--max-states",
      "20",
      "--scenarios",
      "drain-one-node",
      "--fail-on",
      "never",
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    assert.doesNotMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    const report: CheckReport | null = out === "" ? null : JSON.parse(out);
    const said = code === 2 || (report?.problems.length ?? 0) > 0;
    assert.ok([0, 2, 4].includes(code), `exit code ${code}: ${err}`);
    assert.equal(said ? "told" : "fine", told, JSON.stringify(report?.problems ?? err));
    if (code === 2) assert.ok((report?.problems.length ?? 0) > 0 || err.length > 0, "exit 2 says why");
    if (told === "told") return;
    // The same in a table, where control characters would act.
    const table = await holdfast([
      "check",
      "-f",
      file,
      "--max-states",
      "20",
      "--scenarios",
      "drain-one-node",
      "--fail-on",
      "never",
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    assert.doesNotMatch(table.out + table.err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
}

/** The model server and what leads to it under another name. */
function renamed(name: string): string {
  return small.replaceAll(/name: chat(?=[ ,}\n])/g, name);
}

function aliases(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 12; level += 1)
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ")}]`);
  return lines.join("\n");
}
