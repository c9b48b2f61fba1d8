import { byKey } from "../base/ordering.ts";
import type { Source } from "../base/problem.ts";
import type { Cluster } from "../model/cluster.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { electsLeader } from "../systems/engine-arguments.ts";
import { type Facts, factsOf, type Part } from "../systems/facts.ts";
import { cacheStages } from "../systems/kv-cache.ts";
import { partsOfStage } from "../systems/pool-entry.ts";
import { supportingParts, systems } from "../systems/registry.ts";
import { endpointAnnotation } from "../systems/service.ts";
import type { Entry, Stage } from "../systems/system.ts";
import { autoscaledOf } from "./autoscaled.ts";
import { dnsHops } from "./dns.ts";
import { foreignNodesOf } from "./foreign-nodes.ts";
import { type Front, frontOf } from "./front.ts";
import { gatewayHops } from "./gateway.ts";
import { ingressHops } from "./ingress.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { neverReadyOf } from "./never-ready.ts";
import { notModelledOf } from "./not-modelled.ts";
import { isLedTo, otherRouteHops } from "./other-routes.ts";
import { neededOf, outsideHop, partHop, partsHop } from "./part-hop.ts";
import { pickerHops } from "./picker.ts";
import { refusedRoutesOf } from "./refused-routes.ts";
import { longestTimeoutMs } from "./timeouts.ts";
import { waypointHops } from "./waypoint.ts";
import { webhookHops } from "./webhooks.ts";

export interface Routes {
  /** By namespace, then name. */
  readonly endpoints: readonly Endpoint[];
  /** Parts no request passes but that bring others back or watch them, once for the cluster. Empty without endpoints. */
  readonly supporting: readonly Hop[];
  /** What a person should know about how the paths were found. */
  readonly notes: readonly { readonly ref: string; readonly message: string; readonly source: Source }[];
}

/** Every model endpoint of the cluster with the path its requests take. Nothing is invented: no sign, no endpoint. */
export function endpointsOf(cluster: Cluster): Routes {
  return known.get(cluster) ?? foundIn(cluster);
}

/** They were found before, and saved with the cluster. */
export function knowRoutes(cluster: Cluster, routes: Routes): void {
  known.set(cluster, routes);
}

const known = new WeakMap<Cluster, Routes>();

function foundIn(cluster: Cluster): Routes {
  const facts = factsOf(cluster);
  const found = entriesOf(facts).map(({ system, entry }) => assemble(facts, system, entry));
  const endpoints = found
    .map(({ endpoint }) => endpoint)
    .sort(byKey(({ namespace, name }) => [namespace, name].join("\0")));
  const onPath = new Set(endpoints.flatMap(({ hops }) => hops.map(({ ref }) => objectKey(ref))));
  const webhooks = found.flatMap((one) => one.webhooks);
  return {
    endpoints,
    supporting: endpoints.length === 0 ? [] : supportingHops(facts, webhooks, onPath),
    notes: found.flatMap((one) => one.notes),
  };
}

function entriesOf(facts: Facts): { readonly system: string; readonly entry: Entry }[] {
  const objects = new Set<ObjectKey>();
  const workloads = new Set<ObjectKey>();
  const all: { readonly system: string; readonly entry: Entry }[] = [];
  for (const system of systems) {
    const entries = system.entries(facts, { objects, workloads });
    for (const entry of entries) {
      all.push({ system: system.name, entry });
      for (const key of [objectKey(entry.ref), ...entry.backends]) objects.add(key);
      for (const stage of entry.stages) for (const part of partsOfStage(stage)) workloads.add(part.workload.key);
    }
  }
  return all;
}

interface Assembled {
  readonly endpoint: Endpoint;
  readonly webhooks: readonly Hop[];
  readonly notes: Routes["notes"];
}

/** In the order a request passes: DNS, gateway, picker, then the system's own stages. */
function assemble(facts: Facts, system: string, entry: Entry): Assembled {
  const front = frontOf(facts, entry);
  const gateways = front.gateways.map((ref) => gatewayHops(facts, ref));
  const ingress = ingressHops(facts, front);
  const others = otherRouteHops(facts, entry.backends);
  const pickers = entry.pools.map((pool) =>
    pickerHops(
      facts,
      pool,
      gateways.map(({ failOpen }) => failOpen),
    ),
  );
  const hops = [
    ...dnsHops(facts),
    ...gateways.flatMap((gateway) => gateway.hops),
    ...ingress.hops,
    ...others.hops,
    ...waypointHops(facts, entry.backends, front.routes.length + front.ingresses.length + others.hops.length > 0),
    ...pickers.flatMap((picker) => picker.hops),
    ...entry.stages.map((stage) => stageHop(facts, stage)),
    ...cacheStages(facts, entry.stages.flatMap(partsOfStage)).map((stage) => stageHop(facts, stage)),
  ];
  const parts = partsOf(facts, hops, entry);
  const webhooks = webhookHops(facts, parts);
  const limits = limitsOf(annotationsOf(entry, front, parts));
  return {
    endpoint: {
      ...{ namespace: entry.namespace, name: entry.name, system, model: entry.model, ref: entry.ref },
      hops: withoutTwice(hops),
      minAvailable: limits.minAvailable,
      maxDownMs: limits.maxDownMs,
      requestTimeoutMs: longestTimeoutMs(facts, entry, front),
      idle: entry.stopped || isIdle(hops) || isWeightless(facts, entry, front),
      unheeded: front.unheeded,
      notModelled: withoutRepeats([
        ...entry.notModelled,
        ...(entry.stages.length === 0 ? [nothingBehind(entry)] : []),
        ...refusedRoutesOf(facts, entry, front),
        ...gateways.flatMap((gateway) => gateway.notModelled),
        ...ingress.notModelled,
        ...others.notModelled,
        ...pickers.flatMap((picker) => picker.notModelled),
        ...parts.flatMap((part) => notModelledOf(facts.cluster, part)),
        ...parts.flatMap((part) => neverReadyOf(facts.cluster, part, electsLeader(part))),
        ...parts.flatMap((part) => foreignNodesOf(facts.cluster, part)),
        ...autoscaledOf(facts, hops),
        ...webhooks.notModelled,
      ]),
    },
    webhooks: webhooks.hops,
    notes: notesOf(facts, entry, limits),
  };
}

/** Marked, or made by a route, and no pod of it is in the input: a path without an end proves nothing. */
function nothingBehind({ ref }: Entry): Endpoint["notModelled"][number] {
  const what = "nothing that serves is known behind it";
  return { what, ref: `${ref.kind} ${ref.namespace}/${ref.name}`, couldChange: "whether anything answers" };
}

function stageHop(facts: Facts, stage: Stage): Hop {
  switch (stage.by) {
    case "part":
      return partHop(facts, stage.part, { hop: stage.hop, role: stage.role, need: stage.needed, service: null });
    case "parts":
      return partsHop(facts, stage);
    case "outside":
      return outsideHop({ ...stage, service: null });
    case "pods":
      return {
        ...outsideHop({ hop: stage.hop, component: stage.component, ref: stage.ref, outside: "", service: null }),
        ...neededOf(stage.needed),
        ...{ owner: stage.owner, pods: stage.pods, role: stage.role, unit: stage.unit, desired: stage.desired },
        knobs: stage.knobs,
      };
  }
}

/** The parts behind the hops, each once; those of stages by pods come from the stage. */
function partsOf(facts: Facts, hops: readonly Hop[], entry: Entry): readonly Part[] {
  const known = hops.flatMap((hop) => facts.part(objectKey(hop.ref)) ?? []);
  return [...new Set([...known, ...entry.stages.flatMap(partsOfStage)])];
}

/** The endpoint's own word first, then what leads to it, then its engines'. */
function annotationsOf(entry: Entry, front: Front, parts: readonly Part[]): readonly Entry["annotations"][] {
  const engines = entry.stages.flatMap(partsOfStage);
  return [
    entry.annotations,
    ...front.routes.map((route) => route.annotations),
    ...engines.map(({ workload }) => workload.annotations),
    ...parts.filter((part) => engines.includes(part)).map(({ template }) => template?.annotations ?? new Map()),
  ];
}

/** All engines are wanted zero times. */
function isIdle(hops: readonly Hop[]): boolean {
  const engines = hops.filter(({ hop }) => hop === "engine");
  return engines.length > 0 && engines.every(({ desired }) => desired === 0);
}

/** Routes name it, but all for none of their requests, and nothing else is known to lead there. What a person marked is judged. */
function isWeightless(facts: Facts, entry: Entry, front: Front): boolean {
  if (entry.annotations.has(endpointAnnotation) || isLedTo(facts, entry.backends)) return false;
  const leading = [front.routes, front.ingresses, front.openShiftRoutes];
  return leading.every((list) => list.length === 0) && front.unheeded.some(({ asked }) => asked === "");
}

/** A workload in two places of one path (two gateways sharing proxies) is one hop. */
function withoutTwice(hops: readonly Hop[]): readonly Hop[] {
  const seen = new Set<string>();
  return hops.filter((hop) => {
    const key = `${hop.hop}/${objectKey(hop.ref)}/${hop.role}/${hop.component}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function withoutRepeats(list: Endpoint["notModelled"]): Endpoint["notModelled"] {
  const seen = new Set<string>();
  return list.filter(({ what, ref }) => {
    const key = `${what} ${ref}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Webhooks first told as such, then other controllers; what is on a path is not supporting. */
function supportingHops(facts: Facts, webhooks: readonly Hop[], onPath: ReadonlySet<ObjectKey>): readonly Hop[] {
  const hops = new Map<ObjectKey, Hop>();
  for (const { part, rule } of supportingParts(facts)) {
    const need = { needed: false, because: rule.whileGone };
    const hop = partHop(facts, part, { hop: rule.hop, role: "", need, service: null });
    hops.set(part.workload.key, { ...hop, onPath: false });
  }
  for (const webhook of webhooks) {
    const key = objectKey(webhook.ref);
    const known = hops.get(key);
    // The rule's own name says more than "Admission webhook".
    hops.set(key, known === undefined ? webhook : { ...webhook, component: known.component });
  }
  return [...hops]
    .filter(([key]) => !onPath.has(key))
    .map(([, hop]) => hop)
    .sort(byKey(({ ref }) => [ref.namespace, ref.name, ref.kind].join("\0")));
}

function notesOf(facts: Facts, entry: Entry, limits: Limits): Routes["notes"] {
  const ref = `${entry.ref.kind} ${entry.namespace}/${entry.name}`;
  return limits.problems.map((message) => ({ ref, message, source: sourceOf(facts, entry) }));
}

/** Where the object that declares the endpoint was read; what only labels name was read nowhere. */
function sourceOf({ cluster, service }: Facts, { ref }: Entry): Source {
  const key = objectKey(ref);
  const found = cluster.others.get(key) ?? cluster.workloads.get(key) ?? service(ref.namespace, ref.name);
  return found?.source ?? { file: "", line: null };
}
