import { isJsonObject } from "../../src/wire/fields.ts";
import type { Json, JsonObject } from "../../src/wire/snapshot.ts";
import { type Plane, pause } from "./plane.ts";

/**
 * A stand-in for every node's kubelet: a bound pod is Ready after a while, a deleted one is gone a moment later, leases are
 * renewed. Pods of the loaded cluster stay as they are.
 */
export class Kubelet {
  readonly #plane: Plane;
  readonly #startMs: () => number;
  readonly #readyAt = new Map<string, number>();
  readonly #goneAt = new Map<string, number>();
  #running: Promise<unknown> = Promise.resolve();
  #stopped = false;

  /** `startMs` is asked once for each pod. */
  constructor(plane: Plane, startMs: () => number) {
    this.#plane = plane;
    this.#startMs = startMs;
  }

  start(): void {
    this.#running = Promise.all([this.#tendAll(), this.#renewAll()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #tendAll(): Promise<void> {
    for (; !this.#stopped; await pause(100))
      for (const pod of await this.#plane.list("/api/v1/pods")) await this.#tend(pod);
  }

  /** By itself: however long pods take on a busy machine, no node may be taken for lost. */
  async #renewAll(): Promise<void> {
    for (let renewedAt = 0; !this.#stopped; await pause(100)) {
      if (Date.now() - renewedAt < 8_000) continue;
      renewedAt = Date.now();
      await this.#renewLeases();
    }
  }

  async #tend(pod: JsonObject): Promise<void> {
    const { metadata, spec, status } = pod;
    if (!isJsonObject(metadata) || !isJsonObject(spec)) return;
    const path = `/api/v1/namespaces/${String(metadata["namespace"])}/pods/${String(metadata["name"])}`;
    const uid = String(metadata["uid"]);
    if (metadata["deletionTimestamp"] !== undefined) {
      const since = this.#goneAt.get(uid) ?? Date.now();
      this.#goneAt.set(uid, since);
      if (Date.now() - since >= 800)
        await this.#plane.call("DELETE", path, { gracePeriodSeconds: 0, preconditions: { uid } });
      return;
    }
    if (typeof spec["nodeName"] !== "string" || (isJsonObject(status) && status["phase"] !== "Pending")) return;
    const readyAt = this.#readyAt.get(uid) ?? Date.now() + this.#startMs();
    this.#readyAt.set(uid, readyAt);
    if (Date.now() < readyAt) return;
    await this.#plane.call("PATCH", `${path}/status`, { status: readyStatus(spec) }, "application/merge-patch+json");
  }

  async #renewLeases(): Promise<void> {
    const at = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    for (const node of await this.#plane.list("/api/v1/nodes")) {
      const metadata = node["metadata"];
      const name = isJsonObject(metadata) ? String(metadata["name"]) : "";
      const renewTime = new Date().toISOString().replace(/Z$/, "000Z");
      const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
      const patched = await this.#plane.call("PATCH", `${at}/${name}`, { spec }, "application/merge-patch+json");
      if (patched.status !== 404) continue;
      await this.#plane.call("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "kube-node-lease" },
      });
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec };
      await this.#plane.call("POST", at, lease);
    }
  }
}

function readyStatus(spec: JsonObject): JsonObject {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const condition = (type: string): JsonObject => ({ type, status: "True", lastTransitionTime: now });
  const containers = spec["containers"];
  const list: readonly Json[] = Array.isArray(containers) ? containers : [];
  return {
    phase: "Running",
    startTime: now,
    podIP: `10.244.${Math.floor(Math.random() * 250)}.${1 + Math.floor(Math.random() * 250)}`,
    conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map(condition),
    containerStatuses: list.filter(isJsonObject).map(({ name, image }) => ({
      name: name ?? "",
      image: image ?? "",
      imageID: "",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    })),
  };
}

/** Follows what is ready, change by change, and keeps the least: of each Service its endpoints, of each Deployment its pods. */
export class ReadyWatch {
  readonly #of = new Map<string, { readonly name: string; readonly ready: number }>();
  readonly #least = new Map<string, number>();
  readonly #ends: readonly (() => void)[];

  constructor(plane: Plane) {
    this.#ends = [
      plane.watch("/apis/discovery.k8s.io/v1/endpointslices", (type, slice) =>
        this.#see(type, slice, readyInSlice(slice)),
      ),
      plane.watch("/api/v1/pods", (type, pod) => this.#see(type, pod, readyPod(pod))),
    ];
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  /** Least ready since the last time this was asked. */
  least(): { readonly [name: string]: number } {
    const sorted = [...this.#least].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#least.clear();
    for (const { name } of this.#of.values()) this.#least.set(name, this.#readyOf(name));
    return Object.fromEntries(sorted);
  }

  #see(
    type: string,
    { kind, metadata }: JsonObject,
    seen: { readonly name: string; readonly ready: number } | null,
  ): void {
    if (!isJsonObject(metadata) || seen === null) return;
    const key = `${String(kind)} ${String(metadata["namespace"])}/${String(metadata["name"])}`;
    if (type === "DELETED") this.#of.delete(key);
    else this.#of.set(key, seen);
    const now = this.#readyOf(seen.name);
    this.#least.set(seen.name, Math.min(now, this.#least.get(seen.name) ?? now));
  }

  #readyOf(name: string): number {
    return [...this.#of.values()].reduce((sum, one) => sum + (one.name === name ? one.ready : 0), 0);
  }
}

function readyInSlice({ metadata, endpoints }: JsonObject): { readonly name: string; readonly ready: number } | null {
  const labels = isJsonObject(metadata) ? metadata["labels"] : undefined;
  if (!isJsonObject(metadata) || !isJsonObject(labels)) return null;
  const ready = (Array.isArray(endpoints) ? endpoints : []).filter((endpoint) => {
    const conditions = isJsonObject(endpoint) ? endpoint["conditions"] : undefined;
    return isJsonObject(conditions) && conditions["ready"] === true;
  }).length;
  return { name: `Service ${String(metadata["namespace"])}/${String(labels["kubernetes.io/service-name"])}`, ready };
}

/** Null: no Deployment's. A ReplicaSet is named after its Deployment and a hash. */
function readyPod({ metadata, status }: JsonObject): { readonly name: string; readonly ready: number } | null {
  const owners = isJsonObject(metadata) ? metadata["ownerReferences"] : undefined;
  const owner = Array.isArray(owners)
    ? owners.filter(isJsonObject).find(({ kind }) => kind === "ReplicaSet")
    : undefined;
  if (!isJsonObject(metadata) || owner === undefined) return null;
  const conditions = isJsonObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const isReady = conditions.filter(isJsonObject).some(({ type, status: is }) => type === "Ready" && is === "True");
  const name = `Deployment ${String(metadata["namespace"])}/${String(owner["name"]).replace(/-[a-z0-9]+$/, "")}`;
  return { name, ready: isReady && metadata["deletionTimestamp"] === undefined ? 1 : 0 };
}
