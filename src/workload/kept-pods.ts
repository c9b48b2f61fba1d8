import type { PodTemplate } from "../model/pod-template.ts";
import type { ControllerMemory, PodView } from "../model/view.ts";
import { isActive } from "./pod-state.ts";

/** What an owner that keeps its pods itself wants of one kind of them (a role, a group of workers). */
export interface KeptKind {
  /** The label that tells these pods from the owner's others. Null: those of the template. */
  readonly of: { readonly label: string; readonly value: string } | null;
  readonly template: PodTemplate;
  readonly count: number;
  /** Which edit the template is of; "": none, as the pods were read. */
  readonly revision: string;
  /** Pods beyond the count while it changes them. */
  readonly surge: number;
  /** Pods below the count while it changes them. */
  readonly unavailable: number;
}

/** What an owner keeps. */
export interface KeptPods extends ControllerMemory {
  readonly kind: "kept-pods";
  readonly wanted: readonly KeptKind[];
  /** Which edit of the owner above it comes from; "": none. */
  readonly revision: string;
  /** One kind has to be whole before the next is changed. */
  readonly inTurn: boolean;
  /** The last refusal, told once. */
  readonly refusal: string;
}

export function keptPods(
  wanted: readonly KeptKind[],
  options: { readonly revision: string; readonly inTurn: boolean },
): KeptPods {
  return { kind: "kept-pods", wanted, refusal: "", ...options };
}

export function asKeptPods(memory: ControllerMemory | null): KeptPods | null {
  return isKeptPods(memory) ? memory : null;
}

function isKeptPods(memory: ControllerMemory | null): memory is KeptPods {
  return memory?.kind === "kept-pods";
}

/** What it has without a plan of its own: as many of each template as there are. */
export function keptAsTheyAre(pods: readonly PodView[]): KeptPods {
  const wanted = [...Map.groupBy(pods, ({ template }) => template)].map(([template, like]) => ({
    of: null,
    template,
    count: like.length,
    revision: "",
    surge: 0,
    unavailable: like.length,
  }));
  return keptPods(wanted, { revision: "", inTurn: false });
}

export function podsOfKind(pods: readonly PodView[], { of, template }: KeptKind): readonly PodView[] {
  if (of === null) return pods.filter((pod) => pod.template.id === template.id);
  return pods.filter((pod) => pod.template.labels.get(of.label) === of.value);
}

/** As many as are wanted, all of them of the edit and ready, and none on its way out. */
export function isWhole(pods: readonly PodView[], kind: KeptKind): boolean {
  const mine = podsOfKind(pods, kind);
  return (
    mine.length === kind.count && mine.every((pod) => isActive(pod) && pod.ready && isOfRevision(pod, kind.revision))
  );
}

export interface KindSteps {
  readonly create: number;
  readonly remove: readonly PodView[];
}

const nothing: KindSteps = { create: 0, remove: [] };

/** Brings the number of pods to the count, terminating ones in the way of new ones as far as there is no surge. */
export function scaleKind(pods: readonly PodView[], kind: KeptKind): KindSteps {
  const { active, leaving } = split(pods, kind);
  const { count, surge, unavailable } = kind;
  const more = count - active.length;
  if (more > 0) return { create: Math.max(0, Math.min(more, count + surge - active.length - leaving)), remove: [] };
  let left = -more;
  let ready = active.filter((pod) => pod.ready).length;
  const remove: PodView[] = [];
  for (const pod of oldFirst(active, kind.revision)) {
    if (left === 0 || ready <= count - unavailable) break;
    remove.push(pod);
    left -= 1;
    if (pod.ready) ready -= 1;
  }
  return { create: 0, remove };
}

/** Replaces pods of before the edit, once the count is right: what is not ready at once, the rest within the two numbers. */
export function rollKind(pods: readonly PodView[], kind: KeptKind): KindSteps {
  if (kind.revision === "") return nothing;
  const { active, leaving } = split(pods, kind);
  const { count, surge, unavailable } = kind;
  const outdated = active.filter((pod) => !isOfRevision(pod, kind.revision));
  let may = active.filter((pod) => pod.ready).length - count + unavailable;
  const remove: PodView[] = [];
  for (const pod of unreadyFirst(outdated)) {
    if (pod.ready) {
      if (may <= 0) break;
      may -= 1;
    }
    remove.push(pod);
  }
  const room = count + surge - active.length - leaving;
  return { create: Math.max(0, Math.min(room, count - (active.length - outdated.length))), remove };
}

function split(pods: readonly PodView[], kind: KeptKind): { readonly active: readonly PodView[]; leaving: number } {
  const mine = podsOfKind(pods, kind);
  const active = mine.filter(isActive);
  return { active, leaving: mine.length - active.length };
}

function isOfRevision(pod: PodView, revision: string): boolean {
  return revision === "" || pod.revision === revision;
}

function unreadyFirst(pods: readonly PodView[]): readonly PodView[] {
  return [...pods].sort((a, b) => Number(a.ready) - Number(b.ready) || a.uid - b.uid);
}

function oldFirst(pods: readonly PodView[], revision: string): readonly PodView[] {
  const isNew = (pod: PodView): number => Number(isOfRevision(pod, revision));
  return unreadyFirst(pods).toSorted((a, b) => isNew(a) - isNew(b));
}
