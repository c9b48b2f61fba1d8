import { byKey } from "../base/ordering.ts";
import { type ObjectRef, objectKey } from "../model/key.ts";
import { servedModel } from "./engine-arguments.ts";
import { envoyProxyOf, proxyKnobs } from "./envoy-gateway.ts";
import { type Facts, fieldsOf, type Part, selectorOf } from "./facts.ts";
import { createBudget, field, type Knob, type Knobs, outsideKnobs, ownKnobs } from "./knobs.ts";
import { type Match, matchesPart, partsLike } from "./match.ts";
import { helmPart, labelledOwner, managedBy, ownedPart } from "./part-rules.ts";
import { engineStages } from "./pool-entry.ts";
import { serviceKey } from "./route-kind.ts";
import { type Entry, entryOf, isNeeded, type Stage, type System } from "./system.ts";

const modelLabel = "model.aibrix.ai/name";
const stormLabel = "storm-service-name";
const roleLabel = "role-name";
const setLabel = "roleset-name";
const plugins: readonly Match[] = [
  { namespace: "aibrix-system", labels: { app: "gateway-plugins" } },
  { labels: { "app.kubernetes.io/component": "aibrix-gateway-plugin" } },
];

const stormRule = ownedPart({
  hop: "engine",
  component: "Engine",
  match: { labels: { [stormLabel]: "*", [roleLabel]: "*" } },
  owner: labelledOwner("StormService", "orchestration.aibrix.ai/v1alpha1", stormLabel),
  replicas: "spec.replicas",
  spread: null,
  overwrites: "StormService replaces its pods as its spec says.",
});

/**
 * Engines known by a model label, an Envoy gateway, and a plugin every request is sent through.
 * Mirrors: AIBrix v0.7, its overlays and chart.
 */
export const aibrix: System = {
  name: "aibrix",
  title: "AIBrix",
  about:
    "Workloads labelled model.aibrix.ai/name, one endpoint a name, behind gateway aibrix-eg. Gateway plugins process every request " +
    "and fail closed. As shipped, proxy and plugins have one replica under a budget of one: their node cannot be drained. " +
    "A StormService's roles (label role-name) are each needed; its disruptionTolerance is read by no controller. Whether requests " +
    "get through without the plugins' Redis is not known: beside one in the cluster nothing is called safe.",
  gateways: [],
  entries: (facts) => {
    const engines = facts.parts.filter(({ labels }) => labels.has(modelLabel) || labels.has(stormLabel));
    const models = Map.groupBy(engines, ({ workload, labels }) => {
      const name = labels.get(modelLabel) ?? labels.get(stormLabel) ?? "";
      return `${workload.ref.namespace}/${name}`;
    });
    return [...models].map(([key, parts]) => modelEntry(facts, key.slice(key.indexOf("/") + 1), parts));
  },
  parts: [
    ...plugins.map((match) =>
      helmPart({
        hop: "router",
        component: "Gateway plugins",
        match,
        values: { replicas: "gatewayPlugin.replicaCount", budget: null, spread: null },
      }),
    ),
    {
      hop: "gateway",
      component: "AIBrix gateway proxy",
      onPath: true,
      whileGone: "",
      match: { labels: { "gateway.envoyproxy.io/owning-gateway-name": "aibrix-eg" } },
      owner: envoyProxyOf,
      knobs: proxyKnobs,
    },
    stormRule,
    helmPart({
      hop: "controller",
      component: "AIBrix controller",
      whileGone: "StormServices, autoscalers and model routes are not reconciled.",
      match: { kinds: ["Deployment"], name: /^aibrix-controller-manager$/ },
      values: { replicas: "controllerManager.replicas", budget: null, spread: null },
    }),
    {
      hop: "engine",
      component: "Engine",
      onPath: true,
      whileGone: "",
      match: { labels: { [modelLabel]: "*" } },
      owner: () => null,
      knobs: engineKnobs,
    },
  ],
};

function modelEntry(facts: Facts, name: string, engines: readonly Part[]): Entry {
  const workload = engines[0]?.workload;
  const ref = workload?.ref ?? { apiVersion: "apps/v1", kind: "Deployment", namespace: "", name };
  const inFront = partsLike(facts, ...plugins);
  const needed = { needed: true, because: "The plugins process every request and fail closed." };
  return {
    ...entryOf({ ref, annotations: workload?.annotations ?? new Map() }),
    name,
    model: servedModel(engines) || name,
    backends: [serviceKey(ref.namespace, name)],
    stages: [
      ...inFront.map((part) => ({ by: "part" as const, part, hop: "router", role: "", needed })),
      ...engineStages(engines.filter((part) => !matchesPart(stormRule.match, part))),
      ...roleStages(
        facts,
        engines.filter((part) => matchesPart(stormRule.match, part)),
      ),
    ],
    notModelled: redisOf(facts, inFront),
  };
}

/** Beside the plugins, as the manifests and the chart bring it. */
function redisOf(facts: Facts, inFront: readonly Part[]): Entry["notModelled"] {
  const namespaces = new Set(inFront.map(({ workload }) => workload.ref.namespace));
  return [...namespaces]
    .flatMap((namespace) => facts.partsIn(namespace))
    .filter(({ template }) => template?.images.some((image) => /(^|\/)redis(:|@|$)/.test(image)))
    .map(({ workload: { ref } }) => ({
      what: "the gateway plugins keep users and limits in it: whether they serve without it is not known",
      ref: `${ref.kind} ${ref.namespace}/${ref.name}`,
      couldChange: "whether requests get through while it is away",
    }));
}

/**
 * A role set owns the pods of all its roles: only their labels tell them apart. The router pairs prefill and decode of one set only:
 * where a set has one pod of each role, it serves as a whole or not at all.
 * Mirrors: AIBrix v0.7 gateway pd_disaggregation.go, which leaves incomplete role sets out.
 */
function roleStages(facts: Facts, parts: readonly Part[]): readonly Stage[] {
  const storms = Map.groupBy(parts, ({ labels }) => labels.get(stormLabel) ?? "");
  return [...storms].flatMap(([storm, sets]) => setStage(facts, storm, sets) ?? stagesByRole(facts, sets));
}

/** Null: its roles are counted each for itself. */
function setStage(facts: Facts, storm: string, sets: readonly Part[]): Stage | null {
  const [first] = sets;
  const rolesOf = ({ pods }: Part): readonly string[] =>
    pods.map(({ template }) => template.labels.get(roleLabel) ?? "");
  const size = first?.pods.length ?? 0;
  const alike = sets.every((set) => set.pods.length === size && new Set(rolesOf(set)).size === size);
  if (first === undefined || sets.length < 2 || size < 2 || !alike) return null;
  const { ref } = first.workload;
  return {
    by: "pods",
    hop: "engine",
    component: "Engine sets",
    role: "",
    ref,
    owner: stormRule.owner(first, facts),
    pods: { by: "selector", namespace: ref.namespace, selector: selectorOf(new Map([[stormLabel, storm]])) },
    parts: sets,
    desired: sets.length,
    unit: { kind: "group", groupLabel: setLabel, size },
    needed: isNeeded,
    knobs: roleKnobs(first, rolesOf(first)[0] ?? "", facts),
  };
}

function stagesByRole(facts: Facts, parts: readonly Part[]): readonly Stage[] {
  const pods = parts.flatMap((part) => part.pods.map((pod) => ({ part, labels: pod.template.labels })));
  const roles = Map.groupBy(pods, ({ labels }) => `${labels.get(stormLabel) ?? ""}\0${labels.get(roleLabel) ?? ""}`);
  return [...roles].sort(byKey(([key]) => key)).map(([key, members]) => {
    const [storm = "", role = ""] = key.split("\0");
    const own = [...new Set(members.map(({ part }) => part))];
    const [first] = own;
    const ref = first?.workload.ref ?? { apiVersion: "v1", kind: "Pod", namespace: "", name: storm };
    return {
      by: "pods",
      hop: "engine",
      component: `Engine ${role}`,
      role,
      ref,
      owner: first === undefined ? null : stormRule.owner(first, facts),
      pods: {
        by: "selector",
        namespace: ref.namespace,
        selector: selectorOf(
          new Map([
            [stormLabel, storm],
            [roleLabel, role],
          ]),
        ),
      },
      parts: own,
      desired: members.length,
      unit: { kind: "pod" },
      needed: isNeeded,
      knobs: first === undefined ? outsideKnobs("Nothing makes its pods.") : roleKnobs(first, role, facts),
    };
  });
}

/**
 * One more of a role is one more set of all roles, which no rollout goes with; the role's own number is part of the template, so
 * that an edit of it replaces whole sets, unless they are changed where they stand.
 */
function roleKnobs(part: Part, role: string, facts: Facts): Knobs {
  const knobs = stormRule.knobs(part, facts);
  const { workload } = part;
  const { ref, key } = workload;
  const isAlone = workload.owner === null && workload.kind === "Other" && workload.present;
  const storm = isAlone ? null : stormRule.owner(part, facts);
  const target = storm ?? ref;
  const at = `${storm === null ? "spec" : "spec.template.spec"}.roles[name=${role}]`;
  const body = facts.cluster.others.get(objectKey(target));
  const strategy = body === undefined ? "" : fieldsOf(body).object("spec").object("updateStrategy").text("type");
  const inPlace = storm === null || strategy === "InPlaceUpdate";
  return {
    ...knobs,
    replicas:
      autoscaledKnob(storm, facts) ??
      (inPlace
        ? field(target, `${at}.replicas`)
        : field(target, "spec.replicas", "One more set has one more of every role.", { scales: key })),
    // Prefill and decode are paired within one set: pods of two sets that are away at once may leave no set whole.
    budget: createBudget(
      "An integer minAvailable: a RoleSet has no scale.",
      storm === null || inPlace ? null : new Map([[stormLabel, storm.name]]),
    ),
    spread: field(
      target,
      `${at}.template.spec.topologySpreadConstraints`,
      inPlace
        ? "Its pods are replaced within the role's maxSurge and maxUnavailable."
        : "Whole sets are replaced for it.",
    ),
  };
}

/** The user's own workload, unless a PodAutoscaler owns its replicas. */
function engineKnobs(part: Part, facts: Facts): Knobs {
  const { ref } = part.workload;
  const own = ownKnobs(ref, managedBy(part.workload));
  const replicas = autoscaledKnob(ref, facts);
  return replicas === null ? own : { ...own, replicas, budget: createBudget() };
}

function autoscaledKnob(ref: ObjectRef | null, facts: Facts): Knob | null {
  const autoscaler = facts.others("PodAutoscaler", "autoscaling.aibrix.ai").find((scaler) => {
    const target = fieldsOf(scaler).object("spec").object("scaleTargetRef");
    return (
      scaler.ref.namespace === ref?.namespace && target.text("kind") === ref.kind && target.text("name") === ref.name
    );
  });
  return autoscaler === undefined
    ? null
    : field(autoscaler.ref, "spec.minReplicas", "The PodAutoscaler owns the replicas.");
}
