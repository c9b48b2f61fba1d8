import { matchesRequiredNodeAffinity } from "../model/node-selector.ts";
import type { PodTemplate, Toleration } from "../model/pod-template.ts";
import { toleratesAny } from "../model/taints.ts";
import { derivedTemplate } from "../model/template-content.ts";
import type { NodeView, PodView } from "../model/view.ts";
import { revisionLabel } from "./stateful-pod.ts";

/** `stay`: no new pod, but one that is there goes on. */
export type NodeVerdict = "run" | "stay" | "never";

/** Mirrors: pkg/controller/daemon/daemon_controller.go NodeShouldRunDaemonPod, 1.36. */
export function judgeNode(view: Pick<NodeView, "node" | "taints">, template: PodTemplate): NodeVerdict {
  let known = judged.get(template);
  if (known === undefined) {
    known = new WeakMap();
    judged.set(template, known);
  }
  const before = known.get(view.node);
  if (before?.taints === view.taints) return before.verdict;
  const verdict = judgedNow(view, template);
  known.set(view.node, { taints: view.taints, verdict });
  return verdict;
}

/** Asked for every node whenever one of the set's pods changes. */
const judged = new WeakMap<
  PodTemplate,
  WeakMap<NodeView["node"], { readonly taints: NodeView["taints"]; readonly verdict: NodeVerdict }>
>();

function judgedNow({ node, taints }: Pick<NodeView, "node" | "taints">, template: PodTemplate): NodeVerdict {
  if (template.nodeName !== "" && template.nodeName !== node.name) return "never";
  if (!matchesRequiredNodeAffinity(template, node)) return "never";
  const tolerations = daemonTolerations(template);
  const against = taints.filter((taint) => taint.effect !== "PreferNoSchedule" && !toleratesAny(tolerations, taint));
  if (against.length === 0) return "run";
  return against.some(({ effect }) => effect === "NoExecute") ? "never" : "stay";
}

/** The node a pod is on, or is meant for. */
export function targetOf({ node, template }: PodView): string {
  if (node !== null) return node.name;
  for (const { matchFields } of template.requiredNodeAffinity ?? []) {
    const name = matchFields.find(({ key }) => key === "metadata.name")?.values[0];
    if (name !== undefined) return name;
  }
  return template.nodeName;
}

/** A pod for this node alone. Mirrors: pkg/controller/daemon/util/daemonset_util.go ReplaceDaemonSetPodNodeNameNodeAffinity, 1.36. */
export function daemonPod(template: PodTemplate, node: string, revision: string): PodTemplate {
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
function daemonTolerations(template: PodTemplate): readonly Toleration[] {
  let all = tolerationsOf.get(template);
  if (all === undefined) {
    all = withAdded(template);
    tolerationsOf.set(template, all);
  }
  return all;
}

/** Asked for every node. */
const tolerationsOf = new WeakMap<PodTemplate, readonly Toleration[]>();

function withAdded({ tolerations, hostNetwork }: PodTemplate): readonly Toleration[] {
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
