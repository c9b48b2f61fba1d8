import { type Random, seededRandom } from "../../../src/base/random.ts";

/** Chance with the words a generator of clusters needs. Same seed, same cluster. */
export interface Draw extends Random {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** Uniform integer, both ends included. */
  int(from: number, to: number): number;
  /** Between `from` and `to` different items, in a drawn order. */
  some<T>(items: readonly T[], from: number, to: number): T[];
  shuffle<T>(items: readonly T[]): T[];
  /** The first of a pair is the weight. */
  weighted<T>(items: readonly (readonly [number, T])[]): T;
}

export function drawFrom(seed: number): Draw {
  const random = seededRandom(Math.imul(seed, 2654435761) ^ 0x5bd1e995);
  const shuffle = <T>(items: readonly T[]): T[] => {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      const [a, b] = [copy[i] as T, copy[j] as T];
      copy[i] = b;
      copy[j] = a;
    }
    return copy;
  };
  const int = (from: number, to: number): number => from + random.below(to - from + 1);
  return {
    ...random,
    chance: (probability) => random.next() < probability,
    int,
    shuffle,
    some: (items, from, to) => shuffle(items).slice(0, int(Math.min(from, items.length), Math.min(to, items.length))),
    weighted(items) {
      let left = random.next() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      const last = items.at(-1);
      if (last === undefined) throw new RangeError("weighted choice from an empty list");
      return last[1];
    },
  };
}
