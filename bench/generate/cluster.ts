import type { JsonObject } from "../../src/wire/snapshot.ts";
import { Draw } from "./draw.ts";
import { nodeObject, type OpenNode, openNodes, zones } from "./nodes.ts";
import {
  budgetObject,
  daemonSetObject,
  deploymentObject,
  namespaceObject,
  podObject,
  replicaSetObject,
  serviceObject,
} from "./objects.ts";
import {
  type Drawn,
  daemons,
  drawDaemon,
  drawWorkload,
  podSpec,
  sidecarMemoryMi,
  sidecarMilliCpu,
} from "./workloads.ts";

export interface ClusterSize {
  readonly nodes: number;
  readonly pods: number;
  readonly seed: number;
}

/** The share of all GPUs that models take. */
const gpuFill = 0.85;

/** Looks for a place for a pod are cut short here: a full pool is found full by chance, not by trying everything. */
const triesMax = 300;

/**
 * The objects of a made-up cluster, nodes first: no two runs with one seed differ. Every pod stands where it fits, by
 * its requests, its GPU product, its required anti-affinity and the zones in turn where it asks to be spread.
 */
export function* clusterObjects(size: ClusterSize): Generator<JsonObject> {
  const draw = new Draw(size.seed);
  const nodes = openNodes(size.nodes);
  for (const node of nodes) yield nodeObject(node, draw);
  const namespaces = Array.from({ length: Math.max(4, Math.round(size.pods / 750)) }, (_, at) => `team-${at}`);
  for (const name of [...namespaces, "kube-system"]) yield namespaceObject(name, draw);
  let made = 0;
  for (const index of daemons.keys()) {
    const workload = drawDaemon(index, draw);
    const spec = podSpec(workload);
    const on = nodes.filter(({ product }) => product !== null || daemons[index]?.gpuOnly === false);
    yield daemonSetObject({ workload, spec, pods: on.length }, draw);
    for (const node of on) yield podObject(workload, spec, put(workload, node), draw);
    made += on.length;
  }
  const count = Math.max(10, Math.round(size.pods / 15));
  const workloads = Array.from({ length: count }, (_, index) => drawWorkload(index, namespaces, draw));
  const placed = new Filling(nodes, workloads, size.pods - made, draw);
  for (const [index, workload] of workloads.entries()) {
    const spec = podSpec(workload);
    const own = placed.of(workload);
    for (const node of own) yield podObject(workload, spec, node, draw);
    const described = { workload, spec, pods: own.length };
    yield deploymentObject(described, draw);
    yield replicaSetObject(described, draw);
    if (index % 10 < 3) yield budgetObject(described, draw);
    if (index % 10 < 6) yield serviceObject(described, draw);
  }
}

/** Where the pods of every workload stand. */
class Filling {
  readonly #nodes = new Map<Drawn, OpenNode[]>();
  readonly #draw: Draw;
  readonly #gpu: readonly OpenNode[];
  readonly #system: readonly OpenNode[];

  constructor(nodes: readonly OpenNode[], workloads: readonly Drawn[], pods: number, draw: Draw) {
    this.#draw = draw;
    this.#gpu = nodes.filter(({ product }) => product !== null);
    this.#system = nodes.filter(({ product }) => product === null);
    const of = (place: Drawn["place"]): readonly Drawn[] => workloads.filter((workload) => workload.place === place);
    let left = pods;
    const models = [...of("model")].sort((a, b) => b.gpus - a.gpus || a.index - b.index);
    left -= this.#fillGpus(models, this.#gpu.length * 8 * gpuFill, left);
    const onSystem = Math.min(this.#system.length * 55, Math.round(left / 2));
    left -= this.#fill(of("system"), onSystem);
    left -= this.#fill(of("beside"), left);
    // Rounding and full nodes leave a rest; plain workloads take it.
    const plain = [...of("beside"), ...of("system")].filter(
      ({ antiAffinity, spread }) => antiAffinity === "none" && spread === "none",
    );
    for (let tries = 0; left > 0 && tries < 20 * pods && plain.length > 0; tries += 1) {
      if (this.#place(draw.pick(plain), null, 3)) left -= 1;
    }
  }

  of(workload: Drawn): readonly OpenNode[] {
    return this.#nodes.get(workload) ?? [];
  }

  #fillGpus(models: readonly Drawn[], gpus: number, podsMax: number): number {
    const weight = models.reduce((sum, each) => sum + each.weight * each.gpus, 0);
    let used = 0;
    let placed = 0;
    for (const model of models) {
      const wanted = Math.max(1, Math.round((model.weight * gpus) / weight));
      for (let at = 0; at < wanted && placed < podsMax && used + model.gpus <= gpus; at += 1) {
        if (!this.#place(model, this.#zone(model, at), this.#gpu.length)) continue;
        used += model.gpus;
        placed += 1;
      }
    }
    return placed;
  }

  #fill(workloads: readonly Drawn[], pods: number): number {
    const weight = workloads.reduce((sum, each) => sum + each.weight, 0);
    let placed = 0;
    for (const workload of workloads) {
      const wanted = Math.max(1, Math.round((workload.weight * pods) / weight));
      for (let at = 0; at < wanted && placed < pods; at += 1) {
        if (this.#place(workload, this.#zone(workload, at), triesMax)) placed += 1;
      }
    }
    return placed;
  }

  #zone({ spread }: Drawn, at: number): string | null {
    return spread === "none" ? null : (zones[at % zones.length] ?? null);
  }

  #place(workload: Drawn, zone: string | null, tries: number): boolean {
    const pool = workload.place === "system" ? this.#system : this.#gpu;
    const start = this.#draw.below(pool.length);
    for (let at = 0; at < tries; at += 1) {
      const node = pool[(start + at * 7919) % pool.length];
      if (node === undefined || (zone !== null && node.zone !== zone) || !fits(workload, node)) continue;
      const own = this.#nodes.get(workload);
      if (own === undefined) this.#nodes.set(workload, [put(workload, node)]);
      else own.push(put(workload, node));
      return true;
    }
    return false;
  }
}

function fits(workload: Drawn, node: OpenNode): boolean {
  const { milliCpu, memoryMi } = needs(workload);
  if (node.pods <= 0 || node.milliCpu < milliCpu || node.memoryMi < memoryMi || node.gpus < workload.gpus) return false;
  if (workload.product !== null && node.product?.name !== workload.product) return false;
  return workload.antiAffinity !== "required" || !node.apart.has(workload.index);
}

function put(workload: Drawn, node: OpenNode): OpenNode {
  const { milliCpu, memoryMi } = needs(workload);
  node.milliCpu -= milliCpu;
  node.memoryMi -= memoryMi;
  node.gpus -= workload.gpus;
  node.pods -= 1;
  node.apart.add(workload.index);
  return node;
}

function needs({ milliCpu, memoryMi, sidecar }: Drawn): { readonly milliCpu: number; readonly memoryMi: number } {
  return {
    milliCpu: milliCpu + (sidecar ? sidecarMilliCpu : 0),
    memoryMi: memoryMi + (sidecar ? sidecarMemoryMi : 0),
  };
}
