import type { Source } from "../base/problem.ts";
import { type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import { isJsonObject, isWireObject } from "../wire/fields.ts";
import { scrub } from "../wire/scrub.ts";
import type { Json, Snapshot, SnapshotItem, SnapshotListener, WireObject } from "../wire/snapshot.ts";
import { snapshotOver } from "../wire/snapshot-over.ts";
import { Tape } from "../wire/tape.ts";
import { tapeJson } from "../wire/tape-json.ts";

/** Kinds nobody edits here, and that are many. */
const passing: ReadonlySet<string> = new Set([
  "Pod",
  "ReplicaSet",
  "Node",
  "EndpointSlice",
  "Event",
  "Lease",
  "Secret",
]);

/** The wire objects a change may need: those that are edited, and those that decide how an edited one is read. */
export class KeptObjects {
  readonly #items = new Map<ObjectKey, SnapshotItem>();

  /** The snapshot, remembered as it goes by. */
  watching(snapshot: Snapshot): Snapshot {
    const keep = (item: SnapshotItem): void => {
      if (passing.has(item.object.kind)) return;
      scrub(item.object);
      this.#items.set(objectKey(refOf(item.object)), item);
    };
    const { tell } = snapshot;
    return snapshotOver(snapshot, {
      source: snapshot.source,
      *[Symbol.iterator]() {
        for (const item of snapshot) {
          keep(item);
          yield item;
        }
      },
      ...(tell === undefined ? {} : { tell: (listener: SnapshotListener) => snapshot.tell?.(keeping(keep, listener)) }),
    });
  }

  get(ref: ObjectRef): WireObject | undefined {
    return this.#items.get(objectKey(ref))?.object;
  }

  /** In the order they were read. */
  ofKind(kind: string): readonly WireObject[] {
    return [...this.#items.values()].map(({ object }) => object).filter((object) => object.kind === kind);
  }

  sourceOf(ref: ObjectRef): Source | null {
    return this.#items.get(objectKey(ref))?.source ?? null;
  }

  /** All of them, with some replaced, added or (null) taken away. */
  *with(edited: ReadonlyMap<ObjectKey, WireObject | null>): Iterable<SnapshotItem> {
    for (const [key, item] of this.#items) if (!edited.has(key)) yield item;
    for (const object of edited.values()) if (object !== null) yield { object, source: { file: "", line: null } };
  }
}

/** The listener, behind somebody who keeps what it is told of. */
function keeping(keep: (item: SnapshotItem) => void, listener: SnapshotListener): SnapshotListener {
  return {
    item(item) {
      keep(item);
      return listener.item(item);
    },
    onTape(tape, source) {
      const isPassing = passing.has(tape.text(tape.find(Tape.root, "kind")));
      if (isPassing && listener.onTape !== undefined) return listener.onTape(tape, source);
      const object = tapeJson(tape, Tape.root);
      return isWireObject(object) ? this.item({ object, source }) : -1;
    },
    alike: (pattern, values, source) => listener.alike(pattern, values, source),
  };
}

export function refOf(object: WireObject): ObjectRef {
  const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
  return {
    apiVersion: text(object.apiVersion),
    kind: text(object.kind),
    namespace: text(object.metadata["namespace"]),
    name: text(object.metadata["name"]),
  };
}

/** What was an object before an edit of its fields is one after. */
export function asWireObject(value: Json | null, like: WireObject): WireObject {
  if (!isJsonObject(value)) return like;
  const { metadata } = value;
  return {
    ...value,
    apiVersion: like.apiVersion,
    kind: like.kind,
    metadata: isJsonObject(metadata) ? metadata : like.metadata,
  };
}
