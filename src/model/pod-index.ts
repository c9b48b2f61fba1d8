import { underKey } from "../base/under-key.ts";
import type { Pod } from "./pod.ts";
import { kinOf, type PodKin } from "./pod-columns.ts";

/** The pods of a cluster in numbers, so that who sorts all of them need not look at each. */
export interface PodIndex {
  /** Places in order of creation; of those created in one moment, as they were read. */
  readonly order: Int32Array;
  /** What each has in common with others, by place: below `kinCount`. */
  readonly kins: Int32Array;
  readonly kinCount: number;
  /** The name of the node of each, as a number, by place. */
  readonly nodes: Int32Array;
  kin(number: number): PodKin;
  /** Of its template, which need not be looked at for that. */
  priority(kin: number): number;
  /** In the same way: such pods keep others away from themselves, whoever those are. */
  repels(kin: number): boolean;
  nodeName(number: number): string;
}

export function podIndexOf(pods: readonly Pod[]): PodIndex {
  return underKey(known, pods, () => madeIndex(pods));
}

/** These pods were saved with their index. */
export function knowIndex(pods: readonly Pod[], index: PodIndex): void {
  known.set(pods, index);
}

const known = new WeakMap<readonly Pod[], PodIndex>();

function madeIndex(pods: readonly Pod[]): PodIndex {
  const kins = numbered(pods, kinOf);
  const nodes = numbered(pods, ({ nodeName }) => nodeName);
  const kin = (number: number): PodKin => {
    const found = kins.values[number];
    if (found === undefined) throw new RangeError(`there are no pods of a kind ${number}`);
    return found;
  };
  return {
    order: creationOrder(pods),
    kins: kins.numbers,
    kinCount: kins.values.length,
    nodes: nodes.numbers,
    kin,
    priority: (number) => kin(number).template.priority,
    repels: (number) => repels(kin(number)),
    nodeName: (number) => nodes.values[number] ?? "",
  };
}

export function repels({ template }: Pick<PodKin, "template">): boolean {
  return template.requiredPodAntiAffinity.length > 0;
}

function numbered<T>(
  pods: readonly Pod[],
  read: (pod: Pod) => T,
): { readonly numbers: Int32Array; readonly values: readonly T[] } {
  const known = new Map<T, number>();
  const values: T[] = [];
  const numbers = Int32Array.from(pods, (pod) => {
    const value = read(pod);
    const number = known.get(value);
    if (number !== undefined) return number;
    known.set(value, values.length);
    return values.push(value) - 1;
  });
  return { numbers, values };
}

function creationOrder(pods: readonly Pod[]): Int32Array {
  return ascending(Float64Array.from(pods, ({ createdAtMs }) => createdAtMs ?? 0));
}

/** The places of values, the smallest first; equal ones as they stand. */
function ascending(values: Float64Array): Int32Array {
  const { length } = values;
  const least = values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  const isExact = (most - least + 1) * length <= Number.MAX_SAFE_INTEGER && values.every(Number.isInteger);
  if (!isExact) {
    const at = (place: number): number => values[place] ?? 0;
    return Int32Array.from(values.keys()).sort((a, b) => at(a) - at(b) || a - b);
  }
  // Value and place in one number: numbers are sorted without being asked about one by one.
  const keys = values.map((value, place) => (value - least) * length + place).sort();
  return Int32Array.from(keys, (key) => key % length);
}
