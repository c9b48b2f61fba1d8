import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Client } from "../../src/api/client.ts";
import { loadThrough } from "../../src/load/from-cluster.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import { defaultLimits, type InputLimits } from "../../src/load/limits.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { JsonObject, Snapshot, SnapshotListener } from "../../src/wire/snapshot.ts";
import { plainPods } from "../support/plain-pods.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-told-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

function podObject(at: number): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "web-",
      name: `web-${at}`,
      namespace: "team",
      ownerReferences: [{ apiVersion: "apps/v1", controller: true, kind: "ReplicaSet", name: "web", uid: "u" }],
      resourceVersion: String(1000 + at),
      uid: `00000000-0000-4000-8000-0000000${String(at).padStart(5, "0")}`,
    },
    spec: { containers: [{ image: "i", name: "main" }], nodeName: `n${at % 7}` },
    status: { phase: "Running" },
  };
}

const objects = Array.from({ length: 40 }, (_, at) => podObject(at));
const lines = objects.map((object) => `${JSON.stringify(object)}\n`).join("");
const list = `${JSON.stringify({ apiVersion: "v1", items: objects, kind: "List" }, null, 4)}\n`;

function told(snapshot: Snapshot, on: () => void = () => {}): { readonly pods: number; readonly problems: string } {
  let pods = 0;
  const listener: SnapshotListener = {
    item() {
      pods += 1;
      on();
      return pods;
    },
    alike() {
      pods += 1;
    },
  };
  assert.ok(snapshot.tell !== undefined);
  snapshot.tell(listener);
  return { pods, problems: snapshot.problems.map(({ message }) => message).join("\n") };
}

function toldOf(name: string, text: string, limits: Partial<InputLimits> = {}): ReturnType<typeof told> {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return told(loadPaths([path], { limits: { ...defaultLimits, ...limits } }));
}

/** Name, input, limits, pods that are told, what is said. */
const rows: readonly (readonly [string, string, Partial<InputLimits>, number, RegExp])[] = [
  ["lines", lines, {}, 40, /^$/],
  ["a list", list, {}, 40, /^$/],
  ["lines with separators between", lines.replaceAll("\n", "\n---\n"), {}, 40, /^$/],
  ["lines with a separator behind them", `${lines}---`, {}, 40, /^$/],
  ["lists with a separator between", `${list}---\n${list}--- # more\n${lines}`, {}, 120, /^$/],
  [
    "lines that end in the middle",
    lines.slice(0, -20),
    {},
    39,
    /^broken JSON: the input ends in the middle of a value$/,
  ],
  [
    "a list that ends in the middle",
    list.slice(0, -400),
    {},
    39,
    /^broken JSON: the input ends in the middle of the value that begins in line \d+$/,
  ],
  [
    "a list without its end",
    list.slice(0, -20),
    {},
    40,
    /^broken JSON: the input ends in the middle of the value that begins in line 1$/,
  ],
  ["objects that are too large", lines, { objectBytes: 100 }, 0, /is larger than 100 bytes and is left out/],
  ["a file that is too large", lines, { fileBytes: 1000 }, 0, /at most 1000 are read/],
];

for (const [name, text, limits, pods, problem] of rows) {
  test(`${name}: as many are told as can be`, () => {
    const found = toldOf("input.json", text, limits);
    assert.equal(found.pods, pods);
    assert.match(found.problems, problem);
  });
}

for (const [layout, indent] of [
  ["lines", null],
  ["a list indented by two", 2],
  ["kubectl's list", 4],
] as const) {
  test(`${layout}: no object lies across two of the blocks a file is read in`, () => {
    const path = join(scratch, "blocks.json");
    const many = Array.from({ length: 4000 }, (_, at) => podObject(at));
    const list = JSON.stringify({ apiVersion: "v1", items: many, kind: "List" }, null, indent ?? 0);
    writeFileSync(path, indent === null ? many.map((object) => `${JSON.stringify(object)}\n`).join("") : list);
    const ways = { item: 0, tape: 0, alike: 0 };
    loadPaths([path]).tell?.({
      item: () => {
        ways.item += 1;
        return -1;
      },
      onTape: () => {
        ways.tape += 1;
        return 1;
      },
      alike: () => {
        ways.alike += 1;
      },
    });
    assert.deepEqual(ways, { item: 0, tape: 1, alike: 3999 });
  });
}

test("pods of one owner are known again in the next file", () => {
  const folder = mkdtempSync(join(scratch, "apart-"));
  for (const [at, object] of objects.entries()) writeFileSync(join(folder, `${at}.json`), JSON.stringify(object));
  const sources: (readonly [string, string])[] = [];
  loadPaths([folder]).tell?.({
    item: ({ source }) => sources.push(["item", source.file]),
    alike: (_, { key }, source) => sources.push([key, source.file]),
  });
  assert.equal(sources.filter(([how]) => how === "item").length, 1);
  for (const [key, file] of sources.slice(1))
    assert.equal(file, join(folder, key.replace("team/web-", "").concat(".json")));
  assert.equal(sources.length, objects.length);
});

test("objects that lie across the blocks a file is read in are whole", () => {
  const long = { ...podObject(7), padding: "x".repeat(70_000) };
  const objects = Array.from({ length: 150 }, (_, at) => ({ ...long, metadata: { name: `p${at}`, n: at } }));
  const path = join(scratch, "long.json");
  writeFileSync(path, objects.map((object) => `${JSON.stringify(object)}\n`).join(""));
  const snapshot = loadPaths([path]);
  const names: unknown[] = [];
  snapshot.tell?.({ item: ({ object }) => names.push(object.metadata["name"]) - names.length - 1, alike: () => {} });
  assert.deepEqual(snapshot.problems, []);
  assert.deepEqual(
    names,
    objects.map(({ metadata }) => metadata.name),
  );
  assert.deepEqual(
    [...snapshot].map(({ object }) => object.metadata["n"]),
    objects.map(({ metadata }) => metadata.n),
  );
});

test("a file that changes while it is told is a problem", () => {
  const path = join(scratch, "changing.json");
  writeFileSync(path, lines);
  const { problems } = told(loadPaths([path]), () => appendFileSync(path, "\n"));
  assert.match(problems, /changed while it was read/);
});

test("a file that is cut short while it is told is a problem", () => {
  const path = join(scratch, "shrinking.json");
  // Longer than a block, so that there is something left to cut off.
  writeFileSync(path, lines.repeat(Math.ceil((5 << 20) / lines.length)));
  const { problems } = told(loadPaths([path]), () => truncateSync(path, 5000));
  assert.match(problems, /changed while it was read/);
});

test("of a file that another one takes the place of while it is told, what was opened is read to its end", () => {
  const path = join(scratch, "replaced.json");
  const other = join(scratch, "other.json");
  writeFileSync(path, lines);
  writeFileSync(other, "");
  let isReplaced = false;
  const { pods, problems } = told(loadPaths([path]), () => {
    if (!isReplaced) renameSync(other, path);
    isReplaced = true;
  });
  assert.deepEqual([pods, problems], [40, ""]);
});

test("a live cluster's pages are told as they are iterated", async () => {
  const resource = (name: string, kind: string): JsonObject => ({
    resource: name,
    responseKind: { kind },
    scope: "Namespaced",
    verbs: ["get", "list"],
  });
  const answers: Readonly<Record<string, JsonObject>> = {
    "/version": { gitVersion: "v1.36.0" },
    "/api": {
      kind: "APIGroupDiscoveryList",
      items: [{ metadata: { name: "" }, versions: [{ version: "v1", resources: [resource("pods", "Pod")] }] }],
    },
    "/apis": { kind: "APIGroupDiscoveryList", items: [] },
  };
  const client: Client = {
    name: "somewhere",
    namespace: "default",
    get(path) {
      const url = new URL(path, "http://server");
      const half = url.searchParams.get("continue") === null ? objects.slice(0, 20) : objects.slice(20);
      const page = { kind: "PodList", metadata: half[0] === objects[0] ? { continue: "1" } : {}, items: half };
      return Promise.resolve(answers[url.pathname] ?? page);
    },
  };
  const snapshot = await loadThrough(client, { requestsAtOnce: 2, onProgress: () => {}, namespaces: [] });
  const cluster = buildCluster(snapshot);
  assert.equal(cluster.pods.length, 40);
  assert.deepEqual(cluster.pods[39]?.source, { file: "somewhere", line: null });
  const { source, serverVersion, problems, notSeen, secretsDropped } = snapshot;
  const iterated: Snapshot = {
    source,
    serverVersion,
    problems,
    notSeen,
    secretsDropped,
    [Symbol.iterator]: () => snapshot[Symbol.iterator](),
  };
  assert.deepEqual(plainPods(cluster), plainPods(buildCluster(iterated)));
});
