import { objectKey } from "../model/key.ts";
import { servedModel } from "./engine-arguments.ts";
import type { Facts, Part } from "./facts.ts";
import { type Match, matchesPart } from "./match.ts";
import { directOwner, helmPart, ownedPart } from "./part-rules.ts";
import { engineStages } from "./pool-entry.ts";
import { type Entry, entryOf, isNeeded, type PartRule, type System } from "./system.ts";

const chartRouter: Match = { kinds: ["Deployment"], labels: { environment: "router", release: "router" } };
const chartEngine: Match = { kinds: ["Deployment"], labels: { "helm-release-name": "*", model: "*" } };
const operatorRouter: Match = { ownerKind: "VLLMRouter" };
const operatorEngine: Match = { ownerKind: "VLLMRuntime" };
const operatorApi = "production-stack.vllm.ai/v1alpha1";

/**
 * A router in front of vLLM Deployments, one a model. Mirrors: vLLM production-stack 0.1.12, chart and operator.
 */
export const productionStack: System = {
  name: "production-stack",
  title: "vLLM production-stack",
  about:
    "A router (labels environment=router, or owned by a VLLMRouter) that every request passes, and an engine Deployment a model. " +
    "One endpoint a model. Budgets come from the chart's pdb values: enabled without a number they guard nothing. The " +
    "default rollout needs twice the GPUs. The operator's kinds have no field for spread.",
  gateways: [],
  entries: (facts) => {
    const routers = facts.parts.filter((part) => isRouter(part));
    const engines = facts.parts.filter((part) => isEngine(part));
    if (routers.length === 0) return [];
    const models = Map.groupBy(engines, ({ workload, labels }) => {
      const name = labels.get("model") ?? workload.ref.name;
      return `${workload.ref.namespace}/${labels.get("helm-release-name") ?? ""}/${name}`;
    });
    return [...models.values()].map((parts) => modelEntry(facts, parts, routers));
  },
  parts: [
    helmPart({
      hop: "router",
      component: "Router",
      match: chartRouter,
      values: { replicas: "routerSpec.replicaCount", budget: "routerSpec.pdb", spread: "routerSpec.affinity" },
    }),
    engineRule(),
    ownedPart({
      hop: "router",
      component: "Router",
      match: operatorRouter,
      owner: directOwner("VLLMRouter", operatorApi),
      replicas: "spec.replicas",
      spread: null,
      overwrites: "The production-stack operator puts the Deployment back.",
    }),
    ownedPart({
      hop: "engine",
      component: "Engine",
      match: operatorEngine,
      owner: directOwner("VLLMRuntime", operatorApi),
      replicas: "spec.deploymentConfig.replicas",
      spread: null,
      overwrites: "The production-stack operator puts the Deployment back.",
    }),
  ],
};

function isRouter(part: Part): boolean {
  return matchesPart(chartRouter, part) || matchesPart(operatorRouter, part);
}

function isEngine(part: Part): boolean {
  return matchesPart(chartEngine, part) || matchesPart(operatorEngine, part);
}

function modelEntry(facts: Facts, engines: readonly Part[], routers: readonly Part[]): Entry {
  const [first] = engines;
  const near = routers.filter(({ workload }) => workload.ref.namespace === first?.workload.ref.namespace);
  const ways = facts.services.filter((service) => facts.selectedBy(service).some((part) => near.includes(part)));
  const ref = first?.workload.ref ?? { apiVersion: "apps/v1", kind: "Deployment", namespace: "", name: "" };
  return {
    ...entryOf({ ref, annotations: first?.workload.annotations ?? new Map() }),
    name: first?.labels.get("model") ?? ref.name,
    model: servedModel(engines),
    backends: ways.map((service) => objectKey(service.ref)),
    stages: [
      ...near.map((part) => ({ by: "part" as const, part, hop: "router", role: "", needed: isNeeded })),
      ...engineStages(engines),
    ],
  };
}

function engineRule(): PartRule {
  const rule = helmPart({
    hop: "engine",
    component: "Engine",
    match: chartEngine,
    values: { replicas: "", budget: "", spread: "" },
  });
  return {
    ...rule,
    knobs: (part, facts) => {
      const model = `servingEngineSpec.modelSpec[name=${part.labels.get("model") ?? ""}]`;
      const values = { replicas: `${model}.replicaCount`, budget: `${model}.pdb`, spread: `${model}.affinity` };
      return helmPart({ hop: "engine", component: "Engine", match: chartEngine, values }).knobs(part, facts);
    },
  };
}
