import { listed } from "../../base/listed.ts";
import { none } from "../../base/none.ts";
import { underKey } from "../../base/under-key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { nextOf, staysPut } from "../owners.ts";
import { type Kind, mostOf } from "./kinds.ts";
import { Sizes } from "./sizes.ts";

/** Pods that stand in a cluster and those that DaemonSets are still to make, by kinds and by nodes: the same whatever is worked on. */
export class Roster {
  readonly kinds: readonly Kind[];
  readonly sizes = new Sizes();
  /** They may leave their nodes though nobody works on those. */
  readonly wandering: ReadonlySet<PodView>;
  readonly #view: Pick<ClusterView, "workload">;
  readonly #byLook = new Map<object, MadeKind[]>();
  readonly #staying = new Map<string, Kind[]>();
  readonly #leaving = new Map<string, Kind[]>();

  constructor(
    view: Pick<ClusterView, "pods" | "workload">,
    coming: readonly PodView[],
    wanders: (pod: PodView) => boolean,
  ) {
    this.#view = view;
    const kinds: Kind[] = [];
    const wandering = new Set<PodView>();
    const add = (pod: PodView, now: PodTemplate): void => {
      const look = this.#lookOf(pod, now);
      const alike = underKey(this.#byLook, look.by, () => []);
      let kind = alike.find((other) => isSame(other, look));
      if (kind === undefined) {
        const requests = mostOf(pod.requests, look.next.requests);
        kind = { ...look, requests, size: this.sizes.numberOf(requests), pods: [] };
        alike.push(kind);
        kinds.push(kind);
      }
      kind.pods.push(pod);
      if (kind.stays) listed(this.#staying, targetOf(pod), kind);
      else if (pod.node === null || wanders(pod)) wandering.add(pod);
      else listed(this.#leaving, pod.node.name, kind);
    };
    for (const pod of view.pods) if (!isTerminal(pod)) add(pod, pod.template);
    // Each of these is of a template of its own, that says its node.
    for (const pod of coming) if (!isTerminal(pod)) add(pod, nextOf(view, pod));
    this.kinds = kinds;
    this.wandering = wandering;
  }

  /** Undefined: it has finished. */
  kindOf(pod: PodView): Kind | undefined {
    if (isTerminal(pod)) return undefined;
    const find = (now: PodTemplate): Kind | undefined => {
      const look = this.#lookOf(pod, now);
      return this.#byLook.get(look.by)?.find((kind) => isSame(kind, look));
    };
    return find(pod.template) ?? find(nextOf(this.#view, pod));
  }

  /** One for each pod that never leaves this node. */
  stayingOn(node: string): readonly Kind[] {
    return this.#staying.get(node) ?? none;
  }

  /** One for each pod that leaves this node when somebody works on it, and not before. */
  leavingFrom(node: string): readonly Kind[] {
    return this.#leaving.get(node) ?? none;
  }

  /** Of pods that stay put nobody asks which node their template names: those of a DaemonSet differ in that alone. */
  #lookOf(pod: PodView, now: PodTemplate): Look {
    const stays = staysPut(this.#view, pod);
    return { by: stays ? now.labels : now, now, next: nextOf(this.#view, pod), own: pod.requests, stays };
  }
}

interface Look extends Pick<Kind, "now" | "next" | "own" | "stays"> {
  /** Alike ones have the same. */
  readonly by: object;
}

interface MadeKind extends Kind, Look {
  readonly pods: PodView[];
}

/** Both have the same `by`. */
function isSame(kind: Look, { now, next, own, stays }: Look): boolean {
  return (
    kind.next === next &&
    kind.own === own &&
    kind.stays === stays &&
    kind.now.namespace === now.namespace &&
    kind.now.requiredPodAntiAffinity === now.requiredPodAntiAffinity
  );
}
