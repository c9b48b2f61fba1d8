import { Fields } from "../wire/fields.ts";
import type { Snapshot, SnapshotItem } from "../wire/snapshot.ts";
import { assembleCluster } from "./assemble.ts";
import type { Cluster } from "./cluster.ts";
import { Gathering } from "./gathering.ts";
import { Owners } from "./owners.ts";
import { parseMeta } from "./parse-meta.ts";
import { Repeats } from "./repeats.ts";

/**
 * Reads a snapshot once and makes the immutable cluster of it. What cannot be read is listed in `problems`; the rest is
 * used. No wire object is kept but those of kinds the model has no type for.
 */
export function buildCluster(snapshot: Snapshot): Cluster {
  const gathered = new Gathering();
  const owners = new Owners(gathered.problems);
  const repeats = new Repeats(gathered.problems);
  let secretsDropped = 0;
  for (const item of snapshot) {
    if (item.object.kind === "Secret") secretsDropped += 1;
    else gather(item, gathered, owners, repeats);
  }
  return assembleCluster({ snapshot, gathered, owners, secretsDropped });
}

function gather(item: SnapshotItem, gathered: Gathering, owners: Owners, repeats: Repeats): void {
  const fields = Fields.of(item.object, (path, message) => {
    gathered.problems.push({ ...item.source, line: item.lineOf?.(path) ?? item.source.line, path, message });
  });
  const meta = parseMeta(fields, item.source);
  if (meta === null) return;
  if (!repeats.see(meta, item.object)) return;
  if (meta.ref.kind === "Pod") owners.addPod(meta.key);
  else owners.add(meta);
  gathered.add(fields, meta);
}
