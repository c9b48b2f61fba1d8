import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { merged } from "../../src/api/managed-fields.ts";
import { writeInto } from "../../src/cli/commands/fix-write.ts";
import { groupOf, objectKey } from "../../src/model/key.ts";
import { refOf } from "../../src/patch/kept-objects.ts";
import { type PathStep, sameJson, valueAt, withValue } from "../../src/wire/object-path.ts";
import type { Json, JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { holdfast, type Run } from "../cli/shell.ts";
import { readExample } from "../support/assess.ts";
import { ray } from "./kept-clusters.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-apply-"));
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
  rmSync(scratch, { recursive: true, force: true });
});

interface Fake {
  readonly kubeconfig: string;
  /** `PATCH path?query`, in order, writes only. */
  readonly writes: readonly string[];
  readonly types: readonly string[];
}

interface FakeOptions {
  /** A manager that has set the fields of any apply; "" nobody. */
  readonly conflict?: string;
  /** Objects get a new version after the dry run. */
  readonly moves?: boolean;
  /** The path that is refused in earnest, though not in the dry run. */
  readonly refuses?: string;
  /** Told of every write in earnest. */
  onWrite?(): void;
}

function plural(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower.endsWith("y")) return `${lower.slice(0, -1)}ies`;
  return /(?:s|x)$/.test(lower) ? `${lower}es` : `${lower}s`;
}

/** An API server with these objects, or those of an example: discovery, lists, objects, patches. */
async function fake(
  example: string | readonly WireObject[],
  { conflict = "", moves = false, refuses = "", onWrite = () => {} }: FakeOptions = {},
): Promise<Fake> {
  const objects = typeof example === "string" ? [...readExample(example)].map(({ object }) => object) : example;
  const writes: string[] = [];
  const types: string[] = [];
  let version = 1;
  const pathOf = (object: WireObject): string => {
    const { apiVersion, kind, namespace, name } = refOf(object);
    const root = groupOf(apiVersion) === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
    return `${root}${namespace === "" ? "" : `/namespaces/${namespace}`}/${plural(kind)}/${name}`;
  };
  const byPath = new Map(objects.map((object) => [pathOf(object), object]));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://server");
    const respond = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.method !== "GET") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        writes.push(`${request.method} ${url.pathname}${url.search}`);
        types.push(request.headers["content-type"] ?? "");
        if (moves) version += 1;
        const dryRun = url.searchParams.has("dryRun");
        if (!dryRun) onWrite();
        if (!dryRun && url.pathname === refuses) return respond(403, { message: "not you" });
        const body = JSON.parse(Buffer.concat(chunks).toString());
        if (request.headers["content-type"] === "application/json-patch+json") {
          const after = patched({ ...byPath.get(url.pathname), metadata: { resourceVersion: `${version}` } }, body);
          return after === null ? respond(422, { message: "a test failed" }) : respond(200, after);
        }
        if (conflict === "" || url.searchParams.get("force") === "true" || request.method !== "PATCH")
          return respond(200, merged(byPath.get(url.pathname) ?? {}, body));
        const causes = [
          { reason: "FieldManagerConflict", message: `conflict with "${conflict}"`, field: ".spec.replicas" },
        ];
        respond(409, { message: "Apply failed with 1 conflict", details: { causes } });
      });
      return;
    }
    if (url.pathname === "/version") return respond(200, { gitVersion: "v1.36.3" });
    if (url.pathname === "/api" || url.pathname === "/apis") return respond(200, discovery(objects, url.pathname));
    const one = byPath.get(url.pathname);
    if (one !== undefined)
      return respond(200, { ...one, metadata: { ...one.metadata, resourceVersion: `${version}` } });
    const items = objects.filter((object) =>
      pathOf(object)
        .replace(/\/namespaces\/[^/]+/, "")
        .startsWith(`${url.pathname}/`),
    );
    return items.length === 0 ? respond(404, { message: "not found" }) : respond(200, { items });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const kubeconfig = join(scratch, `config-${servers.length}`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
    "current-context": "here",
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return { kubeconfig, writes, types };
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: Json;
}

/** Null: a test of the patch failed. */
function patched(object: JsonObject, operations: readonly Operation[]): Json {
  let now: Json = object;
  for (const { op, path, value } of operations) {
    const steps = path
      .slice(1)
      .split("/")
      .map((name): PathStep => (/^\d+$/.test(name) ? { by: "index", index: Number(name) } : { by: "field", name }));
    if (op === "test" && !sameJson(valueAt(now, steps), value)) return null;
    if (op === "add") now = withValue(now, steps, value);
  }
  return now;
}

function discovery(objects: readonly WireObject[], root: string): unknown {
  const kinds = new Map(objects.map((object) => [`${object.apiVersion} ${object.kind}`, object]));
  const mine = [...kinds.values()].filter(({ apiVersion }) => (groupOf(apiVersion) === "") === (root === "/api"));
  return {
    kind: "APIGroupDiscoveryList",
    items: mine.map(({ apiVersion, kind, metadata }) => ({
      metadata: { name: groupOf(apiVersion) },
      versions: [
        {
          version: apiVersion.slice(apiVersion.indexOf("/") + 1),
          resources: [
            {
              resource: plural(kind),
              responseKind: { kind },
              scope: metadata["namespace"] === undefined ? "Cluster" : "Namespaced",
              verbs: ["get", "list"],
            },
          ],
        },
      ],
    })),
  };
}

function apply(
  server: Fake,
  flags: readonly string[],
  typed = "",
  interruption: AbortSignal = new AbortController().signal,
): Promise<Run> {
  const stdin = (async function* () {
    if (typed !== "") yield new TextEncoder().encode(typed);
  })();
  return holdfast(["fix", "--apply", "--kubeconfig", server.kubeconfig, ...flags], {
    stdin,
    interruption: () => interruption,
  });
}

const chat = "/apis/serving.kserve.io/v1alpha2/namespaces/demo-models/llminferenceservices/chat";
const rank = "/apis/serving.kserve.io/v1beta1/namespaces/demo-models/inferenceservices/rank";

describe("holdfast fix --apply", () => {
  test("asks the server first, then the person, then applies as its own field manager", async () => {
    const server = await fake("openshift-one-replica");
    const { err } = await apply(server, [], "y\n");
    const query = "?fieldManager=holdfast&force=false";
    assert.deepEqual(server.writes, [
      `PATCH ${chat}${query}&dryRun=All`,
      `PATCH ${rank}${query}&dryRun=All`,
      `PATCH ${chat}${query}`,
      `PATCH ${rank}${query}`,
    ]);
    assert.ok(server.types.every((type) => type === "application/apply-patch+yaml"));
    assert.match(err, /applied 2 changes as field manager holdfast/);
  });

  test("without a yes nothing is written", async () => {
    const server = await fake("openshift-one-replica");
    const { code, err } = await apply(server, [], "\n");
    assert.ok(server.writes.every((write) => write.includes("dryRun=All")));
    assert.match(err, /nothing was applied/);
    assert.equal(code, 1);
  });

  test("--dry-run=server stops before asking", async () => {
    const server = await fake("openshift-one-replica");
    const { err } = await apply(server, ["--dry-run=server"]);
    assert.equal(server.writes.length, 2);
    assert.doesNotMatch(err, /\[y\/N\]/);
  });

  test("a field of another manager's is refused, and the manager named", async () => {
    const server = await fake("openshift-one-replica", { conflict: "argocd-controller" });
    const { code, err } = await apply(server, ["--yes"]);
    assert.ok(server.writes.every((write) => write.includes("dryRun=All")));
    assert.match(err, /argocd-controller has set spec\.replicas/);
    assert.equal(code, 2);
  });

  test("a field set by hand is taken over, and said", async () => {
    const server = await fake("openshift-one-replica", { conflict: "kubectl-client-side-apply" });
    const { err } = await apply(server, ["--yes"]);
    assert.equal(server.writes.filter((write) => write.includes("force=true") && !write.includes("dryRun")).length, 2);
    assert.match(err, /set by hand \(kubectl-client-side-apply\)/);
  });

  test("what was written before a refusal is put back", async () => {
    const server = await fake("openshift-one-replica", { refuses: rank });
    const { code, err } = await apply(server, ["--yes"]);
    const earnest = server.writes.filter((write) => !write.includes("dryRun"));
    const query = "?fieldManager=holdfast";
    assert.deepEqual(earnest, [
      `PATCH ${chat}${query}&force=false`,
      `PATCH ${rank}${query}&force=false`,
      `PATCH ${chat}${query}`,
    ]);
    assert.match(err, /refused: InferenceService.*not you/);
    assert.match(err, /put back: LLMInferenceService demo-models\/chat/);
    assert.equal(code, 2);
  });

  test("Ctrl-C between two writes puts the first one back", async () => {
    const pressed = new AbortController();
    const server = await fake("openshift-one-replica", { onWrite: () => pressed.abort() });
    const { err } = await apply(server, ["--yes"], "", pressed.signal);
    assert.equal(server.writes.filter((write) => !write.includes("dryRun")).length, 2);
    assert.match(err, /interrupted\n.*put back: LLMInferenceService/);
  });

  test("an object that changed after the dry run is left alone", async () => {
    const server = await fake("openshift-one-replica", { moves: true });
    const { err } = await apply(server, ["--yes"]);
    assert.ok(server.writes.every((write) => write.includes("dryRun=All")));
    assert.match(err, /changed just now/);
  });
});

describe("holdfast fix --apply of fields inside lists", () => {
  const objects = ray({ workers: ["n-1"], nodes: ["n-1", "n-2", "n-3"] });
  const setBy = (manager: string): readonly WireObject[] =>
    objects.map((object) =>
      object.kind === "RayCluster" || object.kind === "RayService"
        ? { ...object, metadata: { ...object.metadata, managedFields: recordOf(object.kind, manager) } }
        : object,
    );
  const recordOf = (kind: string, manager: string): Json => [
    {
      manager: kind === "RayService" && manager === "kuberay-operator" ? "kubectl-client-side-apply" : manager,
      operation: "Update",
      fieldsV1: { "f:spec": { "f:workerGroupSpecs": {}, "f:rayClusterConfig": { "f:workerGroupSpecs": {} } } },
    },
  ];
  const actor = ["--actor", "openshift-mco"];

  test("writes operations on the version that was looked at, elements tested, after a dry run", async () => {
    const server = await fake(objects);
    const { err } = await apply(server, ["--yes", ...actor]);
    const at = "/apis/ray.io/v1/namespaces/models";
    const query = "?fieldManager=holdfast";
    assert.deepEqual(server.writes, [
      `PATCH ${at}/rayclusters/serve-a${query}&dryRun=All`,
      `PATCH ${at}/rayservices/serve${query}&dryRun=All`,
      `PATCH ${at}/rayclusters/serve-a${query}`,
      `PATCH ${at}/rayservices/serve${query}`,
    ]);
    assert.ok(server.types.every((type) => type === "application/json-patch+json"));
    assert.match(err, /applied 2 changes as field manager holdfast/);
  });

  test("takes over what an operator set and leaves alone, and what was set by hand, and says so", async () => {
    const { err } = await apply(await fake(setBy("kuberay-operator")), ["--dry-run=server", ...actor]);
    assert.match(err, /RayCluster.*kuberay-operator set it, and does not write it again/);
    assert.match(err, /RayService.*set by hand \(kubectl-client-side-apply\)/);
    assert.match(err, /dry run took 2 changes/);
  });

  test("refuses what a tool puts back, and names it", async () => {
    const server = await fake(setBy("argocd-controller"));
    const { code, err } = await apply(server, ["--yes", ...actor]);
    assert.deepEqual(server.writes, []);
    assert.match(err, /argocd-controller has set spec\.workerGroupSpecs\[groupName=gpu\]\.replicas/);
    assert.equal(code, 2);
  });

  test("puts the first one back where the second is refused", async () => {
    const refuses = "/apis/ray.io/v1/namespaces/models/rayservices/serve";
    const server = await fake(objects, { refuses });
    const { err } = await apply(server, ["--yes", ...actor]);
    const [, , third, fourth, fifth] = server.writes;
    assert.match(third ?? "", /rayclusters/);
    assert.match(fourth ?? "", /rayservices/);
    assert.match(fifth ?? "", /rayclusters/);
    assert.match(err, /put back: RayCluster models\/serve-a/);
  });
});

describe("holdfast fix --write", () => {
  test("never leaves the folder, follows no link, overwrites only when forced", () => {
    const folder = join(scratch, "out");
    assert.throws(() => writeInto(folder, [{ name: "../x.yaml", text: "" }], true), /lead out/);
    writeInto(folder, [{ name: "a.yaml", text: "1" }], false);
    assert.throws(() => writeInto(folder, [{ name: "a.yaml", text: "2" }], false), /--force/);
    writeInto(folder, [{ name: "a.yaml", text: "2" }], true);
    symlinkSync(scratch, join(folder, "link"));
    assert.throws(() => writeInto(folder, [{ name: "link/b.yaml", text: "" }], true), /links are not followed/);
  });
});

test("every object has a key of its own", () => {
  const keys = [...readExample("openshift-one-replica")].map(({ object }) => objectKey(refOf(object)));
  assert.equal(new Set(keys).size, keys.length);
});
