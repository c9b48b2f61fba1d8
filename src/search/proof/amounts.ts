import type { Node } from "../../model/node.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import type { NodeView } from "../../model/view.ts";

/** Something a node has so much of and pods ask for. */
export interface Amount {
  readonly name: string;
  of(node: Node): number;
  /** What one pod of these requests takes. */
  read(requests: Resources): number;
  /** What the pods that stand there now take. */
  held(node: NodeView): number;
}

const cpu: Amount = {
  name: "cpu",
  of: ({ allocatable }) => allocatable.milliCpu,
  read: ({ milliCpu }) => milliCpu,
  held: ({ requested }) => requested.milliCpu,
};
const memory: Amount = {
  name: "memory",
  of: ({ allocatable }) => allocatable.memoryBytes,
  read: ({ memoryBytes }) => memoryBytes,
  held: ({ requested }) => requested.memoryBytes,
};
export const podCount: Amount = {
  name: "pods",
  of: ({ podsMax }) => podsMax,
  read: () => 1,
  held: (node) => node.podCount,
};
const storage: Amount = {
  name: "ephemeral-storage",
  of: ({ allocatable }) => allocatable.ephemeralStorageBytes,
  read: ({ ephemeralStorageBytes }) => ephemeralStorageBytes,
  held: ({ requested }) => requested.ephemeralStorageBytes,
};

/** What keeps pods from gathering on one node, whatever they ask for. */
export const limiting: readonly Amount[] = [cpu, memory, podCount];

/** What a node may lack for this pod; what a pod does not ask for never keeps it out. */
export function amountsAsked({ requests }: PodTemplate): readonly Amount[] {
  return [
    ...[cpu, memory, storage].filter(({ read }) => read(requests) > 0),
    ...[...requests.scalar].flatMap(([name, asked]) => (asked > 0 ? [scalarOf(name)] : [])),
    podCount,
  ];
}

function scalarOf(name: string): Amount {
  return {
    name,
    of: ({ allocatable }) => allocatable.scalar.get(name) ?? 0,
    read: ({ scalar }) => scalar.get(name) ?? 0,
    held: ({ requested }) => requested.scalar.get(name) ?? 0,
  };
}
