import { invariant } from "../base/invariant.ts";
import type { Saved, Snapshot } from "../wire/snapshot.ts";

/** A cluster that was read already. There is nothing of it to read but that. */
export function savedSnapshot(saved: Saved): Snapshot {
  return {
    source: "",
    serverVersion: "",
    problems: [],
    notSeen: [],
    secretsDropped: 0,
    saved: () => saved,
    [Symbol.iterator]: () => {
      invariant(false, "what one thread writes another reads");
    },
  };
}
