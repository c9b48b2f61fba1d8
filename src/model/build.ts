import type { Source } from "../base/problem.ts";
import { type Complain, Fields } from "../wire/fields.ts";
import { ReadAlike } from "../wire/read-alike.ts";
import type { AlikePod, Saved, Snapshot, SnapshotItem, SnapshotListener } from "../wire/snapshot.ts";
import type { Tape } from "../wire/tape.ts";
import { assembleCluster } from "./assemble.ts";
import type { Cluster } from "./cluster.ts";
import { Gathering } from "./gathering.ts";
import { type ObjectKey, podKind, podOfKey } from "./key.ts";
import type { Labels } from "./labels.ts";
import { Owners } from "./owners.ts";
import { parseMeta } from "./parse-meta.ts";
import { Repeats } from "./repeats.ts";
import { readCluster } from "./saved-model.ts";
import { Uids } from "./uids.ts";

/**
 * Reads a snapshot once and makes the immutable cluster of it. What cannot be read is listed in `problems`; the rest is
 * used. No wire object is kept but those of kinds the model has no type for.
 */
export function buildCluster(snapshot: Snapshot): Cluster {
  const saved = snapshot.saved?.() ?? null;
  const read = saved === null ? null : readCluster(saved.model, snapshot.source);
  if (saved !== null && read !== null) {
    savedAs.set(read, saved);
    return read;
  }
  const building = new Building();
  if (saved !== null)
    building.complain(snapshot.source, "the model in this snapshot file is broken: its objects are read");
  if (snapshot.tell === undefined) for (const item of snapshot) building.item(item);
  else snapshot.tell(building);
  return building.cluster(snapshot);
}

/** What the cluster was read from, with what was saved beside it; null: it was made of objects. */
export function savedFormOf(cluster: Cluster): Saved | null {
  return savedAs.get(cluster) ?? null;
}

const savedAs = new WeakMap<Cluster, Saved>();

class Building implements SnapshotListener {
  readonly #gathered = new Gathering();
  readonly #uids = new Uids();
  readonly #repeats = new Repeats(this.#gathered.problems, this.#gathered.pods, this.#uids);
  #secretsDropped = 0;

  item(item: SnapshotItem): number {
    if (item.object.kind === "Secret") {
      this.#secretsDropped += 1;
      return noPattern;
    }
    const { problems } = this.#gathered;
    const { source, lineOf } = item;
    // Drafts keep this until the whole input is read, so it must not keep the object.
    const complain: Complain = (path, message) =>
      problems.push({ ...source, line: lineOf?.(path) ?? source.line, path, message });
    return this.#add(Fields.of(item.object, complain), source);
  }

  onTape(tape: Tape, source: Source): number {
    const { problems } = this.#gathered;
    // Labels and annotations of a large cluster take 10 MB, which go with the tape.
    tape.maps ??= new ReadAlike<Labels>(16 << 20);
    const complain: Complain = (path, message) => problems.push({ ...source, path, message });
    return this.#add(Fields.onTape(tape, complain), source);
  }

  #add(fields: Fields, source: Source): number {
    const { problems, pods } = this.#gathered;
    const before = problems.length;
    const meta = parseMeta(fields, source, this.#uids);
    if (meta === null || !this.#repeats.see(meta, fields)) return noPattern;
    if (meta.kindKey !== podKind) {
      this.#gathered.add(fields, meta);
      return noPattern;
    }
    const pod = this.#gathered.addPod(fields, meta);
    // What was complained of would have to be said again of every pod that is alike.
    return meta.uid === 0 || problems.length > before ? noPattern : pods.patternOf(pod);
  }

  alike(pattern: number, values: AlikePod, source: Source): void {
    const { pods } = this.#gathered;
    if (this.#repeats.seeAlike(values, source)) pods.addAlike(pattern, values, source);
  }

  complain(file: string, message: string): void {
    this.#gathered.problems.push({ file, line: null, path: "", message });
  }

  cluster(snapshot: Snapshot): Cluster {
    const secretsDropped = this.#secretsDropped;
    const { problems } = this.#gathered;
    const owners = new Owners(this.#repeats, problems, (key) => this.#hasPod(key));
    return assembleCluster({ snapshot, gathered: this.#gathered, owners, secretsDropped });
  }

  #hasPod(key: ObjectKey): boolean {
    const pod = podOfKey(key);
    return pod !== null && this.#gathered.pods.has(pod);
  }
}

const noPattern = -1;
