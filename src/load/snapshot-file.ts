import { closeSync, openSync, writeSync } from "node:fs";
import { buildCluster } from "../model/build.ts";
import { writtenCluster } from "../model/saved-model.ts";
import { writtenKnown } from "../search/known.ts";
import { isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject, Snapshot, WireObject } from "../wire/snapshot.ts";
import { snapshotOver } from "../wire/snapshot-over.ts";
import { Anonymizer } from "./anonymize.ts";
import { Door } from "./door.ts";
import { defaultLimits } from "./limits.ts";
import { parseInput, tellInput } from "./parse-bytes.ts";
import { ReadAhead } from "./read-ahead.ts";
import { packed, savedModelMembers } from "./saved-file.ts";

export interface SnapshotFileOptions {
  /** Renames names, namespaces, label values, images and hosts, the same everywhere. */
  readonly anonymize: boolean;
  readonly toolVersion: string;
}

/** Annotations longer than this are payload: scripts, certificates, configuration of tools. */
const annotationCharacters = 1024;

/**
 * Writes what a snapshot has as one compressed file: JSON lines, the head last, because only then it is known what was
 * dropped, and the model that is made of these lines, so that later questions need not read them. Secrets never come this
 * far; values of ConfigMaps and long annotations stay behind.
 */
export function writeSnapshotFile(path: string, snapshot: Snapshot, options: SnapshotFileOptions): void {
  const descriptor = openSync(path, "w", 0o600);
  try {
    const blocks: number[] = [];
    const cluster = buildCluster(readAgain(path, writtenBlocks(descriptor, snapshotLines(snapshot, options), blocks)));
    const saved = { model: writtenCluster(cluster, path), known: writtenKnown(cluster, path) };
    writeAll(descriptor, savedModelMembers(saved, blocks));
  } finally {
    closeSync(descriptor);
  }
}

const blockCharacters = 4 << 20;

/** Writes the lines in blocks and gives each block on, as it will be read again. */
function* writtenBlocks(descriptor: number, lines: Iterable<string>, lengths: number[]): Generator<Uint8Array> {
  let waiting: string[] = [];
  let characters = 0;
  const written = (): Uint8Array => {
    const bytes = Buffer.from(waiting.join(""));
    const block = packed(bytes);
    writeAll(descriptor, block);
    lengths.push(block.length);
    waiting = [];
    characters = 0;
    return bytes;
  };
  for (const line of lines) {
    waiting.push(line);
    characters += line.length;
    if (characters >= blockCharacters) yield written();
  }
  yield written();
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

/** The snapshot that the file will be. */
function readAgain(file: string, chunks: Iterable<Uint8Array>): Snapshot {
  const door = new Door(defaultLimits.problems);
  return snapshotOver(door, {
    source: file,
    tell: (listener) => tellInput(file, chunks, new ReadAhead({ door, limits: defaultLimits, listener })),
    [Symbol.iterator]: () => parseInput(file, chunks, door, defaultLimits),
  });
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
