import type { ClusterView, PodView } from "../model/view.ts";
import type { DrainFlags } from "./drain-flags.ts";

/** What drain rules read of a pod. */
export type DrainedPod = Pick<PodView, "owner" | "template" | "mirror" | "phase" | "terminatingSinceMs">;

/** One pod before one drain rule. */
export interface DrainSubject {
  readonly view: ClusterView;
  readonly pod: DrainedPod;
  readonly flags: DrainFlags;
}

/**
 * What a rule says of a pod. `pass`: the next rule decides. `skip`: this pod is left alone, the others go.
 * `refuse`: nothing on this node is evicted, for any pod.
 */
export type DrainDecision =
  | { readonly outcome: "pass" }
  | { readonly outcome: "skip"; readonly id: string; readonly message: string }
  | { readonly outcome: "refuse"; readonly id: string; readonly message: string };

/** Message id → its text, made from facts. For refusals the text is kubectl's, without the pods it lists after it. */
type Messages = { readonly [id: string]: (facts: never) => string };

export interface Say<M extends Messages> {
  skip<Id extends keyof M & string>(id: Id, ...facts: Parameters<M[Id]>): DrainDecision;
  refuse<Id extends keyof M & string>(id: Id, ...facts: Parameters<M[Id]>): DrainDecision;
}

export interface DrainRule {
  readonly name: string;
  readonly messageIds: readonly string[];
  decide(subject: DrainSubject): DrainDecision;
}

export const pass: DrainDecision = { outcome: "pass" };

/** Makes a rule whose messages are checked: an unknown id or a missing fact is a type error. */
export function drainRule<M extends Messages>(rule: {
  readonly name: string;
  readonly messages: M;
  decide(subject: DrainSubject, say: Say<M>): DrainDecision;
}): DrainRule {
  const text = (id: string, facts: readonly unknown[]): string => rule.messages[id]?.(facts[0] as never) ?? "";
  const say: Say<M> = {
    skip: (id, ...facts) => ({ outcome: "skip", id, message: text(id, facts) }),
    refuse: (id, ...facts) => ({ outcome: "refuse", id, message: text(id, facts) }),
  };
  return {
    name: rule.name,
    messageIds: Object.keys(rule.messages),
    decide: (subject) => rule.decide(subject, say),
  };
}

/** Finished pods hold nothing back: every rule but the mirror and deleted ones lets them pass. */
export function isFinished(pod: DrainedPod): boolean {
  return pod.phase === "Succeeded" || pod.phase === "Failed";
}
