import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, daemonSet, deployment, type Item, nodes, service } from "../../../scripts/recordings/objects.ts";
import { checkReport } from "../../../test/support/assess.ts";
import { foundIn } from "../../../test/support/findings.ts";
import { snapshotOf } from "../../../test/support/fix.ts";
import { kubectlDrainInTurn } from "../../maintenance/actors/kubectl-drain-in-turn.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { daemonSetGoesAlong } from "./daemon-set-goes-along.ts";

const group = "gateway.networking.k8s.io";
const of = (kind: string, name: string, spec: object): Item => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name, ...(kind === "GatewayClass" ? {} : { namespace: "serving" }) },
  spec,
});

/** A gateway whose proxies are a DaemonSet. */
function served(places: string): readonly WireObject[] {
  const items = [
    ...nodes("s1 s2 s3", { labels: { pool: "system" } }),
    ...nodes("g1 g2 g3", { gpu: 1, labels: { pool: "gpu" } }),
    ...deployment("m1", "g1 g2", { gpu: 1 }),
    service("m1"),
    budget("m1", { max: 1, status: [2, 2] }),
    of("GatewayClass", "istio", { controllerName: "istio.io/gateway-controller" }),
    of("Gateway", "gw", { gatewayClassName: "istio", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] }),
    of("HTTPRoute", "m1", { parentRefs: [{ name: "gw" }], rules: [{ backendRefs: [{ name: "m1", port: 8000 }] }] }),
    ...daemonSet("gw-istio", places, {
      labels: { [`${group}/gateway-name`]: "gw" },
      with: { template: template(places) },
    }),
    service("gw-istio"),
  ];
  return JSON.parse(JSON.stringify(items));
}

/** Its proxies on these nodes, a machine after the other restarted. */
function told(places: string): readonly string[] {
  const { findings } = checkReport(snapshotOf(served(places)), { actors: ["kubectl-drain-in-turn"] });
  return findings.filter(({ rule }) => rule === daemonSetGoesAlong.name).map(({ severity }) => severity);
}

/** On these nodes alone. */
function template(places: string): object {
  const values = places.split(" ");
  const term = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
  const labels = { app: "gw-istio", [`${group}/gateway-name`]: "gw" };
  return { metadata: { labels }, spec: { affinity, containers: [{ name: "main", image: "gw:1" }] } };
}

test("proxies that go down with their machines, one machine after the other", () => {
  assert.deepEqual(Object.keys(daemonSetGoesAlong.messages), ["notAwaited"]);
  const found = foundIn(served("s1 s2"), { gateway: "broke" }, [kubectlDrainInTurn]);
  assert.deepEqual(found, ["daemon-set-goes-along/notAwaited error gw-istio"]);
  assert.deepEqual(foundIn(served("s1 s2"), {}, [kubectlDrainInTurn]), []);
  assert.deepEqual(told("s1 s2"), ["error"]);
  assert.deepEqual(told("s1 s2 s3"), []);
});
