import { byKey } from "../base/ordering.ts";
import type { Cluster, OtherObject } from "../model/cluster.ts";
import type { Pod } from "../model/pod.ts";
import type { PodView } from "../model/view.ts";
import { fieldsOf } from "../systems/facts.ts";
import { isJsonList } from "../wire/fields.ts";
import { withAbsentClasses } from "./absent-classes.ts";
import type { Ledger } from "./ledger.ts";
import { oneCourse, Simulation } from "./simulation.ts";
import type { Timing } from "./timing.ts";

/**
 * Manifests say what is wanted, not what runs: their controllers make the pods, the scheduler places them (the first of
 * equals), and they start. A cluster whose pods run, or run and were not seen, is left as it is; a Pod that was only written down has yet to be placed.
 */
export function placeManifests(written: Cluster, timing: Timing, horizonMs: number): Cluster {
  if (written.nodes.length === 0 || !wantsPods(written)) return written;
  if (written.pods.some(isOfCluster) || written.notSeen.some(({ resource }) => resource === "pods")) return written;
  const cluster = withoutMakers(withAbsentClasses(written));
  const simulation = new Simulation(
    cluster,
    [],
    { endpoints: [], supporting: [] },
    { ...oneCourse, timing, span: "most", horizonMs },
  );
  simulation.runFirst();
  return settledCluster(cluster, simulation.ledger);
}

function isOfCluster({ nodeName, createdAtMs, phase }: Pod): boolean {
  return nodeName !== "" || createdAtMs !== null || phase !== "Pending";
}

/** Custom resources with a pod template of their own (rollouts, and the like): who makes their pods is not modelled. */
function withoutMakers(cluster: Cluster): Cluster {
  const makers = [...cluster.others.values()].filter(hasContainers).map(({ ref }) => ref);
  const missing = makers
    .map(({ kind, namespace, name }) => ({
      resource: `pods of ${kind} ${namespace}/${name}`,
      why: "manifests have none, and their controller is not modelled; what they serve is not judged",
    }))
    .sort(byKey(({ resource }) => resource));
  return { ...cluster, notSeen: [...cluster.notSeen, ...missing] };
}

function hasContainers(maker: OtherObject): boolean {
  return isJsonList(fieldsOf(maker).object("spec").object("template").object("spec").raw("containers"));
}

/** The cluster as a ledger has it: every pod where it ended, workloads and budgets as they are now. */
export function settledCluster(cluster: Cluster, ledger: Ledger): Cluster {
  const pods = [...ledger.pods].map(podOf);
  return {
    ...cluster,
    pods,
    templateCount: pods.reduce((count, { template }) => Math.max(count, template.id + 1), cluster.templateCount),
    workloads: new Map([...ledger.workloads].map(({ key, spec }) => [key, spec])),
    budgets: ledger.budgets.map(({ budget, status }) => ({ ...budget, status })),
    storage: {
      ...cluster.storage,
      claims: new Map([...ledger.volumeClaims].map((claim) => [`${claim.namespace}/${claim.name}`, claim])),
      volumes: new Map([...ledger.volumes].map((volume) => [volume.name, volume])),
    },
    devices: {
      ...cluster.devices,
      claims: new Map([...ledger.resourceClaims].map((claim) => [`${claim.namespace}/${claim.name}`, claim])),
    },
  };
}

function wantsPods(cluster: Cluster): boolean {
  for (const workload of cluster.workloads.values()) if (workload.kind !== "Other") return true;
  return false;
}

function podOf(pod: PodView): Pod {
  const withoutNamespace = (key: string): string => key.slice(key.indexOf("/") + 1);
  return {
    key: pod.key,
    namespace: pod.namespace,
    name: pod.name,
    template: pod.template,
    owner: pod.owner,
    nodeName: pod.node?.name ?? "",
    phase: pod.phase,
    ready: pod.ready,
    deleting: pod.terminatingSinceMs !== null,
    deletionGraceMs: null,
    nominatedNodeName: pod.nominatedNode,
    requests: pod.requests,
    restarts: 0,
    createdAtMs: pod.createdAtMs,
    scheduledAtMs: null,
    readyAtMs: null,
    preempted: false,
    nonZeroMilliCpu: pod.nonZeroMilliCpu,
    nonZeroMemoryBytes: pod.nonZeroMemoryBytes,
    startedAtMs: pod.startedAtMs,
    mirror: false,
    finalizers: [],
    unschedulableMessage: pod.unschedulableMessage,
    claimNames: new Map([...pod.claimKeys].map(([name, key]) => [name, withoutNamespace(key)])),
    ordinal: pod.ordinal,
    revision: pod.revision,
    source: { file: "", line: null },
  };
}
