import type { OtherObject } from "../model/cluster.ts";
import type { ObjectKey } from "../model/key.ts";
import { runsEngine, servedModel, usesAccelerator } from "./engine-arguments.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { createBudget, field, type Knobs, none, ownKnobs } from "./knobs.ts";
import { type Match, partsLike } from "./match.ts";
import { helmPart, ownedPart } from "./part-rules.ts";
import { serviceKey } from "./route-kind.ts";
import { type Claims, type Entry, entryOf, isNeeded, type Need, type Stage, type System } from "./system.ts";

const group = "serving.knative.dev";
const serviceLabel = "serving.knative.dev/service";
const revisionLabel = "serving.knative.dev/revision";
const minScale = "autoscaling.knative.dev/min-scale";
const activator: Match = { kinds: ["Deployment"], labels: { app: "activator" }, namespace: "knative-serving" };
const kourier: Match = { kinds: ["Deployment"], labels: { app: "3scale-kourier-gateway" } };

export const revisionReverted = "Knative puts the Deployment of a revision back.";

const whileGone = {
  autoscaler: "Nothing is scaled by load, nor up from zero.",
  controller: "Revisions are not reconciled; endpoints of the activator are not kept up to date.",
  webhook: "Changes to Knative's objects are refused.",
} as const;

/** Where Knative's operator installed it; else the workload holds its own fields. */
const ofOperator = {
  owner: (_part: Part, facts: Facts) => facts.others("KnativeServing", "operator.knative.dev")[0]?.ref ?? null,
  replicas: "spec.high-availability.replicas",
  spread: null,
  overwrites: "The Knative operator puts it back.",
};

/**
 * Knative Services that run model servers. Requests pass the gateway of its networking layer and, unless the revision has capacity
 * enough, the activator.
 * Mirrors: Knative Serving 1.19: labels of revisions' Deployments, ServerlessService modes, net-kourier's gateway.
 */
export const knative: System = {
  name: "knative",
  title: "Knative Serving",
  about:
    "Deployments labelled serving.knative.dev/revision, set by the Knative Service above: its annotation autoscaling.knative.dev/min-scale is how " +
    "many pods stay, how many more run its autoscaler says by load. Requests pass the activator while the revision's ServerlessService " +
    "is in mode Proxy.",
  gateways: [],
  entries: (facts, claimed) =>
    facts
      .others("Service", group)
      .filter((service) => isModel(revisionsOf(facts, service.ref.namespace, service.ref.name), claimed))
      .map((service) => serviceEntry(facts, service)),
  routes: [
    {
      kind: "Ingress",
      group: "networking.internal.knative.dev",
      backends: (spec, namespace) =>
        spec
          .objects("rules")
          .flatMap((rule) => rule.object("http").objects("paths"))
          .flatMap((path) => path.objects("splits"))
          .map((split) => serviceKey(split.optionalText("serviceNamespace") ?? namespace, split.text("serviceName"))),
      proxies: networkOf,
    },
  ],
  parts: [
    {
      hop: "engine",
      component: "Revision",
      onPath: true,
      whileGone: "",
      match: { kinds: ["Deployment"], labels: { [revisionLabel]: "*" } },
      owner: ({ labels, workload }, facts) => ownerOf(facts, workload.ref.namespace, labels.get(serviceLabel) ?? ""),
      knobs: revisionKnobs,
    },
    ownedPart({ hop: "activator", component: "Knative activator", match: activator, ...ofOperator }),
    helmPart({
      hop: "gateway",
      component: "Kourier gateway",
      match: kourier,
      values: { replicas: null, budget: null, spread: null },
    }),
    ...(["autoscaler", "controller", "webhook"] as const).map((name) =>
      ownedPart({
        hop: "controller",
        component: `Knative ${name}`,
        whileGone: whileGone[name],
        match: { kinds: ["Deployment"], namespace: "knative-serving", labels: { app: name } },
        ...ofOperator,
      }),
    ),
  ],
};

export function isRevision({ labels }: Part): boolean {
  return labels.has(revisionLabel);
}

/** What Knative puts before the pods of a revision, for whoever makes Knative Services (KServe). */
export function activatorStages(facts: Facts, revisions: readonly Part[]): readonly Stage[] {
  const needed = activatorNeed(facts, revisions);
  return partsLike(facts, activator).map((part) => ({ by: "part", part, hop: "activator", role: "", needed }));
}

/** Services by which requests reach these revisions: their own, and those of the Knative Service. */
export function revisionBackends(revisions: readonly Part[]): readonly ObjectKey[] {
  return revisions.flatMap(({ labels, workload }) =>
    [revisionLabel, serviceLabel].flatMap((label) => {
      const name = labels.get(label);
      return name === undefined ? [] : [serviceKey(workload.ref.namespace, name)];
    }),
  );
}

/** What of its autoscaling is not played. */
export function scalingGap(revisions: readonly Part[]): Entry["notModelled"] {
  return revisions
    .filter(({ template, workload }) => leastOf(template?.annotations ?? workload.annotations) === 0)
    .map(({ workload }) => ({
      what: `Knative may scale it to zero (${minScale} is not set): its autoscaler is not played`,
      ref: `Deployment ${workload.ref.namespace}/${workload.ref.name}`,
      couldChange: "how many pods run",
    }));
}

function leastOf(annotations: ReadonlyMap<string, string>): number {
  const stated = Number(annotations.get(minScale) ?? annotations.get("autoscaling.knative.dev/minScale") ?? "0");
  return Number.isInteger(stated) ? stated : 0;
}

function activatorNeed(facts: Facts, revisions: readonly Part[]): Need {
  const modes = revisions.map(({ labels, workload }) => {
    const name = labels.get(revisionLabel) ?? "";
    const found = facts.other("ServerlessService", "networking.internal.knative.dev", workload.ref.namespace, name);
    return found === undefined ? "" : fieldsOf(found).object("spec").text("mode");
  });
  return modes.length > 0 && modes.every((mode) => mode === "Serve")
    ? { needed: false, because: "The revision has capacity enough: requests go to its pods without the activator." }
    : isNeeded;
}

function isModel(revisions: readonly Part[], claimed: Claims): boolean {
  return (
    revisions.length > 0 &&
    revisions.every((part) => !claimed.workloads.has(part.workload.key) && (runsEngine(part) || usesAccelerator(part)))
  );
}

/** Old revisions that keep no pods serve nobody. */
function revisionsOf(facts: Facts, namespace: string, name: string): readonly Part[] {
  const all = facts.partsIn(namespace).filter(({ labels }) => labels.get(serviceLabel) === name);
  const wanted = all.filter(({ workload }) => workload.kind === "Deployment" && workload.replicas > 0);
  return wanted.length > 0 ? wanted : all.slice(-1);
}

function serviceEntry(facts: Facts, service: OtherObject): Entry {
  const revisions = revisionsOf(facts, service.ref.namespace, service.ref.name);
  return {
    ...entryOf(service),
    model: servedModel(revisions),
    backends: [...new Set(revisionBackends(revisions))],
    stages: [
      ...activatorStages(facts, revisions),
      ...revisions.map((part) => ({ by: "part" as const, part, hop: "engine", role: "", needed: isNeeded })),
    ],
    notModelled: scalingGap(revisions),
  };
}

/** By the class of the ingress. net-istio makes VirtualServices beside it, which are found as such. */
function networkOf(facts: Facts, ingress: OtherObject): readonly Part[] | null {
  const ingressClass = ingress.annotations.get("networking.knative.dev/ingress.class") ?? "";
  if (ingressClass.startsWith("istio.")) return null;
  if (ingressClass.startsWith("kourier.")) return partsLike(facts, kourier);
  // net-contour and net-gateway-api make HTTPProxies and HTTPRoutes of their own.
  return ingressClass.startsWith("contour.") || ingressClass.startsWith("gateway-api.") ? null : [];
}

function ownerOf(facts: Facts, namespace: string, name: string): OtherObject["ref"] | null {
  return facts.other("Service", group, namespace, name)?.ref ?? null;
}

function revisionKnobs(part: Part, facts: Facts): Knobs {
  const { namespace } = part.workload.ref;
  const owner = ownerOf(facts, namespace, part.labels.get(serviceLabel) ?? "");
  if (owner === null) return ownKnobs(part.workload.ref, "Knative");
  return {
    replicas: field(owner, `spec.template.metadata.annotations["${minScale}"]`, "A change makes a new revision."),
    budget: createBudget(
      `Its selector: ${serviceLabel}=${owner.name}, so that it holds for later revisions.`,
      new Map([[serviceLabel, owner.name]]),
    ),
    spread: none("Knative takes topologySpreadConstraints and affinity only where its feature flags allow them."),
    overwrites: revisionReverted,
    managedBy: `Knative Service ${owner.name}`,
  };
}
