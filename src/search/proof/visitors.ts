import { listed } from "../../base/listed.ts";
import { underKey } from "../../base/under-key.ts";
import type { Node } from "../../model/node.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { Joined } from "../joined.ts";
import { type Amount, type Limit, limiting } from "./amounts.ts";
import type { Kind } from "./kinds.ts";
import type { Usable } from "./usable.ts";

/** Pods that take the same. */
export interface Load {
  readonly count: number;
  readonly requests: Resources;
}

export interface Group {
  readonly members: readonly Place[];
  /** May stand on several of its members and nowhere else among the places. */
  readonly shared: readonly Load[];
}

/** Places of a group that nothing tells apart. */
export interface Place {
  readonly node: Node;
  readonly count: number;
  /** May stand on no other of the places. */
  readonly standing: readonly Load[];
  /** Of each of `limiting` as much as may stand there: what stands there now may be more than fits. */
  readonly most: readonly number[];
}

/** What may stand on the places at one time. */
export interface Present {
  /** May stand in many places, in any group. */
  readonly free: readonly Load[];
  readonly groups: readonly Group[];
  /** How many of a load are there: some may be away. */
  countOf(load: Load): number;
}

/** A pod with no more places than this ties them together as a group; one with more may go to any group. */
const fewPlaces = 2;

/**
 * Everything that may ever stand on one of some nodes, by how far it is bound to them. A pod that stops holds its room on a closed
 * node only, so that it and its replacement never both fill an open one. Worked out once for all templates that may use these nodes.
 */
export class Visitors {
  readonly #places: readonly NodeView[];
  readonly #free = new Map<Kind, Load>();
  /** Those of a kind that also stand where the others may not go. */
  readonly #freeBySelf = new Map<PodView, Load>();
  readonly #allFree: readonly Load[];
  readonly #tied = new Map<PodView, Tied>();
  readonly #groups: readonly Group[];

  constructor(places: readonly NodeView[], kinds: readonly Kind[], usable: Pick<Usable, "of">) {
    this.#places = places;
    const names = new Set(places.map(({ name }) => name));
    const amongOf = new Map<ReadonlySet<string>, readonly string[]>();
    const goesTo = (template: PodTemplate): readonly string[] => {
      const all = usable.of(template);
      return underKey(amongOf, all, () => [...all].filter((name) => names.has(name)));
    };
    for (const kind of kinds) {
      const { now, next, requests, stays, pods } = kind;
      const among = stays ? [] : now === next ? goesTo(now) : [...new Set([...goesTo(now), ...goesTo(next)])];
      if (among.length > fewPlaces) {
        this.#free.set(kind, { count: pods.length, requests });
        continue;
      }
      for (const pod of pods) {
        const here = stays ? targetOf(pod) : (pod.node?.name ?? "");
        const all = names.has(here) && !among.includes(here) ? [...among, here] : among;
        if (all.length > fewPlaces) this.#freeBySelf.set(pod, { count: 1, requests });
        else if (all.length > 0) this.#tied.set(pod, { load: { count: 1, requests }, among: all });
      }
    }
    this.#allFree = [...this.#free.values(), ...this.#freeBySelf.values()];
    this.#groups = this.#grouped(new Set());
  }

  get all(): Present {
    return this.without(new Set(), () => undefined);
  }

  /** But for pods that are on none of the places: of each kind so many, or those that are bound to a few places themselves. */
  without(aside: ReadonlySet<PodView>, kindOf: (pod: PodView) => Kind | undefined): Present {
    const away = new Map<Load, number>();
    let ties = false;
    for (const pod of aside) {
      const kind = kindOf(pod);
      const load = (kind && this.#free.get(kind)) ?? this.#freeBySelf.get(pod);
      if (load !== undefined) away.set(load, (away.get(load) ?? 0) + 1);
      ties ||= this.#tied.has(pod);
    }
    return {
      free: this.#allFree,
      groups: ties ? this.#grouped(aside) : this.#groups,
      countOf: (load) => load.count - (away.get(load) ?? 0),
    };
  }

  /** Places tied together by pods that may stand on a few of them. */
  #grouped(aside: ReadonlySet<PodView>): readonly Group[] {
    const joined = new Joined<string>();
    const standing = new Map<string, Load[]>();
    const shared: Tied[] = [];
    for (const [pod, tied] of this.#tied) {
      if (aside.has(pod)) continue;
      const [first, ...more] = tied.among;
      if (more.length > 0) shared.push(tied);
      else if (first !== undefined) listed(standing, first, tied.load);
      joined.join(tied.among);
    }
    const sharedByRoot = Map.groupBy(shared, ({ among }) => joined.of(among[0] ?? ""));
    const [alone, together]: [NodeView[], Map<string, NodeView[]>] = [[], new Map()];
    for (const place of this.#places) {
      const root = joined.of(place.name);
      if (sharedByRoot.has(root)) listed(together, root, place);
      else alone.push(place);
    }
    const placesOf = (nodes: readonly NodeView[]): readonly Place[] =>
      alike(nodes.map((view) => placeOf(view, standing.get(view.name) ?? [])));
    return [
      { members: placesOf(alone), shared: [] },
      ...[...together].map(([root, nodes]): Group => {
        const tied = sharedByRoot.get(root) ?? [];
        return { members: placesOf(nodes), shared: tied.map(({ load }) => load) };
      }),
    ];
  }
}

interface Tied {
  readonly load: Load;
  readonly among: readonly string[];
}

function placeOf(view: NodeView, standing: readonly Load[]): Place {
  const { node } = view;
  const most = limiting.map((limit) => Math.max(limit.of(node), limit.held(view)));
  return { node, count: 1, standing, most };
}

/** Those of one size on which pods that take the same stand are counted together. */
function alike(places: readonly Place[]): readonly Place[] {
  const numbers = new Map<Resources, number>();
  const numberOf = ({ requests }: Load): number => underKey(numbers, requests, () => numbers.size);
  const byLook = Map.groupBy(places, ({ node: { allocatable, podsMax }, standing, most }) => {
    const { milliCpu, memoryBytes, ephemeralStorageBytes, scalar } = allocatable;
    const size = [milliCpu, memoryBytes, ephemeralStorageBytes, podsMax, ...[...scalar].flat()];
    const held = standing.map(numberOf).sort((a, b) => a - b);
    return `${size.join()}/${held.join()}/${most.join()}`;
  });
  return [...byLook.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, count: 1 + more.length }],
  );
}

/** Those first that bring most of one amount for what they take of the other: asked of the same loads for every template. */
export function byWorth(loads: readonly Load[], amount: Amount, limit: Limit): readonly Load[] {
  if (loads.length === 0) return loads;
  const byAmounts = underKey(orders, loads, () => new Map<string, readonly Load[]>());
  return underKey(byAmounts, `${amount.name} for ${limit.name}`, () => inOrder(loads, amount, limit));
}

const orders = new WeakMap<readonly Load[], Map<string, readonly Load[]>>();

function inOrder(loads: readonly Load[], amount: Amount, limit: Limit): readonly Load[] {
  const worth: { readonly load: Load; readonly each: number }[] = [];
  for (const load of loads) {
    const brings = amount.read(load.requests);
    if (brings > 0) worth.push({ load, each: brings / limit.read(load.requests) });
  }
  return worth.sort((a, b) => b.each - a.each).map(({ load }) => load);
}
