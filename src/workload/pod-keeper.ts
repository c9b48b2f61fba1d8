import type { ObjectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, ControllerMemory, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { OtherOwner } from "../model/workload.ts";
import { keptBy } from "../systems/pod-keepers.ts";
import type { Controller } from "./controller.ts";
import { admitPod, doubtsAbout } from "./pod-admission.ts";
import { isTerminal } from "./pod-state.ts";

/** What an owner's pods were before anything happened: so they are put back. */
interface Kept extends ControllerMemory {
  readonly kind: "kept-pods";
  readonly wanted: readonly { readonly template: PodTemplate; readonly count: number }[];
  /** The last refusal, told once. */
  readonly refusal: string;
}

/** How long until an operator that is away is looked for again. */
const lookAgainMs = 15_000;

/**
 * Operators that own pods themselves, without a set between: a pod that is gone is made again as it was, while the operator
 * runs. Which owners: src/systems/pod-keepers.ts.
 */
export const podKeeper: Controller = {
  name: "operator",
  kinds: ["Other"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "Other" || workload.deleting) return [];
    const pods = view.podsOwnedBy(workload.key).filter((pod) => !isTerminal(pod));
    const memory = asKept(workload.memory);
    if (memory === null) return [remember(workload.key, { kind: "kept-pods", wanted: countsOf(pods), refusal: "" })];
    const missing = memory.wanted.flatMap(({ template, count }) => {
      const there = pods.filter((pod) => pod.template.id === template.id).length;
      return Array.from({ length: Math.max(0, count - there) }, () => template);
    });
    const [first] = missing;
    const kept = first === undefined ? null : keptBy(view.cluster, spec, first);
    if (kept === null) return [];
    if (!isRunning(view, kept.operator))
      return [{ do: "wake", workload: workload.key, atMs: view.nowMs + lookAgainMs }];
    return missing.flatMap((template) => create(view, workload, spec, { template, memory }));
  },
};

function create(
  view: ClusterView,
  workload: WorkloadView,
  spec: OtherOwner,
  { template, memory }: { readonly template: PodTemplate; readonly memory: Kept },
): readonly Effect[] {
  const admission = admitPod(view, { name: `${spec.ref.name}-`, exact: false }, template);
  if (admission.admitted) {
    return [
      ...doubtsAbout(workload.key, admission.undecided),
      { do: "createPod", owner: workload.key, name: null, template, ordinal: null, revision: "" },
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

function countsOf(pods: readonly PodView[]): Kept["wanted"] {
  return [...Map.groupBy(pods, ({ template }) => template)].map(([template, like]) => ({
    template,
    count: like.length,
  }));
}

function isRunning(view: ClusterView, operator: ObjectKey): boolean {
  return view
    .workloadsOwnedBy(operator)
    .flatMap(({ key }) => view.podsOwnedBy(key))
    .some(({ ready, terminatingSinceMs }) => ready && terminatingSinceMs === null);
}

function remember(workload: ObjectKey, memory: Kept): Effect {
  return { do: "remember", workload, memory };
}

function asKept(memory: ControllerMemory | null): Kept | null {
  return isKept(memory) ? memory : null;
}

function isKept(memory: ControllerMemory | null): memory is Kept {
  return memory?.kind === "kept-pods";
}
