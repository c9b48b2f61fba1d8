import type { Kind } from "./kind.ts";
import type { Scorer, Span } from "./score.ts";

/**
 * More nodes fit than the scheduler looks for: it scores those it finds from its start on, and where it starts is not known.
 * All nodes that are best in some such window, in order.
 */
export function topOfWindows(
  scorer: Scorer,
  kind: Kind,
  { nodes, count, enough }: { readonly nodes: Int32Array; readonly count: number; readonly enough: number },
): readonly number[] {
  scorer.prepare(kind, nodes, count);
  const twice = new Int32Array(2 * count);
  twice.set(nodes.subarray(0, count), 0);
  twice.set(nodes.subarray(0, count), count);
  const isTop = new Uint8Array(count);
  const totals = new Float64Array(count);
  let scaledAs: Span | null = null;
  const isWeighedAlike = sameWeights(kind, twice, count, enough);
  if (isWeighedAlike) scorer.prepareSpread(kind, nodes.subarray(0, enough), enough);
  if (isWeighedAlike) prepareRest(scorer, kind, twice, { count, enough });
  for (let start = 0; start < count; start += 1) {
    const window = twice.subarray(start, start + enough);
    if (!isWeighedAlike) scorer.prepareSpread(kind, window, enough);
    const span = scorer.spanOf(kind, window, enough);
    if (!isWeighedAlike || scaledAs === null || !isSame(scaledAs, span)) {
      for (let i = 0; i < count; i += 1) totals[i] = scorer.total(kind, nodes[i] ?? 0, span);
      scaledAs = span;
    }
    let highest = Number.NEGATIVE_INFINITY;
    for (let i = start; i < start + enough; i += 1) highest = Math.max(highest, totals[i < count ? i : i - count] ?? 0);
    for (let i = start; i < start + enough; i += 1) {
      const at = i < count ? i : i - count;
      if (totals[at] === highest) isTop[at] = 1;
    }
  }
  const top: number[] = [];
  for (let i = 0; i < count; i += 1) if (isTop[i] === 1) top.push(nodes[i] ?? 0);
  return top;
}

/** Raw spread scores of all nodes, by weights that every window gives: in steps of a window, so that each is weighed so. */
function prepareRest(
  scorer: Scorer,
  kind: Kind,
  twice: Int32Array,
  { count, enough }: { readonly count: number; readonly enough: number },
): void {
  for (let start = enough; start < count; start += enough) {
    scorer.prepareSpread(kind, twice.subarray(start, start + enough), enough);
  }
}

/** Whether every window has as many scored nodes and as many domains: then spread weighs alike in all of them. */
function sameWeights(kind: Kind, twice: Int32Array, count: number, enough: number): boolean {
  for (const { isHostname, domainOf } of kind.scores) {
    const seen = new Map<number, number>();
    for (let i = 0; i < count; i += 1) {
      const domain = domainOf[twice[i] ?? 0] ?? -1;
      // Nodes without the key may be ignored: how many are scored differs then.
      if (domain < 0) return false;
      seen.set(domain, (seen.get(domain) ?? 0) + 1);
    }
    if (isHostname) continue;
    const inWindow = new Map<number, number>();
    for (let i = 0; i < count + enough; i += 1) {
      const domain = domainOf[twice[i] ?? 0] ?? -1;
      inWindow.set(domain, (inWindow.get(domain) ?? 0) + 1);
      if (i >= enough) {
        const gone = domainOf[twice[i - enough] ?? 0] ?? -1;
        const left = (inWindow.get(gone) ?? 0) - 1;
        if (left === 0) inWindow.delete(gone);
        else inWindow.set(gone, left);
      }
      if (i >= enough - 1 && inWindow.size !== seen.size) return false;
    }
  }
  return true;
}

function isSame(a: Span, b: Span): boolean {
  return (
    a.taintsMost === b.taintsMost &&
    a.affinityMost === b.affinityMost &&
    a.spreadLeast === b.spreadLeast &&
    a.spreadMost === b.spreadMost &&
    a.podsLeast === b.podsLeast &&
    a.podsMost === b.podsMost
  );
}
