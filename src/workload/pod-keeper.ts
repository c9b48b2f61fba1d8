import type { ObjectKey } from "../model/key.ts";
import type { ClusterView, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { OtherOwner } from "../model/workload.ts";
import { keptBy } from "../systems/pod-keepers.ts";
import type { Controller } from "./controller.ts";
import {
  asKeptPods,
  isWhole,
  type KeptKind,
  type KeptPods,
  type KindSteps,
  keptAsTheyAre,
  rollKind,
  scaleKind,
} from "./kept-pods.ts";
import { admitPod, doubtsAbout } from "./pod-admission.ts";
import { isActive, isTerminal } from "./pod-state.ts";

/** How long until an operator that is away is looked for again. */
export const lookAgainMs = 15_000;

/**
 * Operators that own pods themselves, without a set between: a pod that is gone is made again as it was, while the operator
 * runs, of a replica of several hosts all pods, and an edit of the owner is carried out kind by kind. Which owners: src/systems/pod-keepers.ts.
 * Mirrors: AIBrix v0.7 rolesyncer.go Scale, Rollout and rolling.go; KubeRay v1.6 reconcilePods.
 */
export const podKeeper: Controller = {
  name: "operator",
  kinds: ["Other"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "Other" || workload.deleting) return [];
    const pods = view.podsOwnedBy(workload.key).filter((pod) => !isTerminal(pod));
    if (workload.memory === null) return pods.length === 0 ? [] : [remember(workload.key, keptAsTheyAre(pods))];
    const memory = asKeptPods(workload.memory);
    if (memory === null) return [];
    const steps = stepsOf(pods, memory);
    const [first] = steps;
    const kept = first === undefined ? null : keptBy(view.cluster, spec, first.kind.template);
    if (kept === null) return [];
    if (!isRunning(view, kept.operator))
      return [{ do: "wake", workload: workload.key, atMs: view.nowMs + lookAgainMs }];
    const left = leftOfReplicas(pods, steps, kept.replicaLabel);
    const replicas = new Set(left.map(({ template }) => template.labels.get(kept.replicaLabel)));
    return [
      ...left.filter(isActive).map(deletePod),
      ...steps.flatMap(({ kind, create, remove }) => [
        ...remove.map(deletePod),
        ...Array.from({ length: replicas.has(kind.template.labels.get(kept.replicaLabel)) ? 0 : create }, () =>
          createPod(view, workload, spec, { kind, memory }),
        ).flat(),
      ]),
    ];
  },
};

/** Pods of replicas of several hosts that have lost one: they go as well, which asks no budget; when all are gone all are made again. */
function leftOfReplicas(pods: readonly PodView[], steps: readonly KindWork[], label: string): readonly PodView[] {
  const broken = new Set(
    steps.flatMap(({ kind, create }) => (create > 0 ? (kind.template.labels.get(label) ?? []) : [])),
  );
  return pods.filter(({ template }) => broken.has(template.labels.get(label) ?? ""));
}

interface KindWork extends KindSteps {
  readonly kind: KeptKind;
}

/** The numbers first, of all kinds; what is changed waits until they are right. */
function stepsOf(pods: readonly PodView[], { wanted, inTurn }: KeptPods): readonly KindWork[] {
  const scaling = wanted.map((kind) => ({ kind, ...scaleKind(pods, kind) })).filter(doesSomething);
  if (scaling.length > 0) return scaling;
  const rolling: KindWork[] = [];
  for (const kind of wanted) {
    const work = { kind, ...rollKind(pods, kind) };
    if (doesSomething(work)) rolling.push(work);
    if (inTurn && !isWhole(pods, kind)) break;
  }
  return rolling;
}

function doesSomething({ create, remove }: KindWork): boolean {
  return create > 0 || remove.length > 0;
}

function createPod(
  view: ClusterView,
  workload: WorkloadView,
  spec: OtherOwner,
  { kind, memory }: { readonly kind: KeptKind; readonly memory: KeptPods },
): readonly Effect[] {
  const { template, revision } = kind;
  const admission = admitPod(view, { name: `${spec.ref.name}-`, exact: false }, template);
  if (admission.admitted) {
    return [
      ...doubtsAbout(workload.key, admission.undecided),
      { do: "createPod", owner: workload.key, name: null, template, ordinal: null, revision },
    ];
  }
  if (admission.silent) return [];
  const again: Effect = { do: "wake", workload: workload.key, atMs: view.nowMs + lookAgainMs };
  if (memory.refusal === admission.message) return [again];
  return [
    { do: "report", type: "pod-rejected", ref: workload.key, message: `Error creating: ${admission.message}` },
    remember(workload.key, { ...memory, refusal: admission.message }),
    again,
  ];
}

function deletePod({ key }: PodView): Effect {
  return { do: "deletePod", pod: key, by: "operator", graceMs: null, foreground: false, reason: "" };
}

export function isRunning(view: ClusterView, operator: ObjectKey): boolean {
  return view
    .workloadsOwnedBy(operator)
    .flatMap(({ key }) => view.podsOwnedBy(key))
    .some(({ ready, terminatingSinceMs }) => ready && terminatingSinceMs === null);
}

function remember(workload: ObjectKey, memory: KeptPods): Effect {
  return { do: "remember", workload, memory };
}
