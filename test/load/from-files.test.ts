import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Door } from "../../src/load/door.ts";
import { MissingInput } from "../../src/load/find-files.ts";
import { loadPaths, loadText } from "../../src/load/from-files.ts";
import { defaultLimits, type InputLimits } from "../../src/load/limits.ts";
import { parseInput } from "../../src/load/parse-bytes.ts";
import type { Snapshot, SnapshotItem } from "../../src/wire/snapshot.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-load-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

let folders = 0;

/** A new folder with these files. */
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  folders += 1;
  const root = join(scratch, `f${folders}`);
  mkdirSync(root);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

interface Read {
  readonly names: readonly string[];
  readonly problems: readonly string[];
  readonly secrets: number;
  readonly items: readonly SnapshotItem[];
}

/** `Kind/name@line` of what was read, and `line message` of the problems. */
function read(snapshot: Snapshot): Read {
  const items = [...snapshot];
  return {
    items,
    names: items.map(({ object, source }) => `${object.kind}/${object.metadata["name"]}@${source.line}`),
    problems: snapshot.problems.map((problem) => `${problem.line} ${problem.message}`),
    secrets: snapshot.secretsDropped,
  };
}

function readPath(path: string, limits: Partial<InputLimits> = {}): Read {
  return read(loadPaths([path], { limits: { ...defaultLimits, ...limits } }));
}

function readText(text: string, limits: Partial<InputLimits> = {}): Read {
  return read(loadText(text, "input", { limits: { ...defaultLimits, ...limits } }));
}

const node = (name: string): string => `{"apiVersion":"v1","kind":"Node","metadata":{"name":"${name}"}}`;
const yamlNode = (name: string): string => `apiVersion: v1\nkind: Node\nmetadata:\n  name: ${name}\n`;

/** Name, text, objects with their lines. */
const forms: readonly (readonly [string, string, readonly string[]])[] = [
  ["one YAML document", yamlNode("a"), ["Node/a@1"]],
  [
    "YAML documents, empty ones among them",
    `# note\n---\n${yamlNode("a")}---\n\n---\n${yamlNode("b")}`,
    ["Node/a@3", "Node/b@10"],
  ],
  [
    "a YAML List",
    `apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a}\nkind: List\n`,
    ["Node/a@3"],
  ],
  ["a typed YAML list", "apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: a}\n", ["Node/a@4"]],
  ["one JSON object", node("a"), ["Node/a@1"]],
  ["NDJSON", `${node("a")}\n${node("b")}\n`, ["Node/a@1", "Node/b@2"]],
  [
    "a JSON List",
    `{"apiVersion":"v1",\n"items":[\n${node("a")},\n${node("b")}],"kind":"List"}`,
    ["Node/a@3", "Node/b@4"],
  ],
  ["a typed JSON list", '{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}', ["Node/a@1"]],
  [
    "a typed JSON list that says so last",
    '{"items":[\n{"metadata":{"name":"a"}}],"kind":"NodeList","apiVersion":"v1"}',
    ["Node/a@2"],
  ],
  ["a bare JSON array", `[${node("a")},${node("b")}]`, ["Node/a@1", "Node/b@1"]],
  ["a YAML document that starts with a brace", "{apiVersion: v1, kind: Node, metadata: {name: a}}", ["Node/a@1"]],
  ["JSON documents between YAML separators", `---\n${node("a")}\n---\n${node("b")}`, ["Node/a@2", "Node/b@4"]],
  ["JSON documents with a separator between", `${node("a")}\n---\n${node("b")}\n---\n`, ["Node/a@1", "Node/b@3"]],
  [
    "separators with blanks, comments and line ends of Windows",
    `${node("a")}\r\n--- # next\r\n\r\n# Source: b.json\r\n${node("b")}\r\n`,
    ["Node/a@1", "Node/b@5"],
  ],
  ["a separator and JSON on one line", `--- ${node("a")}\n--- ${node("b")}`, ["Node/a@1", "Node/b@2"]],
  [
    "JSON Lists and YAML in one stream",
    `{"kind":"List","apiVersion":"v1","items":[\n${node("a")}]}\n---\n${yamlNode("b")}---\n[${node("c")}]\n`,
    ["Node/a@2", "Node/b@4", "Node/c@9"],
  ],
  ["dashes in a text", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a---"}}\n`, ["Node/a---@1"]],
  [
    "flow YAML behind JSON",
    `${node("a")}\n---\n{"apiVersion": v1, kind: Node, metadata: {name: b}}`,
    ["Node/a@1", "Node/b@3"],
  ],
  [
    "a YAML List of lists",
    `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: v1\n    kind: NodeList\n    items:\n    - metadata: {name: a}\n- apiVersion: v1\n  kind: Node\n  metadata: {name: b}\n`,
    ["Node/a@4", "Node/b@11"],
  ],
  [
    "a JSON List of lists",
    `{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"a"}}]},\n${node("b")}]}`,
    ["Node/a@2", "Node/b@3"],
  ],
  ["an empty list", '{"apiVersion":"v1","items":[],"kind":"List"}', []],
  ["nothing", "", []],
  ["a byte order mark", `\uFEFF${yamlNode("a")}`, ["Node/a@1"]],
  ["merge keys and anchors", "a: &m {name: a}\napiVersion: v1\nkind: Node\nmetadata: {<<: *m}\n", ["Node/a@1"]],
  ["files of tools beside manifests", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", []],
];

for (const [name, text, expected] of forms) {
  test(`reads ${name}`, () => {
    const { names, problems } = readText(text);
    assert.deepEqual(problems, []);
    assert.deepEqual(names, expected);
  });
}

test("separators are found wherever a chunk ends", () => {
  const bytes = new TextEncoder().encode(`${node("a")}\n---\n${yamlNode("b")}---\n${node("c")}\n`);
  for (let size = 1; size <= 12; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.slice(i * size, (i + 1) * size),
    );
    // What stands at the start says whether it is JSON: no chunk of a file is as small as that.
    const all = [
      bytes.slice(0, 8),
      ...chunks.flatMap((chunk, i) => ((i + 1) * size <= 8 ? [] : [chunk.slice(Math.max(0, 8 - i * size))])),
    ];
    const door = new Door(10);
    const names = [...parseInput("input", all, door, defaultLimits)].map(({ object }) => object.metadata["name"]);
    assert.deepEqual([names, door.problems], [["a", "b", "c"], []], `chunks of ${size}`);
  }
});

test("Secrets in lists of lists are dropped too", () => {
  const list = `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"SecretList","items":[{"metadata":{"name":"s"},"data":{"k":"aHVudGVyMg=="}}]}]}`;
  const { names, secrets, problems } = readText(`${list}\n`);
  assert.deepEqual([names, secrets, problems], [[], 1, []]);
});

/** Name, text, what is used, where the problems are. */
const broken: readonly (readonly [string, string, readonly string[], readonly RegExp[]])[] = [
  [
    "a broken YAML document",
    `${yamlNode("a")}---\nkind: [\n---\n${yamlNode("b")}`,
    ["Node/a@1", "Node/b@8"],
    [/^7 broken YAML/],
  ],
  ["a key that comes twice", "spec:\n  kind: Node\n  kind: Pod\n", [], [/^3 broken YAML: "kind" comes twice$/]],
  [
    "documents without a separator",
    `${yamlNode("a")}${yamlNode("b")}`,
    [],
    [/^5 broken YAML: "apiVersion" comes twice; a line --- is missing/],
  ],
  [
    "a broken line of NDJSON",
    `${node("a")}\n{"kind":\n${node("b")}\n${node("c")}`,
    ["Node/a@1", "Node/b@3", "Node/c@4"],
    [/^2 broken JSON/],
  ],
  [
    "a JSON List that was cut short",
    `{"kind":"List","items":[\n${node("a")},\n{"apiVersion":"v1",\n"kind":`,
    ["Node/a@2"],
    [/^4 broken JSON.* begins in line 3/],
  ],
  [
    "a YAML List that was cut short between lines",
    "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: Node\n",
    ["Node/a@3"],
    [/^8 .*ends in the middle/],
  ],
  [
    "a YAML List that was cut short within a line",
    "---\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n- apiVersion: v1\n  kin",
    ["Node/a@4"],
    [/^9 .*ends in the middle/],
  ],
  [
    "a YAML List with anchors that was cut short",
    "apiVersion: &v v1\nitems:\n- apiVersion: *v\n  kind: Node\n  metadata: {name: a}\n- apiVersion: v1\n",
    ["Node/a@3"],
    [/^6 .*ends in the middle/],
  ],
  ["a YAML List that was cut short before its items", "apiVersion: v1\nitems:\n", [], [/^2 .*ends in the middle/]],
  [
    "a typed YAML list without its name",
    "apiVersion: v1\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\nmetadata: {}\n",
    [],
    [/apiVersion and kind are missing/],
  ],
  [
    "an object with broken text",
    `${node("a")}\n{"kind" 1}\n${node("b")}`,
    ["Node/a@1", "Node/b@3"],
    [/^2 broken JSON/],
  ],
  ["a document that is no object", "---\njust text\n", [], [/^2 this is not a Kubernetes object/]],
  ["an object without a kind", "---\nreplicas: 2\n", [], [/^2 .*apiVersion and kind are missing/]],
  ["metadata that is no object", "apiVersion: v1\nkind: Node\nmetadata: 7\n", [], [/^1 metadata of this Node/]],
  [
    "a List whose items are none",
    "apiVersion: v1\nkind: List\nitems: [1, null]\n",
    [],
    [/^3 this is not/, /^3 this is not/],
  ],
  ["NUL bytes", "kind: No\0de", [], [/not text/]],
  ["deep nesting in YAML", `kind: ${"[".repeat(100_000)}`, [], [/nested too deeply|broken YAML/]],
  [
    "deep nesting in JSON",
    `{"apiVersion":"v1","kind":"N","metadata":{},"a":${"[".repeat(500)}${"]".repeat(500)}}`,
    [],
    [/nested deeper/],
  ],
  [
    "an anchor bomb",
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
      .split("")
      .map((name, index) => `${name}: &${name} [${Array(10).fill(`*${"abcdefgh"[index]}`).join(",")}]`)
      .join("\n")}\n`,
    [],
    [/anchors too often/],
  ],
];

for (const [name, text, expected, problems] of broken) {
  test(`${name} is a problem and hurts nothing else`, () => {
    const found = readText(text);
    assert.deepEqual(found.names, expected);
    assert.equal(found.problems.length, problems.length, found.problems.join("\n"));
    for (const [index, pattern] of problems.entries()) assert.match(found.problems[index] ?? "", pattern);
  });
}

test("Secrets are dropped and counted, in Lists too, and nothing of them is kept", () => {
  const secret = (name: string): string =>
    `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"${name}"},"data":{"key":"aHVudGVyMg=="}}`;
  const texts = [
    `${secret("a")}\n${node("n")}`,
    `{"kind":"List","apiVersion":"v1","items":[${secret("a")},${node("n")}]}`,
    `{"kind":"SecretList","apiVersion":"v1","items":[{"metadata":{"name":"a"},"data":{"key":"aHVudGVyMg=="}}]}\n${node("n")}`,
    `---\n${secret("a")}\n---\n${node("n")}`,
    `apiVersion: v1\nkind: List\nitems:\n- ${secret("a")}\n- ${node("n")}\n`,
  ];
  for (const text of texts) {
    const { items, secrets } = readText(text);
    assert.equal(secrets, 1);
    assert.equal(items.length, 1);
    assert.doesNotMatch(JSON.stringify(items), /aHVudGVyMg/);
  }
});

test("a Secret wrapped in another object loses its contents", () => {
  const { items } = readText(
    '{"apiVersion":"x/v1","kind":"Wrap","metadata":{"name":"w"},"spec":{"manifest":{"kind":"Secret","data":{"a":"hunter2"},"stringData":{"b":"hunter2"}}}}',
  );
  assert.equal(items.length, 1);
  assert.doesNotMatch(JSON.stringify(items), /hunter2/);
});

test("environment values, last-applied annotations and managed fields are dropped", () => {
  const { items } = readText(
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "web",
        managedFields: [{ manager: "dropped-manager" }],
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "dropped-config", kept: "yes" },
      },
      spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "TOKEN", value: "dropped-value" }] }] } } },
    }),
  );
  const text = JSON.stringify(items);
  assert.doesNotMatch(text, /dropped-/);
  assert.match(text, /"TOKEN"/);
  assert.match(text, /"kept":"yes"/);
});

test("control characters in names are kept as they are", () => {
  const { items } = readText('{"apiVersion":"v1","kind":"Node","metadata":{"name":"a\\u001b[31m"}}');
  assert.equal(items[0]?.object.metadata["name"], "a\u001b[31m");
});

test("invalid UTF-8 hurts one document or object only", () => {
  const bad = Buffer.concat([Buffer.from("---\nkind: "), Buffer.from([0xff, 0xfe]), Buffer.from("\n---\n")]);
  const root = folder({
    "a.yaml": Buffer.concat([bad, Buffer.from(yamlNode("a"))]),
    "b.json": Buffer.concat([Buffer.from('{"kind":"'), Buffer.from([0xff]), Buffer.from(`"}\n${node("b")}`)]),
  });
  const { names, problems } = readPath(root);
  assert.deepEqual(names, ["Node/a@4", "Node/b@2"]);
  assert.equal(problems.length, 2);
  for (const problem of problems) assert.match(problem, /not valid UTF-8/);
});

test("a folder is read with its folders, in the order of names, other files and hidden ones left out", () => {
  const root = folder({
    "b.yaml": yamlNode("b"),
    "a/z.json": node("z"),
    "a/y.yml": yamlNode("y"),
    "README.md": "# kind: Node",
    ".git/c.yaml": yamlNode("c"),
    "c.ndjson": node("c"),
  });
  assert.deepEqual(readPath(root).names, ["Node/y@1", "Node/z@1", "Node/b@1", "Node/c@1"]);
});

test("compressed files are read, up to a limit, and broken ones are problems", () => {
  const root = folder({
    "a.json.gz": gzipSync(node("a")),
    "b.yaml.gz": gzipSync(Buffer.alloc(100_000, "# bomb\n")),
    "c.json.gz": gzipSync(node("c")).subarray(0, 20),
    "d.yaml": gzipSync(yamlNode("d")),
  });
  const { names, problems } = readPath(root, { unpackedBytes: 50_000 });
  assert.deepEqual(names, ["Node/a@1"]);
  assert.equal(problems.length, 3);
  assert.match(problems[0] ?? "", /unpacks to more than 50000 bytes/);
  assert.match(problems[1] ?? "", /not a whole gzip file/);
  assert.match(problems[2] ?? "", /its name must end in .gz/);
});

test("links are followed inside the folder only", () => {
  const outside = folder({ "out.yaml": yamlNode("out") });
  const root = folder({ "in.yaml": yamlNode("in") });
  symlinkSync(join(outside, "out.yaml"), join(root, "leads-out.yaml"));
  symlinkSync(outside, join(root, "folder.yaml"));
  symlinkSync("in.yaml", join(root, "leads-in.yaml"));
  symlinkSync("nowhere.yaml", join(root, "dangles.yaml"));
  symlinkSync("loop.yaml", join(root, "loop.yaml"));
  const { names, problems } = readPath(root);
  assert.deepEqual(names, ["Node/in@1", "Node/in@1"]);
  assert.equal(problems.length, 4, problems.join("\n"));
});

test("pipes inside a folder are not waited for", () => {
  const root = folder({ "a.yaml": yamlNode("a") });
  execFileSync("mkfifo", [join(root, "b.yaml")]);
  const { names, problems } = readPath(root);
  assert.deepEqual(names, ["Node/a@1"]);
  assert.match(problems[0] ?? "", /not a regular file/);
});

test("an unreadable file is a problem", { skip: process.getuid?.() === 0 }, () => {
  const root = folder({ "a.yaml": yamlNode("a"), "b.yaml": yamlNode("b") });
  chmodSync(join(root, "a.yaml"), 0);
  const { names, problems } = readPath(root);
  assert.deepEqual(names, ["Node/b@1"]);
  assert.match(problems[0] ?? "", /EACCES/);
});

test("a file that changes while it is read is a problem", () => {
  const root = folder({ "a.json": `${node("a")}\n${" ".repeat(3 << 20)}\n${node("b")}` });
  const snapshot = loadPaths([root]);
  const names: unknown[] = [];
  for (const { object } of snapshot) {
    names.push(object.metadata["name"]);
    if (names.length === 1) writeFileSync(join(root, "a.json"), `${node("a")}\n${node("c")}`);
  }
  assert.match(snapshot.problems[0]?.message ?? "", /changed while it was read/);
});

/** Name, limits, what the problem says. */
const limited: readonly (readonly [string, Partial<InputLimits>, RegExp])[] = [
  ["a file that is too large", { fileBytes: 50 }, /at most 50 are read/],
  ["too much altogether", { totalBytes: 100 }, /all inputs together have more than 100 bytes/],
  ["too many files", { files: 1 }, /more than 1 files/],
  ["a YAML document that is too large", { yamlDocumentBytes: 10 }, /write it as JSON/],
  ["an object that is too large", { objectBytes: 20 }, /larger than 20 bytes/],
];

for (const [name, limits, pattern] of limited) {
  test(`${name} is said to be`, () => {
    const root = folder({ "a.json": node("a"), "b.yaml": yamlNode("b"), "c.yaml": yamlNode("c") });
    const { problems } = readPath(root, limits);
    assert.ok(
      problems.some((problem) => pattern.test(problem)),
      problems.join("\n"),
    );
  });
}

test("folders in folders end at a limit", () => {
  const root = folder({ "a/b/c/d.yaml": yamlNode("d") });
  const { names, problems } = readPath(root, { folderDepth: 2 });
  assert.deepEqual(names, []);
  assert.match(problems[0] ?? "", /deeper than 2/);
});

test("problems are listed up to a limit and then counted", () => {
  const { problems } = readText("---\n7\n".repeat(20), { problems: 5 });
  assert.equal(problems.length, 6);
  assert.match(problems[5] ?? "", /15 more problems/);
});

test("a snapshot can be iterated again, and says the same", () => {
  const root = folder({ "a.yaml": `${yamlNode("a")}---\nkind: [\n---\napiVersion: v1\nkind: Secret\n` });
  symlinkSync("/etc/hostname", join(root, "out.yaml"));
  const snapshot = loadPaths([root]);
  const first = read(snapshot);
  assert.equal(first.problems.length, 2);
  assert.equal(first.secrets, 1);
  const again = read(snapshot);
  assert.deepEqual([again.names, again.problems, again.secrets], [first.names, first.problems, first.secrets]);
});

test("standard input and named pipes are read to their end", () => {
  const script = `
    import { loadPaths } from ${JSON.stringify(join(import.meta.dirname, "../../src/load/from-files.ts"))};
    for (const { object } of loadPaths([process.argv[1]])) console.log(object.metadata.name);`;
  const command = [process.execPath, "--input-type=module", "-e", script];
  const [program = "", ...programArguments] = command;
  const input = `${node("a")}\n${node("b")}\n`;
  assert.equal(execFileSync(program, [...programArguments, "-"], { input, encoding: "utf8" }), "a\nb\n");
  // A shell's pipe is one with a name; this process would give the other a socket.
  const piped = ["-c", 'text=$1; shift; printf %s "$text" | "$@" /dev/stdin', "sh", yamlNode("c"), ...command];
  assert.equal(execFileSync("sh", piped, { encoding: "utf8" }), "c\n");
});

test("input that is broken on every line is given up", () => {
  const { problems } = readText('{"a": "b\n'.repeat(2000), { brokenPlaces: 50 });
  assert.equal(problems.length, 51);
  assert.match(problems[50] ?? "", /more than 50 broken places/);
});

test("a path that is not there is the caller's mistake, known before anything is read", () => {
  assert.throws(() => loadPaths([join(scratch, "nowhere")]), MissingInput);
  assert.throws(() => loadPaths(["/dev/null"]), MissingInput);
});

test("a list longer than one chunk is read item by item", () => {
  const items = Array.from({ length: 30_000 }, (_, index) => node(`n${index}`));
  const root = folder({ "a.json": `{"apiVersion":"v1","kind":"List","items":[${items.join(",\n")}]}` });
  const { names, problems } = readPath(root);
  assert.deepEqual(problems, []);
  assert.equal(names.length, 30_000);
  assert.equal(names[29_999], "Node/n29999@30000");
});

test("node shapes: short forms, numbered over all shapes of a name, and fields they do not have", () => {
  const shapes = [
    '{ name: gpu, count: 2, zones: [a, b], labels: { pool: gpu }, taints: [ { key: t, effect: NoSchedule } ], allocatable: { cpu: "8" } }',
    "{ metadata: { name: gpu }, count: 1 }",
    "{ count: 1 }",
    "{ count: 1, cpu: 8 }",
  ];
  const { names, items, problems } = readText(shapes.map((shape) => `- ${shape}\n`).join(""));
  assert.deepEqual(
    names.map((name) => name.split("@")[0]),
    ["Node/gpu-1", "Node/gpu-2", "Node/gpu-3", "Node/node-1"],
  );
  assert.match(problems.join(), /^4 a node shape has no field cpu; it has count, zones, name, labels, /);
  const [, second] = items;
  assert.deepEqual(second?.object, {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "gpu-2",
      labels: { pool: "gpu", "kubernetes.io/hostname": "gpu-2", "topology.kubernetes.io/zone": "b" },
    },
    spec: { taints: [{ key: "t", effect: "NoSchedule" }] },
    status: { allocatable: { pods: "110", cpu: "8" } },
  });
});

test("hooks of Helm and Argo CD in manifests are no part of what runs; those of a cluster are", () => {
  const hook = (name: string, more = ""): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, annotations: { helm.sh/hook: test }${more} }\n---\n`;
  const sync =
    "apiVersion: batch/v1\nkind: Job\nmetadata: { name: j, annotations: { argocd.argoproj.io/hook: Sync } }\n";
  const summary = "NAME: chat\nLAST DEPLOYED: Mon\nHOOKS:\n---\n";
  const { names, problems } = readText(`${summary}${hook("a")}${hook("b", ", uid: u")}${sync}`);
  assert.deepEqual(names, ["Pod/b@9"]);
  assert.deepEqual(problems, []);
});

test("a compressed file may have any name when it is named itself, and come by standard input", () => {
  const root = folder({ "cluster.holdfast": gzipSync(node("a")) });
  assert.deepEqual(readPath(join(root, "cluster.holdfast")).names, ["Node/a@1"]);
  const script = `import { loadPaths } from ${JSON.stringify(join(import.meta.dirname, "../../src/load/from-files.ts"))};
    console.log([...loadPaths(["-"])].map(({ object }) => object.metadata.name).join());`;
  const piped = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    input: gzipSync(node("b")),
    encoding: "utf8",
  });
  assert.equal(piped.trim(), "b");
});
