import { underKey } from "../../base/under-key.ts";
import type { Cluster } from "../../model/cluster.ts";
import type { ObjectKey, PodKey } from "../../model/key.ts";
import type { PodView } from "../../model/view.ts";
import { oneCourse, Simulation } from "../../sim/simulation.ts";
import type { Timing } from "../../sim/timing.ts";
import { topOf } from "../owners.ts";

/** What a cluster does by itself while nobody works on it. */
export interface LeftAlone {
  /** It came to an end, and all that DaemonSets made is still there then. */
  readonly isWhole: boolean;
  /** Owner → how many pods it made, but for DaemonSets, and the object at the top of its owners. */
  readonly made: ReadonlyMap<ObjectKey, { readonly count: number; readonly top: ObjectKey }>;
  /** The objects at the top of the owners of those that went, but for DaemonSets. */
  readonly stirred: ReadonlySet<ObjectKey>;
  /** What DaemonSets make, each pod for a node of its own. */
  readonly coming: readonly PodView[];
  /** Of these the ones that do not stand on their nodes before anything else can happen. */
  readonly late: readonly PodView[];
  /** Pods that go without being asked: by a rollout, an autoscaler or a taint. */
  readonly going: ReadonlySet<PodKey>;
}

/** Played to its end: a rollout under way, replicas still to be made, a DaemonSet's pod that just went. */
export function leftAlone(cluster: Cluster, timing: Timing): LeftAlone {
  const sim = new Simulation(
    cluster,
    [],
    { endpoints: [], supporting: [], services: false },
    { ...oneCourse, span: "most", timing, horizonMs },
  );
  const { horizon } = sim.runFirst();
  return whatWasSeen(cluster, sim, horizon);
}

const horizonMs = 86_400_000;

function whatWasSeen(cluster: Cluster, { timeline, ledger, isGoingRound }: Simulation, isCut: boolean): LeftAlone {
  const made = new Map<ObjectKey, { count: number; readonly top: ObjectKey }>();
  const byDaemonSets: PodKey[] = [];
  const going = new Set<PodKey>();
  const stirred = new Set<ObjectKey>();
  const owners = new Map<PodKey, ObjectKey | null>();
  const atOnce = new Set<PodKey>();
  const isDaemonSet = (owner: ObjectKey): boolean => ledger.workload(owner)?.spec.kind === "DaemonSet";
  for (const { atMs, fact } of timeline) {
    switch (fact.type) {
      case "pod-created":
        owners.set(fact.pod, fact.owner);
        if (isDaemonSet(fact.owner)) byDaemonSets.push(fact.pod);
        else underKey(made, fact.owner, () => ({ count: 0, top: topOf(ledger, fact.owner) })).count += 1;
        break;
      case "pod-bound":
        if (atMs === 0) atOnce.add(fact.pod);
        break;
      case "pod-deleted":
      case "pod-preempted": {
        going.add(fact.pod);
        const owner = owners.get(fact.pod) ?? cluster.pods.find(({ key }) => key === fact.pod)?.owner ?? null;
        if (owner !== null && !isDaemonSet(owner)) stirred.add(topOf(ledger, owner));
        break;
      }
      default:
    }
  }
  const coming = byDaemonSets.flatMap((key) => ledger.pod(key) ?? []);
  const late = coming.filter(({ key }) => !atOnce.has(key));
  return {
    isWhole: !isCut && !isGoingRound && coming.length === byDaemonSets.length,
    made,
    stirred,
    coming,
    late,
    going,
  };
}
