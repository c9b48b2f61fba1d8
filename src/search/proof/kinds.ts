import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import type { PodView } from "../../model/view.ts";

/** Pods that go to the same places and take the same, now and when they are made again. */
export interface Kind {
  /** Of pods that stay put: but for the node it names. */
  readonly now: PodTemplate;
  readonly next: PodTemplate;
  /** What one asks for now. */
  readonly own: Resources;
  /** That, or what its next one will if that is more. */
  readonly requests: Resources;
  /** The number of that. */
  readonly size: number;
  /** They never leave their nodes. */
  readonly stays: boolean;
  readonly count: number;
  /** Of each the one it is on; those that are on none are not told. */
  readonly nodes: Iterable<string>;
  /** In order of creation. */
  readonly pods: readonly PodView[];
}

/** The greater of each amount. */
export function mostOf(a: Resources, b: Resources): Resources {
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
