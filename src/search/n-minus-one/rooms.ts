import { underKey } from "../../base/under-key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { combine, noResources } from "../../model/resources.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import { existingTerm } from "../../scheduler/affinity-term.ts";
import { PodsRead } from "../../sim/pods-read.ts";
import { isPlainPod } from "../plain-pod.ts";
import { hostname } from "../proof/kept-apart.ts";
import { type Fitting, FittingNodes, hasRoom, isOpenTo } from "./fitting.ts";
import type { Loss } from "./loss.ts";
import type { Standing } from "./standing.ts";

/**
 * Where pods would find room now. Each pod that looks for a place takes one node's room at most, so that with more nodes that
 * fit than pods that look, one of them is left, whatever the scheduler chooses.
 */
export class Rooms {
  readonly #standing: Standing;
  /** Template → nodes that fit now; null: filters look at more than a node and the pods on it. */
  readonly #fitting = new Map<PodTemplate, Fitting | null>();
  readonly #numbers: ReadonlyMap<string, number>;
  /** Nodes a template may use → nodes that are taken → whether these are all of them. */
  readonly #confined = new WeakMap<readonly number[], WeakMap<readonly string[], boolean>>();
  #nodes: FittingNodes | null = null;
  #mostPods: number | null = null;
  #leastPriority: number | null = null;
  #farTerms: readonly PodTemplate[] | null = null;

  constructor(standing: Standing) {
    this.#standing = standing;
    this.#numbers = new Map(standing.view.nodes.map(({ name }, number) => [name, number]));
  }

  /** A pod of this template finds a place on an open node, wherever the others that leave these nodes go. */
  alwaysFinds(template: PodTemplate, { nodes, movers }: Loss): boolean {
    const { view, waiting } = this.#standing;
    if (view.nominated.length > 0 || view.quotas.length > 0 || this.#standing.refusesPods) return false;
    // More pods than nodes, and than any node takes: neither of what is said below can be.
    if (movers.length + waiting >= view.nodes.length && movers.length > this.#podsMost()) return false;
    const fitting = this.#fittingFor(template);
    if (fitting === null) return false;
    const { count: all, has } = fitting;
    const open = nodes.reduce((count, node) => count - (has(this.#number(node)) ? 1 : 0), all);
    if (open > movers.length + waiting) return true;
    // Or one of them has room for all that look, so that whoever comes last finds it too.
    if (waiting > 0 || movers.some((mover) => mover.template.requiredPodAntiAffinity.length > 0)) return false;
    const lost = new Set(nodes);
    return view.nodes.some((node, number) => has(number) && !lost.has(node.name) && hasRoomForAll(movers, node));
  }

  /** No open node has room for one now, and nobody can be driven out to make some: it waits until nodes come back. */
  neverFinds(template: PodTemplate, { nodes, movers }: Loss): boolean {
    const fitting = this.#fittingFor(template);
    if (fitting === null || !this.#standing.isStill || this.#standing.refusesPods) return false;
    const lost = nodes.reduce((count, node) => count + (fitting.has(this.#number(node)) ? 1 : 0), 0);
    if (fitting.count > lost) return false;
    this.#leastPriority ??= PodsRead.of(this.#standing.view.cluster).kinds.reduce(
      (least, { kin }) => Math.min(least, kin.template.priority),
      Number.POSITIVE_INFINITY,
    );
    const least = this.#leastPriority;
    return movers.every((mover) => mover.template.priority <= least) && template.priority <= least;
  }

  #number(node: string): number {
    return this.#numbers.get(node) ?? -1;
  }

  #fittingFor(template: PodTemplate): Fitting | null {
    let fitting = this.#fitting.get(template);
    if (fitting === undefined) {
      fitting = this.#isPlain(template) ? this.#fittingNodes().of(template) : null;
      this.#fitting.set(template, fitting);
    }
    return fitting;
  }

  #fittingNodes(): FittingNodes {
    this.#nodes ??= new FittingNodes(this.#standing.view);
    return this.#nodes;
  }

  #podsMost(): number {
    this.#mostPods ??= this.#standing.view.nodes.reduce((most, { node }) => Math.max(most, node.podsMax), 0);
    return this.#mostPods;
  }

  /** No node but these takes a pod of this template, however much room there is. */
  isConfined(template: PodTemplate, nodes: readonly string[]): boolean {
    const homes = this.#fittingNodes().openTo(template);
    if (homes.length > nodes.length) return false;
    const byNodes = underKey(this.#confined, homes, () => new WeakMap<readonly string[], boolean>());
    return underKey(byNodes, nodes, () => {
      const among = new Set(nodes.map((node) => this.#number(node)));
      return homes.every((number) => among.has(number));
    });
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
    this.#farTerms ??= [...new Set(Array.from(this.#standing.view.kinds(), (kind) => kind.template))].filter(
      (template) => template.requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey !== hostname),
    );
    return this.#farTerms;
  }
}

/** For all of them that may come here. */
function hasRoomForAll(movers: readonly PodView[], node: NodeView): boolean {
  const here = movers.filter(({ template }) => isOpenTo(template, node));
  const asked = here.reduce((sum, { template }) => combine(sum, template.requests, 1), noResources);
  return hasRoom(asked, node, here.length);
}
