import { matchesRequiredNodeAffinity } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { repelled, toleratesAny } from "../../model/taints.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import { existingTerm, incomingTerm } from "../../scheduler/affinity-term.ts";
import { cordon } from "../../scheduler/filters/node-unschedulable.ts";
import { isPlainPod } from "../plain-pod.ts";
import { hostname } from "../proof/kept-apart.ts";
import type { Loss } from "./loss.ts";
import type { Standing } from "./standing.ts";

/**
 * Where pods would find room now. Each pod that looks for a place takes one node's room at most, so that with more nodes that
 * fit than pods that look, one of them is left, whatever the scheduler chooses.
 */
export class Rooms {
  readonly #standing: Standing;
  /** Template → nodes that fit now; null: filters look at more than a node and the pods on it. */
  readonly #fitting = new Map<PodTemplate, ReadonlySet<string> | null>();
  /** Template → nodes that it may use by taints and affinity. */
  readonly #homes = new Map<PodTemplate, readonly string[]>();
  #mostPods: number | null = null;
  #farTerms: readonly PodTemplate[] | null = null;

  constructor(standing: Standing) {
    this.#standing = standing;
  }

  /** A pod of this template finds a place on an open node, wherever the others that leave these nodes go. */
  alwaysFinds(template: PodTemplate, { nodes, movers }: Loss): boolean {
    const { view, waiting } = this.#standing;
    if (view.nominated.length > 0 || view.quotas.length > 0 || this.#standing.refusesPods) return false;
    // More pods than nodes, and than any node takes: neither of what is said below can be.
    if (movers.length + waiting >= view.nodes.length && movers.length > this.#podsMost()) return false;
    let fitting = this.#fitting.get(template);
    if (fitting === undefined) {
      fitting = this.#isPlain(template) ? fittingNow(view, template) : null;
      this.#fitting.set(template, fitting);
    }
    if (fitting === null) return false;
    const open = nodes.reduce((count, node) => count - (fitting.has(node) ? 1 : 0), fitting.size);
    if (open > movers.length + waiting) return true;
    // Or one of them has room for all that look, so that whoever comes last finds it too.
    if (waiting > 0 || movers.some((mover) => mover.template.requiredPodAntiAffinity.length > 0)) return false;
    const lost = new Set(nodes);
    return view.nodes.some((node) => fitting.has(node.name) && !lost.has(node.name) && hasRoomForAll(movers, node));
  }

  #podsMost(): number {
    this.#mostPods ??= this.#standing.view.nodes.reduce((most, { node }) => Math.max(most, node.podsMax), 0);
    return this.#mostPods;
  }

  /** No node but these takes a pod of this template, however much room there is. */
  isConfined(template: PodTemplate, nodes: readonly string[]): boolean {
    let homes = this.#homes.get(template);
    if (homes === undefined) {
      homes = this.#standing.view.nodes.filter((node) => isOpenTo(template, node)).map(({ name }) => name);
      this.#homes.set(template, homes);
    }
    if (homes.length > nodes.length) return false;
    const among = new Set(nodes);
    return homes.every((name) => among.has(name));
  }

  /** Only what is on a node itself can keep the pod off it. */
  #isPlain(template: PodTemplate): boolean {
    if (!isPlainPod(template) || template.hostPorts.length > 0 || template.nodeName !== "") return false;
    if (template.requiredPodAffinity.length > 0 || template.neededFeatures.length > 0) return false;
    if (template.requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey !== hostname)) return false;
    if (template.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")) return false;
    if (template.requests.scalar.size > 0 && this.#standing.view.cluster.devices.classes.size > 0) return false;
    const { cluster } = this.#standing.view;
    return !this.#repellingFar().some((there) =>
      there.requiredPodAntiAffinity.some(
        (term) => term.topologyKey !== hostname && existingTerm(cluster, term).matches(template),
      ),
    );
  }

  /** Templates whose required anti-affinity reaches beyond a node. */
  #repellingFar(): readonly PodTemplate[] {
    this.#farTerms ??= [...new Set(Array.from(this.#standing.view.pods, (pod) => pod.template))].filter((template) =>
      template.requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey !== hostname),
    );
    return this.#farTerms;
  }
}

function fittingNow(view: ClusterView, template: PodTemplate): ReadonlySet<string> {
  const open = view.nodes.filter((node) => isOpenTo(template, node) && hasRoom(template, node));
  const { cluster } = view;
  const apart = template.requiredPodAntiAffinity.map((term) => incomingTerm(cluster, term));
  const repelledOn = (node: NodeView): boolean =>
    node.pods.some(
      (pod) =>
        apart.some((term) => term.matches(pod.template)) ||
        pod.template.requiredPodAntiAffinity.some((term) => existingTerm(cluster, term).matches(template)),
    );
  return new Set(open.filter((node) => !repelledOn(node)).map(({ name }) => name));
}

function isOpenTo(template: PodTemplate, { node, unschedulable, taints, ready }: NodeView): boolean {
  if (!ready || (unschedulable && !toleratesAny(template.tolerations, cordon))) return false;
  return !repelled(taints, template.tolerations) && matchesRequiredNodeAffinity(template, node);
}

function hasRoom({ requests }: PodTemplate, node: NodeView): boolean {
  return fitsAll([requests], node);
}

/** For all of them that may come here. */
function hasRoomForAll(movers: readonly PodView[], node: NodeView): boolean {
  const here = movers.filter(({ template }) => isOpenTo(template, node));
  return fitsAll(
    here.map(({ template }) => template.requests),
    node,
  );
}

function fitsAll(all: readonly PodTemplate["requests"][], { node, requested, pods }: NodeView): boolean {
  const { allocatable } = node;
  if (pods.length + all.length > node.podsMax) return false;
  const fits = (total: number, used: number, read: (requests: PodTemplate["requests"]) => number): boolean => {
    const amount = all.reduce((sum, requests) => sum + read(requests), 0);
    return amount <= 0 || amount <= total - used;
  };
  const names = new Set(all.flatMap(({ scalar }) => [...scalar.keys()]));
  return (
    fits(allocatable.milliCpu, requested.milliCpu, ({ milliCpu }) => milliCpu) &&
    fits(allocatable.memoryBytes, requested.memoryBytes, ({ memoryBytes }) => memoryBytes) &&
    fits(
      allocatable.ephemeralStorageBytes,
      requested.ephemeralStorageBytes,
      ({ ephemeralStorageBytes }) => ephemeralStorageBytes,
    ) &&
    [...names].every((name) =>
      fits(allocatable.scalar.get(name) ?? 0, requested.scalar.get(name) ?? 0, ({ scalar }) => scalar.get(name) ?? 0),
    )
  );
}
