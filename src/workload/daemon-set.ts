import { matchesRequiredNodeAffinity } from "../model/node-selector.ts";
import type { PodTemplate, Toleration } from "../model/pod-template.ts";
import { toleratesAny } from "../model/taints.ts";
import { derivedTemplate } from "../model/template-content.ts";
import type { ClusterView, Effect, NodeView, PodView, WorkloadView } from "../model/view.ts";
import type { DaemonSet } from "../model/workload.ts";
import { asBackOff, holdsOff, refused } from "./back-off.ts";
import type { Controller } from "./controller.ts";
import { admitPod } from "./pod-admission.ts";
import { isTerminal } from "./pod-state.ts";
import { revisionLabel } from "./stateful-pod.ts";

const daemonSetControllerName = "daemonset-controller";

/**
 * DaemonSets: one pod on every node that the template's affinity takes and whose taints its pods tolerate; they tolerate
 * cordons and pressure, and stay on lost nodes. A pod is bound to its node by affinity, and made again there once the old one is gone;
 * one that no longer belongs is deleted, unless only a NoSchedule taint speaks against it.
 * Not mirrored: rollouts (a changed template counts for new pods only), surge.
 * Mirrors: pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode, NodeShouldRunDaemonPod, 1.36.
 */
export const daemonSet: Controller = {
  name: daemonSetControllerName,
  kinds: ["DaemonSet"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "DaemonSet" || workload.deleting) return [];
    const pods = view.podsOwnedBy(workload.key);
    const onNode = Map.groupBy(pods, targetOf);
    const effects: Effect[] = [];
    const missing: NodeView[] = [];
    for (const node of view.nodes) {
      const here = onNode.get(node.name) ?? [];
      const verdict = judge(node, spec);
      if (verdict === "run" && here.length === 0) missing.push(node);
      else if (verdict === "never") effects.push(...here.filter(stays).map(deletion));
      else effects.push(...surplus(here).map(deletion));
    }
    for (const pod of pods) {
      if (pod.node === null && stays(pod) && view.node(targetOf(pod)) === undefined) effects.push(deletion(pod));
    }
    return [...effects, ...create(view, workload, spec, missing)];
  },
};

function stays(pod: PodView): boolean {
  return pod.terminatingSinceMs === null;
}

/** Finished pods, and all but the oldest running one. */
function surplus(pods: readonly PodView[]): readonly PodView[] {
  const staying = pods.filter(stays);
  const running = staying.filter((pod) => !isTerminal(pod));
  running.sort((a, b) => Number(a.node === null) - Number(b.node === null) || a.uid - b.uid);
  return [...staying.filter(isTerminal), ...running.slice(1)];
}

/** The node a pod is on, or is meant for. */
function targetOf({ node, template }: PodView): string {
  if (node !== null) return node.name;
  for (const { matchFields } of template.requiredNodeAffinity ?? []) {
    const name = matchFields.find(({ key }) => key === "metadata.name")?.values[0];
    if (name !== undefined) return name;
  }
  return template.nodeName;
}

/** `stay`: no new pod, but one that is there goes on. */
function judge({ node, taints }: NodeView, { template }: DaemonSet): "run" | "stay" | "never" {
  if (template.nodeName !== "" && template.nodeName !== node.name) return "never";
  if (!matchesRequiredNodeAffinity(template, node)) return "never";
  const tolerations = daemonTolerations(template);
  const against = taints
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .filter((t) => !toleratesAny(tolerations, t));
  if (against.length === 0) return "run";
  return against.some(({ effect }) => effect === "NoExecute") ? "never" : "stay";
}

function create(
  view: ClusterView,
  workload: WorkloadView,
  spec: DaemonSet,
  missing: readonly NodeView[],
): readonly Effect[] {
  const before = asBackOff(workload.memory);
  const [first] = missing;
  if (first === undefined) return before === null ? [] : [{ do: "remember", workload: workload.key, memory: null }];
  const seen = missing.map(({ name }) => name).join(",");
  if (holdsOff(before, seen, view.nowMs)) return [];
  const revision = view.podsOwnedBy(workload.key).find((pod) => pod.revision !== "")?.revision ?? "";
  const template = daemonPod(spec.template, first.name, revision);
  const admission = admitPod(view, { name: `${spec.ref.name}-`, exact: false }, template);
  if (!admission.admitted) {
    if (admission.silent) return [];
    const message = `Error creating: ${admission.message}`;
    const { backOff, effects } = refused({ workload: workload.key, before, seen, message, nowMs: view.nowMs });
    return [...effects, { do: "remember", workload: workload.key, memory: backOff }];
  }
  const atOnce = view.quotas.some(({ ref }) => ref.namespace === spec.ref.namespace) ? [first] : missing;
  return atOnce.map(({ name }) => ({
    do: "createPod",
    owner: workload.key,
    name: null,
    template: name === first.name ? template : daemonPod(spec.template, name, revision),
    ordinal: null,
    revision,
  }));
}

/** Mirrors: pkg/controller/daemon/util/daemonset_util.go ReplaceDaemonSetPodNodeNameNodeAffinity, 1.36. */
function daemonPod(template: PodTemplate, node: string, revision: string): PodTemplate {
  const only = {
    matchExpressions: [],
    matchFields: [{ key: "metadata.name", operator: "In", values: [node] }],
  } as const;
  return derivedTemplate(template, revision === "" ? [] : [[revisionLabel, revision]], {
    requiredNodeAffinity: [only],
    tolerations: daemonTolerations(template),
  });
}

/** The template's, with the ones every daemon pod has; one of the same key, effect and operator is replaced. */
function daemonTolerations({ tolerations, hostNetwork }: PodTemplate): readonly Toleration[] {
  const own = hostNetwork ? [...added, networkUnavailable] : added;
  const kept = tolerations.filter((toleration) => !own.some((other) => isSame(toleration, other)));
  return [...kept, ...own];
}

function isSame(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.effect === b.effect && a.operator === b.operator && a.value === b.value;
}

const exists = (name: string, effect: Toleration["effect"]): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  value: "",
  effect,
  tolerationMs: null,
});

/** Mirrors: pkg/controller/daemon/util/daemonset_util.go AddOrUpdateDaemonPodTolerations, 1.36. */
const added: readonly Toleration[] = [
  exists("not-ready", "NoExecute"),
  exists("unreachable", "NoExecute"),
  exists("disk-pressure", "NoSchedule"),
  exists("memory-pressure", "NoSchedule"),
  exists("pid-pressure", "NoSchedule"),
  exists("unschedulable", "NoSchedule"),
];
const networkUnavailable = exists("network-unavailable", "NoSchedule");

function deletion(pod: PodView): Effect {
  return {
    do: "deletePod",
    pod: pod.key,
    by: daemonSetControllerName,
    graceMs: null,
    foreground: false,
    reason: "",
  };
}
