import assert from "node:assert/strict";
import { test } from "node:test";
import { readExample } from "../../test/support/assess.ts";
import { snapshotOf } from "../../test/support/fix.ts";
import { buildCluster } from "../model/build.ts";
import { endpointsOf } from "../route/build.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { isJsonObject } from "../wire/fields.ts";
import type { WireObject } from "../wire/snapshot.ts";
import type { Edit } from "./edit.ts";
import { KeptObjects } from "./kept-objects.ts";
import { activeActive } from "./remedies/active-active.ts";
import { antiAffinity } from "./remedies/anti-affinity.ts";
import { antiAffinityKeyed } from "./remedies/anti-affinity-keyed.ts";
import { budget } from "./remedies/budget.ts";
import { drainTimeout } from "./remedies/drain-timeout.ts";
import { fallbackPlace } from "./remedies/fallback-place.ts";
import { grace } from "./remedies/grace.ts";
import { groupsApart } from "./remedies/groups-apart.ts";
import { priority } from "./remedies/priority.ts";
import { replicas } from "./remedies/replicas.ts";
import { rolloutStrategy } from "./remedies/rollout-strategy.ts";
import { spreadAnyway } from "./remedies/spread-anyway.ts";
import { spreadHonor } from "./remedies/spread-honor.ts";
import { spreadKeys } from "./remedies/spread-keys.ts";
import type { Remedy } from "./remedy.ts";
import { sitesOf } from "./site.ts";

function proposed(
  remedy: Remedy,
  example: string,
  name: string,
  units: number | null = null,
  edited: (object: WireObject) => WireObject = (object) => object,
): readonly Edit[] {
  const kept = new KeptObjects();
  const objects = [...readExample(example)].map(({ object }) => edited(object));
  const cluster = buildCluster(kept.watching(snapshotOf(objects)));
  const view = new Ledger(cluster, new Journal());
  const site = sitesOf({ view, kept, endpoints: endpointsOf(cluster).endpoints }).find(
    ({ hop }) => hop.ref.name === name,
  );
  assert.ok(site, `${example} has ${name}`);
  return remedy.propose(site, { cluster, view, kept, unitsAfter: (each) => units ?? each.units, changed: [] });
}

const proxy = "envoy-modelplane-system-cluster-gateway-s9whx49f";
const kube = "spec.provider.kubernetes";
const pod = "spec.template.spec";

const rows: readonly (readonly [Remedy, string, string, number | null, readonly string[]])[] = [
  [replicas, "modelplane-incident", proxy, null, [`live EnvoyProxy ${kube}.envoyDeployment.replicas`]],
  [replicas, "modelplane-incident", "chat-0-epp", null, ["composition Deployment spec.replicas"]],
  [replicas, "modelplane-incident", "coredns", null, []],
  [
    replicas,
    "openshift-one-replica",
    "rank-predictor",
    null,
    ["live InferenceService spec.predictor.minReplicas spec.predictor.maxReplicas"],
  ],
  [budget, "modelplane-incident", proxy, 2, [`live EnvoyProxy ${kube}.envoyPDB.maxUnavailable`]],
  [budget, "modelplane-incident", proxy, 1, []],
  [budget, "modelplane-incident", "chat-0-epp", 2, ["live PodDisruptionBudget create"]],
  [budget, "modelplane-incident", "coredns", 2, []],
  [budget, "modelplane-standby", "chat-0-epp", 2, ["live PodDisruptionBudget delete"]],
  [budget, "openshift-as-written", "chat-kserve", 2, ["live PodDisruptionBudget spec.selector"]],
  [budget, "openshift-as-written", "rank-predictor", 2, ["live PodDisruptionBudget spec.selector"]],
  [budget, "openshift-no-room", "chat-kserve", 3, ["live PodDisruptionBudget spec.minAvailable spec.maxUnavailable"]],
  [spreadHonor, "modelplane-incident", "coredns", null, [`live Deployment ${pod}.topologySpreadConstraints`]],
  [
    spreadKeys,
    "modelplane-incident",
    proxy,
    null,
    [`live EnvoyProxy ${kube}.envoyDeployment.pod.topologySpreadConstraints`],
  ],
  [
    spreadAnyway,
    "openshift-as-written",
    "chat-kserve",
    null,
    ["live LLMInferenceService spec.template.topologySpreadConstraints"],
  ],
  [
    antiAffinity,
    "openshift-as-written",
    "chat-kserve",
    null,
    ["live LLMInferenceService spec.template.affinity.podAntiAffinity"],
  ],
  [antiAffinity, "openshift-as-written", "rank-predictor", null, []],
  [
    antiAffinityKeyed,
    "modelplane-incident",
    "chat-0-main-7c5d9f",
    null,
    [`live Deployment ${pod}.affinity.podAntiAffinity`],
  ],
  [
    rolloutStrategy,
    "openshift-as-written",
    "rank-predictor",
    null,
    ["live InferenceService spec.predictor.deploymentStrategy"],
  ],
  [rolloutStrategy, "openshift-two-replicas", "rank-predictor", null, []],
  [
    fallbackPlace,
    "modelplane-incident",
    "coredns",
    null,
    [`live Deployment ${pod}.tolerations`, `live Deployment ${pod}.affinity.nodeAffinity`],
  ],
  [fallbackPlace, "modelplane-incident", "chat-0-main-7c5d9f", null, []],
  [
    activeActive,
    "modelplane-standby",
    "chat-0-epp",
    null,
    [`composition Deployment ${pod}.containers`, "composition Deployment spec.strategy"],
  ],
  [activeActive, "modelplane-incident", "chat-0-epp", null, []],
  [grace, "modelplane-incident", "chat-0-main-7c5d9f", null, []],
  [drainTimeout, "modelplane-incident", proxy, null, []],
  [groupsApart, "modelplane-incident", "chat-0-main-7c5d9f", null, []],
  [priority, "modelplane-incident", "chat-0-main-7c5d9f", null, []],
];

for (const [remedy, example, name, units, expected] of rows) {
  test(`${remedy.name} for ${name} of ${example}${units === null ? "" : ` with ${units}`}`, () => {
    const shown = proposed(remedy, example, name, units).map(({ holds, target, act }) => {
      const what = act.do === "set" ? act.fields.map(({ path }) => path).join(" ") : act.do;
      return `${holds} ${target.kind} ${what}`;
    });
    assert.deepEqual(shown, expected);
  });
}

test("a budget of ours carries none of the owner's labels, so that no controller takes it for its own", () => {
  const [edit] = proposed(budget, "modelplane-incident", "chat-0-epp", 2);
  assert.ok(edit?.act.do === "create");
  assert.deepEqual(edit.act.object.metadata["labels"], { "app.kubernetes.io/managed-by": "holdfast" });
});

test("a number of the owner's budget takes the place of the other one", () => {
  const stating = (object: WireObject): WireObject => {
    if (object.kind === "PodDisruptionBudget" || object.kind !== "EnvoyProxy") return object;
    const spec = { provider: { type: "Kubernetes", kubernetes: { envoyPDB: { minAvailable: 1 } } } };
    return { ...object, spec };
  };
  const [edit] = proposed(budget, "modelplane-incident", proxy, 3, stating);
  assert.ok(edit?.act.do === "set");
  assert.deepEqual(edit.act.fields, [
    { path: `${kube}.envoyPDB.maxUnavailable`, value: 1 },
    { path: `${kube}.envoyPDB.minAvailable`, value: null },
  ]);
});

/** Every route promises an answer within this. */
function promising(request: string): (object: WireObject) => WireObject {
  return (object) => {
    const { spec } = object;
    if (object.kind !== "HTTPRoute" || !isJsonObject(spec)) return object;
    const rules = Array.isArray(spec["rules"]) ? spec["rules"].filter(isJsonObject) : [];
    return { ...object, spec: { ...spec, rules: rules.map((rule) => ({ ...rule, timeouts: { request } })) } };
  };
}

test("grace and drain timeout follow the longest answer that is promised", () => {
  const values = (remedy: Remedy, name: string, request: string): readonly unknown[] =>
    proposed(remedy, "modelplane-incident", name, null, promising(request)).map(({ value }) => value);
  assert.deepEqual(values(grace, "chat-0-main-7c5d9f", "2m"), [120]);
  assert.deepEqual(values(grace, "chat-0-main-7c5d9f", "30s"), []);
  assert.deepEqual(values(drainTimeout, proxy, "2m"), [420]);
  assert.deepEqual(values(drainTimeout, proxy, "60s"), []);
});

test("no grace is proposed beyond what the maintenance waits", () => {
  assert.deepEqual(proposed(grace, "modelplane-incident", "chat-0-main-7c5d9f", null, promising("2h")), []);
});
