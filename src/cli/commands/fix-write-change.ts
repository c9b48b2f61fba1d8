import {
  type Conflict,
  deleteObject,
  fieldManager,
  jsonPatchObject,
  mergePatchObject,
  serverSideApply,
  type Written,
} from "../../api/apply.ts";
import type { WritingClient } from "../../api/client.ts";
import { appliedBy, appliedInLists, merged, othersOf } from "../../api/managed-fields.ts";
import { listed } from "../../base/words.ts";
import { jsonPatchOf } from "../../patch/json-patch.ts";
import { shownObject } from "../../report/changes.ts";
import type { Change } from "../../report/types.ts";
import { isLeftAlone } from "../../systems/projections/registry.ts";
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
/** Tools that put back what differs from their source. */
const byTool = /argo|flux|kustomize|helm|crossplane|^provider-/i;

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
  if (change.patchType === "json") return writeInLists(client, { change, path, live }, dryRun);
  const fields = fieldsOf(change);
  if (change.fields.some(({ value }) => value === null)) return replaceFields(client, { change, path, live }, dryRun);
  // What was applied earlier is said again: server-side apply takes away what its manager no longer states.
  const said = merged(merged(appliedBy("holdfast", live ?? {}), fields), identity);
  const body = { ...(isJsonObject(said) ? said : {}), metadata: { ...metadataOf(identity), resourceVersion } };
  const outcome = await apply(client, { change, path, live, body }, dryRun);
  return outcome.written.ok && !isAsPromised(change, outcome.written.object)
    ? replaceFields(client, { change, path, live }, dryRun)
    : outcome;
}

/** Server-side apply that takes over what was set by hand, and nothing else. */
async function apply(
  client: WritingClient,
  { path, body }: Target & { readonly body: JsonObject },
  dryRun: boolean,
): Promise<Outcome> {
  const first = await serverSideApply(client, path, body, { dryRun });
  if (first.ok) return { written: first, note: "" };
  const others = first.conflicts.filter(({ manager }) => !byHand.test(manager));
  if (first.conflicts.length === 0 || others.length > 0)
    return { written: others.length > 0 ? { ...first, conflicts: others } : first, note: "" };
  const second = await serverSideApply(client, path, body, { dryRun, takeOver: true });
  return { written: second, note: setByHand([...new Set(first.conflicts.map(({ manager }) => manager))]) };
}

/**
 * Fields inside lists: by server-side apply of their elements where the records tell the elements' keys, else by operations on this
 * very version, refused where another manager has set the list.
 */
async function writeInLists(client: WritingClient, target: Target, dryRun: boolean): Promise<Outcome> {
  const { change, path } = target;
  const live = target.live ?? {};
  const paths = change.fields.map((field) => field.path);
  const after = withFields(live, change);
  const resourceVersion = versionOf(live);
  const said = change.fields.every(({ value }) => value !== null)
    ? appliedInLists(fieldManager, { live, after }, paths)
    : null;
  if (said !== null) {
    const identity = identityOf(change);
    const body = { ...said, ...identity, metadata: { ...metadataOf(identity), resourceVersion } };
    const outcome = await apply(client, { ...target, body }, dryRun);
    if (!outcome.written.ok || isAsPromised(change, outcome.written.object)) return outcome;
  }
  const { conflicts, note } = settersOf(change, live);
  if (conflicts.length > 0) return othersSet(conflicts);
  const operations = jsonPatchOf(change.fields, live);
  return { written: await jsonPatchObject(client, path, operations, { dryRun, resourceVersion }), note };
}

function withFields(object: JsonObject, change: Change): JsonObject {
  let after: Json = object;
  for (const { path, value } of change.fields) after = withValue(after, pathSteps(path), value ?? undefined) ?? after;
  return isJsonObject(after) ? after : object;
}

interface Setters {
  /** Of those that put their fields back. */
  readonly conflicts: readonly Conflict[];
  /** Of those that do not, a sentence; "" there are none. */
  readonly note: string;
}

/** Who else has set the fields, as the server recorded it. */
function settersOf(change: Change, live: JsonObject): Setters {
  const all = change.fields.flatMap(({ path }) =>
    othersOf(fieldManager, live, path).map((manager) => ({ manager, field: `.${path}` })),
  );
  const names = (kept: (manager: string) => boolean): readonly string[] => [
    ...new Set(all.map(({ manager }) => manager).filter(kept)),
  ];
  const hands = names((manager) => byHand.test(manager));
  const left = isLeftAlone(change.target) ? names((manager) => !byHand.test(manager) && !byTool.test(manager)) : [];
  const notes = [
    ...(hands.length === 0 ? [] : [setByHand(hands)]),
    ...(left.length === 0 ? [] : [`${listed(left)} set it, and does not write it again`]),
  ];
  const taken = new Set([...hands, ...left]);
  return { conflicts: all.filter(({ manager }) => !taken.has(manager)), note: notes.join("; ") };
}

function othersSet(conflicts: readonly Conflict[]): Outcome {
  return { written: { ok: false, message: "fields of another manager", conflicts }, note: "" };
}

function setByHand(managers: readonly string[]): string {
  return `it was set by hand (${listed(managers)}); a file it came from needs the same change, or the next kubectl apply puts it back`;
}

/** Fields that go, and lists that the server would merge where they are to be replaced: a merge patch of this very version. */
async function replaceFields(client: WritingClient, { change, path, live }: Target, dryRun: boolean): Promise<Outcome> {
  const { conflicts } = settersOf(change, live ?? {});
  if (conflicts.length > 0) return othersSet(conflicts);
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
  if (change.patchType === "json") {
    const before = change.fields.map(({ path: field }) => ({
      path: field,
      value: valueAt(live, pathSteps(field)) ?? null,
    }));
    const operations = jsonPatchOf(before, after);
    return failureOf(await jsonPatchObject(client, path, operations, { dryRun: false, resourceVersion }));
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
