import { underKey } from "../../base/under-key.ts";
import type { Cluster } from "../../model/cluster.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import { asItStands } from "../../sim/as-it-stands.ts";
import type { Ledger } from "../../sim/ledger.ts";
import type { Timing } from "../../sim/timing.ts";
import { type Coupling, couplingOf } from "../part/coupling.ts";
import { standsNowhere } from "./drivers.ts";
import { KeptApart } from "./kept-apart.ts";
import { type LeftAlone, leftAlone } from "./left-alone.ts";
import { Movers } from "./movers.ts";
import { type Newcomers, newcomersOf, nobody } from "./newcomers.ts";
import { Rooms } from "./rooms.ts";
import { Roster } from "./roster.ts";
import { SpreadDomains } from "./spread-domains.ts";
import { Usable } from "./usable.ts";

/** A cluster as it stands before anything is done to it: only to be read. What takes a while is worked out when it is asked for. */
export class Standing {
  readonly view: Ledger;
  readonly domains: SpreadDomains;
  readonly #cluster: Cluster;
  readonly #timing: Timing;
  readonly #all: readonly string[];
  /** Of several nodes: scenarios of one pool ask about the same. */
  readonly #pools: (readonly string[])[] = [];
  readonly #rooms = new WeakMap<readonly string[], Rooms>();
  readonly #usable: Usable;
  readonly #anyhow = new WeakMap<readonly string[], Rooms>();
  #roster: Roster | null = null;
  #keptApart: KeptApart | null = null;
  #coupling: Coupling | null = null;
  #alone: LeftAlone | null = null;
  #newcomers: Newcomers | null | undefined;

  constructor(cluster: Cluster, timing: Timing) {
    this.view = asItStands(cluster);
    this.#usable = new Usable(this.view);
    this.domains = new SpreadDomains(this.view);
    this.#cluster = cluster;
    this.#timing = timing;
    this.#all = cluster.nodes.map(({ name }) => name);
  }

  /** Where pods find a place while only these nodes are worked on: pods of others stay on theirs. */
  roomsWhile(nodes: readonly string[]): Rooms {
    return underKey(this.#rooms, this.#poolOf(nodes), () => {
      const movers = new Movers(this.roster, nodes);
      return new Rooms(this.view, movers, { keptApart: this.keptApart, usable: this.#usable });
    });
  }

  /**
   * The same where it is not known that no pod drives out others: those of other nodes stay only if all that may move, and are more
   * than the least, find room wherever the others are.
   */
  roomsAnyhow(nodes: readonly string[]): Rooms {
    return underKey(this.#anyhow, this.#poolOf(nodes), () => {
      const rooms = this.roomsWhile(nodes);
      return this.#mayDriveOut(nodes, rooms) ? this.roomsOfAll : rooms;
    });
  }

  /** The same while all pods may move. */
  get roomsOfAll(): Rooms {
    return this.roomsWhile(this.#all);
  }

  #poolOf(nodes: readonly string[]): readonly string[] {
    if (nodes.length === 1) return nodes;
    const isSame = (other: readonly string[]): boolean =>
      other.length === nodes.length && other.every((name, at) => name === nodes[at]);
    const known = this.#pools.find(isSame);
    if (known === undefined) this.#pools.push(nodes);
    return known ?? nodes;
  }

  #mayDriveOut(nodes: readonly string[], rooms: Rooms): boolean {
    const { view, alone, roster } = this;
    const lowest = roster.kinds.reduce((least, { now }) => Math.min(least, now.priority), Number.POSITIVE_INFINITY);
    const isStronger = ({ priority, preemptionPolicy }: PodTemplate): boolean =>
      priority > lowest && preemptionPolicy !== "Never";
    if (alone.late.some(({ template }) => isStronger(template) && !rooms.alwaysFits(template))) return true;
    const movers = rooms.moving.flatMap(({ now, next }) => (isStronger(now) ? [now, next] : []));
    return ![...new Set(movers)].every(
      (template) => rooms.alwaysFinds(template, nodes.length) || standsNowhere(template, view.cluster),
    );
  }

  /** It may leave its node though nobody works on that. */
  wanders(pod: PodView): boolean {
    return pod.node === null || this.roster.wandering.has(pod);
  }

  get roster(): Roster {
    const newcomers = this.newcomers ?? nobody;
    this.#roster ??= new Roster(this.view, this.view.kinds(), { ...this.alone, newcomers });
    return this.#roster;
  }

  get keptApart(): KeptApart {
    this.#keptApart ??= new KeptApart(this.view.cluster, this.roster.kinds);
    return this.#keptApart;
  }

  /** Looks at every pod: only where parts are played. */
  get coupling(): Coupling {
    this.#coupling ??= couplingOf(this.view, (this.newcomers ?? nobody).pods);
    return this.#coupling;
  }

  get alone(): LeftAlone {
    this.#alone ??= leftAlone(this.#cluster, this.#timing);
    return this.#alone;
  }

  /** Null: it cannot be said what pods there may be beside those that are there and those that are coming. */
  get newcomers(): Newcomers | null {
    if (this.#newcomers === undefined) this.#newcomers = newcomersOf(this.view, this.alone);
    return this.#newcomers;
  }
}

/** The same for every question about one cluster in these times. */
export function standingOf(cluster: Cluster, timing: Timing): Standing {
  const byTiming = underKey(known, cluster, () => new WeakMap<Timing, Standing>());
  return underKey(byTiming, timing, () => new Standing(cluster, timing));
}

const known = new WeakMap<Cluster, WeakMap<Timing, Standing>>();
