/** Upstream's MaxNodeScore. */
export const maxScore = 100;

/**
 * Scales to 0..100 by the highest raw score. Reversed: fewest is best, and when all are 0 everybody gets 100.
 * Mirrors: plugins/helper DefaultNormalizeScore, Kubernetes 1.34 to 1.37.
 */
export function scaleToHighest(raw: readonly number[], reversed: boolean): readonly number[] {
  const highest = raw.reduce((a, b) => Math.max(a, b), 0);
  if (highest === 0) return reversed ? raw.map(() => maxScore) : raw;
  return raw.map((score) => {
    const scaled = Math.trunc((maxScore * score) / highest);
    return reversed ? maxScore - scaled : scaled;
  });
}

/**
 * a * b / c in whole numbers, truncated as Go's int64 does, also where a * b is beyond what a double holds exactly.
 */
export function scaledDown(a: number, b: number, c: number): number {
  const product = a * b;
  if (Number.isSafeInteger(product)) return Math.trunc(product / c);
  return Number((BigInt(a) * BigInt(b)) / BigInt(c));
}
