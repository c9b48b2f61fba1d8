import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import { noResources, type Resources } from "../model/resources.ts";
import { amounts } from "../model/saved-template.ts";
import type { NodeView, TellPod } from "../model/view.ts";
import { type Codec, fields, list, number } from "../wire/codec.ts";

/** What the pods that hold room on a node come to. */
export interface NodeLoad {
  readonly requested: Resources;
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemoryBytes: number;
  readonly count: number;
}

export const noLoad: NodeLoad = { requested: noResources, nonZeroMilliCpu: 0, nonZeroMemoryBytes: 0, count: 0 };

/** Of nodes as they were read, by name, as far as anybody asked: every ledger of a cluster begins with them. */
export function loadsOf(cluster: Cluster): Map<string, NodeLoad> {
  return underKey(known, cluster, () => new Map<string, NodeLoad>());
}

/** They were summed up before, and saved with the cluster. */
export function knowLoads(cluster: Cluster, loads: Map<string, NodeLoad>): void {
  known.set(cluster, loads);
}

const known = new WeakMap<Cluster, Map<string, NodeLoad>>();

/** Those of all nodes, of a view of them as they were read. */
export function allLoads(nodes: readonly NodeView[]): Map<string, NodeLoad> {
  return new Map(
    nodes.map(({ name, requested, nonZeroMilliCpu, nonZeroMemoryBytes, podCount: count }) => [
      name,
      { requested, nonZeroMilliCpu, nonZeroMemoryBytes, count },
    ]),
  );
}

export function summed(tell: (each: TellPod) => void, alsoTell: TellPod | null): NodeLoad {
  const scalar = new Map<string, number>();
  let [count, milliCpu, memoryBytes, ephemeralStorageBytes] = [0, 0, 0, 0];
  const nonZero = { milliCpu: 0, memoryBytes: 0 };
  tell((pod, uid, isTerminating) => {
    const { requests, nonZeroMilliCpu, nonZeroMemoryBytes } = pod;
    count += 1;
    milliCpu += requests.milliCpu;
    memoryBytes += requests.memoryBytes;
    ephemeralStorageBytes += requests.ephemeralStorageBytes;
    if (requests.scalar.size > 0)
      for (const [name, amount] of requests.scalar) scalar.set(name, (scalar.get(name) ?? 0) + amount);
    nonZero.milliCpu += nonZeroMilliCpu;
    nonZero.memoryBytes += nonZeroMemoryBytes;
    if (alsoTell !== null) alsoTell(pod, uid, isTerminating);
  });
  return {
    requested: { milliCpu, memoryBytes, ephemeralStorageBytes, scalar },
    nonZeroMilliCpu: nonZero.milliCpu,
    nonZeroMemoryBytes: nonZero.memoryBytes,
    count,
  };
}

/** Numbers of all nodes in columns: each thing of a node in a record of its own would take longer to read. */
export const savedLoads: Codec<Map<string, NodeLoad>> = {
  write(to, loads) {
    const all = [...loads.values()];
    to.column(Int32Array.from(loads.keys(), (name) => to.textNumber(name)));
    to.column(Float64Array.from(all.flatMap(numbersOf)));
    const withScalars = all.entries().filter(([, { requested }]) => requested.scalar.size > 0);
    scalars.write(
      to,
      Array.from(withScalars, ([place, { requested }]) => ({ place, amounts: requested.scalar })),
    );
  },
  read(from) {
    const names = from.whole32();
    const numbers = from.floats(names.length * numbersEach);
    const scalarOf = new Map(scalars.read(from).map(({ place, amounts }) => [place, amounts]));
    const loadAt = (place: number): NodeLoad => {
      const at = (which: number): number => numbers[place * numbersEach + which] ?? 0;
      const scalar = scalarOf.get(place) ?? noScalars;
      return {
        requested: { milliCpu: at(0), memoryBytes: at(1), ephemeralStorageBytes: at(2), scalar },
        nonZeroMilliCpu: at(3),
        nonZeroMemoryBytes: at(4),
        count: at(5),
      };
    };
    return new Map(Array.from(names, (name, place) => [from.textAt(name), loadAt(place)]));
  },
};

const scalars = list(
  fields<{ readonly place: number; readonly amounts: Resources["scalar"] }>({ place: number, amounts }),
);

const noScalars: Resources["scalar"] = new Map();

const numbersEach = 6;

/** In the order in which they are read. */
function numbersOf({ requested, nonZeroMilliCpu, nonZeroMemoryBytes, count }: NodeLoad): readonly number[] {
  const { milliCpu, memoryBytes, ephemeralStorageBytes } = requested;
  return [milliCpu, memoryBytes, ephemeralStorageBytes, nonZeroMilliCpu, nonZeroMemoryBytes, count];
}
