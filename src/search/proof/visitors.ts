import { listed } from "../../base/listed.ts";
import { none } from "../../base/none.ts";
import { underKey } from "../../base/under-key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { Joined } from "../joined.ts";
import type { Kind } from "./kinds.ts";
import type { Seen } from "./looks.ts";
import type { Movers } from "./movers.ts";
import { type Group, type Place, Present } from "./present.ts";
import type { Usable } from "./usable.ts";

/** A pod with no more places than this ties them together as a group; one with more may go to any group. */
const fewPlaces = 2;

/**
 * Everything that may ever stand on one of some nodes, by how far it is bound to them. A pod that stops holds its room on a closed
 * node only, so that it and its replacement never both fill an open one. Worked out once for all templates that may use these nodes.
 */
export class Visitors {
  /** Each of them counts. */
  readonly all: Present;
  readonly #places: readonly NodeView[];
  readonly #names: ReadonlySet<string>;
  readonly #movers: Movers;
  readonly #usable: Pick<Usable, "of">;
  readonly #among = new Map<ReadonlySet<string>, readonly string[]>();
  /** How many of each size may stand in many places. */
  readonly #free: Int32Array;
  readonly #tied: readonly Tied[];

  constructor(places: readonly NodeView[], movers: Movers, usable: Pick<Usable, "of">) {
    this.#places = places;
    this.#names = new Set(places.map(({ name }) => name));
    this.#movers = movers;
    this.#usable = usable;
    this.#free = new Int32Array(movers.roster.sizes.count);
    const tied: Tied[] = [];
    for (const [kind, count] of movers.counts) {
      if (this.#goesTo(kind).length > fewPlaces) {
        add(this.#free, kind.size, count);
        continue;
      }
      for (const pod of kind.pods) {
        const among = movers.moves(pod, kind) ? this.#placesOf(pod, kind) : none;
        if (among.length > fewPlaces) add(this.#free, kind.size, 1);
        else if (among.length > 0) tied.push({ pod, size: kind.size, among });
      }
    }
    this.#tied = tied;
    this.all = new Present(movers.roster.sizes, this.#free, this.#grouped(new Set(), new Map()));
  }

  /** But for pods that are on none of the places. */
  without(pods: Iterable<PodView>): Present {
    const { roster } = this.#movers;
    const aside = new Set(pods);
    const free = this.#free.slice();
    const away = new Map<string, number[]>();
    let isBound = false;
    for (const pod of aside) {
      const kind = roster.kindOf(pod);
      const among = kind === undefined ? none : this.#placesOf(pod, kind);
      const [first] = among;
      if (kind === undefined || first === undefined) continue;
      if (among.length > fewPlaces) {
        add(free, kind.size, -1);
        continue;
      }
      isBound = true;
      if (!this.#movers.moves(pod, kind)) listed(away, first, kind.size);
    }
    return new Present(roster.sizes, free, isBound ? this.#grouped(aside, away) : this.all.groups);
  }

  /** Where it may ever stand. */
  #placesOf(pod: PodView, kind: Kind): readonly string[] {
    const among = this.#movers.moves(pod, kind) ? this.#goesTo(kind) : none;
    const here = kind.stays ? targetOf(pod) : (pod.node?.name ?? "");
    return this.#names.has(here) && !among.includes(here) ? [...among, here] : among;
  }

  #goesTo({ now, next }: Kind): readonly string[] {
    const [one, other] = [this.#usableBy(now), this.#usableBy(next)];
    return one === other ? one : [...new Set([...one, ...other])];
  }

  #usableBy(template: PodTemplate): readonly string[] {
    const usable = this.#usable.of(template);
    return underKey(this.#among, usable, () => [...usable].filter((name) => this.#names.has(name)));
  }

  /** Places tied together by pods that may stand on a few of them. `away`: what is not on its place, of those that stay on one. */
  #grouped(aside: ReadonlySet<PodView>, away: ReadonlyMap<string, readonly number[]>): readonly Group[] {
    const joined = new Joined<string>();
    const shared: Tied[] = [];
    const alone = new Map<string, number[]>();
    for (const tied of this.#tied) {
      if (aside.has(tied.pod)) continue;
      const [first, ...more] = tied.among;
      if (more.length > 0) shared.push(tied);
      else if (first !== undefined) listed(alone, first, tied.size);
      joined.join(tied.among);
    }
    const { looks } = this.#movers.roster;
    const placeOf = (view: NodeView): Seen => {
      const [gone, more] = [away.get(view.name), alone.get(view.name)];
      if (gone === undefined && more === undefined) return this.#movers.placeOf(view);
      const standing = this.#movers.stayingOn(view.name).map(({ size }) => size);
      for (const size of gone ?? none) standing.splice(standing.indexOf(size), 1);
      return looks.with(view, [...standing, ...(more ?? none)]);
    };
    const sharedByRoot = Map.groupBy(shared, ({ among }) => joined.of(among[0] ?? ""));
    const rootOf = (name: string): string => {
      const root = joined.of(name);
      return sharedByRoot.has(root) ? root : "";
    };
    const places = Map.groupBy(this.#places, ({ name }) => (shared.length === 0 ? "" : rootOf(name)));
    return [...places].map(([root, views]): Group => {
      const tied = sharedByRoot.get(root) ?? none;
      return { members: alike(views.map(placeOf)), shared: tied.map(({ size }) => size) };
    });
  }
}

interface Tied {
  readonly pod: PodView;
  readonly size: number;
  readonly among: readonly string[];
}

function add(counts: Int32Array, size: number, more: number): void {
  counts[size] = (counts[size] ?? 0) + more;
}

/** Those on which pods that take the same stand are counted together. */
function alike(places: readonly Seen[]): readonly Place[] {
  const byLook = new Map<number, { readonly place: Seen; count: number }>();
  for (const place of places) {
    const known = byLook.get(place.look);
    if (known === undefined) byLook.set(place.look, { place, count: 1 });
    else known.count += 1;
  }
  return Array.from(byLook.values(), ({ place, count }) => ({ ...place, count }));
}
