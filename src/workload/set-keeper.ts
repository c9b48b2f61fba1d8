import { type ObjectRef, objectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { notInterned } from "../model/template-content.ts";
import type { ClusterView, ControllerMemory, Effect, WorkloadView } from "../model/view.ts";
import type { OtherOwner } from "../model/workload.ts";
import { keptBy } from "../systems/pod-keepers.ts";
import type { Controller } from "./controller.ts";
import { asKeptPods, isWhole, type KeptKind, type KeptPods, keptAsTheyAre, keptPods, podsOfKind } from "./kept-pods.ts";
import { isRunning, lookAgainMs } from "./pod-keeper.ts";
import { isActive } from "./pod-state.ts";

/** What an owner of sets of roles wants of them after an edit. */
export interface KeptSets extends ControllerMemory {
  readonly kind: "kept-sets";
  /** What the sets are: kind and version of theirs. */
  readonly of: Pick<ObjectRef, "apiVersion" | "kind">;
  /** The label whose value on pods is the name of their set. */
  readonly setLabel: string;
  readonly count: number;
  readonly surge: number;
  readonly unavailable: number;
  /** Sets are changed where they stand instead of replaced. */
  readonly inPlace: boolean;
  /** Which edit of the template; "": none. */
  readonly revision: string;
  readonly wanted: readonly KeptKind[];
  readonly inTurn: boolean;
  /** Sets made so far. */
  readonly made: number;
}

/**
 * A StormService and its RoleSets after an edit: the number first, within surge and what may be unavailable; then sets of before
 * the edit are replaced by new ones, or changed where they stand.
 * Mirrors: AIBrix v0.7 stormservice/sync.go scaling, rollingUpdate, inPlaceUpdate.
 */
export const setKeeper: Controller = {
  name: "operator",
  kinds: ["Other"],
  reconcile(view, workload) {
    const memory = asKeptSets(workload.memory);
    const { spec } = workload;
    if (memory === null || spec.kind !== "Other" || workload.deleting) return [];
    const [first] = memory.wanted;
    const sets = view.workloadsOwnedBy(workload.key);
    const [known] = sets;
    const effects = stepsOf(view, { spec, memory, sets });
    if (effects.length === 0 || first === undefined) return [];
    const like = known?.spec.kind === "Other" ? known.spec : setOf(spec, memory);
    const kept = keptBy(view.cluster, like, first.template);
    if (kept === null) return [];
    return isRunning(view, kept.operator)
      ? effects
      : [{ do: "wake", workload: workload.key, atMs: view.nowMs + lookAgainMs }];
  },
};

interface Keeping {
  readonly spec: OtherOwner;
  readonly memory: KeptSets;
  /** Those on their way out too. */
  readonly sets: readonly WorkloadView[];
}

function stepsOf(view: ClusterView, { spec, memory, sets }: Keeping): readonly Effect[] {
  const { count, surge, unavailable, revision } = memory;
  const active = sets.filter(({ deleting }) => !deleting);
  const isNew = (set: WorkloadView): boolean => revisionOf(set) === revision;
  const outdated = active.filter((set) => !isNew(set));
  const more = count - active.length;
  if (more > 0) {
    const made = create(spec, memory, Math.min(more, count + surge - sets.length));
    if (made.length > 0) return made;
  } else if (more < 0) {
    const removed = removable(view, [...outdated, ...active.filter(isNew)], { active, least: count - unavailable });
    if (removed.length > 0) return removed.slice(0, -more).map(remove);
  }
  if (outdated.length === 0) return [];
  if (memory.inPlace) return outdated.map((set) => change(set, memory));
  const removed = removable(view, outdated, { active, least: count - unavailable });
  const updated = active.length - outdated.length;
  return [...removed.map(remove), ...create(spec, memory, Math.min(count + surge - sets.length, count - updated))];
}

/** Those that may go in this order: what is not ready at once, the rest down to the least that must be ready. */
function removable(
  view: ClusterView,
  order: readonly WorkloadView[],
  { active, least }: { readonly active: readonly WorkloadView[]; readonly least: number },
): readonly WorkloadView[] {
  let ready = active.filter((set) => isReady(view, set)).length;
  const found: WorkloadView[] = [];
  for (const set of [...order].sort((a, b) => Number(isReady(view, a)) - Number(isReady(view, b)))) {
    if (isReady(view, set)) {
      if (ready <= least) break;
      ready -= 1;
    }
    found.push(set);
  }
  return found;
}

function remove({ key }: WorkloadView): Effect {
  return { do: "deleteWorkload", workload: key, by: "operator", propagation: "foreground" };
}

function change(set: WorkloadView, memory: KeptSets): Effect {
  return { do: "remember", workload: set.key, memory: memoryOf(memory, set.spec.ref.name) };
}

function create(spec: OtherOwner, memory: KeptSets, count: number): readonly Effect[] {
  if (count <= 0) return [];
  const next: KeptSets = { ...memory, made: memory.made + 1 };
  const set = setOf(spec, next);
  return [
    { do: "createWorkload", spec: set, by: "operator" },
    { do: "remember", workload: set.key, memory: memoryOf(memory, set.ref.name) },
    { do: "remember", workload: spec.key, memory: next },
  ];
}

function setOf({ ref, key, source }: OtherOwner, { of, made }: KeptSets): OtherOwner {
  const own: ObjectRef = { ...of, namespace: ref.namespace, name: `${ref.name}-~${made}` };
  const nothing = { labels: new Map(), annotations: new Map(), createdAtMs: null, scaleReplicas: null };
  return { kind: "Other", key: objectKey(own), ref: own, owner: key, source, present: true, ...nothing };
}

function memoryOf({ wanted, setLabel, revision, inTurn }: KeptSets, set: string): KeptPods {
  const named = (template: PodTemplate): PodTemplate => ({
    ...template,
    id: notInterned,
    labels: new Map([...template.labels, [setLabel, set]]),
  });
  return keptPods(
    wanted.map((kind) => ({ ...kind, template: named(kind.template) })),
    { revision, inTurn },
  );
}

function revisionOf({ memory }: WorkloadView): string {
  return asKeptPods(memory)?.revision ?? "";
}

function isReady(view: ClusterView, { key, memory }: WorkloadView): boolean {
  const pods = view.podsOwnedBy(key);
  const kept = asKeptPods(memory) ?? keptAsTheyAre(pods);
  return kept.wanted.every((kind) => {
    return podsOfKind(pods, kind).filter((pod) => pod.ready && isActive(pod)).length >= kind.count;
  });
}

/** As many sets as are wanted, all of the edit, and every pod of theirs. */
export function isKept(view: ClusterView, { key, memory }: WorkloadView): boolean {
  const own = asKeptPods(memory);
  if (own !== null) return own.wanted.every((kind) => isWhole(view.podsOwnedBy(key), kind));
  const sets = asKeptSets(memory);
  if (sets === null) return true;
  const made = view.workloadsOwnedBy(key);
  return made.length === sets.count && made.every((set) => revisionOf(set) === sets.revision && isKept(view, set));
}

function asKeptSets(memory: ControllerMemory | null): KeptSets | null {
  return isKeptSets(memory) ? memory : null;
}

function isKeptSets(memory: ControllerMemory | null): memory is KeptSets {
  return memory?.kind === "kept-sets";
}
