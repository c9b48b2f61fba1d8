import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject, Snapshot, WireObject } from "../wire/snapshot.ts";
import { Anonymizer } from "./anonymize.ts";

export interface SnapshotFileOptions {
  /** Renames names, namespaces, label values, images and hosts, the same everywhere. */
  readonly anonymize: boolean;
  readonly toolVersion: string;
}

/** Annotations longer than this are payload: scripts, certificates, configuration of tools. */
const annotationCharacters = 1024;

/**
 * Writes what a snapshot has as one compressed file of JSON lines: the head last, because only then it is known what
 * was dropped. Secrets never come this far; values of ConfigMaps and long annotations stay behind.
 */
export async function writeSnapshotFile(path: string, snapshot: Snapshot, options: SnapshotFileOptions): Promise<void> {
  const lines = Readable.from(snapshotLines(snapshot, options), { objectMode: false });
  await pipeline(lines, createGzip(), createWriteStream(path, { mode: 0o600 }));
}

/** The lines of a snapshot file. */
export function* snapshotLines(snapshot: Snapshot, options: SnapshotFileOptions): Generator<string> {
  const anonymizer = options.anonymize ? new Anonymizer() : null;
  for (const { object } of snapshot) {
    const lean = withoutPayload(object);
    yield `${JSON.stringify(anonymizer === null ? lean : anonymizer.object(lean))}\n`;
  }
  const head = {
    apiVersion: "holdfast.dev/v1alpha1",
    kind: "SnapshotHead",
    tool: { version: options.toolVersion },
    anonymized: options.anonymize,
    serverVersion: snapshot.serverVersion,
    notSeen: snapshot.notSeen.map(({ resource, why }) => ({ resource, why: options.anonymize ? "" : why })),
    secretsDropped: snapshot.secretsDropped,
  };
  yield `${JSON.stringify(head)}\n`;
}

function withoutPayload(object: WireObject): JsonObject {
  const metadata = { ...object.metadata, annotations: shortAnnotations(object.metadata["annotations"]) };
  if (object.kind !== "ConfigMap") return { ...object, metadata };
  return { ...object, metadata, data: withoutValues(object["data"]), binaryData: undefined };
}

function shortAnnotations(annotations: Json | undefined): Json | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const short = Object.entries(annotations).filter(
    ([, value]) => typeof value !== "string" || value.length <= annotationCharacters,
  );
  return Object.fromEntries(short);
}

function withoutValues(data: Json | undefined): Json | undefined {
  if (!isJsonObject(data)) return undefined;
  return Object.fromEntries(Object.keys(data).map((key) => [key, ""]));
}
