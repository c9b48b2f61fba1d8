import type { Cluster } from "../../model/cluster.ts";
import type { ObjectKey, PodKey } from "../../model/key.ts";
import type { PodView } from "../../model/view.ts";
import { oneCourse, Simulation } from "../../sim/simulation.ts";
import type { Timing } from "../../sim/timing.ts";

/** What a cluster does by itself while nobody works on it. */
export interface LeftAlone {
  /** No controller but those of DaemonSets ever has more pods than it has now. */
  readonly addsNone: boolean;
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

function whatWasSeen(cluster: Cluster, { timeline, ledger }: Simulation, isCut: boolean): LeftAlone {
  const made: PodKey[] = [];
  const going = new Set<PodKey>();
  /** Owner → how many of its pods have gone, less those made since. */
  const gone = new Map<ObjectKey, number>();
  const owners = new Map<PodKey, ObjectKey | null>();
  const atOnce = new Set<PodKey>();
  let addsNone = !isCut;
  for (const { atMs, fact } of timeline) {
    switch (fact.type) {
      case "pod-created": {
        owners.set(fact.pod, fact.owner);
        const left = (gone.get(fact.owner) ?? 0) - 1;
        gone.set(fact.owner, left);
        if (ledger.workload(fact.owner)?.spec.kind === "DaemonSet") made.push(fact.pod);
        else addsNone &&= left >= 0;
        break;
      }
      case "pod-bound":
        if (atMs === 0) atOnce.add(fact.pod);
        break;
      case "pod-deleted":
      case "pod-preempted": {
        going.add(fact.pod);
        const owner = owners.get(fact.pod) ?? cluster.pods.find(({ key }) => key === fact.pod)?.owner ?? "";
        gone.set(owner, (gone.get(owner) ?? 0) + 1);
        break;
      }
      default:
    }
  }
  const coming = made.flatMap((key) => ledger.pod(key) ?? []);
  const late = coming.filter(({ key }) => !atOnce.has(key));
  return { addsNone: addsNone && coming.length === made.length, coming, late, going };
}
