import type { ObjectRef } from "../model/key.ts";
import type { Attach } from "../systems/knobs.ts";
import type { Json, WireObject } from "../wire/snapshot.ts";

/** What a change is about, by the workload it is for. */
export type Aspect =
  | "replicas"
  | "budget"
  | "spread"
  | "affinity"
  | "strategy"
  | "tolerations"
  | "nodeAffinity"
  | "grace"
  | "priority"
  | "drainTimeout"
  | "containers";

/** Where a change holds: at the owner now, in what the owner is made from, or in a composition's code. */
export type Holds = "live" | "upstream" | "composition";

export interface Cost {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  readonly gpus: number;
}

export const noCost: Cost = { milliCpu: 0, memoryBytes: 0, gpus: 0 };

/** What is done to one object. Every field that changes is named. */
export type Act =
  | { readonly do: "set"; readonly fields: readonly FieldEdit[] }
  /** Fields of an object that is not there yet, and the field elsewhere that names it. */
  | { readonly do: "createWith"; readonly fields: readonly FieldEdit[]; readonly attach: Attach }
  /** YAML text inside a field; `attach` null: the object is there. */
  | {
      readonly do: "setText";
      readonly key: string;
      readonly fields: readonly FieldEdit[];
      readonly attach: Attach | null;
    }
  | { readonly do: "create"; readonly object: WireObject }
  | { readonly do: "delete" }
  /** A value of a Helm chart. */
  | { readonly do: "helm"; readonly value: string; readonly to: Json; readonly release: string };

export interface FieldEdit {
  readonly path: string;
  readonly value: Json;
}

/** One change at an owner, for one workload. */
export interface Edit {
  /** The remedy it comes from. */
  readonly remedy: string;
  readonly aspect: Aspect;
  /** The part it is for, and the workload that is: what the owner's controller makes. */
  readonly site: string;
  readonly siteRef: ObjectRef;
  readonly target: ObjectRef;
  readonly act: Act;
  /** The value as the workload itself would have it: what is played where the way from owner to workload is not modelled. */
  readonly value: Json;
  readonly holds: Holds;
  /** Who writes the target today; "" nobody that is known. */
  readonly manager: string;
  /** What it is good for and what it costs besides resources. Whole sentences. */
  readonly why: string;
  readonly cost: Cost;
}

/** What a `why` is made of; "" says nothing. */
export function sentences(...all: readonly string[]): string {
  return all.filter((sentence) => sentence !== "").join(" ");
}

export function editKey(edit: Edit): string {
  return JSON.stringify([edit.site, edit.aspect, edit.target, edit.act]);
}

export function sumOfCosts(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (sum, cost) => ({
      milliCpu: sum.milliCpu + cost.milliCpu,
      memoryBytes: sum.memoryBytes + cost.memoryBytes,
      gpus: sum.gpus + cost.gpus,
    }),
    noCost,
  );
}

/** GPUs first, then CPU, then memory. */
export function compareCosts(a: Cost, b: Cost): number {
  return a.gpus - b.gpus || a.milliCpu - b.milliCpu || a.memoryBytes - b.memoryBytes;
}
