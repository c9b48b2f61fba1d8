import type { Node } from "../../model/node.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";

/** Something a node has so much of and pods ask for. */
export interface Amount {
  of(node: Node): number;
  /** What one pod of these requests takes. */
  read(requests: Resources): number;
}

const cpu: Amount = { of: ({ allocatable }) => allocatable.milliCpu, read: ({ milliCpu }) => milliCpu };
const memory: Amount = { of: ({ allocatable }) => allocatable.memoryBytes, read: ({ memoryBytes }) => memoryBytes };
const podCount: Amount = { of: ({ podsMax }) => podsMax, read: () => 1 };
const storage: Amount = {
  of: ({ allocatable }) => allocatable.ephemeralStorageBytes,
  read: ({ ephemeralStorageBytes }) => ephemeralStorageBytes,
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
    of: ({ allocatable }) => allocatable.scalar.get(name) ?? 0,
    read: ({ scalar }) => scalar.get(name) ?? 0,
  };
}
