import assert from "node:assert/strict";
import { test } from "node:test";
import { readExample } from "../../test/support/assess.ts";
import { buildCluster } from "../model/build.ts";
import { endpointsOf } from "../route/build.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import type { Edit } from "./edit.ts";
import { KeptObjects } from "./kept-objects.ts";
import { activeActive } from "./remedies/active-active.ts";
import { antiAffinity } from "./remedies/anti-affinity.ts";
import { antiAffinityKeyed } from "./remedies/anti-affinity-keyed.ts";
import { budget } from "./remedies/budget.ts";
import { fallbackPlace } from "./remedies/fallback-place.ts";
import { replicas } from "./remedies/replicas.ts";
import { rolloutStrategy } from "./remedies/rollout-strategy.ts";
import { spreadAnyway } from "./remedies/spread-anyway.ts";
import { spreadHonor } from "./remedies/spread-honor.ts";
import { spreadKeys } from "./remedies/spread-keys.ts";
import type { Remedy } from "./remedy.ts";
import { sitesOf } from "./site.ts";

function proposed(remedy: Remedy, example: string, name: string, units: number | null = null): readonly Edit[] {
  const kept = new KeptObjects();
  const cluster = buildCluster(kept.watching(readExample(example)));
  const view = new Ledger(cluster, new Journal());
  const site = sitesOf({ view, kept, endpoints: endpointsOf(cluster).endpoints }).find(
    ({ hop }) => hop.ref.name === name,
  );
  assert.ok(site, `${example} has ${name}`);
  return remedy.propose(site, { cluster, view, kept, unitsAfter: (each) => units ?? each.units });
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
