import type { PodTemplate } from "../model/pod-template.ts";
import { isSameContent } from "../model/template-content.ts";
import type { ClusterView, ControllerMemory, NodeView, PodView, WorkloadView } from "../model/view.ts";
import type { DaemonSet } from "../model/workload.ts";
import type { BackOff } from "./back-off.ts";
import { judgeNode, type NodeVerdict, targetOf } from "./daemon-nodes.ts";
import { isAvailable, isTerminal } from "./pod-state.ts";

export interface DaemonMemory extends ControllerMemory {
  readonly kind: "daemon-set";
  /** The template pods are made by; null: as the input has it, and every pod that is there counts as up to date. */
  readonly revision: { readonly name: string; readonly template: PodTemplate } | null;
  readonly made: number;
  readonly backOff: BackOff | null;
}

export function daemonMemory({ memory }: WorkloadView): DaemonMemory {
  return isDaemonMemory(memory) ? memory : { kind: "daemon-set", revision: null, made: 0, backOff: null };
}

function isDaemonMemory(memory: ControllerMemory | null): memory is DaemonMemory {
  return memory?.kind === "daemon-set";
}

/** The memory with the set's present template as revision; the same object when it is that already. */
export function withCurrentTemplate(view: ClusterView, workload: WorkloadView, spec: DaemonSet): DaemonMemory {
  const memory = daemonMemory(workload);
  const read = view.cluster.workloads.get(workload.key);
  const known = memory.revision?.template ?? (read?.kind === "DaemonSet" ? read.template : null);
  if (known !== null && isSameContent(known, spec.template)) return memory;
  const made = memory.made + 1;
  return { ...memory, made, revision: { name: `~${made}`, template: spec.template } };
}

/** What a DaemonSet has on one node. */
export interface DaemonPlace {
  readonly node: NodeView;
  readonly verdict: NodeVerdict;
  /** In order of creation, terminating ones too. */
  readonly pods: readonly PodView[];
  /** Neither terminating nor finished; the bound and then the oldest first. */
  readonly running: readonly PodView[];
  readonly fresh: readonly PodView[];
  readonly old: readonly PodView[];
}

/** One DaemonSet on all nodes. */
export interface DaemonState {
  readonly view: ClusterView;
  readonly workload: WorkloadView;
  readonly spec: DaemonSet;
  readonly memory: DaemonMemory;
  readonly places: readonly DaemonPlace[];
}

export function daemonState(
  view: ClusterView,
  workload: WorkloadView,
  spec: DaemonSet,
  memory: DaemonMemory,
): DaemonState {
  const isFresh = (pod: PodView): boolean => memory.revision === null || pod.revision === memory.revision.name;
  const onNode = Map.groupBy(view.podsOwnedBy(workload.key), targetOf);
  const places = view.nodes.map((node): DaemonPlace => {
    const pods = onNode.get(node.name) ?? none;
    const verdict = judgeNode(node, spec.template);
    const running = pods.every(isRunning) ? pods : pods.filter(isRunning);
    const inOrder = running.length < 2 ? running : running.toSorted(boundAndOldestFirst);
    const fresh = inOrder.every(isFresh) ? inOrder : inOrder.filter(isFresh);
    const old = fresh.length === inOrder.length ? none : inOrder.filter((pod) => !isFresh(pod));
    return { node, verdict, pods, running: inOrder, fresh, old };
  });
  return { view, workload, spec, memory, places };
}

const none: readonly PodView[] = [];

function isRunning(pod: PodView): boolean {
  return pod.terminatingSinceMs === null && !isTerminal(pod);
}

function boundAndOldestFirst(a: PodView, b: PodView): number {
  return Number(a.node === null) - Number(b.node === null) || a.uid - b.uid;
}

export function isDaemonAvailable({ view, spec }: DaemonState, pod: PodView | undefined): boolean {
  return pod !== undefined && isAvailable(pod, spec.minReadyMs, view.nowMs);
}
