import type { Cluster } from "../../src/model/cluster.ts";
import { matches } from "../../src/model/labels.ts";
import { floorsOf } from "../../src/route/capacity.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import type { Endpoint, Hop } from "../../src/systems/endpoint.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import type { Plane } from "../confirm/plane.ts";

interface Seen {
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  /** The pod's controller and what owns that. */
  readonly owners: readonly string[];
  readonly ready: boolean;
}

/** Counts the Ready pods of endpoints' parts at every change of any pod, and keeps the least. */
export class ReadyUnits {
  readonly #pods = new Map<string, Seen>();
  readonly #least = new Map<Hop, number>();
  readonly #cluster: Cluster;
  readonly #endpoints: readonly Endpoint[];
  readonly #end: () => void;
  #counts = false;

  constructor(plane: Plane, cluster: Cluster, endpoints: readonly Endpoint[]) {
    this.#cluster = cluster;
    this.#endpoints = endpoints;
    this.#end = plane.watch("/api/v1/pods", (type, pod) => this.#see(type, pod));
  }

  /** From now on: what was there before has been told. */
  begin(): void {
    this.#counts = true;
    this.#count();
  }

  stop(): void {
    this.#end();
  }

  /** `Endpoint picker: 0`, for each part of the endpoint that had too few at some moment. */
  lackOf(endpoint: Endpoint): readonly string[] {
    const view = new Ledger(this.#cluster, new Journal());
    const floors = floorsOf(view, endpoint);
    const parts = this.#parts(endpoint).filter(({ hop, needed }) => needed && hop !== "engine");
    const gone = parts.filter((part) => this.#least.get(part) === 0).map(({ component }) => `${component}: 0`);
    const few = floors.flatMap(({ role, minAvailable }) => {
      const engines = this.#parts(endpoint).filter((part) => part.hop === "engine" && part.role === role);
      const [only] = engines;
      // The least of each of several is not the least of their sum.
      const ready = engines.length === 1 && only !== undefined ? this.#least.get(only) : undefined;
      return ready === undefined || ready >= minAvailable ? [] : [`Engine ${role}: ${ready} of ${minAvailable}`];
    });
    return [...gone, ...few];
  }

  #parts({ hops }: Endpoint): readonly Hop[] {
    return hops.filter(({ onPath, outside, unit }) => onPath && outside === "" && unit.kind === "pod");
  }

  #see(type: string, { metadata, status }: JsonObject): void {
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
        ready: isReady(metadata, status),
      });
    }
    if (this.#counts) this.#count();
  }

  #count(): void {
    for (const hop of new Set(this.#endpoints.flatMap((endpoint) => this.#parts(endpoint)))) {
      const ready = [...this.#pods.values()].filter((pod) => pod.ready && isOf(hop, pod)).length;
      this.#least.set(hop, Math.min(ready, this.#least.get(hop) ?? ready));
    }
  }
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
