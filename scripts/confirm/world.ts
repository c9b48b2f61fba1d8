import { spawn } from "node:child_process";
import { join } from "node:path";
import { clusterOf } from "../../src/assess.ts";
import { choosingOf } from "../../src/assess-fix.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import { KeptObjects } from "../../src/patch/kept-objects.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { defaultCheckOptions } from "../../test/support/assess.ts";
import { root } from "../sources.ts";
import type { Case } from "./cases.ts";
import { defineEnvoyKinds, isEnvoyMade, startEnvoyGateway } from "./envoy-gateway.ts";
import { Kubelet, ReadyWatch, type Takes } from "./kubelet.ts";
import { isGroupSet, startGroups } from "./leader-worker-set.ts";
import { loadCluster } from "./load.ts";
import { Owners } from "./owners.ts";
import { Plane, pause } from "./plane.ts";
import { Webhooks } from "./webhooks.ts";

export interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Tools {
  readonly plane: string;
  readonly kubectl: string;
  /** "" where they are not needed. */
  readonly envoyGateway: string;
  readonly lws: string;
}

/** One step as it went: what was typed, how it ended, the least ready pods each Service had meanwhile. */
export interface Step {
  readonly command: string;
  readonly code: number;
  readonly least: { readonly [service: string]: number };
}

/** Where nothing else is said. */
const usual: Takes = { startMs: () => 2_000, stopMs: 800 };

/** An example on a real control plane, with a kubelet and the owners' controllers stood in for. */
export class World {
  readonly plane: Plane;
  readonly #tools: Tools;
  readonly kubelet: Kubelet;
  #owners: Owners | null = null;
  #watch: ReadyWatch | null = null;
  #webhooks: Webhooks | null = null;
  readonly steps: Step[] = [];

  constructor(tools: Tools, takes: Takes = usual) {
    this.#tools = tools;
    this.plane = new Plane(tools.plane);
    this.kubelet = new Kubelet(this.plane, takes);
  }

  async start(
    example: string,
    {
      owners,
      envoyGateway,
      webhooks = false,
      edited = (object) => object,
    }: Pick<Case, "owners" | "envoyGateway" | "edited"> & { readonly webhooks?: boolean },
  ): Promise<void> {
    const snapshot = loadPaths([join(root, "examples", example, "cluster")]);
    const kept = new KeptObjects();
    const cluster = clusterOf(kept.watching(snapshot), defaultCheckOptions);
    await this.plane.startServer();
    if (envoyGateway) await defineEnvoyKinds(this);
    const objects = [...snapshot].flatMap(({ object }, index) => edited(withAddress(object, index)) ?? []);
    const sets = this.#tools.lws === "" ? [] : objects.filter(isGroupSet);
    const others = objects.filter((object) => !sets.includes(object));
    await loadCluster(this.plane, envoyGateway ? others.filter((object) => !isEnvoyMade(object)) : others);
    this.kubelet.start();
    await this.plane.startControllers();
    const watch = new ReadyWatch(this.plane);
    this.#watch = watch;
    if (envoyGateway) await startEnvoyGateway(this, this.#tools.envoyGateway);
    if (webhooks) {
      this.#webhooks = new Webhooks(this.plane, (service) => watch.readyBehind(service));
      // Slices are made anew, and until then no Service has anything behind it.
      await this.settled();
      await this.#webhooks.start(objects);
    }
    if (sets.length > 0) await startGroups(this, this.#tools.lws, sets);
    if (owners) {
      this.#owners = new Owners(this.plane, choosingOf(cluster, kept, defaultCheckOptions));
      this.#owners.start();
    }
    await this.settled();
    this.#watch.least();
  }

  async stop(): Promise<void> {
    this.#watch?.stop();
    await this.#owners?.stop();
    await this.kubelet.stop();
    await this.plane.stop();
    await this.#webhooks?.stop();
  }

  /** A step that is recorded: `kubectl …` or `holdfast …`, as a person types it; then what stands waits to be whole again. */
  async step(command: string): Promise<Done> {
    const done = await this.run(command);
    await this.settled();
    this.steps.push({ command, code: done.code, least: this.#watch?.least() ?? {} });
    return done;
  }

  run(command: string): Promise<Done> {
    const environment = {
      ...process.env,
      KUBECONFIG: this.plane.kubeconfig,
      PATH: `${this.plane.folder}/bin:${process.env["PATH"] ?? ""}`,
    };
    const functions = `kubectl() { '${this.#tools.kubectl}' "$@"; }; holdfast() { '${process.execPath}' '${join(root, "src/cli/main.ts")}' "$@"; }`;
    return new Promise((resolve) => {
      const child = spawn("bash", ["-c", `${functions}\n${command}`], {
        env: environment,
        stdio: ["pipe", "pipe", "pipe"],
      });
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString();
      });
      child.stderr.on("data", (chunk: Buffer) => {
        err += chunk.toString();
      });
      child.stdin.end();
      const cut = setTimeout(() => child.kill("SIGTERM"), 180_000);
      child.on("exit", (code) => {
        clearTimeout(cut);
        resolve({ code: code ?? 1, out, err });
      });
    });
  }

  /** Waits until nothing moves: no pod starts or stops, and every rollout that can finish has. */
  async settled(): Promise<void> {
    let quietSince = Date.now();
    let before = "";
    for (const until = Date.now() + 120_000; Date.now() < until; await pause(250)) {
      const pods = await this.plane.list("/api/v1/pods");
      const now = pods.map(stateOf).sort().join("\n");
      if (now !== before || pods.some(isMoving)) quietSince = Date.now();
      before = now;
      if (Date.now() - quietSince > 3_000) return;
    }
  }

  /** Pod → node, of the pods that are Ready. */
  async places(namespace: string): Promise<ReadonlyMap<string, string>> {
    const pods = await this.plane.list(`/api/v1/namespaces/${namespace}/pods`);
    return new Map(
      pods.flatMap(({ metadata, spec }) =>
        isJsonObject(metadata) && isJsonObject(spec)
          ? [[String(metadata["name"]), String(spec["nodeName"] ?? "")]]
          : [],
      ),
    );
  }
}

function stateOf({ metadata, spec, status }: JsonObject): string {
  const text = (part: unknown): string => JSON.stringify(part);
  const conditions = isJsonObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const ready = conditions.filter(isJsonObject).find(({ type }) => type === "Ready");
  return [
    isJsonObject(metadata) ? `${text(metadata["uid"])} ${text(metadata["deletionTimestamp"] ?? "")}` : "",
    isJsonObject(spec) ? text(spec["nodeName"] ?? "") : "",
    text(ready?.["status"] ?? ""),
  ].join(" ");
}

/** Stopping, or bound and not yet started. A pod without a place does not move by itself. */
function isMoving({ metadata, spec, status }: JsonObject): boolean {
  if (isJsonObject(metadata) && metadata["deletionTimestamp"] !== undefined) return true;
  return isJsonObject(spec) && spec["nodeName"] !== undefined && isJsonObject(status) && status["phase"] === "Pending";
}

/** Endpoints need addresses. */
function withAddress(object: WireObject, index: number): WireObject {
  const status = object["status"];
  if (object.kind !== "Pod" || !isJsonObject(status) || status["podIP"] !== undefined) return object;
  const podIP = `10.200.${index >> 8}.${index & 255}`;
  return { ...object, status: { ...status, podIP, podIPs: [{ ip: podIP }] } };
}
