import {
  type Conflict,
  deleteObject,
  managersOfField,
  mergePatchObject,
  serverSideApply,
  type Written,
} from "../../api/apply.ts";
import type { WritingClient } from "../../api/client.ts";
import { appliedBy, merged } from "../../api/managed-fields.ts";
import { shownObject } from "../../report/changes.ts";
import { listed } from "../../report/text.ts";
import type { Change } from "../../report/types.ts";
import { isJsonObject } from "../../wire/fields.ts";
import { pathSteps, sameJson, valueAt, withValue } from "../../wire/object-path.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";

/** A live change with the object it was computed from, as the server has it. */
export interface Target {
  readonly change: Change;
  readonly path: string;
  /** Null: to be created. */
  readonly live: JsonObject | null;
}

export interface Undoable {
  readonly target: Target;
  /** As the server answered. */
  readonly after: JsonObject;
}

interface Outcome {
  readonly written: Written;
  /** What a person should know although it went well; "" nothing. */
  readonly note: string;
}

/** Managers that are a person at a terminal: nothing puts their fields back but that person. */
const byHand = /^kubectl(?:$|-)/;

/** Writes one change, or asks the server whether it would be taken. Every write is refused once the object is another. */
export async function writeChange(
  client: WritingClient,
  { change, path, live }: Target,
  dryRun: boolean,
): Promise<Outcome> {
  const identity = identityOf(change);
  if (change.do === "create")
    return { written: await serverSideApply(client, path, change.object ?? identity, { dryRun }), note: "" };
  const resourceVersion = versionOf(live);
  if (change.do === "delete") {
    const uid = textAt(live, "metadata.uid");
    return { written: await deleteObject(client, path, { dryRun, resourceVersion, uid }), note: "" };
  }
  const fields = fieldsOf(change);
  if (change.fields.some(({ value }) => value === null)) return replaceFields(client, { change, path, live }, dryRun);
  // What was applied earlier is said again: server-side apply takes away what its manager no longer states.
  const said = merged(merged(appliedBy("holdfast", live ?? {}), fields), identity);
  const body = { ...(isJsonObject(said) ? said : {}), metadata: { ...metadataOf(identity), resourceVersion } };
  const first = await serverSideApply(client, path, body, { dryRun });
  if (first.ok)
    return isAsPromised(change, first.object)
      ? { written: first, note: "" }
      : replaceFields(client, { change, path, live }, dryRun);
  const others = first.conflicts.filter(({ manager }) => !byHand.test(manager));
  if (first.conflicts.length === 0 || others.length > 0)
    return { written: others.length > 0 ? { ...first, conflicts: others } : first, note: "" };
  const second = await serverSideApply(client, path, body, { dryRun, takeOver: true });
  const managers = [...new Set(first.conflicts.map(({ manager }) => manager))];
  if (second.ok && !isAsPromised(change, second.object)) return replaceFields(client, { change, path, live }, dryRun);
  return {
    written: second,
    note: `it was set by hand (${listed(managers)}); a file it came from needs the same change, or the next kubectl apply puts it back`,
  };
}

/** Fields that go, and lists that the server would merge where they are to be replaced: a merge patch of this very version. */
async function replaceFields(client: WritingClient, { change, path, live }: Target, dryRun: boolean): Promise<Outcome> {
  const conflicts: readonly Conflict[] = change.fields.flatMap(({ path: field }) =>
    managersOfField(live ?? {}, field)
      .filter((manager) => !byHand.test(manager))
      .map((manager) => ({ manager, field: `.${field}` })),
  );
  if (conflicts.length > 0)
    return { written: { ok: false, message: "fields of another manager", conflicts }, note: "" };
  const options = { dryRun, resourceVersion: versionOf(live) };
  return { written: await mergePatchObject(client, path, fieldsOf(change), options), note: "" };
}

/** Puts one change back; "" when it is as it was. An object that somebody changed since is left alone. */
export async function undo(client: WritingClient, { target, after }: Undoable): Promise<string> {
  const { change, path, live } = target;
  const resourceVersion = versionOf(after);
  if (change.do === "create") {
    const uid = textAt(after, "metadata.uid");
    return failureOf(await deleteObject(client, path, { dryRun: false, resourceVersion, uid }));
  }
  if (live === null) return "";
  if (change.do === "delete") {
    const { apiVersion, kind, metadata, ...rest } = live;
    const before = { ...rest, apiVersion: String(apiVersion), kind: String(kind), metadata: metadataOf({ metadata }) };
    return failureOf(await serverSideApply(client, path, shownObject(before), { dryRun: false }));
  }
  let patch: Json = {};
  for (const { path: field } of change.fields) {
    patch = withValue(patch, pathSteps(field), valueAt(live, pathSteps(field)) ?? null) ?? patch;
  }
  const fields = isJsonObject(patch) ? patch : {};
  return failureOf(await mergePatchObject(client, path, fields, { dryRun: false, resourceVersion }));
}

function failureOf(written: Written): string {
  return written.ok ? "" : written.message;
}

/** What the server made of it is what was proved: lists as long, every field that was set as it was set. */
function isAsPromised(change: Change, object: JsonObject): boolean {
  return change.fields.every(({ path, value }) => isWithin(value, valueAt(object, pathSteps(path))));
}

/** The same but for what the server adds to objects. */
function isWithin(wanted: Json, is: Json | undefined): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(is) && is.length === wanted.length && wanted.every((item, at) => isWithin(item, is[at]));
  if (!isJsonObject(wanted)) return sameJson(wanted, is);
  return (
    isJsonObject(is) &&
    Object.entries(wanted).every(([name, value]) => value === undefined || isWithin(value, is[name]))
  );
}

function fieldsOf(change: Change): JsonObject {
  const patch: Json = change.patch === "" ? {} : JSON.parse(change.patch);
  return isJsonObject(patch) ? patch : {};
}

function identityOf({ target }: Change): JsonObject {
  const { apiVersion, kind, namespace, name } = target;
  return { apiVersion, kind, metadata: { name, ...(namespace === "" ? {} : { namespace }) } };
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

export function versionOf(object: JsonObject | null): string {
  return textAt(object, "metadata.resourceVersion");
}

function textAt(object: JsonObject | null, path: string): string {
  const value = object === null ? "" : valueAt(object, pathSteps(path));
  return typeof value === "string" ? value : "";
}
