import { byKey } from "../base/ordering.ts";
import { objectKey } from "../model/key.ts";
import type { LabelSelector } from "../model/labels.ts";
import { servedModel } from "./engine-arguments.ts";
import { argumentsOf, type Facts, type Part } from "./facts.ts";
import { type Match, matchesPart, partsLike } from "./match.ts";
import { plainPart } from "./part-rules.ts";
import { engineStages } from "./pool-entry.ts";
import { partsBehind } from "./route-kind.ts";
import { type Sought, soughtBy } from "./router-arguments.ts";
import { type Entry, entryOf, isNeeded, type Stage, type System } from "./system.ts";

const byProgram: Match = {
  runs: /(^|[\s/"'])(sglang_router(\.launch_router)?|sglang-router|sgl-router|sgl-model-gateway|smg|vllm-router|vllm_router\.app)(?=[\s"']|$)/,
};
const byImage: Match = {
  images: ["sgl-model-gateway", "sglang-router", "sgl-router", "vllm-router", "lmstack-router", "/smg:"],
};

/** Routers that are told by their arguments which engines they send requests to. Mirrors: see router-arguments.ts. */
export const engineRouter: System = {
  name: "engine-router",
  title: "SGLang Model Gateway and vLLM router",
  about:
    "Workloads that run sglang_router, sgl-model-gateway, smg or vllm-router. One endpoint a router; its engines are the pods its " +
    "--selector, --prefill-selector and --decode-selector match, or those behind the Services its --worker-urls, --prefill and --decode " +
    "name. Prefill and decode are both needed. What a ConfigMap or an environment variable tells it, or registers with it later, is not seen.",
  gateways: [],
  entries: (facts, claimed) =>
    partsLike(facts, byProgram, byImage)
      .filter(({ workload }) => !claimed.workloads.has(workload.key))
      .map((router) => routerEntry(facts, router)),
  parts: [byProgram, byImage].map((match) => plainPart({ hop: "router", component: "Router", match })),
};

function routerEntry(facts: Facts, router: Part): Entry {
  const { ref, annotations } = router.workload;
  const ways = facts.services.filter((service) => facts.selectedBy(service).includes(router));
  const sought = soughtBy(argumentsOf(router));
  const found = sought.map((one) => ({ ...one, parts: enginesOf(facts, router, one) }));
  const missing = found.filter(({ parts }) => parts.length === 0);
  return {
    ...entryOf({ ref, annotations }),
    name: ways[0]?.ref.name ?? ref.name,
    model: servedModel(found.flatMap(({ parts }) => parts)),
    backends: ways.map((service) => objectKey(service.ref)),
    stages: [
      { by: "part", part: router, hop: "router", role: "", needed: isNeeded },
      ...found.flatMap(({ parts, role }) => engineStages(parts).map((stage) => withRole(stage, role))),
    ],
    notModelled: (sought.length === 0 ? [whatItHas] : missing.map(whatItSeeks)).map((what) => ({
      what,
      ref: `${ref.kind} ${ref.namespace}/${ref.name}`,
      couldChange: "which engines serve its requests",
    })),
  };
}

const whatItHas = "its arguments name no engines";

function whatItSeeks({ role, pods, hosts }: Sought): string {
  const engines = role === "" ? "engines" : `${role} engines`;
  return pods === null
    ? `nothing in the input is behind ${hosts.join(", ")}, where it sends requests for ${engines}`
    : `no workload of the input has the labels by which it finds its ${engines}`;
}

function withRole(stage: Stage, role: string): Stage {
  return stage.by === "outside" || role === "" ? stage : { ...stage, role };
}

/** Never itself, whose labels may be those of its engines. */
function enginesOf(facts: Facts, router: Part, { pods, hosts }: Sought): readonly Part[] {
  const found =
    pods === null
      ? hosts.flatMap((host) => partsBehind(facts, host, router.workload.ref.namespace))
      : labelled(facts, pods.namespace, pods.selector);
  return [...new Set(found)]
    .filter((part) => part !== router && !isRouter(part))
    .sort(byKey(({ workload }) => [workload.ref.namespace, workload.ref.name].join("\0")));
}

function isRouter(part: Part): boolean {
  return matchesPart(byProgram, part) || matchesPart(byImage, part);
}

function labelled(facts: Facts, namespace: string, selector: LabelSelector): readonly Part[] {
  const namespaces =
    namespace === "" ? new Set(facts.parts.map(({ workload }) => workload.ref.namespace)) : [namespace];
  return [...namespaces].flatMap((name) => facts.matching(name, selector));
}
