import { isJsonObject } from "../../src/wire/fields.ts";
import type { Json, JsonObject } from "../../src/wire/snapshot.ts";
import { type Plane, pause } from "./plane.ts";

/**
 * A stand-in for every node's kubelet: a bound pod is Ready after a while, a deleted one is gone a moment later, leases are
 * renewed. Pods of the loaded cluster stay as they are.
 */
export class Kubelet {
  readonly #plane: Plane;
  readonly #startMs: number;
  readonly #boundAt = new Map<string, number>();
  readonly #goneAt = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #leasesAt = 0;

  constructor(plane: Plane, startMs: number) {
    this.#plane = plane;
    this.#startMs = startMs;
  }

  start(): void {
    this.#running = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #loop(): Promise<void> {
    for (; !this.#stopped; await pause(100)) {
      if (Date.now() - this.#leasesAt > 8_000) {
        this.#leasesAt = Date.now();
        await this.#renewLeases();
      }
      for (const pod of await this.#plane.list("/api/v1/pods")) await this.#tend(pod);
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
    const since = this.#boundAt.get(uid) ?? Date.now();
    this.#boundAt.set(uid, since);
    if (Date.now() - since < this.#startMs) return;
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

/** Follows every Service's ready endpoints, change by change, and keeps the least of each. */
export class ReadyWatch {
  readonly #slices = new Map<string, { readonly service: string; readonly ready: number }>();
  readonly #least = new Map<string, number>();
  readonly #end: () => void;

  constructor(plane: Plane) {
    this.#end = plane.watch("/apis/discovery.k8s.io/v1/endpointslices", (type, slice) => this.#see(type, slice));
  }

  stop(): void {
    this.#end();
  }

  /** Least ready since the last time this was asked. */
  least(): { readonly [service: string]: number } {
    const sorted = [...this.#least].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#least.clear();
    for (const { service } of this.#slices.values()) this.#least.set(service, this.#readyOf(service));
    return Object.fromEntries(sorted);
  }

  #see(type: string, slice: JsonObject): void {
    const { metadata, endpoints } = slice;
    const labels = isJsonObject(metadata) ? metadata["labels"] : undefined;
    if (!isJsonObject(metadata) || !isJsonObject(labels)) return;
    const service = `${String(metadata["namespace"])}/${String(labels["kubernetes.io/service-name"])}`;
    const ready = (Array.isArray(endpoints) ? endpoints : []).filter((endpoint) => {
      const conditions = isJsonObject(endpoint) ? endpoint["conditions"] : undefined;
      return isJsonObject(conditions) && conditions["ready"] === true;
    }).length;
    const name = `${String(metadata["namespace"])}/${String(metadata["name"])}`;
    if (type === "DELETED") this.#slices.delete(name);
    else this.#slices.set(name, { service, ready });
    const now = this.#readyOf(service);
    this.#least.set(service, Math.min(now, this.#least.get(service) ?? now));
  }

  #readyOf(service: string): number {
    return [...this.#slices.values()].reduce((sum, one) => sum + (one.service === service ? one.ready : 0), 0);
  }
}
