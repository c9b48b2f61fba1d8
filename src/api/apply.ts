import { groupOf, type ObjectRef } from "../model/key.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import type { Answer, WritingClient } from "./client.ts";
import { type ApiResource, groupPath } from "./discovery.ts";
import { ApiRefusal } from "./errors.ts";

export const fieldManager = "holdfast";

/** Somebody else has set a field that was to be changed. */
export interface Conflict {
  readonly manager: string;
  readonly field: string;
}

export type Written =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly message: string; readonly conflicts: readonly Conflict[] };

export interface WriteOptions {
  readonly dryRun: boolean;
}

/** Where an object is; null: the server has no such kind. */
export function pathOf(ref: ObjectRef, resources: readonly ApiResource[]): string | null {
  const found = resources.find(({ kind, group }) => kind === ref.kind && group === groupOf(ref.apiVersion));
  if (found === undefined) return null;
  const version = ref.apiVersion.slice(ref.apiVersion.indexOf("/") + 1);
  const base = groupPath({ group: found.group, version });
  const namespace = found.namespaced ? `/namespaces/${encodeURIComponent(ref.namespace)}` : "";
  return `${base}${namespace}/${found.resource}/${encodeURIComponent(ref.name)}`;
}

/** The object as it is now; null: there is none. */
export async function readObject(client: WritingClient, path: string): Promise<JsonObject | null> {
  try {
    return await client.get(path);
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return null;
    throw error;
  }
}

/** Server-side apply of these fields and no others; a field of another manager's is a conflict unless it is taken over. */
export async function serverSideApply(
  client: WritingClient,
  path: string,
  fields: JsonObject,
  { dryRun, takeOver = false }: WriteOptions & { readonly takeOver?: boolean },
): Promise<Written> {
  const answer = await client.send({
    method: "PATCH",
    path: `${path}?fieldManager=${fieldManager}&force=${takeOver}${dryRun ? "&dryRun=All" : ""}`,
    contentType: "application/apply-patch+yaml",
    body: fields,
  });
  return writtenOf(answer);
}

/** For fields that are taken away, which server-side apply cannot do for others': refused unless the object is still this one. */
export async function mergePatchObject(
  client: WritingClient,
  path: string,
  patch: JsonObject,
  options: WriteOptions & { readonly resourceVersion: string },
): Promise<Written> {
  const metadata = isJsonObject(patch["metadata"]) ? patch["metadata"] : {};
  const answer = await client.send({
    method: "PATCH",
    path: `${path}?fieldManager=${fieldManager}${options.dryRun ? "&dryRun=All" : ""}`,
    contentType: "application/merge-patch+json",
    body: { ...patch, metadata: { ...metadata, resourceVersion: options.resourceVersion } },
  });
  return writtenOf(answer);
}

/** Operations on this very version of the object, for fields inside lists that the server takes as one value. */
export async function jsonPatchObject(
  client: WritingClient,
  path: string,
  operations: readonly JsonObject[],
  options: WriteOptions & { readonly resourceVersion: string },
): Promise<Written> {
  const isThis = { op: "test", path: "/metadata/resourceVersion", value: options.resourceVersion };
  const answer = await client.send({
    method: "PATCH",
    path: `${path}?fieldManager=${fieldManager}${options.dryRun ? "&dryRun=All" : ""}`,
    contentType: "application/json-patch+json",
    body: [isThis, ...operations],
  });
  return writtenOf(answer);
}

export async function deleteObject(
  client: WritingClient,
  path: string,
  options: WriteOptions & { readonly uid: string; readonly resourceVersion: string },
): Promise<Written> {
  const answer = await client.send({
    method: "DELETE",
    path: options.dryRun ? `${path}?dryRun=All` : path,
    contentType: "application/json",
    body: {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid: options.uid, resourceVersion: options.resourceVersion },
    },
  });
  return writtenOf(answer);
}

function writtenOf({ status, body }: Answer): Written {
  if (status >= 200 && status < 300) return { ok: true, object: body };
  const words = body["message"];
  const message = typeof words === "string" && words !== "" ? words : `status ${status}`;
  return { ok: false, message, conflicts: status === 409 ? conflictsOf(body) : [] };
}

/** `conflict with "argocd-controller" using apps/v1`, one cause a field. */
function conflictsOf(body: JsonObject): readonly Conflict[] {
  const details = body["details"];
  const causes: Json | undefined = isJsonObject(details) ? details["causes"] : undefined;
  if (!isJsonList(causes)) return [];
  return causes.filter(isJsonObject).flatMap((cause) => {
    const { message, field, reason } = cause;
    if (reason !== "FieldManagerConflict" || typeof message !== "string") return [];
    const manager = /conflict with "([^"]*)"/.exec(message)?.[1] ?? message;
    return [{ manager, field: typeof field === "string" ? field : "" }];
  });
}
