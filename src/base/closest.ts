/** The name somebody most likely meant; null when nothing is near. */
export function closest(typed: string, names: readonly string[]): string | null {
  return nearest(typed, names, 1)[0] ?? null;
}

/** The names somebody may have meant, the likeliest first, at most `most`. */
export function nearest(typed: string, names: readonly string[], most = 3): readonly string[] {
  if (typed.length > 64) return [];
  const far = Math.max(1, Math.floor(typed.length / 3)) + 1;
  const near = names
    .map((name) => ({ name, away: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ away }) => away < far)
    .sort((a, b) => a.away - b.away);
  if (near.length > 0 || typed.length < 3) return near.slice(0, most).map(({ name }) => name);
  // What was typed may be a part of the name: `picker-standby` of `picker-standby-budget`.
  const containing = names.filter((name) => name.toLowerCase().includes(typed.toLowerCase()));
  return containing.length <= most ? containing : [];
}

/** `; did you mean a or b?`; where no name is near, what there is, unless that is a lot. */
export function hint(near: readonly string[], there: readonly string[]): string {
  if (near.length > 0) return `; did you mean ${near.join(" or ")}?`;
  return there.length > 0 && there.length <= 10 ? `; there is ${there.join(", ")}` : "";
}

/** Letters to insert, drop, change or swap with their neighbour. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a.charAt(i - 1) === b.charAt(j - 1);
      const swapped = i > 1 && j > 1 && a.charAt(i - 1) === b.charAt(j - 2) && a.charAt(i - 2) === b.charAt(j - 1);
      const change = (row[j - 1] ?? 0) + (same ? 0 : 1);
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
