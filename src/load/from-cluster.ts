import { type Client, type ClientOptions, openClient } from "../api/client.ts";
import { type ApiResource, apiVersionOf, discover, resourceName } from "../api/discovery.ts";
import { ApiRefusal, ClusterNotReachable } from "../api/errors.ts";
import { Gate } from "../api/gate.ts";
import { listPages } from "../api/list.ts";
import { byCodeUnit } from "../base/ordering.ts";
import type { Problem } from "../base/problem.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject, Snapshot, SnapshotItem, SnapshotListener, WireObject } from "../wire/snapshot.ts";
import { Door } from "./door.ts";
import { defaultLimits } from "./limits.ts";
import { tellInput } from "./parse-bytes.ts";
import { ReadAhead } from "./read-ahead.ts";
import { isForbiddenToRead, isWanted } from "./wanted-resources.ts";

export interface LiveOptions extends ClientOptions {
  readonly requestsAtOnce: number;
  /** Read where neither a list of everything nor one of the namespaces is permitted; the context's own in any case. */
  readonly namespaces: readonly string[];
  /** Told after every page: what is being read and how many objects came so far. */
  readonly onProgress: (resource: string, objects: number) => void;
}

export const defaultLiveOptions: LiveOptions = {
  kubeconfig: null,
  context: null,
  timeoutMs: 30_000,
  answerBytesMax: 256 * 1024 * 1024,
  environment: new Map(),
  namespaces: [],
  requestsAtOnce: 6,
  onProgress: () => {},
};

/** Reads a live cluster. Throws ClusterNotReachable or KubeconfigProblem. */
export async function loadCluster(options: LiveOptions = defaultLiveOptions): Promise<Snapshot> {
  return loadThrough(await openClient(options), options);
}

/** Reads a cluster through a client: what it has, what is permitted, and what is not. */
export async function loadThrough(
  client: Client,
  options: Pick<LiveOptions, "requestsAtOnce" | "onProgress" | "namespaces">,
): Promise<Snapshot> {
  const version = await needed(client.get("/version"));
  const resources = (await needed(discover(client))).filter((each) => !isForbiddenToRead(each));
  const reading = new Reading(client, options);
  await reading.readNamespaces(resources);
  const wanted = resources.filter((each) => isWanted(each) && !isNamespaces(each));
  await reading.readAll(wanted);
  // Owners of what runs that are of no known group: whether they scale, and who owns them, matters.
  await reading.readAll(reading.unreadOwners(resources, wanted));
  return reading.snapshot(textOf(version["gitVersion"]));
}

/** Without an answer to this there is no cluster to read. */
async function needed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    const status = error.status === 0 ? "" : ` with status ${error.status}`;
    throw new ClusterNotReachable(`the cluster answers${status}: ${error.message}`);
  }
}

/** Namespaces asked one by one for a kind that may not be listed as a whole: each is a request, and so is each kind. */
const namespacesMax = 500;

/** The pages of one list, as lines: parsed objects of a large cluster would take many times the room. */
interface Pages {
  readonly resource: ApiResource;
  texts: string[];
}

class Reading {
  readonly #client: Client;
  readonly #gate: Gate;
  readonly #onProgress: LiveOptions["onProgress"];
  readonly #door = new Door(defaultLimits.problems);
  readonly #lists: Pages[] = [];
  readonly #notSeen: { readonly resource: string; readonly why: string }[] = [];
  readonly #ownerKinds = new Set<string>();
  readonly #asked: readonly string[];
  #namespaces: readonly string[] = [];

  constructor(client: Client, options: Pick<LiveOptions, "requestsAtOnce" | "onProgress" | "namespaces">) {
    this.#client = client;
    this.#gate = new Gate(options.requestsAtOnce);
    this.#onProgress = options.onProgress;
    this.#asked = options.namespaces;
  }

  /** Namespaces come first: where a cluster-wide list is forbidden they are asked one by one. */
  async readNamespaces(resources: readonly ApiResource[]): Promise<void> {
    const namespaces = resources.find(isNamespaces);
    if (namespaces !== undefined) await this.readAll([namespaces]);
    const names = this.#lists.flatMap(({ texts }) => texts.flatMap(namesIn)).sort(byCodeUnit);
    // Those a person names come first: there is a limit to how many are asked one by one.
    const own = [...this.#asked, this.#client.namespace].filter((name) => names.length === 0 || names.includes(name));
    this.#namespaces = [...new Set([...own, ...names])];
  }

  async readAll(resources: readonly ApiResource[]): Promise<void> {
    const lists = resources.map((resource): Pages => ({ resource, texts: [] }));
    this.#lists.push(...lists);
    await Promise.all(lists.map((list) => this.#read(list)));
  }

  /** Resources of the kinds that own what was read and were not read themselves. */
  unreadOwners(resources: readonly ApiResource[], read: readonly ApiResource[]): readonly ApiResource[] {
    return resources.filter(
      (each) => !read.includes(each) && !isNamespaces(each) && this.#ownerKinds.has(`${each.kind}.${each.group}`),
    );
  }

  snapshot(serverVersion: string): Snapshot {
    return new LiveSnapshot(
      this.#client.name,
      serverVersion,
      this.#door,
      [...this.#notSeen].sort((a, b) => byCodeUnit(a.resource, b.resource)),
      this.#lists.sort((a, b) => byCodeUnit(resourceName(a.resource), resourceName(b.resource))),
    );
  }

  async #read(list: Pages): Promise<void> {
    const refusal = await this.#readPages(list, null);
    if (refusal === null) return;
    if (refusal.status === 403 && list.resource.namespaced) await this.#readByNamespace(list);
    else if (refusal.status !== 404 && refusal.status !== 405) this.#missed(list.resource, refusal.message);
  }

  async #readByNamespace(list: Pages): Promise<void> {
    const refused: { readonly namespace: string; readonly message: string }[] = [];
    const asked = this.#namespaces.slice(0, namespacesMax);
    await Promise.all(
      asked.map(async (namespace) => {
        const part: Pages = { resource: list.resource, texts: [] };
        const refusal = await this.#readPages(part, namespace);
        if (refusal === null) list.texts.push(...part.texts);
        else refused.push({ namespace, message: refusal.message });
      }),
    );
    if (asked.length < this.#namespaces.length) {
      const why = `only ${asked.length} of ${this.#namespaces.length} namespaces were asked, since a list of all is forbidden`;
      this.#missed(list.resource, `${why}; name those that matter with --namespace`);
    }
    if (refused.length === 0) return;
    const all = refused.length === asked.length;
    const names = refused.map((each) => each.namespace).sort(byCodeUnit);
    const some = names.length === 1 ? `in namespace ${named(names)}` : `in ${names.length} namespaces: ${named(names)}`;
    const where = all ? "in every namespace that is known" : some;
    this.#missed(list.resource, `${refused[0]?.message ?? "forbidden"} (${where})`);
  }

  /** Null when the list was read whole; the refusal else. */
  async #readPages(list: Pages, namespace: string | null): Promise<ApiRefusal | null> {
    let objects = 0;
    const name = resourceName(list.resource);
    try {
      await this.#gate.run(() =>
        listPages(this.#client, list.resource, namespace, {
          page: (items) => {
            objects += items.length;
            list.texts.push(this.#kept(items, list.resource));
            this.#onProgress(name, objects);
          },
          restart: () => {
            objects = 0;
            list.texts = [];
          },
        }),
      );
      return null;
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      list.texts = [];
      return error;
    }
  }

  /** What is kept of a page, as text. */
  #kept(items: readonly Json[], resource: ApiResource): string {
    let kept = "";
    for (const value of items) {
      const item = this.#door.admit({
        value,
        source: { file: this.#client.name, line: null },
        listKind: resource.kind,
        listApiVersion: apiVersionOf(resource),
      });
      if (item === null) continue;
      this.#noteOwner(item.object.metadata);
      const line = `${JSON.stringify(asLine(item.object))}\n`;
      if (line.length <= defaultLimits.objectBytes) kept += line;
      else this.#door.problem(item.source, tooLarge(item.object));
    }
    return kept;
  }

  #noteOwner(metadata: JsonObject): void {
    const owners = metadata["ownerReferences"];
    if (!isJsonList(owners)) return;
    for (const owner of owners) {
      if (!isJsonObject(owner) || owner["controller"] !== true) continue;
      const apiVersion = textOf(owner["apiVersion"]);
      const slash = apiVersion.indexOf("/");
      this.#ownerKinds.add(`${textOf(owner["kind"])}.${slash < 0 ? "" : apiVersion.slice(0, slash)}`);
    }
  }

  #missed(resource: ApiResource, why: string): void {
    this.#notSeen.push({ resource: resourceName(resource), why });
  }
}

class LiveSnapshot implements Snapshot {
  readonly source: string;
  readonly serverVersion: string;
  readonly notSeen: Snapshot["notSeen"];
  readonly #door: Door;
  readonly #lists: readonly Pages[];

  constructor(
    source: string,
    serverVersion: string,
    door: Door,
    notSeen: Snapshot["notSeen"],
    lists: readonly Pages[],
  ) {
    this.source = source;
    this.serverVersion = serverVersion;
    this.notSeen = notSeen;
    this.#door = door;
    this.#lists = lists;
  }

  get problems(): readonly Problem[] {
    return this.#door.problems;
  }

  get secretsDropped(): number {
    return this.#door.secretsDropped;
  }

  /** What came over the wire goes through the same door as files. */
  tell(listener: SnapshotListener): void {
    const source = { file: this.source, line: null };
    // What is wrong was said when the pages came.
    const door = new Door(0);
    const here: SnapshotListener = {
      item: (item) => listener.item({ ...item, source }),
      alike: (pattern, values) => listener.alike(pattern, values, source),
    };
    if (listener.onTape !== undefined) here.onTape = (tape) => listener.onTape?.(tape, source) ?? -1;
    tellInput(this.source, this.#chunks(), new ReadAhead({ door, limits: defaultLimits, listener: here }));
  }

  *[Symbol.iterator](): Iterator<SnapshotItem> {
    const source = { file: this.source, line: null };
    for (const { texts } of this.#lists) {
      for (const text of texts) {
        for (const line of linesOf(text)) yield { object: JSON.parse(line), source };
      }
    }
  }

  *#chunks(): Generator<Uint8Array> {
    for (const { texts } of this.#lists) for (const text of texts) if (text !== "") yield Buffer.from(text);
  }
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

function isNamespaces({ group, resource }: ApiResource): boolean {
  return group === "" && resource === "namespaces";
}

/** What is kept is read again as a file is: there an object with `items` of its own would pass for a list of them. */
function asLine(object: WireObject): JsonObject {
  if (isLargeConfigMap(object)) return { ...object, data: {} };
  if (!Object.hasOwn(object, "items")) return object;
  const { items: _, ...rest } = object;
  return rest;
}

function tooLarge({ kind, metadata }: WireObject): string {
  const megabytes = Math.round(defaultLimits.objectBytes / 2 ** 20);
  return `${kind} ${textOf(metadata["name"])} is larger than ${megabytes} MB and is left out`;
}

/** Configuration that matters to a request path is short; models and dashboards in ConfigMaps are not. */
function isLargeConfigMap(object: JsonObject): boolean {
  return object["kind"] === "ConfigMap" && JSON.stringify(object["data"] ?? {}).length > 65_536;
}

function namesIn(text: string): readonly string[] {
  return linesOf(text)
    .map((line): Json => JSON.parse(line))
    .map((each) => (isJsonObject(each) && isJsonObject(each["metadata"]) ? textOf(each["metadata"]["name"]) : ""))
    .filter((name) => name !== "");
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
