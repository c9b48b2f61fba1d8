import type { Cluster } from "../../../model/cluster.ts";
import type { ObjectKey } from "../../../model/key.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import type { ClusterView, NodeView } from "../../../model/view.ts";
import type { Rejection } from "../../../scheduler/framework.ts";
import { snapshotOrder } from "../../../scheduler/node-order.ts";
import { nodesToFind } from "../../../scheduler/sampling.ts";
import { imageScore } from "../../../scheduler/scores/image-locality.ts";
import { defaultRules } from "../../../scheduler/scores/pod-topology-spread.ts";
import { Census } from "./census.ts";
import type { Counter } from "./counter.ts";
import { fewestOf, hasCompany, isEven } from "./even.ts";
import { type Fixed, fixedOf, fixNode, type Ground, isPlain, type Kind, kindOf } from "./kind.ts";
import { rejectionOf } from "./reject.ts";
import { Scorer } from "./score.ts";
import { NodeTable } from "./table.ts";
import { topOfWindows } from "./windows.ts";

/** A pod that looks for a place: what decides where it may go. */
export interface Seeker {
  readonly template: PodTemplate;
  readonly owner: ObjectKey | null;
}

/**
 * Where pods go, for one cluster after the other that differ in a few nodes: the default profile over columns and counters
 * that follow each change, instead of over all pods and nodes in each cycle. It answers what src/scheduler does, which stays
 * the reference: tests hold every answer against it. Pods it does not know enough about (volumes, devices, host ports …) have no
 * kind here.
 */
export class Places {
  readonly table: NodeTable;
  readonly census: Census;
  readonly order: readonly NodeView[];
  readonly enough: number;
  readonly #view: ClusterView;
  readonly cluster: Cluster;
  /** Default spread goes by the Services that select a pod. */
  readonly #services: ClusterView["services"];
  readonly #scorer: Scorer;
  readonly #ground: Ground;
  readonly #generations: Float64Array;
  readonly #taints: NodeView["taints"][];
  readonly #cordoned: Uint8Array;
  readonly #fixed = new Map<string, { readonly fixed: Fixed; readonly template: PodTemplate }>();
  readonly #images = new Map<string, Int32Array>();
  readonly #kinds = new Map<PodTemplate, Map<ObjectKey | null, Kind | null>>();
  readonly #found: Int32Array;
  readonly #window: Int32Array;

  constructor(view: ClusterView) {
    this.#view = view;
    this.cluster = view.cluster;
    this.#services = view.services;
    this.order = snapshotOrder(view.nodes);
    this.table = new NodeTable(this.order);
    this.enough = nodesToFind(this.order.length, 0);
    this.census = new Census(this.order.length, () => this.#forgetKinds());
    this.#scorer = new Scorer(this.table, this.cluster.version.minor);
    this.#generations = new Float64Array(this.order.length).fill(-1);
    this.#taints = this.order.map(({ taints }) => taints);
    this.#cordoned = Uint8Array.from(this.order, ({ unschedulable }) => (unschedulable ? 1 : 0));
    this.#found = new Int32Array(this.order.length);
    this.#window = new Int32Array(this.order.length);
    this.#ground = {
      cluster: this.cluster,
      views: this.order,
      table: this.table,
      census: this.census,
      imagesOf: (template) => this.#imagesOf(template),
      counted: new Map(),
    };
    this.sync();
  }

  /** Whether it still stands for the same nodes. */
  isFor(view: ClusterView): boolean {
    if (view.services !== this.#services) return false;
    return (
      snapshotOrder(view.nodes) === this.order && this.order.every(({ node }, at) => this.table.nodes[at] === node)
    );
  }

  /** Takes in what changed since: nodes whose number is another. */
  sync(): void {
    for (let at = 0; at < this.order.length; at += 1) {
      const node = this.order[at];
      if (node === undefined || node.generation === this.#generations[at]) continue;
      this.#generations[at] = node.generation;
      this.table.set(at, node);
      this.census.set(at, node);
      const cordoned = node.unschedulable ? 1 : 0;
      if (node.taints === this.#taints[at] && cordoned === this.#cordoned[at]) continue;
      this.#taints[at] = node.taints;
      this.#cordoned[at] = cordoned;
      for (const { fixed, template } of this.#fixed.values()) fixNode(fixed, template, at, node);
    }
  }

  /** Null: the pod is not one of those it can answer for. */
  kindOf({ template, owner }: Seeker): Kind | null {
    const byOwner = this.#kinds.get(template) ?? new Map<ObjectKey | null, Kind | null>();
    this.#kinds.set(template, byOwner);
    let kind = byOwner.get(owner);
    if (kind === undefined) {
      kind = isPlain(this.cluster, template) ? this.#made({ template, owner }) : null;
      byOwner.set(owner, kind);
    }
    return kind;
  }

  /** Nodes that pass all filters, in the scheduler's order. Valid until the next question. */
  feasible(kind: Kind): { readonly nodes: Int32Array; readonly count: number } {
    const bounds = boundsOf(kind);
    let count = 0;
    for (let at = 0; at < this.table.size; at += 1) {
      if (!this.#fits(kind, at, bounds)) continue;
      this.#found[count] = at;
      count += 1;
    }
    return { nodes: this.#found, count };
  }

  /** Why no node passes, a node at a time in the scheduler's order: the first filter that does not. */
  rejections(kind: Kind): readonly Rejection[] {
    const fewest = kind.filters.map(fewestOf);
    return this.order.map((node, at) => rejectionOf({ kind, node, at, fewest, table: this.table }));
  }

  /** Of nodes that passed, those the scheduler could pick: the best, from whatever node it starts to look. */
  top({ nodes, count }: { readonly nodes: Int32Array; readonly count: number }, kind: Kind): readonly number[] {
    if (count <= this.enough) return this.#best(kind, nodes, count);
    // As the reference does: beyond so many scores, every node that fits may be picked.
    if (count * this.enough > scoresMax) return Array.from(nodes.subarray(0, count));
    return topOfWindows(this.#scorer, kind, { nodes, count, enough: this.enough });
  }

  /** One search that begins at `start`: what it finds, the best of it, and where the next one begins. */
  searchFrom(kind: Kind, start: number): { readonly top: readonly number[]; readonly next: number } {
    const { size } = this.table;
    const bounds = boundsOf(kind);
    let count = 0;
    let evaluated = 0;
    for (; evaluated < size; evaluated += 1) {
      const at = start + evaluated < size ? start + evaluated : start + evaluated - size;
      if (!this.#fits(kind, at, bounds)) continue;
      if (count === this.enough) break;
      this.#window[count] = at;
      count += 1;
    }
    return { top: this.#best(kind, this.#window, count), next: (start + evaluated) % size };
  }

  #fits(kind: Kind, at: number, { fewest, blocking }: Bounds): boolean {
    if (kind.fixed.open[at] === 0 || (this.table.pods[at] ?? 0) + 1 > (this.table.podsMax[at] ?? 0)) return false;
    const { asks, filters } = kind;
    for (let i = 0; i < asks.length; i += 1) {
      const ask = asks[i];
      if (ask !== undefined && ask.amount > (ask.room.total[at] ?? 0) - (ask.room.used[at] ?? 0)) return false;
    }
    for (let i = 0; i < filters.length; i += 1) {
      const spread = filters[i];
      if (spread !== undefined && !isEven(spread, at, fewest[i] ?? 0)) return false;
    }
    for (let i = 0; i < blocking.length; i += 1) if ((blocking[i]?.on(at) ?? 0) > 0) return false;
    return kind.affinity.length === 0 || hasCompany(kind, at);
  }

  #best(kind: Kind, nodes: Int32Array, count: number): readonly number[] {
    if (count <= 1) return Array.from(nodes.subarray(0, count));
    const scorer = this.#scorer;
    scorer.prepare(kind, nodes, count);
    scorer.prepareSpread(kind, nodes, count);
    const span = scorer.spanOf(kind, nodes, count);
    let best: number[] = [];
    let highest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i += 1) {
      const at = nodes[i] ?? 0;
      const total = scorer.total(kind, at, span);
      if (total > highest) {
        highest = total;
        best = [at];
      } else if (total === highest) best.push(at);
    }
    return best;
  }

  #made({ template, owner }: Seeker): Kind {
    const key = JSON.stringify([
      template.tolerations,
      [...template.nodeSelector],
      template.requiredNodeAffinity,
      template.preferredNodeAffinity,
    ]);
    let known = this.#fixed.get(key);
    if (known === undefined) {
      known = { fixed: fixedOf(this.#ground, template), template };
      this.#fixed.set(key, known);
    }
    const defaults = template.topologySpread.length > 0 ? [] : defaultRules(this.#view, { template, owner });
    return kindOf(this.#ground, template, known.fixed, defaults);
  }

  #imagesOf(template: PodTemplate): Int32Array {
    const key = JSON.stringify([template.images, template.imageVolumes]);
    let scores = this.#images.get(key);
    if (scores === undefined) {
      const minor = this.cluster.version.minor;
      const score = imageScore({ template, minor, nodes: this.#view.nodes });
      scores = Int32Array.from(this.order, (node) => score(node));
      this.#images.set(key, scores);
    }
    return scores;
  }

  /** A template nobody has seen: counters made before do not know of it. */
  #forgetKinds(): void {
    if (this.#kinds.size === 0) return;
    this.#kinds.clear();
    this.census.forgetWatchers();
  }
}

/** What holds for all nodes of one search. */
interface Bounds {
  readonly fewest: readonly number[];
  /** Counters of pods that keep it away, those without any left out. */
  readonly blocking: readonly Counter[];
}

function boundsOf({ filters, repelledBy, antiAffinity }: Kind): Bounds {
  return {
    fewest: filters.map(fewestOf),
    blocking: [...repelledBy, ...antiAffinity].filter(({ counts }) => counts.size > 0),
  };
}

/** Beyond this many scores for all starts together, the reference does not look at each start. */
const scoresMax = 200_000;
