import { objectKey } from "../model/key.ts";
import type { Labels } from "../model/labels.ts";
import { servedModel } from "./engine-arguments.ts";
import type { Facts, Part } from "./facts.ts";
import { pickerBudget } from "./inference-extension.ts";
import { type Match, matchesPart } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { engineStages, partsOfStage, poolEntry, poolsOf } from "./pool-entry.ts";
import { type Claims, type Entry, entryOf, isNeeded, type PartRule, type System } from "./system.ts";

/** The second is what charts before v0.4 set. */
const servingLabels = ["llm-d.ai/inference-serving", "llm-d.ai/inferenceServing"] as const;
const standalone: Match = {
  labels: { "llm-d.ai/igw-mode": "llm-d-router-standalone" },
  kinds: ["Deployment", "StatefulSet"],
};
const standaloneProxy: Match = { labels: { "llm-d-router-proxy": "*" }, kinds: ["Deployment"] };

/**
 * Engines in roles behind an InferencePool and its router; or a standalone router with a proxy of its own.
 * Mirrors: charts of llm-d-router v0.10 and llm-d-modelservice v0.4.
 */
export const llmD: System = {
  name: "llm-d",
  title: "llm-d",
  about:
    "Engines labelled llm-d.ai/inference-serving with role decode or prefill: both roles are needed. The router's picker is " +
    "Recreate, and elects a leader when it has more than one replica, so it takes no budget. All of it comes from Helm " +
    "releases that nothing reconciles: a live edit lasts until the next upgrade.",
  gateways: [],
  entries: (facts, claimed) => [...poolEntries(facts, claimed), ...standaloneEntries(facts)],
  parts: [
    pickerRule({ labels: { "llm-d.ai/igw-mode": "llm-d-router-gateway", "llm-d-router-gateway": "*-epp" } }),
    pickerRule(standalone),
    helmPart({
      hop: "gateway",
      component: "Router proxy",
      match: standaloneProxy,
      values: { replicas: "router.proxy.replicas", budget: null, spread: null },
    }),
    ...servingLabels.flatMap((label) => [engineRule(label, "decode"), engineRule(label, "prefill")]),
  ],
};

function poolEntries(facts: Facts, claimed: Claims): readonly Entry[] {
  return poolsOf(facts).flatMap((pool) => {
    if (claimed.objects.has(pool.key)) return [];
    const entry = poolEntry(facts, pool);
    const engines = entry.stages.flatMap(partsOfStage);
    if (!engines.some(({ labels }) => isServing(labels))) return [];
    const whole = poolEntry(facts, pool, prefillBeside(facts, engines));
    return [{ ...whole, model: servedModel(engines) }];
  });
}

/** Prefill engines of the same model that the pool does not select. */
function prefillBeside(facts: Facts, engines: readonly Part[]): readonly Part[] {
  const models = new Set(engines.map(({ labels }) => labels.get("llm-d.ai/model")));
  const namespace = engines[0]?.workload.ref.namespace ?? "";
  return facts
    .partsIn(namespace)
    .filter(
      ({ labels }) =>
        isServing(labels) && labels.get("llm-d.ai/role") === "prefill" && models.has(labels.get("llm-d.ai/model")),
    );
}

/** Without a gateway: the router's proxy is the way in, beside the picker or in a Deployment of its own. */
function standaloneEntries(facts: Facts): readonly Entry[] {
  return facts.parts
    .filter((part) => matchesPart(standalone, part))
    .map((picker) => {
      const { namespace } = picker.workload.ref;
      const near = facts.partsIn(namespace);
      const proxies = near.filter((part) => matchesPart(standaloneProxy, part));
      const engines = near.filter(({ labels }) => isServing(labels));
      const ways = facts.services.filter((service) =>
        facts.selectedBy(service).some((part) => part === picker || proxies.includes(part)),
      );
      return {
        ...entryOf({ ref: picker.workload.ref, annotations: picker.workload.annotations }),
        model: servedModel(engines),
        backends: ways.map(({ ref }) => objectKey(ref)),
        stages: [
          ...proxies.map((part) => ({ by: "part" as const, part, hop: "gateway", role: "", needed: isNeeded })),
          { by: "part", part: picker, hop: "picker", role: "", needed: isNeeded },
          ...engineStages(engines),
        ],
      };
    });
}

function pickerRule(match: Match): PartRule {
  const rule = helmPart({
    hop: "picker",
    component: "Endpoint picker",
    match,
    values: { replicas: "router.epp.replicas", budget: null, spread: "router.epp.affinity" },
  });
  return { ...rule, knobs: (part, facts) => ({ ...rule.knobs(part, facts), budget: pickerBudget(part) }) };
}

function isServing(labels: Labels): boolean {
  return servingLabels.some((label) => labels.get(label) === "true");
}

function engineRule(label: string, role: string): PartRule {
  return helmPart({
    hop: "engine",
    component: role === "prefill" ? "Prefill engine" : "Decode engine",
    match: { labels: { [label]: "true", "llm-d.ai/role": role } },
    values: { replicas: `${role}.replicas`, budget: null, spread: null },
    orPlain: true,
  });
}
