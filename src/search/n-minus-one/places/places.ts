import { none } from "../../../base/none.ts";
import { underKey } from "../../../base/under-key.ts";
import type { Cluster } from "../../../model/cluster.ts";
import type { ObjectKey } from "../../../model/key.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import type { ClusterView, NodeView } from "../../../model/view.ts";
import { snapshotOrder } from "../../../scheduler/node-order.ts";
import { nodesToFind } from "../../../scheduler/sampling.ts";
import { imageScore } from "../../../scheduler/scores/image-locality.ts";
import { defaultRules, defaultSpread } from "../../../scheduler/scores/pod-topology-spread.ts";
import { Cells } from "./cells.ts";
import { Census, type PodListener } from "./census.ts";
import { Demand } from "./demand.ts";
import { type Fixed, fixedOf, fixNode } from "./fixed.ts";
import { isPlain, type Kind, kindOf } from "./kind.ts";
import type { Ground } from "./making.ts";
import { Numbers } from "./numbers.ts";
import { Refusals } from "./refusals.ts";
import { Search } from "./search.ts";
import { Shelf } from "./shelf.ts";
import { ascending } from "./sorted.ts";
import { scoresOf } from "./spread-score.ts";
import { type Domains, NodeTable } from "./table.ts";

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
  readonly cluster: Cluster;
  readonly #view: ClusterView;
  /** Default spread goes by the Services that select a pod. */
  readonly #services: ClusterView["services"];
  readonly #enough: number;
  readonly #search: Search;
  #ground: Ground;
  readonly #generations: Float64Array;
  readonly #podsGenerations: Float64Array;
  readonly #all: readonly number[];
  readonly #at: ReadonlyMap<NodeView, number>;
  /** How many of the view's touches it has looked at. */
  #touches: number;
  readonly #taints: NodeView["taints"][];
  readonly #cordoned: Uint8Array;
  readonly #fixed = new Map<number, Known>();
  readonly #cellsBy = new Map<Fixed, Map<number, Cells>>();
  readonly #demands = new Map<number, Demand[]>();
  readonly #numbers = new Numbers();
  readonly #images = new Map<string, ImageScores>();
  /** All different. */
  readonly #imageScores: ImageScores[] = [];
  /** By the template's number: the owner that was asked about first, as nearly all its pods have it, and the kind of their pods. */
  #owners: (ObjectKey | null)[] = [];
  #kinds: (Kind | null | undefined)[] = [];
  /** Of pods of other owners. */
  readonly #othersKinds = new Map<ObjectKey | null, Map<number, Kind | null>>();
  /** Of kinds that no node took at some time. */
  readonly #refusals = new Map<Kind, Refusals>();

  constructor(view: ClusterView, listener: PodListener | null = null) {
    this.#view = view;
    this.cluster = view.cluster;
    this.#services = view.services;
    this.order = snapshotOrder(view.nodes);
    this.table = new NodeTable(this.order);
    this.census = new Census(this.table.byNode, this.order, () => this.#forgetKinds(), listener);
    this.#enough = nodesToFind(this.order.length, 0);
    this.#search = new Search(this.table, this.#enough);
    this.#all = [...this.order.keys()];
    this.#at = new Map(this.order.map((node, at) => [node, at]));
    this.#touches = view.touches;
    this.#generations = Float64Array.from(this.order, ({ generation }) => generation);
    this.#podsGenerations = Float64Array.from(this.order, ({ podsGeneration }) => podsGeneration);
    this.#taints = this.order.map(({ taints }) => taints);
    this.#cordoned = Uint8Array.from(this.order, ({ unschedulable }) => (unschedulable ? 1 : 0));
    this.#ground = {
      cluster: this.cluster,
      table: this.table,
      census: this.census,
      shelf: new Shelf(),
      defaultScores: scoresOf(this.table, defaultSpread),
      cellsOf: (fixed, topologies) => this.#cellsOf(fixed, topologies),
      counted: new Map(),
    };
    for (const [at, node] of this.order.entries()) this.table.set(at, node, this.census.templatesOn(at).length);
  }

  /** Takes in what changed since: nodes whose number is another. False: the view has other nodes now, and nothing is taken in. */
  sync(view: ClusterView): boolean {
    if (view.services !== this.#services || snapshotOrder(view.nodes) !== this.order) return false;
    const touched = this.#touched();
    for (let i = 0; i < touched.length; i += 1) {
      const at = touched[i] ?? 0;
      if (this.table.nodes[at] !== this.order[at]?.node) return false;
    }
    this.#touches = this.#view.touches;
    for (let i = 0; i < touched.length; i += 1) this.#takeIn(touched[i] ?? 0);
    if (this.table.touchedCount > touchedMax) this.settle();
    return true;
  }

  #takeIn(at: number): void {
    const node = this.order[at];
    if (node === undefined || node.generation === this.#generations[at]) return;
    this.#generations[at] = node.generation;
    if (node.podsGeneration !== this.#podsGenerations[at]) {
      this.#podsGenerations[at] = node.podsGeneration;
      this.census.set(at, node);
    }
    this.table.set(at, node, this.census.templatesOn(at).length);
    this.table.touch(at);
    const cordoned = node.unschedulable ? 1 : 0;
    if (node.taints === this.#taints[at] && cordoned === this.#cordoned[at]) return;
    this.#taints[at] = node.taints;
    this.#cordoned[at] = cordoned;
    for (const { fixed, template } of this.#fixed.values()) {
      if (fixNode(fixed, template, at, node))
        for (const cells of this.#cellsBy.get(fixed)?.values() ?? []) cells.sort();
    }
  }

  /** Nodes that may have changed since, in order. */
  #touched(): readonly number[] {
    const nodes = this.#view.touchedSince(this.#touches);
    if (nodes === null) return this.#all;
    const touched: number[] = [];
    for (const node of nodes) {
      const at = this.#at.get(node);
      if (at !== undefined) touched.push(at);
    }
    return ascending(touched);
  }

  /** Nothing is touched any more: what was is taken in. */
  settle(): void {
    this.census.settle();
    this.table.settle();
    if (this.table.changed.length < this.table.size) return;
    for (const demands of this.#demands.values()) for (const demand of demands) demand.restart();
    this.#refusals.clear();
    this.table.changed.length = 0;
  }

  /** Null: the pod is not one of those it can answer for. */
  kindOf(seeker: Seeker): Kind | null {
    // A template that is new to the census makes it forget all kinds: not in the middle of making one.
    return this.kindBy(this.census.numberOf(seeker.template), seeker);
  }

  /** The same for who knows the number of the pod's template. */
  kindBy(number: number, seeker: Seeker): Kind | null {
    const { owner } = seeker;
    const owners = this.#owners;
    const kinds = this.#kinds;
    for (let more = owners.length; more <= number; more += 1) {
      owners.push(notAsked);
      kinds.push(undefined);
    }
    if (owners[number] === notAsked) owners[number] = owner;
    else if (owners[number] !== owner) {
      const others = underKey(this.#othersKinds, owner, () => new Map<number, Kind | null>());
      return underKey(others, number, () => this.#made(number, seeker));
    }
    const known = kinds[number];
    if (known !== undefined) return known;
    const kind = this.#made(number, seeker);
    kinds[number] = kind;
    return kind;
  }

  /** Nodes that pass all filters, in the scheduler's order. */
  passing(kind: Kind): Int32Array {
    return this.#search.all(kind);
  }

  /** Why no node passes. */
  refusals(kind: Kind): Refusals {
    let refusals = this.#refusals.get(kind);
    if (refusals === undefined) {
      refusals = new Refusals(kind, this.table);
      this.#refusals.set(kind, refusals);
    }
    return refusals;
  }

  /** Of all nodes that pass, those the scheduler could pick: the best, from whatever node it starts to look. */
  top(kind: Kind, passing: Int32Array): readonly number[] {
    if (passing.length <= this.#enough) return this.#search.from(kind, 0).top;
    // As the reference does: beyond so many scores, every node that passes may be picked.
    if (passing.length * this.#enough > scoresMax) return Array.from(passing);
    return this.#search.anyStart(kind, passing);
  }

  /** One search that begins at `start`: the best of what it finds, and where the next one begins. */
  searchFrom(kind: Kind, start: number): { readonly top: readonly number[]; readonly next: number } {
    return this.#search.from(kind, start);
  }

  #made(number: number, seeker: Seeker): Kind | null {
    const { template } = seeker;
    if (!isPlain(this.cluster, template)) return null;
    const defaults = template.topologySpread.length > 0 ? none : defaultRules(this.#view, seeker);
    return kindOf(this.#ground, { template, number, demand: this.#demandOf(template), defaults });
  }

  #demandOf(template: PodTemplate): Demand {
    const numbers = this.#numbers;
    const { tolerations, nodeSelector, requiredNodeAffinity, preferredNodeAffinity } = template;
    const selectors = numbers.ofPair(numbers.of(nodeSelector), numbers.of(requiredNodeAffinity));
    const places = numbers.ofPair(
      numbers.of(tolerations),
      numbers.ofPair(selectors, numbers.of(preferredNodeAffinity)),
    );
    const images = this.#imagesOf(template);
    const alike = underKey(
      this.#demands,
      numbers.ofPair(places, numbers.ofPair(numbers.of(template.requests), images.number)),
      () => [],
    );
    for (const demand of alike) if (scoresAlike(demand.template, template)) return demand;
    const { fixed } = underKey(this.#fixed, places, () => ({ fixed: fixedOf(this.order, template), template }));
    const { table } = this;
    const demand = new Demand({ table, minor: this.cluster.version.minor, template, fixed, images: images.scores });
    alike.push(demand);
    return demand;
  }

  #cellsOf(fixed: Fixed, topologies: readonly Domains[]): Cells {
    let all = 0;
    for (const { number } of topologies) all = this.#numbers.ofPair(all, number);
    const known = underKey(this.#cellsBy, fixed, () => new Map<number, Cells>());
    return underKey(known, all, () => new Cells(fixed, topologies));
  }

  #imagesOf(template: PodTemplate): ImageScores {
    const score = imageScore({ template, minor: this.cluster.version.minor, nodes: this.#view.nodes });
    if (score === null) return noImages;
    return underKey(this.#images, [template.images, template.imageVolumes].join("\n"), () => {
      const scores = Int32Array.from(this.order, score);
      const alike = this.#imageScores.find((known) => known.scores?.every((each, at) => each === scores[at]));
      if (alike !== undefined) return alike;
      const images = { number: this.#imageScores.length + 1, scores };
      this.#imageScores.push(images);
      return images;
    });
  }

  /** A template nobody has seen: counters made before do not know of it. */
  #forgetKinds(): void {
    if (this.#kinds.length === 0) return;
    this.#owners = [];
    this.#kinds = [];
    this.#othersKinds.clear();
    this.#refusals.clear();
    this.census.forgetWatchers();
    this.#ground = { ...this.#ground, shelf: new Shelf() };
  }
}

function scoresAlike(one: PodTemplate, other: PodTemplate): boolean {
  if (one.scoredMilliCpu !== other.scoredMilliCpu || one.scoredMemoryBytes !== other.scoredMemoryBytes) return false;
  return one.nonZeroMilliCpu === other.nonZeroMilliCpu && one.nonZeroMemoryBytes === other.nonZeroMemoryBytes;
}

/** In place of an owner; null is that of pods without one. */
const notAsked: ObjectKey = "";

interface ImageScores {
  readonly number: number;
  /** Null: 0 everywhere. */
  readonly scores: Int32Array | null;
}

const noImages: ImageScores = { number: 0, scores: null };

/** What is made of tolerations and node affinity, with a template that states them. */
interface Known {
  readonly fixed: Fixed;
  readonly template: PodTemplate;
}

/** Nodes that are touched are asked about one by one; when there are more, they are taken in. */
const touchedMax = 32;

/** Beyond this many scores for all starts together, the reference does not look at each start. */
const scoresMax = 200_000;
