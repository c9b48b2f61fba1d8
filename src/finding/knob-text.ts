import { listedAtMost } from "../base/words.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Knob } from "../systems/knobs.ts";

/** How to raise replicas to a number, as the end of a sentence that begins with what should be so. */
export function replicasText(knob: Knob, replicas: number): string {
  return setText(knob, `${replicas}`);
}

/** The number of a budget that lets one go at a time. */
export interface BudgetNumber {
  readonly name: "maxUnavailable" | "minAvailable";
  readonly value: number;
}

/** Where to put a budget. */
export function budgetText(knob: Knob, { name, value }: BudgetNumber): string {
  switch (knob.by) {
    case "budget":
      return sentence(`Create a PodDisruptionBudget with ${name} ${value} over these pods`, knob.note);
    case "field":
    case "text":
      return `Set ${placeText(knob)} to { ${name}: ${value} }.`;
    default:
      return setText(knob, `${name} ${value}`);
  }
}

/**
 * Where to put a spread over nodes. Which form holds differs: taints, the number of nodes and the rollout's strategy
 * decide, and only playing it tells.
 */
export function spreadText(knob: Knob): string {
  const form = "`holdfast fix` finds the form whose own rollout finishes here";
  switch (knob.by) {
    case "field":
    case "text":
      return sentence(`Spread its pods over nodes in ${placeText(knob)}; ${form}`, knob.note);
    case "helm":
      return sentence(`Spread its pods over nodes by the Helm value ${knob.value}; ${form}`, knob.note);
    case "code":
      return `Spread its pods over nodes in ${knob.what}; ${form}.`;
    case "budget":
      return knob.note;
    case "none":
      return knob.why;
  }
}

function setText(knob: Knob, value: string): string {
  switch (knob.by) {
    case "field":
    case "text":
      return sentence(`Set ${placeText(knob)} to ${value}`, knob.note);
    case "helm":
      return sentence(`Set the Helm value ${knob.value} to ${value}`, knob.note);
    case "budget":
      return sentence("Create a PodDisruptionBudget over these pods", knob.note);
    case "code":
      return `Set it to ${value} in ${knob.what}.`;
    case "none":
      return knob.why;
  }
}

function placeText(knob: Extract<Knob, { by: "field" | "text" }>): string {
  return `${knob.path}${knob.by === "text" ? ` in ${knob.key}` : ""} of ${refText(knob.target)}`;
}

export function refText({ kind, namespace, name }: ObjectRef): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** The first three, and how many more. */
export function few(names: readonly string[]): string {
  return listedAtMost(names, 3);
}

function sentence(text: string, note: string): string {
  return note === "" ? `${text}.` : `${text}. ${note}`;
}
