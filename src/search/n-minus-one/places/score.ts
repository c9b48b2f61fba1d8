import { logarithm } from "../../../scheduler/scores/logarithm.ts";
import { maxScore, scaledDown } from "../../../scheduler/scores/normalize.ts";
import type { Groups } from "./groups.ts";
import type { Kind } from "./kind.ts";
import type { SpreadScore } from "./spread-score.ts";

/** Nodes that one search found: the first `count`, in the order of the search. */
export interface Window {
  readonly nodes: Int32Array;
  readonly count: number;
}

/**
 * The scores that are scaled by all nodes scored together: taints, preferred node affinity, spread, preferred pod affinity. The
 * formulas are those of src/scheduler/scores; a test holds the two against each other.
 */
export class Scorer {
  /** By group: raw spread, -1 where it is ignored, and pods it prefers. */
  readonly #spread: Float64Array;
  readonly #pods: Float64Array;
  /** Cells that have nodes in the window, and one node of each. */
  readonly #cells: Int32Array;
  readonly #nodeOf: Int32Array;
  #cellCount = 0;
  /** Cell, or domain and one for nodes without: the number of the count that met it last. */
  readonly #met: Int32Array;
  #counts = 0;
  /** By rule, in the search that goes on. */
  readonly #weightOf: number[] = [];
  /** Cell by cell, what each rule adds to nodes of it that have no pod near. */
  #added = new Float64Array(0);
  /** Cell → 1: its nodes lack one of the keys, and are ignored. */
  readonly #isIgnored: Uint8Array;
  /** Cell → pods it prefers that are counted for all its nodes. */
  readonly #podsIn: Float64Array;
  /** By how many domains there are; 0: not computed yet. */
  readonly #weights: Float64Array;

  constructor(nodes: number) {
    this.#spread = new Float64Array(nodes);
    this.#pods = new Float64Array(nodes);
    this.#cells = new Int32Array(nodes);
    this.#nodeOf = new Int32Array(nodes);
    this.#met = new Int32Array(nodes + 1);
    this.#isIgnored = new Uint8Array(nodes);
    this.#podsIn = new Float64Array(nodes);
    this.#weights = new Float64Array(nodes + 1);
  }

  /** Fills in the totals, and returns the highest. */
  score(kind: Kind, groups: Groups, window: Window): number {
    this.#meetCells(groups);
    this.#prepareSpread(kind, window);
    if (kind.preferences.length > 0) this.#preparePods(kind);
    else this.#podsIn.fill(0, 0, kind.cells.count);
    const { taints, affinity } = kind.demand.fixed;
    const { count, node, most, totals } = groups;
    const isSpread = kind.scores.length > 0;
    const isPreferring = kind.preferences.length > 0 || kind.weighed.length > kind.preferredFrom;
    const spreads = this.#spread;
    const preferred = this.#pods;
    let taintsMost = 0;
    let affinityMost = 0;
    let spreadLeast = Number.POSITIVE_INFINITY;
    let spreadMost = 0;
    let podsLeast = Number.POSITIVE_INFINITY;
    let podsMost = Number.NEGATIVE_INFINITY;
    for (let group = 0; group < count; group += 1) {
      if (most[group] === -1) continue;
      const at = node[group] ?? 0;
      taintsMost = Math.max(taintsMost, taints[at] ?? 0);
      affinityMost = Math.max(affinityMost, affinity[at] ?? 0);
      const spread = isSpread ? this.#spreadOn(kind, groups, group) : 0;
      spreads[group] = spread;
      if (spread !== -1) {
        spreadLeast = Math.min(spreadLeast, spread);
        spreadMost = Math.max(spreadMost, spread);
      }
      const pods = isPreferring ? this.#podsOn(kind, groups, group) : 0;
      preferred[group] = pods;
      podsLeast = Math.min(podsLeast, pods);
      podsMost = Math.max(podsMost, pods);
    }
    const width = podsMost - podsLeast;
    let highest = Number.NEGATIVE_INFINITY;
    for (let group = 0; group < count; group += 1) {
      if (most[group] === -1) continue;
      const at = node[group] ?? 0;
      let total = (most[group] ?? 0) + 3 * maxScore;
      if (taintsMost > 0) total -= 3 * Math.trunc((maxScore * (taints[at] ?? 0)) / taintsMost);
      if (affinityMost > 0) total += 2 * Math.trunc((maxScore * (affinity[at] ?? 0)) / affinityMost);
      const spread = spreads[group] ?? 0;
      if (isSpread && spread !== -1) {
        total +=
          2 * (spreadMost === 0 ? maxScore : scaledDown(spreadMost + spreadLeast - spread, maxScore, spreadMost));
      }
      if (width > 0) total += 2 * Math.trunc(maxScore * (((preferred[group] ?? 0) - podsLeast) / width));
      totals[group] = total;
      highest = Math.max(highest, total);
    }
    return highest;
  }

  #meetCells({ count, node, cell, most }: Groups): void {
    this.#counts += 1;
    this.#cellCount = 0;
    for (let group = 0; group < count; group += 1) {
      const which = cell[group] ?? 0;
      if (most[group] === -1 || this.#met[which] === this.#counts) continue;
      this.#met[which] = this.#counts;
      this.#cells[this.#cellCount] = which;
      this.#nodeOf[this.#cellCount] = node[group] ?? 0;
      this.#cellCount += 1;
    }
  }

  /** Rules weigh by how many domains the nodes have. */
  #prepareSpread(kind: Kind, window: Window): void {
    const { scores, spread: counters, cells } = kind;
    const rules = scores.length;
    if (this.#added.length < rules * cells.count) this.#added = new Float64Array(rules * cells.count);
    if (kind.scoreNeedsKeys) {
      for (let met = 0; met < this.#cellCount; met += 1) {
        this.#isIgnored[this.#cells[met] ?? 0] = isIgnored(kind, this.#nodeOf[met] ?? 0) ? 1 : 0;
      }
    }
    for (let i = 0; i < rules; i += 1) {
      const spread = scores[i];
      if (spread === undefined) continue;
      const domains = spread.isHostname ? scoredOf(kind, window) : this.#present(kind, spread, window);
      const weight = this.#weight(domains);
      this.#weightOf[i] = weight;
      for (let met = 0; met < this.#cellCount; met += 1) {
        const at = this.#nodeOf[met] ?? 0;
        const pods = spread.weighedAt < 0 ? (counters[i]?.on(at) ?? 0) : 0;
        this.#added[(this.#cells[met] ?? 0) * rules + i] = added(spread, at, pods * weight);
      }
    }
  }

  #preparePods({ preferences }: Kind): void {
    for (let met = 0; met < this.#cellCount; met += 1) {
      let pods = 0;
      for (const counter of preferences) pods += counter.on(this.#nodeOf[met] ?? 0);
      this.#podsIn[this.#cells[met] ?? 0] = pods;
    }
  }

  /** The raw score; -1: ignored. */
  #spreadOn({ scores, scoreNeedsKeys }: Kind, { node, cell, near, counters }: Groups, group: number): number {
    const which = cell[group] ?? 0;
    if (scoreNeedsKeys && this.#isIgnored[which] === 1) return -1;
    const rules = scores.length;
    let sum = 0;
    for (let i = 0; i < rules; i += 1) {
      const spread = scores[i];
      if (spread === undefined) continue;
      const pods = spread.weighedAt < 0 ? 0 : (near[group * counters + spread.weighedAt] ?? 0);
      if (pods === 0) sum += this.#added[which * rules + i] ?? 0;
      else sum += added(spread, node[group] ?? 0, pods * (this.#weightOf[i] ?? 0));
    }
    return Math.round(sum);
  }

  #podsOn({ weighed, preferredFrom }: Kind, { cell, near, counters }: Groups, group: number): number {
    let pods = this.#podsIn[cell[group] ?? 0] ?? 0;
    for (let i = preferredFrom; i < weighed.length; i += 1) pods += near[group * counters + i] ?? 0;
    return pods;
  }

  #weight(domains: number): number {
    let weight = this.#weights[domains] ?? 0;
    if (weight === 0) {
      weight = logarithm(domains + 2);
      this.#weights[domains] = weight;
    }
    return weight;
  }

  /** Domains of the nodes that are scored; those without the label are one more. */
  #present(kind: Kind, { domains: { of, isFine } }: SpreadScore, { nodes, count }: Window): number {
    this.#counts += 1;
    let present = 0;
    // Nodes of one cell share their domain, unless it is a fine one.
    const looked = isFine ? nodes : this.#nodeOf;
    const end = isFine ? count : this.#cellCount;
    for (let i = 0; i < end; i += 1) {
      const at = looked[i] ?? 0;
      const domain = (of[at] ?? -1) + 1;
      if (this.#met[domain] === this.#counts || isIgnored(kind, at)) continue;
      this.#met[domain] = this.#counts;
      present += 1;
    }
    return present;
  }
}

/** What a rule adds to a node's raw score, with what its pods weigh; nothing where the label is missing. */
function added({ domains, maxSkew }: SpreadScore, at: number, weight: number): number {
  return (domains.of[at] ?? -1) < 0 ? 0 : weight + (maxSkew - 1);
}

function isIgnored({ scoreNeedsKeys, scores }: Kind, at: number): boolean {
  return scoreNeedsKeys && scores.some(({ domains }) => (domains.of[at] ?? -1) < 0);
}

function scoredOf(kind: Kind, { nodes, count }: Window): number {
  if (!kind.scoreNeedsKeys) return count;
  let scored = 0;
  for (let i = 0; i < count; i += 1) if (!isIgnored(kind, nodes[i] ?? 0)) scored += 1;
  return scored;
}
