import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import type { Client } from "./client.ts";
import { type ApiResource, groupPath } from "./discovery.ts";
import { ApiRefusal } from "./errors.ts";

export const pageSize = 500;

/** How often a list is begun again because its snapshot on the server expired meanwhile. */
const restartsMax = 5;

/** Receives pages of a list. `restart` says that everything received so far is void. */
export interface PageSink {
  readonly page: (items: readonly Json[]) => void;
  readonly restart: () => void;
}

/** Lists a resource page by page, cluster-wide or in one namespace. Throws ApiRefusal. */
export async function listPages(
  client: Client,
  resource: ApiResource,
  namespace: string | null,
  sink: PageSink,
): Promise<void> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      await listOnce(client, pathOf(resource, namespace), sink);
      return;
    } catch (error) {
      // 410: the continue token is older than what the server still remembers.
      const isExpired = error instanceof ApiRefusal && error.status === 410;
      if (!isExpired || restarts === restartsMax) throw error;
      sink.restart();
    }
  }
}

/** Ten million objects of one kind: no cluster holds them. */
const pagesMax = 20_000;

async function listOnce(client: Client, path: string, sink: PageSink): Promise<void> {
  let token = "";
  let pages = 0;
  do {
    const query = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
    const answer = await client.get(`${path}?limit=${pageSize}${query}`);
    const { items } = answer;
    // Empty lists may say null. Anything else is no list, and must not pass for an empty one.
    if (!isJsonList(items) && items !== null) throw new ApiRefusal(0, "what it answers is no list");
    sink.page(items ?? []);
    const next = continueToken(answer);
    pages += 1;
    if (next !== "" && (next === token || pages === pagesMax)) throw new ApiRefusal(0, "its pages have no end");
    token = next;
  } while (token !== "");
}

function continueToken(answer: JsonObject): string {
  const { metadata } = answer;
  const token = isJsonObject(metadata) ? metadata["continue"] : undefined;
  return typeof token === "string" ? token : "";
}

function pathOf(resource: ApiResource, namespace: string | null): string {
  const base = groupPath(resource);
  if (namespace === null) return `${base}/${resource.resource}`;
  return `${base}/namespaces/${encodeURIComponent(namespace)}/${resource.resource}`;
}
