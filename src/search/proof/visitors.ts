import type { Node } from "../../model/node.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { Joined } from "../joined.ts";
import { nextOf, staysPut } from "../owners.ts";
import type { Usable } from "./usable.ts";

/** Everything that may ever stand on one of some places, by how far it is bound to them. */
export interface Visitors {
  /** May stand in many places, in any group. */
  readonly free: readonly Load[];
  readonly groups: readonly Group[];
}

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

export interface Place {
  readonly node: Node;
  /** May stand on no other of the places. */
  readonly standing: readonly Load[];
  /** What is there now. */
  readonly held: readonly Load[];
}

/** A pod with no more places than this ties them together as a group; one with more may go to any group. */
const fewPlaces = 2;

/** Pods that go to the same places and take the same, now and when they are made again. */
export interface Kind {
  readonly now: PodTemplate;
  readonly next: PodTemplate;
  /** What one asks for now, or what its next one will if that is more. */
  readonly requests: Resources;
  /** They never leave their nodes. */
  readonly stays: boolean;
  readonly pods: readonly PodView[];
}

/** Pods that stand there, and those that DaemonSets are still to make. What may not move stays where it is. */
export function kindsOf(
  view: ClusterView,
  { coming, moves }: { readonly coming: readonly PodView[]; moves(pod: PodView): boolean },
): readonly Kind[] {
  const kinds = new Map<string, { readonly kind: Kind; readonly pods: PodView[] }>();
  const numbers = new Map<Resources, number>();
  const isComing = new Set(coming);
  for (const pod of [...view.pods, ...coming]) {
    if (isTerminal(pod)) continue;
    const [next, stays] = [nextOf(view, pod), staysPut(view, pod) || !moves(pod)];
    // Each of these is of a template of its own, that says its node.
    const now = isComing.has(pod) ? next : pod.template;
    const number = numbers.get(pod.requests) ?? numbers.size;
    numbers.set(pod.requests, number);
    const name = `${now.id}/${next.id}/${number}/${stays}`;
    const known = kinds.get(name);
    if (known !== undefined) {
      known.pods.push(pod);
      continue;
    }
    const pods = [pod];
    kinds.set(name, { kind: { now, next, requests: requestsOf(view, pod), stays, pods }, pods });
  }
  return [...kinds.values()].map(({ kind }) => kind);
}

/**
 * Everything that may ever stand on one of these nodes, but for the pods set aside. A pod that stops holds its room on a closed
 * node only, so that it and its replacement never both fill an open one.
 */
export function visitorsOf(
  places: readonly NodeView[],
  kinds: readonly Kind[],
  { usable, aside }: { readonly usable: Pick<Usable, "of">; readonly aside: ReadonlySet<PodView> },
): Visitors {
  const names = new Set(places.map(({ name }) => name));
  const free: Load[] = [];
  const tied: Tied[] = [];
  const amongOf = new Map<ReadonlySet<string>, readonly string[]>();
  const goesTo = (template: PodTemplate): readonly string[] => {
    const all = usable.of(template);
    const known = amongOf.get(all) ?? [...all].filter((name) => names.has(name));
    amongOf.set(all, known);
    return known;
  };
  for (const { now, next, requests, stays, pods } of kinds) {
    const counted = aside.size === 0 ? pods : pods.filter((pod) => !aside.has(pod));
    const among = stays ? [] : now === next ? goesTo(now) : [...new Set([...goesTo(now), ...goesTo(next)])];
    if (among.length > fewPlaces) {
      if (counted.length > 0) free.push({ count: counted.length, requests });
      continue;
    }
    for (const pod of counted) {
      const here = stays ? targetOf(pod) : (pod.node?.name ?? "");
      const all = names.has(here) && !among.includes(here) ? [...among, here] : among;
      if (all.length > fewPlaces) free.push({ count: 1, requests });
      else if (all.length > 0) tied.push({ load: { count: 1, requests }, among: all });
    }
  }
  return { free, groups: groupsOf(places, tied) };
}

interface Tied {
  readonly load: Load;
  readonly among: readonly string[];
}

/** Places tied together by pods that may stand on a few of them. */
function groupsOf(places: readonly NodeView[], tied: readonly Tied[]): readonly Group[] {
  const joined = new Joined<string>();
  for (const { among } of tied) joined.join(among);
  const tiedByRoot = Map.groupBy(tied, ({ among }) => joined.of(among[0] ?? ""));
  return [...Map.groupBy(places, ({ name }) => joined.of(name))].map(([name, nodes]): Group => {
    const own = tiedByRoot.get(name) ?? [];
    const loads = (some: readonly Tied[]): readonly Load[] => some.map(({ load }) => load);
    const alone = Map.groupBy(
      own.filter(({ among }) => among.length === 1),
      ({ among }) => among[0],
    );
    return {
      members: nodes.map(({ name, node, pods }) => ({
        node,
        standing: loads(alone.get(name) ?? []),
        held: pods.map(({ requests }) => ({ count: 1, requests })),
      })),
      shared: loads(own.filter(({ among }) => among.length > 1)),
    };
  });
}

/** What it asks for now, or what its next one will if that is more. */
export function requestsOf(view: ClusterView, pod: PodView): Resources {
  return most(pod.requests, nextOf(view, pod).requests);
}

function most(a: Resources, b: Resources): Resources {
  if (a === b) return a;
  const scalar = new Map(a.scalar);
  for (const [name, amount] of b.scalar) scalar.set(name, Math.max(amount, scalar.get(name) ?? 0));
  return {
    milliCpu: Math.max(a.milliCpu, b.milliCpu),
    memoryBytes: Math.max(a.memoryBytes, b.memoryBytes),
    ephemeralStorageBytes: Math.max(a.ephemeralStorageBytes, b.ephemeralStorageBytes),
    scalar,
  };
}
