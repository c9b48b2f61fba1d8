import type { PersistentVolume } from "../../model/storage.ts";
import type { NodeView } from "../../model/view.ts";
import { checkNodes, type Filter, pass, perNode, rejectAll, rejectForGood, skip, type Verdict } from "../framework.ts";
import { claimClassName, claimNotFound, claimOf, newTopologyName } from "./volume-claims.ts";

const messages = {
  conflict: "node(s) had no available volume zone",
  noClass: "PersistentVolumeClaim had no pv name and storageClass name",
  classMissing: (name: string) => `storageclass.storage.k8s.io "${name}" not found`,
  unbound: "PersistentVolume had no name",
  volumeMissing: (name: string) => `persistentvolume "${name}" not found`,
} as const;

/** Label of a volume → values a node may have. */
interface Topology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

const topologyLabels = [
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
];

/**
 * The zone and region labels of a bound volume must match the node's. A node without any such label passes.
 * Mirrors: plugins/volumezone/volume_zone.go, Kubernetes 1.34 to 1.37.
 */
export const volumeZone = {
  name: "VolumeZone",
  messages,
  prepare({ view, pod }) {
    const topologies: Topology[] = [];
    for (const volume of pod.template.volumes) {
      if (volume.kind !== "claim") continue;
      const claim = claimOf(view, pod, volume.claimName);
      if (claim === undefined) return rejectAll(rejectForGood(claimNotFound(volume.claimName)));
      if (claim.volumeName === "") {
        const className = claimClassName(view.cluster, claim);
        if (className === "") return rejectAll(rejectForGood(messages.noClass));
        const storageClass = view.cluster.storage.classes.get(className);
        if (storageClass === undefined) return rejectAll(rejectForGood(messages.classMissing(className)));
        if (storageClass.waitForFirstConsumer) continue;
        return rejectAll(rejectForGood(messages.unbound));
      }
      const persistent = view.volume(claim.volumeName);
      if (persistent === undefined) {
        return rejectAll(rejectForGood(messages.volumeMissing(claim.volumeName)));
      }
      topologies.push(...topologiesOf(persistent));
    }
    if (topologies.length === 0) return skip;
    return checkNodes(perNode((node) => check(topologies, node)));
  },
} satisfies Filter & { messages: unknown };

function check(topologies: readonly Topology[], { node }: NodeView): Verdict {
  if (!topologyLabels.some((label) => node.labels.has(label))) return pass;
  for (const { key, values } of topologies) {
    const value = node.labels.get(key) ?? node.labels.get(newTopologyName(key));
    if (value === undefined || !values.has(value)) return rejectForGood(messages.conflict);
  }
  return pass;
}

/** A label may list several zones, joined by two underscores; one with an empty part is ignored. */
function topologiesOf(volume: PersistentVolume): readonly Topology[] {
  return topologyLabels.flatMap((key) => {
    const label = volume.labels.get(key);
    if (label === undefined) return [];
    const values = label.split("__").map((value) => value.trim());
    return values.includes("") ? [] : [{ key, values: new Set(values) }];
  });
}
