import { logarithm } from "../../../scheduler/scores/logarithm.ts";
import { maxScore, scaledDown } from "../../../scheduler/scores/normalize.ts";
import type { Kind, Spread } from "./kind.ts";
import type { Domains } from "./table.ts";

/** Nodes that one search found: the first `count`, in the order of the search. */
export interface Window {
  readonly nodes: Int32Array;
  readonly count: number;
}

/** Nodes of a window, in groups that score alike but for what each scores alone: beside each other. */
export class Groups {
  count = 0;
  /** One that stands for all. */
  readonly node: Int32Array;
  /** Cell whose nodes are told by rank; -1: they were added one by one. */
  readonly cell: Int32Array;
  /** The highest sum in the group; -1: no node of it was found. */
  readonly most: Int32Array;
  /** The last node with it. */
  readonly last: Int32Array;
  /** Node → another with as high a sum in its group, found before; -1: none. */
  readonly before: Int32Array;
  /** What the whole group scores. */
  readonly totals: Float64Array;

  constructor(nodes: number) {
    this.node = new Int32Array(nodes);
    this.cell = new Int32Array(nodes);
    this.most = new Int32Array(nodes);
    this.last = new Int32Array(nodes);
    this.before = new Int32Array(nodes);
    this.totals = new Float64Array(nodes);
  }

  /** An empty group. */
  open(node: number): number {
    const group = this.count;
    this.count += 1;
    this.node[group] = node;
    this.cell[group] = -1;
    this.most[group] = -1;
    return group;
  }

  /** A group of nodes of a cell that are not added: one of the best, and its sum. */
  openRanked(cell: number, node: number, sum: number): void {
    const group = this.open(node);
    this.cell[group] = cell;
    this.most[group] = sum;
  }

  add(group: number, node: number, sum: number): void {
    const { most, last, before } = this;
    const highest = most[group] ?? 0;
    if (sum < highest) return;
    before[node] = sum === highest ? (last[group] ?? 0) : -1;
    last[group] = node;
    most[group] = sum;
  }

  /** Adds the best nodes of a group whose nodes were added. */
  addBest(group: number, found: number[]): void {
    for (let at = this.last[group] ?? -1; at >= 0; at = this.before[at] ?? -1) found.push(at);
  }
}

/**
 * The scores that are scaled by all nodes scored together: taints, preferred node affinity, spread, preferred pod affinity. The
 * formulas are those of src/scheduler/scores; a test holds the two against each other.
 */
export class Scorer {
  /** Raw spread by group; -1: ignored. */
  readonly #spread: Float64Array;
  readonly #pods: Float64Array;
  /** Domains met, by the number of the count that met them last; the first: nodes without the label. */
  readonly #met: Int32Array;
  #counts = 0;
  /** By rule, in the search that goes on. */
  readonly #weightOf: number[] = [];
  /** By how many domains there are; 0: not computed yet. */
  readonly #weights: Float64Array;

  constructor(nodes: number) {
    this.#spread = new Float64Array(nodes);
    this.#pods = new Float64Array(nodes);
    this.#met = new Int32Array(nodes + 1);
    this.#weights = new Float64Array(nodes + 1);
  }

  /** Fills in the totals, and returns the highest. */
  score(kind: Kind, groups: Groups, window: Window): number {
    const { fixed } = kind.demand;
    const { count, node, most } = groups;
    this.#prepareSpread(kind, groups, window);
    let taintsMost = 0;
    let affinityMost = 0;
    let spreadLeast = Number.POSITIVE_INFINITY;
    let spreadMost = 0;
    let podsLeast = Number.POSITIVE_INFINITY;
    let podsMost = Number.NEGATIVE_INFINITY;
    for (let group = 0; group < count; group += 1) {
      if (most[group] === -1) continue;
      const at = node[group] ?? 0;
      taintsMost = Math.max(taintsMost, fixed.taints[at] ?? 0);
      affinityMost = Math.max(affinityMost, fixed.affinity[at] ?? 0);
      const spread = this.#spreadOn(kind, at);
      this.#spread[group] = spread;
      if (spread !== -1) {
        spreadLeast = Math.min(spreadLeast, spread);
        spreadMost = Math.max(spreadMost, spread);
      }
      let pods = 0;
      for (const counter of kind.preferences) pods += counter.on(at);
      this.#pods[group] = pods;
      podsLeast = Math.min(podsLeast, pods);
      podsMost = Math.max(podsMost, pods);
    }
    const width = podsMost - podsLeast;
    let highest = Number.NEGATIVE_INFINITY;
    for (let group = 0; group < count; group += 1) {
      if (most[group] === -1) continue;
      const at = node[group] ?? 0;
      let total = most[group] ?? 0;
      const untolerated = taintsMost === 0 ? 0 : Math.trunc((maxScore * (fixed.taints[at] ?? 0)) / taintsMost);
      total += 3 * (maxScore - untolerated);
      if (affinityMost > 0) total += 2 * Math.trunc((maxScore * (fixed.affinity[at] ?? 0)) / affinityMost);
      const spread = this.#spread[group] ?? 0;
      if (kind.scores.length > 0 && spread !== -1) {
        total +=
          2 * (spreadMost === 0 ? maxScore : scaledDown(spreadMost + spreadLeast - spread, maxScore, spreadMost));
      }
      if (width > 0) total += 2 * Math.trunc(maxScore * (((this.#pods[group] ?? 0) - podsLeast) / width));
      groups.totals[group] = total;
      highest = Math.max(highest, total);
    }
    return highest;
  }

  /** Rules weigh by how many domains the nodes have. */
  #prepareSpread(kind: Kind, groups: Groups, window: Window): void {
    for (let i = 0; i < kind.scores.length; i += 1) {
      const spread = kind.scores[i];
      if (spread === undefined) continue;
      const domains = spread.isHostname ? scoredOf(kind, window) : this.#present(kind, spread, groups, window);
      this.#weightOf[i] = this.#weight(domains);
    }
  }

  /** The raw score; -1: ignored. */
  #spreadOn(kind: Kind, at: number): number {
    const { scores } = kind;
    if (kind.scoreNeedsKeys && isIgnored(kind, at)) return -1;
    let sum = 0;
    for (let i = 0; i < scores.length; i += 1) {
      const spread = scores[i];
      if (spread === undefined || (spread.domains.of[at] ?? -1) < 0) continue;
      sum += spread.counter.on(at) * (this.#weightOf[i] ?? 0) + (spread.rule.maxSkew - 1);
    }
    return Math.round(sum);
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
  #present(kind: Kind, { domains }: Spread, { count, node, most }: Groups, window: Window): number {
    this.#counts += 1;
    let present = 0;
    // Nodes of one group share their domain, unless it is a fine one.
    if (domains.isFine) {
      for (let i = 0; i < window.count; i += 1) present += this.#meet(kind, domains, window.nodes[i] ?? 0);
    } else {
      for (let group = 0; group < count; group += 1) {
        if (most[group] !== -1) present += this.#meet(kind, domains, node[group] ?? 0);
      }
    }
    return present;
  }

  /** 1: the first node in its domain that is met in this count. */
  #meet(kind: Kind, { of }: Domains, at: number): 0 | 1 {
    if (isIgnored(kind, at)) return 0;
    const domain = (of[at] ?? -1) + 1;
    if (this.#met[domain] === this.#counts) return 0;
    this.#met[domain] = this.#counts;
    return 1;
  }
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
