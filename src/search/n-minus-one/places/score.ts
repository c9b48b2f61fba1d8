import { logarithm } from "../../../scheduler/scores/logarithm.ts";
import { maxScore, scaledDown } from "../../../scheduler/scores/normalize.ts";
import type { Kind, Spread } from "./kind.ts";

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
  readonly size: Int32Array;
  /** The highest sum in the group, how many have it, and one of them. */
  readonly most: Int32Array;
  readonly equals: Int32Array;
  readonly best: Int32Array;
  /** What the whole group scores. */
  readonly totals: Float64Array;

  constructor(most: number) {
    this.node = new Int32Array(most);
    this.size = new Int32Array(most);
    this.most = new Int32Array(most);
    this.equals = new Int32Array(most);
    this.best = new Int32Array(most);
    this.totals = new Float64Array(most);
  }

  /** An empty group. */
  open(node: number): number {
    const group = this.count;
    this.count += 1;
    this.node[group] = node;
    this.size[group] = 0;
    this.most[group] = -1;
    this.equals[group] = 0;
    return group;
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
  /** Domains met in the count that goes on. */
  readonly #met: Int32Array;
  #counts = 0;

  constructor(nodes: number) {
    this.#spread = new Float64Array(nodes);
    this.#pods = new Float64Array(nodes);
    this.#met = new Int32Array(nodes);
  }

  /** Fills in the totals, and returns the highest. */
  score(kind: Kind, groups: Groups, window: Window): number {
    const { fixed } = kind.demand;
    this.#spreadOver(kind, groups, window);
    let taintsMost = 0;
    let affinityMost = 0;
    let spreadLeast = Number.POSITIVE_INFINITY;
    let spreadMost = 0;
    let podsLeast = Number.POSITIVE_INFINITY;
    let podsMost = Number.NEGATIVE_INFINITY;
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.size[group] === 0) continue;
      const at = groups.node[group] ?? 0;
      taintsMost = Math.max(taintsMost, fixed.taints[at] ?? 0);
      affinityMost = Math.max(affinityMost, fixed.affinity[at] ?? 0);
      const spread = this.#spread[group] ?? 0;
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
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.size[group] === 0) continue;
      const at = groups.node[group] ?? 0;
      let total = groups.most[group] ?? 0;
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

  /** Raw spread scores: weighed by how many domains the nodes have. */
  #spreadOver(kind: Kind, groups: Groups, window: Window): void {
    const { scores } = kind;
    if (scores.length === 0) return;
    let scored = 0;
    for (let group = 0; group < groups.count; group += 1) {
      const ignored = isIgnored(kind, groups.node[group] ?? 0);
      this.#spread[group] = ignored ? -1 : 0;
      if (!ignored) scored += groups.size[group] ?? 0;
    }
    for (const rule of scores) {
      const weight = logarithm((rule.isHostname ? scored : this.#present(kind, rule, groups, window)) + 2);
      for (let group = 0; group < groups.count; group += 1) {
        const at = groups.node[group] ?? 0;
        const before = this.#spread[group] ?? 0;
        if (before === -1 || (rule.domains.of[at] ?? -1) < 0) continue;
        this.#spread[group] = before + (rule.counter.on(at) * weight + (rule.rule.maxSkew - 1));
      }
    }
    for (let group = 0; group < groups.count; group += 1) {
      if (this.#spread[group] !== -1) this.#spread[group] = Math.round(this.#spread[group] ?? 0);
    }
  }

  /** Domains of the nodes that are scored; those without the label are one more. */
  #present(kind: Kind, { domains }: Spread, groups: Groups, { nodes, count }: Window): number {
    this.#counts += 1;
    let present = 0;
    let unlabelled = 0;
    const meet = (at: number): void => {
      const domain = domains.of[at] ?? -1;
      if (domain < 0) unlabelled = 1;
      else if (this.#met[domain] !== this.#counts) {
        this.#met[domain] = this.#counts;
        present += 1;
      }
    };
    // Nodes of one group share their domain, unless it is a fine one.
    if (domains.isFine) {
      for (let i = 0; i < count; i += 1) {
        const at = nodes[i] ?? 0;
        if (!isIgnored(kind, at)) meet(at);
      }
    } else {
      for (let group = 0; group < groups.count; group += 1) {
        if (this.#spread[group] !== -1 && groups.size[group] !== 0) meet(groups.node[group] ?? 0);
      }
    }
    return present + unlabelled;
  }
}

function isIgnored({ scoreNeedsKeys, scores }: Kind, at: number): boolean {
  return scoreNeedsKeys && scores.some(({ domains }) => (domains.of[at] ?? -1) < 0);
}
