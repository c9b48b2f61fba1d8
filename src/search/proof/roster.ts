import { listed } from "../../base/listed.ts";
import { none } from "../../base/none.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import { ownNodeOf } from "../../model/template-numbers.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import type { KindView } from "../../sim/kind-view.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { goesAlone, nextOf, staysPut, topOf } from "../owners.ts";
import { comesAs } from "./drivers.ts";
import { type Kind, mostOf } from "./kinds.ts";
import type { LeftAlone } from "./left-alone.ts";
import { Looks } from "./looks.ts";
import type { Newcomers } from "./newcomers.ts";
import { Sizes } from "./sizes.ts";

/** What moves in a cluster by itself. */
export interface Moves extends Pick<LeftAlone, "coming" | "going"> {
  readonly newcomers: Newcomers;
}

/**
 * Pods that stand in a cluster, those that may come and those that DaemonSets are still to make, by kinds and by nodes: the same
 * whatever is worked on.
 */
export class Roster {
  readonly sizes = new Sizes();
  readonly looks = new Looks();
  readonly #view: ClusterView;
  readonly #moves: Moves;
  readonly #kinds: MadeKind[] = [];
  readonly #byLook = new Map<object, MadeKind[]>();
  readonly #staying = new Map<string, Kind[]>();
  readonly #leaving = new Map<string, Kind[]>();
  readonly #wandering = new Set<PodView>();

  constructor(view: ClusterView, standing: Iterable<KindView>, moves: Moves) {
    this.#view = view;
    this.#moves = moves;
    const stirred = new Set([...moves.going].map((key) => view.pod(key)?.owner));
    const mayStir = ({ owner, deletingAsRead }: KindView): boolean =>
      deletingAsRead || stirred.has(owner) || this.#movesWithOwner(owner);
    for (const some of standing) {
      if (isTerminal({ phase: some.phaseAsRead })) continue;
      const areAlike = staysPut(view, some) || (goesAlone(view, some) && ownNodeOf(some.template) === null);
      const nodes = [...some.nodes()];
      if (areAlike && !mayStir(some) && nodes.length === some.count) this.#takeAll(some, nodes);
      else for (const pod of some.pods()) this.#takeOne(pod, pod.template);
    }
    // Each of these is of a template of its own, that says its node.
    for (const pod of moves.coming) if (!isTerminal(pod)) this.#takeOne(pod, nextOf(view, pod));
    for (const pod of moves.newcomers.pods) this.#takeOne(pod, pod.template);
  }

  get kinds(): readonly Kind[] {
    return this.#kinds;
  }

  /** They may leave their nodes though nobody works on those. */
  get wandering(): ReadonlySet<PodView> {
    return this.#wandering;
  }

  /** Undefined: it has finished. */
  kindOf(pod: PodView): Kind | undefined {
    if (isTerminal(pod)) return undefined;
    return this.#find(this.#lookOf(pod, pod.template)) ?? this.#find(this.#lookOf(pod, nextOf(this.#view, pod)));
  }

  /** One for each pod that never leaves this node. */
  stayingOn(node: string): readonly Kind[] {
    return this.#staying.get(node) ?? none;
  }

  /** One for each pod that leaves this node when somebody works on it, and not before. */
  leavingFrom(node: string): readonly Kind[] {
    return this.#leaving.get(node) ?? none;
  }

  #takeAll(some: KindView, nodes: readonly string[]): void {
    const kind = this.#kindFor(this.#lookOf(some, some.template));
    kind.take(some);
    for (const node of nodes) listed(kind.stays ? this.#staying : this.#leaving, node, kind);
  }

  #takeOne(pod: PodView, now: PodTemplate): void {
    const { node } = pod;
    if (node === null && comesAs(this.#view, pod) === undefined) return;
    const kind = this.#kindFor(this.#lookOf(pod, now));
    kind.take({ count: 1, nodes: () => (node === null ? none : [node.name]), pods: () => [pod] });
    if (kind.stays) listed(this.#staying, targetOf(pod), kind);
    else if (node === null || this.#goesByItself(pod)) this.#wandering.add(pod);
    else listed(this.#leaving, node.name, kind);
  }

  #goesByItself(pod: PodView): boolean {
    if (pod.terminatingSinceMs !== null || this.#moves.going.has(pod.key)) return true;
    return this.#movesWithOwner(pod.owner) || !goesAlone(this.#view, pod);
  }

  #movesWithOwner(owner: PodView["owner"]): boolean {
    const { movers } = this.#moves.newcomers;
    return owner !== null && movers.size > 0 && movers.has(topOf(this.#view, owner));
  }

  /** Of pods that stay put nobody asks which node their template names: those of a DaemonSet differ in that alone. */
  #lookOf(
    pod: Pick<PodView, "owner" | "mirror" | "template" | "requests" | "ordinal" | "revision">,
    now: PodTemplate,
  ): Look {
    const stays = staysPut(this.#view, pod);
    return { by: stays ? now.labels : now, now, next: nextOf(this.#view, pod), own: pod.requests, stays };
  }

  #find(look: Look): MadeKind | undefined {
    return this.#byLook.get(look.by)?.find((kind) => kind.isOf(look));
  }

  #kindFor(look: Look): MadeKind {
    const known = this.#find(look);
    if (known !== undefined) return known;
    const requests = mostOf(look.own, look.next.requests);
    const kind = new MadeKind(look, requests, this.sizes.numberOf(requests));
    listed(this.#byLook, look.by, kind);
    this.#kinds.push(kind);
    return kind;
  }
}

interface Look extends Pick<Kind, "now" | "next" | "own" | "stays"> {
  /** Alike ones have the same. */
  readonly by: object;
}

type Some = Pick<KindView, "count" | "nodes" | "pods">;

class MadeKind implements Kind {
  readonly now: PodTemplate;
  readonly next: PodTemplate;
  readonly own: Resources;
  readonly requests: Resources;
  readonly size: number;
  readonly stays: boolean;
  readonly #some: Some[] = [];
  #count = 0;
  #pods: readonly PodView[] | null = null;

  constructor({ now, next, own, stays }: Look, requests: Resources, size: number) {
    this.now = now;
    this.next = next;
    this.own = own;
    this.requests = requests;
    this.size = size;
    this.stays = stays;
  }

  get count(): number {
    return this.#count;
  }

  get nodes(): Iterable<string> {
    return this.#some.values().flatMap((some) => some.nodes());
  }

  /** Views of pods are made for who asks for them. */
  get pods(): readonly PodView[] {
    this.#pods ??= this.#some.flatMap((some) => some.pods()).sort((a, b) => a.uid - b.uid);
    return this.#pods;
  }

  take(some: Some): void {
    this.#some.push(some);
    this.#count += some.count;
  }

  /** Where it goes by the same. */
  isOf({ now, next, own, stays }: Look): boolean {
    return (
      this.next === next &&
      this.own === own &&
      this.stays === stays &&
      this.now.namespace === now.namespace &&
      this.now.requiredPodAntiAffinity === now.requiredPodAntiAffinity
    );
  }
}
