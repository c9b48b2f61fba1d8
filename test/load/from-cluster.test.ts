import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ClusterNotReachable, KubeconfigProblem } from "../../src/api/errors.ts";
import { defaultLiveOptions, type LiveOptions, loadCluster } from "../../src/load/from-cluster.ts";
import type { Snapshot } from "../../src/wire/snapshot.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-live-"));
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
  rmSync(scratch, { recursive: true, force: true });
});

type Item = Readonly<Record<string, unknown>>;

interface FakeResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly items: readonly Item[];
}

/** Answers a path itself; null: leave it to the server. */
type Exception = (path: string, query: URLSearchParams) => { readonly status: number; readonly message: string } | null;

interface Fake {
  readonly kubeconfig: string;
  /** Paths asked for, with their queries. */
  readonly asked: readonly string[];
  readonly atOnceMost: () => number;
}

interface FakeOptions {
  readonly resources: readonly FakeResource[];
  readonly exception?: Exception;
  readonly aggregated?: boolean;
}

/** An API server that knows discovery, paged lists and refusals. */
async function fake({ resources, exception = () => null, aggregated = true }: FakeOptions): Promise<Fake> {
  const asked: string[] = [];
  let atOnce = 0;
  let most = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    const url = new URL(request.url ?? "/", "http://server");
    asked.push(`${url.pathname}${url.search}`);
    // Answered a moment later, so that requests can overlap.
    setImmediate(() => {
      atOnce -= 1;
      const refusal = exception(url.pathname, url.searchParams);
      const status = refusal?.status ?? 200;
      const body = refusal === null ? answer(url, resources, aggregated) : { kind: "Status", message: refusal.message };
      response.writeHead(body === null ? 404 : status, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? { kind: "Status", message: "not found" }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { kubeconfig: kubeconfigFor(`http://127.0.0.1:${port}`), asked, atOnceMost: () => most };
}

let configs = 0;

function kubeconfigFor(server: string): string {
  configs += 1;
  const path = join(scratch, `config-${configs}`);
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user: { token: "t" } }],
      contexts: [{ name: "here", context: { cluster: "c", user: "u", namespace: "mine" } }],
      "current-context": "here",
    }),
  );
  return path;
}

function answer(url: URL, resources: readonly FakeResource[], aggregated: boolean): unknown {
  const path = url.pathname;
  if (path === "/version") return { gitVersion: "v1.36.3" };
  if (path === "/api" || path === "/apis") return roots(path, resources, aggregated);
  const list = /^(?:\/api|\/apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)$/.exec(path);
  if (list !== null) {
    const [, group = "", , namespace, name] = list;
    const found = resources.find((each) => each.group === group && each.resource === name);
    return found === undefined ? null : page(found, namespace, url.searchParams);
  }
  const version = /^(?:\/api|\/apis\/([^/]+))\/([^/]+)$/.exec(path);
  const group = version?.[1] ?? "";
  return {
    kind: "APIResourceList",
    resources: resources
      .filter((each) => each.group === group)
      .flatMap((each) => [
        { name: each.resource, kind: each.kind, namespaced: each.namespaced, verbs: ["get", "list"] },
        { name: `${each.resource}/status`, kind: each.kind, namespaced: each.namespaced, verbs: ["get"] },
      ]),
  };
}

function roots(path: string, resources: readonly FakeResource[], aggregated: boolean): unknown {
  const mine = resources.filter((each) => (path === "/api") === (each.group === ""));
  const groups = [...new Set(mine.map((each) => each.group))];
  const versionOf = (group: string): string => mine.find((each) => each.group === group)?.version ?? "v1";
  if (!aggregated) {
    if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
    return {
      kind: "APIGroupList",
      groups: groups.map((name) => ({ name, preferredVersion: { version: versionOf(name) } })),
    };
  }
  return {
    kind: "APIGroupDiscoveryList",
    items: groups.map((name) => ({
      metadata: { name },
      versions: [
        {
          version: versionOf(name),
          resources: mine
            .filter((each) => each.group === name)
            .map((each) => ({
              resource: each.resource,
              responseKind: { kind: each.kind },
              scope: each.namespaced ? "Namespaced" : "Cluster",
              verbs: ["get", "list"],
            })),
        },
      ],
    })),
  };
}

/** Items of a typed list carry no kind, as on a real server. */
function page(
  { kind, version, group, items }: FakeResource,
  namespace: string | undefined,
  query: URLSearchParams,
): unknown {
  const mine = items.filter((item) => {
    const metadata = item["metadata"];
    return (
      namespace === undefined ||
      (Object(metadata) === metadata && Reflect.get(Object(metadata), "namespace") === namespace)
    );
  });
  const from = Number(query.get("continue") ?? "0");
  const limit = Number(query.get("limit") ?? "0") || mine.length;
  const rest = from + limit < mine.length ? String(from + limit) : "";
  return {
    kind: `${kind}List`,
    apiVersion: group === "" ? version : `${group}/${version}`,
    metadata: { resourceVersion: "7", ...(rest === "" ? {} : { continue: rest }) },
    items: mine.slice(from, from + limit),
  };
}

function core(resource: string, kind: string, namespaced: boolean, items: readonly Item[]): FakeResource {
  return { group: "", version: "v1", resource, kind, namespaced, items };
}

const nodes = core("nodes", "Node", false, [{ metadata: { name: "n1" } }]);
const namespaces = core(
  "namespaces",
  "Namespace",
  false,
  ["a", "b", "c"].map((name) => ({ metadata: { name } })),
);
const podItems = Array.from({ length: 1203 }, (_, index) => ({
  metadata: { name: `p${index}`, namespace: ["a", "b", "c"][index % 3] },
}));
const pods = core("pods", "Pod", true, podItems);
const secrets = core("secrets", "Secret", true, [{ metadata: { name: "s", namespace: "a" }, data: { k: "hunter2" } }]);

function options(server: Fake, more: Partial<LiveOptions> = {}): LiveOptions {
  return { ...defaultLiveOptions, kubeconfig: server.kubeconfig, timeoutMs: 5000, ...more };
}

function count(snapshot: Snapshot): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { object } of snapshot) counts.set(object.kind, (counts.get(object.kind) ?? 0) + 1);
  return counts;
}

for (const aggregated of [true, false]) {
  test(`lists are read page by page, each kind once (${aggregated ? "aggregated" : "classic"} discovery)`, async () => {
    const server = await fake({ resources: [nodes, namespaces, pods, secrets], aggregated });
    const snapshot = await loadCluster(options(server));
    assert.deepEqual([...count(snapshot)].sort(), [
      ["Namespace", 3],
      ["Node", 1],
      ["Pod", 1203],
    ]);
    assert.equal(snapshot.serverVersion, "v1.36.3");
    assert.equal(snapshot.source, "here");
    assert.deepEqual(snapshot.notSeen, []);
    assert.deepEqual(snapshot.problems, []);
    const pages = server.asked.filter((each) => each.startsWith("/api/v1/pods"));
    assert.deepEqual(pages, [
      "/api/v1/pods?limit=500",
      "/api/v1/pods?limit=500&continue=500",
      "/api/v1/pods?limit=500&continue=1000",
    ]);
    assert.equal(
      server.asked.some((each) => each.includes("secrets")),
      false,
      "Secrets are never asked for",
    );
  });
}

test("a list whose token expired is begun again, and nothing comes twice", async () => {
  let expired = 0;
  const server = await fake({
    resources: [nodes, namespaces, pods],
    exception: (path, query) => {
      if (path !== "/api/v1/pods" || query.get("continue") !== "1000" || expired === 2) return null;
      expired += 1;
      return { status: 410, message: "The provided continue parameter is too old" };
    },
  });
  const snapshot = await loadCluster(options(server));
  assert.equal(expired, 2);
  const names = new Set([...snapshot].map(({ object }) => `${object.kind}/${object.metadata["name"]}`));
  assert.equal(count(snapshot).get("Pod"), 1203);
  assert.equal(names.size, 1203 + 3 + 1);
});

const forbidden = (what: string): { readonly status: number; readonly message: string } => ({
  status: 403,
  message: `${what} is forbidden`,
});

test("where a cluster-wide list is forbidden, namespaces are asked one by one", async () => {
  const server = await fake({
    resources: [nodes, namespaces, pods],
    exception: (path) => {
      if (path === "/api/v1/pods") return forbidden("pods");
      return path === "/api/v1/namespaces/b/pods" ? forbidden("pods in b") : null;
    },
  });
  const snapshot = await loadCluster(options(server));
  assert.equal(count(snapshot).get("Pod"), 802);
  assert.deepEqual(snapshot.notSeen, [{ resource: "pods", why: "pods in b is forbidden (in namespace b)" }]);
});

test("of thousands of namespaces those that are named come first, and the others are said to be unasked", async () => {
  const names = Array.from({ length: 1200 }, (_, index) => `ns-${index}`);
  const many = core(
    "namespaces",
    "Namespace",
    false,
    names.map((name) => ({ metadata: { name } })),
  );
  const each = core(
    "pods",
    "Pod",
    true,
    names.map((namespace) => ({ metadata: { name: "p", namespace } })),
  );
  const server = await fake({
    resources: [nodes, many, each],
    exception: (path) => (path === "/api/v1/pods" ? forbidden("pods") : null),
  });
  const snapshot = await loadCluster(options(server, { namespaces: ["ns-999"] }));
  const read = [...snapshot]
    .filter(({ object }) => object.kind === "Pod")
    .map(({ object }) => object.metadata["namespace"]);
  assert.equal(read.length, 500);
  assert.ok(read.includes("ns-999"));
  const [missed] = snapshot.notSeen;
  assert.match(missed?.why ?? "", /only 500 of 1200 namespaces were asked.*--namespace/);
});

test("a namespace a person names is read where nothing else is permitted", async () => {
  const team = core("pods", "Pod", true, [{ metadata: { name: "p", namespace: "team" } }]);
  const server = await fake({
    resources: [nodes, namespaces, team],
    exception: (path) => (path === "/api/v1/pods" || path === "/api/v1/namespaces" ? forbidden("it") : null),
  });
  const snapshot = await loadCluster(options(server, { namespaces: ["team"] }));
  assert.equal(count(snapshot).get("Pod"), 1);
});

test("an answer that is no list does not pass for an empty one", async () => {
  const odd = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://server").pathname;
    const body =
      path === "/api/v1/nodes"
        ? { kind: "Status" }
        : (answer(new URL(path, "http://server"), [nodes, namespaces], true) ?? {});
    response.end(JSON.stringify(body));
  });
  servers.push(odd);
  await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
  const address = odd.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const kubeconfig = kubeconfigFor(`http://127.0.0.1:${port}`);
  const snapshot = await loadCluster({ ...defaultLiveOptions, kubeconfig });
  assert.deepEqual(snapshot.notSeen, [{ resource: "nodes", why: "what it answers is no list" }]);
});

test("without the namespaces' names only the context's own is asked", async () => {
  const own = core("pods", "Pod", true, [{ metadata: { name: "p", namespace: "mine" } }]);
  const server = await fake({
    resources: [nodes, namespaces, own],
    exception: (path) =>
      ["/api/v1/pods", "/api/v1/namespaces", "/api/v1/nodes"].includes(path) ? forbidden(path) : null,
  });
  const snapshot = await loadCluster(options(server));
  assert.deepEqual([...count(snapshot)], [["Pod", 1]]);
  assert.deepEqual(
    snapshot.notSeen.map((each) => each.resource),
    ["namespaces", "nodes"],
  );
});

test("owners of unknown kinds are read too, others are not", async () => {
  const owner = { apiVersion: "serving.example/v1", kind: "Model", name: "m", controller: true };
  const custom = (resource: string, kind: string): FakeResource => ({
    group: "serving.example",
    version: "v1",
    resource,
    kind,
    namespaced: true,
    items: [{ metadata: { name: "m", namespace: "a" } }],
  });
  const owned = core("pods", "Pod", true, [{ metadata: { name: "p", namespace: "a", ownerReferences: [owner] } }]);
  const server = await fake({
    resources: [nodes, namespaces, owned, custom("models", "Model"), custom("reports", "Report")],
  });
  const counts = count(await loadCluster(options(server)));
  assert.equal(counts.get("Model"), 1);
  assert.equal(counts.has("Report"), false);
});

test("a busy server is asked again", async () => {
  let busy = 2;
  const server = await fake({
    resources: [nodes, namespaces],
    exception: (path) => {
      if (path !== "/api/v1/nodes" || busy === 0) return null;
      busy -= 1;
      return { status: 429, message: "too many requests" };
    },
  });
  assert.equal(count(await loadCluster(options(server))).get("Node"), 1);
});

test("a list that fails for good is not seen, and why is said", async () => {
  const server = await fake({
    resources: [nodes, namespaces],
    exception: (path) => (path === "/api/v1/nodes" ? { status: 500, message: "etcd is away" } : null),
  });
  assert.deepEqual((await loadCluster(options(server))).notSeen, [{ resource: "nodes", why: "etcd is away" }]);
});

test("no more requests run at once than allowed", async () => {
  const many = Array.from({ length: 20 }, (_, index) => core(`things${index}`, "Pod", true, []));
  const server = await fake({
    resources: [namespaces, nodes, pods, ...many],
    exception: (path) => (path === "/api/v1/pods" ? forbidden("pods") : null),
  });
  await loadCluster(options(server, { requestsAtOnce: 2 }));
  assert.ok(server.atOnceMost() <= 2, `${server.atOnceMost()} at once`);
});

test("progress is told after every page", async () => {
  const server = await fake({ resources: [nodes, namespaces, pods] });
  const told: string[] = [];
  await loadCluster(options(server, { onProgress: (resource, objects) => told.push(`${resource} ${objects}`) }));
  assert.deepEqual(
    told.filter((each) => each.startsWith("pods")),
    ["pods 500", "pods 1000", "pods 1203"],
  );
});

test("nobody listening, and credentials nobody knows, are a cluster that cannot be reached", async () => {
  const nobody = kubeconfigFor("http://127.0.0.1:9");
  await assert.rejects(loadCluster({ ...defaultLiveOptions, kubeconfig: nobody }), ClusterNotReachable);
  const server = await fake({ resources: [nodes], exception: () => ({ status: 401, message: "Unauthorized" }) });
  await assert.rejects(loadCluster(options(server)), ClusterNotReachable);
});

test("a server that does not answer in time cannot be reached", async () => {
  const silent = createServer(() => {});
  servers.push(silent);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const kubeconfig = kubeconfigFor(`http://127.0.0.1:${port}`);
  await assert.rejects(loadCluster({ ...defaultLiveOptions, kubeconfig, timeoutMs: 200 }), /no answer within 0.2 s/);
  silent.closeAllConnections();
});

async function raw(respond: (response: ServerResponse) => void): Promise<LiveOptions> {
  const server = createServer((_, response) => respond(response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { ...defaultLiveOptions, kubeconfig: kubeconfigFor(`http://127.0.0.1:${port}`), timeoutMs: 5000 };
}

test("a server that refuses to say what it has cannot be read", async () => {
  for (const status of [403, 404, 418]) {
    const server = await fake({ resources: [nodes], exception: () => ({ status, message: "not for you" }) });
    await assert.rejects(loadCluster(options(server)), (error: unknown) => {
      assert.ok(error instanceof ClusterNotReachable);
      assert.equal(error.message, `the cluster answers with status ${status}: not for you`);
      return true;
    });
  }
});

test("an answer without end is left at its limit", async () => {
  const endless = await raw((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = (): void => {
      while (!response.destroyed && response.write(`"${"x".repeat(10_000)}",`));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const asking = loadCluster({ ...endless, answerBytesMax: 1_000_000 });
  await assert.rejects(asking, /the cluster answers: an answer is larger than 1000000 bytes/);
});

test("letters that come in two pieces stay whole", async () => {
  const name = "é".repeat(50_000);
  const server = await fake({ resources: [{ ...nodes, items: [{ metadata: { name } }] }] });
  const [read] = [...(await loadCluster(options(server)))];
  assert.equal(read?.object.metadata["name"], name);
});

test("an object with items of its own is one object, however its snapshot is read", async () => {
  const items = [{ apiVersion: "v1", kind: "Node", metadata: { name: "inside" } }];
  const server = await fake({ resources: [{ ...nodes, items: [{ metadata: { name: "one" }, items }] }] });
  const snapshot = await loadCluster(options(server));
  const told: string[] = [];
  snapshot.tell?.({ item: ({ object }) => told.push(String(object.metadata["name"])), alike: () => "read" });
  assert.deepEqual(told, ["one"]);
  assert.deepEqual(
    [...snapshot].map(({ object }) => object.metadata["name"]),
    ["one"],
  );
});

test("pages that go round in circles are left, and told", async () => {
  let asked = 0;
  const circling = await raw((response) => {
    asked += 1;
    const list = { metadata: { continue: "again" }, items: [] };
    const path = response.req.url ?? "";
    const discovery = {
      kind: "APIGroupDiscoveryList",
      items: [
        {
          metadata: { name: "" },
          versions: [
            {
              version: "v1",
              resources: [{ resource: "nodes", responseKind: { kind: "Node" }, scope: "Cluster", verbs: ["list"] }],
            },
          ],
        },
      ],
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(path === "/api" ? discovery : path.startsWith("/api/") ? list : {}));
  });
  const snapshot = await loadCluster(circling);
  assert.deepEqual(snapshot.notSeen, [{ resource: "nodes", why: "its pages have no end" }]);
  assert.ok(asked < 20);
});

test("a kubeconfig that is missing or has no such context is the caller's mistake", async () => {
  const server = await fake({ resources: [nodes] });
  await assert.rejects(loadCluster(options(server, { context: "elsewhere" })), KubeconfigProblem);
  await assert.rejects(loadCluster({ ...defaultLiveOptions, kubeconfig: join(scratch, "nowhere") }), KubeconfigProblem);
  const broken = join(scratch, "broken");
  writeFileSync(broken, "clusters: [");
  await assert.rejects(loadCluster({ ...defaultLiveOptions, kubeconfig: broken }), KubeconfigProblem);
});
