import { isJsonObject } from "../../src/wire/fields.ts";
import type { Json, JsonObject } from "../../src/wire/snapshot.ts";
import { Disks } from "./disks.ts";
import { Elections, isElected } from "./elections.ts";
import { type Plane, pause } from "./plane.ts";

/** How long pods take, ms. */
export interface Takes {
  /** To be Ready; asked once for each pod. */
  readonly startMs: () => number;
  /** To be gone. */
  readonly stopMs: number;
}

/**
 * A stand-in for every node's kubelet: a bound pod is Ready after a while, a deleted one is gone a moment later, leases are
 * renewed. Pods of the loaded cluster stay as they are, but of pickers that elect a leader the leader is Ready. A machine can be
 * stopped: nothing is done for its pods then, and when it comes back they start anew.
 */
export class Kubelet {
  readonly #plane: Plane;
  readonly #takes: Takes;
  readonly #readyAt = new Map<string, number>();
  readonly #goneAt = new Map<string, number>();
  readonly #elections: Elections;
  readonly #disks: Disks;
  readonly #stoppedNodes = new Set<string>();
  readonly #restarting = new Set<string>();
  #running: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(plane: Plane, takes: Takes) {
    this.#plane = plane;
    this.#takes = takes;
    this.#elections = new Elections(plane);
    this.#disks = new Disks(plane);
  }

  start(): void {
    this.#running = Promise.all([this.#tendAll(), this.#renewAll()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  stopMachine(node: string): void {
    this.#stoppedNodes.add(node);
  }

  isStopped(node: string): boolean {
    return this.#stoppedNodes.has(node);
  }

  async startMachine(node: string): Promise<void> {
    for (const pod of await this.#plane.list(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`)) {
      const { metadata, spec } = pod;
      if (!isJsonObject(metadata) || !isJsonObject(spec) || metadata["deletionTimestamp"] !== undefined) continue;
      this.#readyAt.set(String(metadata["uid"]), Date.now() + this.#takes.startMs());
      this.#restarting.add(String(metadata["uid"]));
      const patch = { status: statusOf(spec, false) };
      await this.#plane.call("PATCH", `${pathOfPod(metadata)}/status`, patch, "application/merge-patch+json");
    }
    this.#stoppedNodes.delete(node);
    await this.#renewLeases();
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", lastTransitionTime: nowText() }];
    const patch = "application/strategic-merge-patch+json";
    await this.#plane.call("PATCH", `/api/v1/nodes/${node}/status`, { status: { conditions } }, patch);
  }

  async #tendAll(): Promise<void> {
    for (; !this.#stopped; await pause(100)) {
      await this.#disks.look();
      for (const pod of await this.#plane.list("/api/v1/pods")) await this.#tend(pod);
    }
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
    if (this.#stoppedNodes.has(String(spec["nodeName"]))) return;
    const path = pathOfPod(metadata);
    const uid = String(metadata["uid"]);
    if (metadata["deletionTimestamp"] !== undefined) {
      const since = this.#goneAt.get(uid);
      if (since === undefined) {
        this.#goneAt.set(uid, Date.now());
        if (isElected(pod)) await this.#elections.gives(pod);
        return;
      }
      if (Date.now() - since >= this.#takes.stopMs)
        await this.#plane.call("DELETE", path, { gracePeriodSeconds: 0, preconditions: { uid } });
      return;
    }
    if (typeof spec["nodeName"] !== "string") return;
    const starts = !isJsonObject(status) || status["phase"] === "Pending" || this.#restarting.has(uid);
    if (!starts && !isElected(pod)) return;
    if (starts && !(await this.#disks.areThere(pod))) return;
    if (starts) {
      const readyAt = this.#readyAt.get(uid) ?? Date.now() + this.#takes.startMs();
      this.#readyAt.set(uid, readyAt);
      if (Date.now() < readyAt) return;
    }
    const wasReady = isReady(status);
    const ready = !isElected(pod) || (await this.#elections.holds(pod, wasReady));
    this.#restarting.delete(uid);
    if (!starts && ready === wasReady) return;
    const patch = { status: statusOf(spec, ready) };
    await this.#plane.call("PATCH", `${path}/status`, patch, "application/merge-patch+json");
  }

  async #renewLeases(): Promise<void> {
    const at = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    for (const node of await this.#plane.list("/api/v1/nodes")) {
      const metadata = node["metadata"];
      const name = isJsonObject(metadata) ? String(metadata["name"]) : "";
      if (this.#stoppedNodes.has(name)) continue;
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

function pathOfPod(metadata: JsonObject): string {
  return `/api/v1/namespaces/${String(metadata["namespace"])}/pods/${String(metadata["name"])}`;
}

function isReady(status: Json | undefined): boolean {
  const conditions = isJsonObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  return conditions.filter(isJsonObject).some(({ type, status: is }) => type === "Ready" && is === "True");
}

function nowText(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** A pod that runs. */
function statusOf(spec: JsonObject, ready: boolean): JsonObject {
  const now = nowText();
  const condition = (type: string): JsonObject => {
    const isTrue = ready || type === "PodScheduled" || type === "Initialized";
    return { type, status: isTrue ? "True" : "False", lastTransitionTime: now };
  };
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
      ready,
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

  /** Of a Service, `namespace/name`, now. */
  readyBehind(service: string): number {
    return this.#readyOf(`Service ${service}`);
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
  const name = `Deployment ${String(metadata["namespace"])}/${String(owner["name"]).replace(/-[a-z0-9]+$/, "")}`;
  return { name, ready: isReady(status) && metadata["deletionTimestamp"] === undefined ? 1 : 0 };
}
