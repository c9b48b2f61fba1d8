import { setOf } from "../../base/set-of.ts";
import { underKey } from "../../base/under-key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView } from "../../model/view.ts";
import { existingTerm } from "../../scheduler/affinity-term.ts";
import { spreadRules } from "../../scheduler/spread-rule.ts";
import { PodsRead } from "../../sim/pods-read.ts";
import { admitByLimitRange } from "../../workload/limit-range.ts";
import { nextOf } from "../owners.ts";
import { isPlainPod } from "../plain-pod.ts";
import { mayStandOn } from "../proof/drivers.ts";
import { hostname } from "../proof/kept-apart.ts";
import { blockedAtMost } from "./blocked.ts";
import { Domains } from "./domains.ts";
import { type Fitting, FittingNodes } from "./fitting.ts";
import type { Loss } from "./loss.ts";
import type { Standing } from "./standing.ts";

/** So often it is looked whether a pod may come to a node, for one that looks for a place. */
const lookedAtMost = 10_000;

/**
 * Where pods would find room now. Each pod that looks for a place takes one node's room at most, so that with more nodes that
 * fit than pods that look, one of them is left, whatever the scheduler chooses.
 */
export class Rooms {
  readonly #standing: Standing;
  /** Template → nodes that fit now, however it is spread; null: filters look at more than a node and the pods on it. */
  readonly #fitting = new Map<PodTemplate, Fitting | null>();
  readonly #numbers: ReadonlyMap<string, number>;
  /** Nodes a template may use → nodes that are taken → whether these are all of them. */
  readonly #confined = new WeakMap<readonly number[], WeakMap<readonly string[], boolean>>();
  #nodes: FittingNodes | null = null;
  #domains: Domains | null = null;
  #mostPods: number | null = null;
  #knownLeast: number | null = null;
  #farTerms: readonly PodTemplate[] | null = null;

  constructor(standing: Standing) {
    this.#standing = standing;
    this.#numbers = new Map(standing.view.nodes.map(({ name }, number) => [name, number]));
  }

  /** A pod of this template, which is made for one that leaves these nodes, finds a place on an open node, wherever the others go. */
  alwaysFinds(template: PodTemplate, loss: Loss): boolean {
    const { nodes, moverCount } = loss;
    const { view, looking, anyMayLook } = this.#standing;
    if (anyMayLook || view.nominated.length > 0 || this.#mayBeRefused(template) || loss.takesOthers) return false;
    const askedBy = moverCount + looking.length;
    // More pods than nodes, and than any node takes: neither of what is said below can be.
    if (askedBy >= view.nodes.length && moverCount > this.#podsMost()) return false;
    const fitting = this.#fittingFor(template);
    if (fitting === null || this.#isAwaited(nodes) || this.#mayBeCrowdedOut(template, loss)) return false;
    const isSpread = spreadRules(template, "DoNotSchedule").length > 0;
    // Each that looks takes one node's room at most.
    if (!isSpread && this.#countOpen(fitting, nodes) > askedBy) return true;
    const welcomes = isSpread ? this.#welcoming(template, loss) : anywhere;
    if (welcomes === null) return false;
    const lost = setOf(nodes);
    const open: NodeView[] = [];
    for (const number of fitting.among) {
      const node = view.nodes[number];
      if (node === undefined || !fitting.has(number) || lost.has(node.name) || !welcomes(node)) continue;
      open.push(node);
      if (open.length > askedBy) return true;
    }
    if (open.length * askedBy > lookedAtMost) return false;
    const leaving = loss.movers().map((pod) => nextOf(view, pod));
    const own = leaving.indexOf(template);
    const others = [...(own < 0 ? leaving : leaving.toSpliced(own, 1)), ...looking];
    return open.length > blockedAtMost(view.cluster, template, { nodes: open, others });
  }

  #countOpen(fitting: Fitting, lost: readonly string[]): number {
    return lost.reduce((count, node) => count - (fitting.has(this.#number(node)) ? 1 : 0), fitting.count);
  }

  /** Nodes whose domains take the next pod of a template that is spread; null: it is not certain that any does. */
  #welcoming(template: PodTemplate, loss: Loss): ((node: NodeView) => boolean) | null {
    const { view, isStill, looking } = this.#standing;
    const [home, ...more] = loss.nodes.flatMap((name) => view.node(name) ?? []);
    if (home === undefined || more.length > 0 || !isStill || looking.length > 0) return null;
    this.#domains ??= new Domains(view, this.#fittingNodes());
    return this.#domains.welcoming(template, { home, movers: loss.movers() });
  }

  /** No open node has room for one now, and nobody goes or can be driven out to make some: it waits until nodes come back. */
  neverFinds(template: PodTemplate, { nodes, strongest, takesOthers }: Loss): boolean {
    const fitting = this.#fittingFor(template);
    if (fitting === null || takesOthers || !this.#standing.isStill || this.#mayBeRefused(template)) return false;
    if (this.#countOpen(fitting, nodes) > 0) return false;
    const least = this.#leastPriority();
    return strongest <= least && template.priority <= least;
  }

  /** One of the template would not be made, or not now. */
  #mayBeRefused(template: PodTemplate): boolean {
    const { view, refusesPods } = this.#standing;
    const { namespace } = template;
    if (refusesPods || view.quotas.some(({ ref }) => ref.namespace === namespace)) return true;
    return admitByLimitRange(view, namespace, template) !== null;
  }

  /** A stronger one that waits for a place may drive out who comes to these nodes when they are open again; then they look for one too. */
  #isAwaited(nodes: readonly string[]): boolean {
    const { view, waiting } = this.#standing;
    return waiting
      .values()
      .filter(({ priority }) => priority > this.#leastPriority())
      .some((template) =>
        nodes.some((name) => {
          const node = view.node(name)?.node;
          return node !== undefined && mayStandOn(template, node, view.cluster);
        }),
      );
  }

  /** Who is driven out elsewhere looks for room too. It is weaker, so that this matters to one alone that never drives out anybody. */
  #mayBeCrowdedOut({ preemptionPolicy }: PodTemplate, loss: Loss): boolean {
    if (preemptionPolicy !== "Never") return false;
    const { view, looking } = this.#standing;
    const others = [...loss.movers().map((pod) => nextOf(view, pod)), ...looking];
    return others.some(
      (other) =>
        other.preemptionPolicy !== "Never" && other.priority > this.#leastPriority() && !this.alwaysFinds(other, loss),
    );
  }

  /** Of all pods. */
  #leastPriority(): number {
    this.#knownLeast ??= PodsRead.of(this.#standing.view.cluster).kinds.reduce(
      (least, { priority }) => Math.min(least, priority),
      Number.POSITIVE_INFINITY,
    );
    return this.#knownLeast;
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

  /** Only what is on a node itself can keep the pod off it, or how it is spread. */
  #isPlain(template: PodTemplate): boolean {
    if (!isPlainPod(template) || template.hostPorts.length > 0 || template.nodeName !== "") return false;
    if (template.requiredPodAffinity.length > 0 || template.neededFeatures.length > 0) return false;
    if (template.requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey !== hostname)) return false;
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
    const repelling = Iterator.from(this.#standing.view.kinds()).filter((kind) => kind.repels);
    this.#farTerms ??= [...new Set(repelling.map((kind) => kind.template))].filter((template) =>
      template.requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey !== hostname),
    );
    return this.#farTerms;
  }
}

function anywhere(): boolean {
  return true;
}
