import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsOf, service, servingCluster, workload } from "../../test/support/serving.ts";
import { endpointsOf } from "../route/build.ts";

const engine = (...args: readonly string[]) =>
  workload("m", { image: "vllm/vllm-openai:v0.11.0", args: ["--model", "m", ...args], gpus: 1 });
const way = service("m", { app: "m" });
const connector = (name: string) => ["--kv-transfer-config", `{"kv_connector":"${name}","kv_role":"kv_both"}`];
const master = workload("master", { args: ["mooncake_master", "--rpc_port=50051"] });
const server = workload("cache", { labels: { environment: "cacheserver", release: "cacheserver" } });
const program = workload("mp", { kind: "DaemonSet", args: ["lmcache server --host 0.0.0.0"] });

const caches = (...things: Parameters<typeof pathsOf>[0]): readonly string[] =>
  pathsOf([way, ...things]).filter((line) => line.startsWith("  cache "));

test("a cache is on the path of engines of which it is not known that they serve on without it", () => {
  assert.deepEqual(caches(engine(...connector("MooncakeStoreConnector")), master, server), [
    "  cache Deployment/master x1; none",
  ]);
  assert.equal(caches(engine("--hicache-storage-backend", "mooncake"), master).length, 1);
  assert.equal(caches(engine(...connector("LMCacheMPConnector")), master, program).length, 1);
});

test("and not where they do, or where none is there", () => {
  assert.deepEqual(caches(engine(...connector("LMCacheConnectorV1")), server), []);
  assert.deepEqual(caches(engine(...connector("MooncakeConnector")), master), []);
  assert.deepEqual(caches(engine(...connector("MooncakeStoreConnector")), server), []);
});

test("that of their namespace, else any", () => {
  const away = workload("shared", { namespace: "infra", args: ["mooncake_master"] });
  const uses = engine(...connector("MooncakeStoreConnector"));
  assert.match(caches(uses, away).join(), /Deployment\/shared /);
  assert.doesNotMatch(caches(uses, away, master).join(), /shared/);
});

test("what caches is told beside the path", () => {
  const { supporting } = endpointsOf(servingCluster([engine(), way, server, master, program]));
  assert.deepEqual(
    supporting.map(({ ref, component }) => `${ref.name}: ${component}`),
    ["cache: LMCache server", "master: Mooncake master", "mp: LMCache server"],
  );
});
