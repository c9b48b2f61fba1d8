import { electsLeader, servedModel } from "./engine-arguments.ts";
import type { Facts, Part } from "./facts.ts";
import { createBudget, type Knob, type Knobs, none, ownKnobs } from "./knobs.ts";
import { helmPart, managedBy } from "./part-rules.ts";
import { partsOfStage, poolEntry, poolsOf } from "./pool-entry.ts";
import type { System } from "./system.ts";

const noBudgetForStandbys =
  "A leader-elected standby is never Ready: a budget over such pickers holds the leader's drain.";

const chartPicker = helmPart({
  hop: "picker",
  component: "Endpoint picker",
  match: { kinds: ["Deployment"], labels: { inferencepool: "*-epp" } },
  values: { replicas: "inferenceExtension.replicas", budget: null, spread: "inferenceExtension.affinity" },
});

/**
 * InferencePools nobody else claims, with whatever picker they name.
 * Mirrors: Gateway API Inference Extension v1.6 and its charts up to v1.5.
 */
export const inferenceExtension: System = {
  name: "gateway-api-inference",
  title: "Gateway API Inference Extension",
  about:
    "Every InferencePool is an endpoint: routes name it as backend, its endpointPickerRef names the picker's Service (none at all " +
    "since v1.6 means the gateway picks), its selector the engines. A picker is needed unless failureMode is FailOpen and the " +
    "gateway honours it. With --ha-enable-leader-election only the leader is ever Ready.",
  gateways: [],
  entries: (facts, claimed) =>
    poolsOf(facts)
      .filter((pool) => !claimed.objects.has(pool.key))
      .map((pool) => {
        const entry = poolEntry(facts, pool);
        return { ...entry, model: servedModel(entry.stages.flatMap(partsOfStage)) };
      }),
  parts: [
    {
      ...chartPicker,
      knobs: (part, facts) => ({ ...chartPicker.knobs(part, facts), budget: pickerBudget(part) }),
    },
    {
      hop: "picker",
      component: "Endpoint picker",
      onPath: true,
      whileGone: "",
      match: {
        images: [
          "llm-d-router-endpoint-picker",
          "llm-d-inference-scheduler",
          "gateway-api-inference-extension/epp",
          "/epp:",
        ],
      },
      owner: () => null,
      knobs: pickerKnobs,
    },
  ],
};

/** A picker's own knobs: no budget while its standbys are never Ready. */
export function pickerKnobs(part: Part, _facts: Facts): Knobs {
  const own = ownKnobs(part.workload.ref, managedBy(part.workload));
  return { ...own, budget: pickerBudget(part) };
}

/** None while one of them leads and the others are never Ready. */
export function pickerBudget(part: Part): Knob {
  return electsLeader(part) ? none(noBudgetForStandbys) : createBudget("Only while no leader is elected among them.");
}
