import type { ObjectRef } from "../../model/key.ts";
import type { JsonObject, WireObject } from "../../wire/snapshot.ts";
import type { Bench } from "../remedy.ts";

/** A budget that is made beside what is there, in no tool's hands but ours. */
export function newBudget(
  { namespace, name }: Pick<ObjectRef, "namespace" | "name">,
  spec: JsonObject,
  bench: Bench,
): { readonly target: ObjectRef; readonly object: WireObject } {
  const kind = { apiVersion: "policy/v1", kind: "PodDisruptionBudget" };
  const own = { namespace, name: freeName(namespace, name, bench) };
  const metadata = { ...own, labels: { "app.kubernetes.io/managed-by": "holdfast" } };
  return { target: { ...kind, ...own }, object: { ...kind, metadata, spec } };
}

/** The name, unless a budget there has it. */
function freeName(namespace: string, wanted: string, { view }: Bench): string {
  const base = wanted.slice(-253);
  const isTaken = view.budgets.some(({ budget: { ref } }) => ref.namespace === namespace && ref.name === base);
  return isTaken ? `holdfast-${base}`.slice(0, 253) : base;
}
