import type { Minor } from "../../../model/cluster.ts";
import { logarithm } from "../../../scheduler/scores/logarithm.ts";
import { maxScore, scaledDown } from "../../../scheduler/scores/normalize.ts";
import type { Kind } from "./kind.ts";
import type { NodeTable } from "./table.ts";

/** Highest and lowest raw scores of the nodes that are scored together: what the others are scaled by. */
export interface Span {
  taintsMost: number;
  affinityMost: number;
  spreadLeast: number;
  spreadMost: number;
  podsLeast: number;
  podsMost: number;
}

interface Alone {
  /** Least allocated and balanced allocation: what other nodes do not scale. */
  readonly sums: Float64Array;
  /** The node's version when it was summed up. */
  readonly versions: Float64Array;
}

/**
 * The scores of one cycle for any nodes of the table. The formulas are those of src/scheduler/scores, read from columns; a test
 * holds the two against each other.
 */
export class Scorer {
  readonly spread: Float64Array;
  readonly pods: Float64Array;
  readonly #table: NodeTable;
  readonly #minor: Minor;
  /** By what is asked for. */
  readonly #alike = new Map<string, Alone>();
  #alone: Alone = { sums: new Float64Array(0), versions: new Float64Array(0) };
  /** Matching pods by domain while one rule is looked at; all 0 in between. */
  readonly #counts: Float64Array;

  constructor(table: NodeTable, minor: Minor) {
    this.#table = table;
    this.#minor = minor;
    this.#counts = new Float64Array(table.size);
    this.spread = new Float64Array(table.size);
    this.pods = new Float64Array(table.size);
  }

  /** Raw scores that do not depend on which nodes are scored with it. */
  prepare(kind: Kind, nodes: ArrayLike<number>, count: number): void {
    const { versions } = this.#table;
    const alone = this.#aloneOf(kind);
    this.#alone = alone;
    const preferences = kind.preferences.filter(({ counts }) => counts.size > 0);
    for (let i = 0; i < count; i += 1) {
      const at = nodes[i] ?? 0;
      if (alone.versions[at] !== versions[at]) {
        alone.versions[at] = versions[at] ?? 0;
        alone.sums[at] = this.#leastAllocated(kind, at) + this.#balanced(kind, at);
      }
      let sum = 0;
      for (const counter of preferences) sum += counter.on(at);
      this.pods[at] = sum;
    }
  }

  /** Pods that ask for the same score the same on a node, until the amounts on it change. */
  #aloneOf({ template }: Kind): Alone {
    const { scoredMilliCpu, scoredMemoryBytes, requests } = template;
    const key = `${scoredMilliCpu} ${scoredMemoryBytes} ${requests.milliCpu} ${requests.memoryBytes}`;
    let alone = this.#alike.get(key);
    if (alone === undefined) {
      const { size } = this.#table;
      alone = { sums: new Float64Array(size), versions: new Float64Array(size).fill(-1) };
      this.#alike.set(key, alone);
    }
    return alone;
  }

  /** Raw spread scores: weighed by how many domains these nodes have. Nodes that are ignored get -1. */
  prepareSpread(kind: Kind, nodes: ArrayLike<number>, count: number): void {
    const { scores } = kind;
    if (scores.length === 0) return;
    let scored = 0;
    for (let i = 0; i < count; i += 1) {
      const at = nodes[i] ?? 0;
      const ignored = isIgnored(kind, at);
      this.spread[at] = ignored ? -1 : 0;
      if (!ignored) scored += 1;
    }
    for (const { isHostname, domainOf, counter, rule } of scores) {
      const weight = logarithm((isHostname ? scored : this.#presentOf(domainOf, nodes, count)) + 2);
      const counts = this.#counts;
      for (const [domain, pods] of counter.counts) counts[domain] = pods;
      for (let i = 0; i < count; i += 1) {
        const at = nodes[i] ?? 0;
        const domain = domainOf[at] ?? -1;
        const before = this.spread[at] ?? 0;
        if (before === -1 || domain < 0) continue;
        this.spread[at] = before + ((counts[counter.domainOf[at] ?? 0] ?? 0) * weight + (rule.maxSkew - 1));
      }
      for (const domain of counter.counts.keys()) counts[domain] = 0;
    }
    for (let i = 0; i < count; i += 1) {
      const at = nodes[i] ?? 0;
      if (this.spread[at] !== -1) this.spread[at] = Math.round(this.spread[at] ?? 0);
    }
  }

  /** Domains of the nodes that are scored; those without the label are one more. */
  #presentOf(domainOf: Int32Array, nodes: ArrayLike<number>, count: number): number {
    const seen = this.#counts;
    let present = 0;
    let unlabelled = 0;
    for (let i = 0; i < count; i += 1) {
      const at = nodes[i] ?? 0;
      if (this.spread[at] === -1) continue;
      const domain = domainOf[at] ?? -1;
      if (domain < 0) unlabelled = 1;
      else if (seen[domain] === 0) {
        seen[domain] = 1;
        present += 1;
      }
    }
    for (let i = 0; i < count; i += 1) {
      const domain = domainOf[nodes[i] ?? 0] ?? -1;
      if (domain >= 0) seen[domain] = 0;
    }
    return present + unlabelled;
  }

  spanOf(kind: Kind, nodes: ArrayLike<number>, count: number): Span {
    const span: Span = {
      taintsMost: 0,
      affinityMost: 0,
      spreadLeast: Number.POSITIVE_INFINITY,
      spreadMost: 0,
      podsLeast: Number.POSITIVE_INFINITY,
      podsMost: Number.NEGATIVE_INFINITY,
    };
    const { taints, affinity } = kind.fixed;
    for (let i = 0; i < count; i += 1) {
      const at = nodes[i] ?? 0;
      span.taintsMost = Math.max(span.taintsMost, taints[at] ?? 0);
      span.affinityMost = Math.max(span.affinityMost, affinity[at] ?? 0);
      const spread = this.spread[at] ?? 0;
      if (spread !== -1) {
        span.spreadLeast = Math.min(span.spreadLeast, spread);
        span.spreadMost = Math.max(span.spreadMost, spread);
      }
      const pods = this.pods[at] ?? 0;
      span.podsLeast = Math.min(span.podsLeast, pods);
      span.podsMost = Math.max(span.podsMost, pods);
    }
    return span;
  }

  total(kind: Kind, at: number, span: Span): number {
    const { taints, affinity } = kind.fixed;
    let sum = (this.#alone.sums[at] ?? 0) + (kind.images[at] ?? 0);
    sum +=
      3 * (span.taintsMost === 0 ? maxScore : maxScore - Math.trunc((maxScore * (taints[at] ?? 0)) / span.taintsMost));
    if (span.affinityMost > 0) sum += 2 * Math.trunc((maxScore * (affinity[at] ?? 0)) / span.affinityMost);
    if (kind.scores.length > 0) sum += 2 * spreadOut(this.spread[at] ?? 0, span);
    const width = span.podsMost - span.podsLeast;
    if (width > 0) sum += 2 * Math.trunc(maxScore * (((this.pods[at] ?? 0) - span.podsLeast) / width));
    return sum;
  }

  #leastAllocated({ template }: Kind, at: number): number {
    const { milliCpu, memory, nonZeroMilliCpu, nonZeroMemory } = this.#table;
    let sum = 0;
    let counted = 0;
    const cpuTotal = milliCpu.total[at] ?? 0;
    if (cpuTotal !== 0) {
      const used = (nonZeroMilliCpu[at] ?? 0) + template.scoredMilliCpu;
      counted += 1;
      if (used <= cpuTotal) sum += scaledDown(cpuTotal - used, maxScore, cpuTotal);
    }
    const memoryTotal = memory.total[at] ?? 0;
    if (memoryTotal !== 0) {
      const used = (nonZeroMemory[at] ?? 0) + template.scoredMemoryBytes;
      counted += 1;
      if (used <= memoryTotal) sum += scaledDown(memoryTotal - used, maxScore, memoryTotal);
    }
    return counted === 0 ? 0 : Math.trunc(sum / counted);
  }

  #balanced({ template: { requests } }: Kind, at: number): number {
    if (requests.milliCpu === 0 && requests.memoryBytes === 0) return 0;
    const withPod = this.#evenness(at, requests.milliCpu, requests.memoryBytes);
    if (this.#minor <= 35) return withPod;
    const half = maxScore / 2;
    return half + Math.trunc((half + withPod - this.#evenness(at, 0, 0)) / 2);
  }

  #evenness(at: number, milliCpu: number, memoryBytes: number): number {
    const { milliCpu: cpu, memory } = this.#table;
    const cpuTotal = cpu.total[at] ?? 0;
    const memoryTotal = memory.total[at] ?? 0;
    let deviation = 0;
    if (cpuTotal !== 0 && memoryTotal !== 0) {
      const cpuShare = Math.min(1, ((cpu.used[at] ?? 0) + milliCpu) / cpuTotal);
      const memoryShare = Math.min(1, ((memory.used[at] ?? 0) + memoryBytes) / memoryTotal);
      deviation = Math.abs((cpuShare - memoryShare) / 2);
    }
    return Math.trunc((1 - deviation) * maxScore);
  }
}

function isIgnored({ scoreNeedsKeys, scores }: Kind, at: number): boolean {
  return scoreNeedsKeys && scores.some(({ domainOf }) => (domainOf[at] ?? -1) < 0);
}

function spreadOut(score: number, { spreadLeast, spreadMost }: Span): number {
  if (score === -1) return 0;
  return spreadMost === 0 ? maxScore : scaledDown(spreadMost + spreadLeast - score, maxScore, spreadMost);
}
