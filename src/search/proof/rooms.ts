import { underKey } from "../../base/under-key.ts";
import type { Node } from "../../model/node.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { sameResources } from "../../model/resources.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { filledAtMost } from "./filled.ts";
import { isPlain, type KeptApart } from "./kept-apart.ts";
import type { Kind } from "./kinds.ts";
import type { Movers } from "./movers.ts";
import { askedBy } from "./sizes.ts";
import type { Usable } from "./usable.ts";
import { Visitors } from "./visitors.ts";

/** Nodes of larger pools are not looked at one by one. */
const singleNodesMax = 100;

/** Where pods of a cluster find a place, wherever those that may move have gone. What nothing changes is worked out once. */
export class Rooms {
  readonly #view: ClusterView;
  readonly #movers: Movers;
  readonly #keptApart: KeptApart;
  readonly #usable: Usable;
  /** By the nodes that templates may use. */
  readonly #visitors = new Map<ReadonlySet<string>, Visitors>();
  readonly #alikes = new Map<PodTemplate, readonly PodView[]>();
  /** By what a template asks for. */
  readonly #filledBy = new Map<Visitors, Map<string, number>>();
  /** By how many like it are set aside. */
  readonly #filled = new Map<PodTemplate, Map<number, number>>();

  /** What is known already of who is kept apart, and of nodes that templates may use. */
  constructor(view: ClusterView, movers: Movers, known: { readonly keptApart: KeptApart; readonly usable: Usable }) {
    this.#view = view;
    this.#movers = movers;
    this.#keptApart = known.keptApart;
    this.#usable = known.usable;
  }

  /**
   * Whether a pod always finds a place: whichever `closedAtMost` nodes are closed, some open node of those it may use has room
   * for it.
   *
   * The argument: for no node to have room, each of them must be filled so far that one more pod does not fit, or hold a pod
   * that is kept apart from it. Where fewer can be filled at one time than the closed ones and those leave, one is left.
   */
  alwaysFinds(template: PodTemplate, closedAtMost: number): boolean {
    return this.#finds(template, closedAtMost, 1);
  }

  /**
   * Whether one of these pods finds a place while another of them is on a closed node and waits for its drain: that one keeps
   * it off no open node and fills none.
   *
   * Where they are kept apart and these nodes are drained one at a time, each once, the one that waits for a place did so before that
   * node was closed, wherever the other had come to by then: what was there at first still is, and fills no other.
   */
  findsInDrain(
    template: PodTemplate,
    pods: readonly PodView[],
    {
      nodes,
      closedAtMost,
      drainedAtMost,
    }: { readonly nodes: readonly string[]; readonly closedAtMost: number; readonly drainedAtMost: number },
  ): boolean {
    const alike = new Set(this.#alike(template));
    if (!pods.every((pod) => alike.has(pod))) return this.alwaysFinds(template, closedAtMost);
    if (this.#finds(template, closedAtMost, 2)) return true;
    const apart = this.apartFrom(template);
    if (closedAtMost > 1 || drainedAtMost > 1 || apart === null || ![...alike].every((pod) => apart.has(pod)))
      return false;
    const usable = this.usable(template);
    const left = usable.size - (apart.size - 1);
    // In large pools some node mostly has little on it, so that it is not worth a look at each.
    if (left <= 0 || nodes.length > singleNodesMax) return false;
    const hosts = new Set(pods.map(({ node }) => node?.name));
    return nodes
      .filter((name) => usable.has(name) || hosts.has(name))
      .every((name) => left > this.#filledBeside(template, [...apart, ...this.#stayingOn(name)]));
  }

  /** Whether there is room for it on every node it may use, whatever else stands there. */
  alwaysFits(template: PodTemplate): boolean {
    return this.apartFrom(template)?.size === 0 && this.filledAtMost(template) === 0;
  }

  /** How many of the nodes it may use can at one time be without room for it, though nothing there is kept apart from it. */
  filledAtMost(template: PodTemplate): number {
    return this.#filledWithout(template, 1);
  }

  /** Pods that keep one of this template off the node they are on, and none off more; null: that cannot be said. */
  apartFrom(template: PodTemplate): ReadonlySet<PodView> | null {
    return isPlain(template) ? this.#keptApart.from(template) : null;
  }

  /** Kinds of which some may leave their nodes. */
  get moving(): readonly Kind[] {
    return Array.from(this.#movers.counts, ([kind]) => kind);
  }

  /** Nodes that pods of a template may use, by affinity and taints. */
  usable(template: PodTemplate): ReadonlySet<string> {
    return this.#usable.of(template);
  }

  /** Of those with the same amounts one. */
  shapesFor(template: PodTemplate): readonly Node[] {
    return this.#usable.shapesFor(template);
  }

  #finds(template: PodTemplate, closedAtMost: number, away: number): boolean {
    const apart = this.apartFrom(template);
    if (apart === null) return false;
    const places = this.usable(template).size;
    const apartFrom = apart.size - this.#away(template, away).filter((pod) => apart.has(pod)).length;
    const free = places - closedAtMost - apartFrom;
    if (free <= 0) return false;
    const filled = this.#filledByAll(template);
    if (free > filled) return true;
    // Of a large pool a few pods less fill hardly fewer nodes: another look for each template is not worth it.
    if (places > singleNodesMax && (filled === places || filled - free >= apart.size + away)) return false;
    return free > this.#filledWithout(template, away);
  }

  /** Pods that nothing takes from their node but its own drain. */
  #stayingOn(node: string): readonly PodView[] {
    return this.#view.podsOn(node).filter((pod) => !this.#movers.roster.wandering.has(pod));
  }

  /** As many pods like it as are on no open node. Which ones makes no difference; none where it could. */
  #away(template: PodTemplate, count: number): readonly PodView[] {
    const alike = this.#alike(template);
    const apart = this.#keptApart.from(template);
    const kept = alike.filter((pod) => apart?.has(pod));
    return kept.length === 0 || kept.length === alike.length ? alike.slice(0, count) : [];
  }

  /** Pods of the template, or that are made again of it; none where they take unlike amounts. */
  #alike(template: PodTemplate): readonly PodView[] {
    return underKey(this.#alikes, template, () => {
      const kinds = this.#keptApart.kinds.of(template);
      const [first] = kinds;
      const isOne = first !== undefined && kinds.every(({ requests }) => sameResources(requests, first.requests));
      return isOne ? kinds.flatMap((kind) => this.#moversFirst(kind)) : [];
    });
  }

  #moversFirst(kind: Kind): readonly PodView[] {
    const { moving = [], staying = [] } = Object.groupBy(kind.pods, (pod) =>
      this.#movers.moves(pod, kind) ? "moving" : "staying",
    );
    return [...moving, ...staying];
  }

  #filledWithout(template: PodTemplate, away: number): number {
    const byAway = underKey(this.#filled, template, () => new Map<number, number>());
    return underKey(byAway, away, () => {
      const aside = [...(this.#keptApart.from(template) ?? []), ...this.#away(template, away)];
      return this.#filledBeside(template, aside);
    });
  }

  /** With nobody set aside: no fewer are filled then, and it is the same for all templates that ask alike. */
  #filledByAll(template: PodTemplate): number {
    const visitors = this.#visitorsOf(template);
    const byAsked = underKey(this.#filledBy, visitors, () => new Map<string, number>());
    return underKey(byAsked, askedBy(template), () => filledAtMost(template, visitors.all));
  }

  /** What is set aside stands on none of the places that are counted. */
  #filledBeside(template: PodTemplate, aside: readonly PodView[]): number {
    return filledAtMost(template, this.#visitorsOf(template).without(aside));
  }

  #visitorsOf(template: PodTemplate): Visitors {
    const usable = this.usable(template);
    return underKey(this.#visitors, usable, () => {
      const places = this.#view.nodes.filter(({ name }) => usable.has(name));
      return new Visitors(places, this.#movers, this.#usable);
    });
  }
}
