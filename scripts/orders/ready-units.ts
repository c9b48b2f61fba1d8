import type { Cluster } from "../../src/model/cluster.ts";
import { matches } from "../../src/model/labels.ts";
import { floorsOf } from "../../src/route/capacity.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import type { Endpoint, Hop } from "../../src/systems/endpoint.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import type { Kubelet } from "../confirm/kubelet.ts";
import type { World } from "../confirm/world.ts";

interface Seen {
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  /** The pod's controller and what owns that. */
  readonly owners: readonly string[];
  readonly node: string;
  readonly ready: boolean;
}

/** Counts the Ready units of endpoints' parts whenever a pod changes; what is on a machine that is off is not Ready, whatever is said. */
export class ReadyUnits {
  readonly #pods = new Map<string, Seen>();
  readonly #counted = new Map<Hop, { readonly atMs: number; readonly ready: number }[]>();
  readonly #cluster: Cluster;
  readonly #endpoints: readonly Endpoint[];
  readonly #kubelet: Kubelet;
  readonly #end: () => void;
  #ticks: NodeJS.Timeout | null = null;

  constructor({ plane, kubelet }: World, cluster: Cluster, endpoints: readonly Endpoint[]) {
    this.#cluster = cluster;
    this.#endpoints = endpoints;
    this.#kubelet = kubelet;
    this.#end = plane.watch("/api/v1/pods", (type, pod) => this.#see(type, pod));
  }

  /** From now on: what was there before has been told. */
  begin(): void {
    this.#ticks = setInterval(() => this.#count(), 100);
    this.#count();
  }

  stop(): void {
    this.#end();
    if (this.#ticks !== null) clearInterval(this.#ticks);
    this.#count();
  }

  /** `Endpoint picker: 0`, for each part of the endpoint that had too few for longer than it may be down. */
  lackOf(endpoint: Endpoint): readonly string[] {
    const view = new Ledger(this.#cluster, new Journal());
    const lacks = (part: Hop, wanted: number): boolean => this.#longestBelowMs(part, wanted) > endpoint.maxDownMs;
    const parts = this.#parts(endpoint).filter(({ hop, needed }) => needed && hop !== "engine");
    const gone = parts.filter((part) => lacks(part, 1)).map(({ component }) => `${component}: 0`);
    const few = floorsOf(view, endpoint).flatMap(({ role, minAvailable }) => {
      const engines = this.#parts(endpoint).filter((part) => part.hop === "engine" && part.role === role);
      const [only] = engines;
      // The least of each of several is not the least of their sum.
      if (engines.length !== 1 || only === undefined || !lacks(only, minAvailable)) return [];
      const least = Math.min(...(this.#counted.get(only) ?? []).map(({ ready }) => ready));
      return [`Engine ${role}: ${least} of ${minAvailable}`];
    });
    return [...gone, ...few];
  }

  /** The longest time with fewer ready, ms; -1: never. */
  #longestBelowMs(part: Hop, wanted: number): number {
    let longest = -1;
    let sinceMs: number | null = null;
    for (const { atMs, ready } of this.#counted.get(part) ?? []) {
      if (sinceMs !== null) longest = Math.max(longest, atMs - sinceMs);
      if (ready >= wanted) sinceMs = null;
      else if (sinceMs === null) {
        sinceMs = atMs;
        longest = Math.max(longest, 0);
      }
    }
    return longest;
  }

  #parts({ hops }: Endpoint): readonly Hop[] {
    return hops.filter(({ onPath, outside }) => onPath && outside === "");
  }

  #see(type: string, { metadata, spec, status }: JsonObject): void {
    if (!isJsonObject(metadata)) return;
    const key = `${String(metadata["namespace"])}/${String(metadata["name"])}`;
    if (type === "DELETED") this.#pods.delete(key);
    else {
      const namespace = String(metadata["namespace"]);
      const labels = new Map(
        Object.entries(isJsonObject(metadata["labels"]) ? metadata["labels"] : {}).map(([name, value]) => [
          name,
          String(value),
        ]),
      );
      this.#pods.set(key, {
        namespace,
        labels,
        owners: ownersOf(namespace, metadata),
        node: isJsonObject(spec) ? String(spec["nodeName"] ?? "") : "",
        ready: isReady(metadata, status),
      });
    }
    if (this.#ticks !== null) this.#count();
  }

  #count(): void {
    for (const hop of new Set(this.#endpoints.flatMap((endpoint) => this.#parts(endpoint)))) {
      const serves = (pod: Seen): boolean => pod.ready && !this.#kubelet.isStopped(pod.node) && isOf(hop, pod);
      const ready = unitsOf(hop, [...this.#pods.values()].filter(serves));
      const counted = this.#counted.get(hop) ?? [];
      // The last one tells until when it was so.
      if (counted.length > 1 && counted.at(-1)?.ready === ready && counted.at(-2)?.ready === ready) counted.pop();
      counted.push({ atMs: Date.now(), ready });
      this.#counted.set(hop, counted);
    }
  }
}

/** Pods, or groups that are whole. */
function unitsOf({ unit }: Hop, pods: readonly Seen[]): number {
  if (unit.kind === "pod") return pods.length;
  const groups = Map.groupBy(pods, ({ labels }) => labels.get(unit.groupLabel));
  return [...groups].filter(([group, members]) => group !== undefined && members.length >= unit.size).length;
}

function isOf({ pods }: Hop, pod: Seen): boolean {
  if (pods.by === "selector") return pod.namespace === pods.namespace && matches(pods.selector, pod.labels);
  return pods.owners.some((owner) => pod.owners.includes(owner));
}

function ownersOf(namespace: string, metadata: JsonObject): readonly string[] {
  const listed = metadata["ownerReferences"];
  return (Array.isArray(listed) ? listed.filter(isJsonObject) : []).flatMap(({ kind, name }) => {
    const direct = `${String(kind)}.apps/${namespace}/${String(name)}`;
    // A ReplicaSet is named after its Deployment and a hash.
    return kind === "ReplicaSet"
      ? [direct, `Deployment.apps/${namespace}/${String(name).replace(/-[a-z0-9]+$/, "")}`]
      : [direct];
  });
}

function isReady(metadata: JsonObject, status: JsonObject[string] | undefined): boolean {
  const conditions = isJsonObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const ready = conditions.filter(isJsonObject).some(({ type, status: is }) => type === "Ready" && is === "True");
  return ready && metadata["deletionTimestamp"] === undefined;
}
