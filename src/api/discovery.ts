import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import type { Client } from "./client.ts";
import { ApiRefusal } from "./errors.ts";

/** A kind of object the server has, at one version. */
export interface ApiResource {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** `pods`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** `/api/v1` or `/apis/apps/v1`. */
export function groupPath({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/** `deployments.apps`, `pods`: what a person calls it. */
export function resourceName({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** Every resource that can be listed, each at the version the server prefers. */
export async function discover(client: Client): Promise<readonly ApiResource[]> {
  const [core, named] = await Promise.all([discoverRoot(client, "/api"), discoverRoot(client, "/apis")]);
  return [...core, ...named];
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

async function discoverRoot(client: Client, root: "/api" | "/apis"): Promise<readonly ApiResource[]> {
  const answer = await client.get(root, aggregated);
  if (answer["kind"] === "APIGroupDiscoveryList") return fromAggregated(answer);
  const versions = root === "/api" ? [{ group: "", version: "v1" }] : preferredVersions(answer);
  const lists = await Promise.all(versions.map((each) => resourcesOf(client, each)));
  return lists.flat();
}

/** Newest form: everything in one answer. The first version of a group is the preferred one. */
function fromAggregated(answer: JsonObject): readonly ApiResource[] {
  const found = new Map<string, ApiResource>();
  for (const item of objects(answer["items"])) {
    const group = textAt(objectAt(item, "metadata"), "name");
    for (const version of objects(item["versions"])) {
      // An extension server that is away: its resources are not known.
      if (textAt(version, "freshness") === "Stale") continue;
      for (const resource of objects(version["resources"])) {
        if (!includes(resource["verbs"], "list")) continue;
        const name = textAt(resource, "resource");
        const key = `${name}.${group}`;
        if (found.has(key)) continue;
        found.set(key, {
          group,
          version: textAt(version, "version"),
          resource: name,
          kind: textAt(objectAt(resource, "responseKind"), "kind"),
          namespaced: textAt(resource, "scope") === "Namespaced",
        });
      }
    }
  }
  return [...found.values()];
}

function preferredVersions(answer: JsonObject): readonly { readonly group: string; readonly version: string }[] {
  return objects(answer["groups"]).map((group) => ({
    group: textAt(group, "name"),
    version: textAt(objectAt(group, "preferredVersion"), "version"),
  }));
}

async function resourcesOf(
  client: Client,
  groupVersion: { readonly group: string; readonly version: string },
): Promise<readonly ApiResource[]> {
  try {
    const answer = await client.get(groupPath(groupVersion));
    return objects(answer["resources"])
      .filter((each) => includes(each["verbs"], "list") && !textAt(each, "name").includes("/"))
      .map((each) => ({
        ...groupVersion,
        resource: textAt(each, "name"),
        kind: textAt(each, "kind"),
        namespaced: each["namespaced"] === true,
      }));
  } catch (error) {
    // An extension server that is away takes only its own group with it.
    if (error instanceof ApiRefusal) return [];
    throw error;
  }
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function textAt(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

function includes(value: Json | undefined, wanted: string): boolean {
  return isJsonList(value) && value.includes(wanted);
}
