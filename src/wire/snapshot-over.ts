import type { Snapshot } from "./snapshot.ts";

/** What reading learns beside the objects; it grows while they are read. */
export type Learnt = Pick<Snapshot, "serverVersion" | "problems" | "notSeen" | "secretsDropped">;

/** A snapshot with these objects that knows what `learnt` knows at the moment it is asked. */
export function snapshotOver(
  learnt: Learnt,
  own: Pick<Snapshot, "source" | "tell" | "saved" | typeof Symbol.iterator>,
): Snapshot {
  return {
    ...own,
    get serverVersion() {
      return learnt.serverVersion;
    },
    get problems() {
      return learnt.problems;
    },
    get notSeen() {
      return learnt.notSeen;
    },
    get secretsDropped() {
      return learnt.secretsDropped;
    },
  };
}
