import { listed } from "../../base/listed.ts";
import { none } from "../../base/none.ts";
import { setOf } from "../../base/set-of.ts";
import { underKey } from "../../base/under-key.ts";
import { budgetSync, generationOf } from "../../eviction/budget-status.ts";
import { type ObjectKey, type PodKey, podOfKey } from "../../model/key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import { capacityOf, floorsOf, type RoleFloor, standInsOf } from "../../route/capacity.ts";
import type { Ledger } from "../../sim/ledger.ts";
import { podsOf, readyUnits } from "../../sim/monitor.ts";
import type { Simulation } from "../../sim/simulation.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { podObjectKey } from "../../workload/garbage-collector.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { isUnderPod, rootOf, staysPut, templatesOf, topOf } from "../owners.ts";
import { Footing, type Holding } from "../proof/budget-holds.ts";
import { comesAs, driversAmong, mayReach } from "../proof/drivers.ts";
import type { Newcomers } from "../proof/newcomers.ts";
import { Budgeted } from "./budgeted.ts";
import type { PodSet } from "./lost-pods.ts";
import { Residents } from "./residents.ts";

/** A hop as it stands before anything happens. */
export interface Part {
  readonly hop: Hop;
  /** Finished ones left out. */
  readonly pods: readonly PodView[];
  /** Ready units. */
  readonly ready: number;
  /** Left alone it stays as it is: its controllers want nothing, and its pods are where they may stay. */
  readonly quiet: boolean;
  /** Its pods come and go together, so that the loss of one may be the loss of others elsewhere. */
  readonly bound: boolean;
  /** The lowest priority of these pods. */
  readonly lowest: number;
  /** Those of these pods that stand on one of the nodes. */
  on(nodes: readonly string[]): readonly PodView[];
}

/** A pod, and what is above all its owners. */
interface Kin {
  readonly pod: PodView;
  readonly root: ObjectKey;
}

/** Evictions a budget allows: as it says, and as its controller would say now. Both 0 where it is not trusted. */
interface Allowed {
  readonly now: number;
  readonly synced: number;
  readonly isTrusted: boolean;
}

/**
 * A cluster as it stands once it has settled and before anything else happens, looked up once for all questions about parts
 * of it: which endpoints stand on a node, what each hop needs, what would be left of it elsewhere.
 */
export class Standing {
  readonly view: Ledger;
  readonly budgeted: Budgeted;
  readonly endpoints: readonly Endpoint[];
  readonly supporting: readonly Hop[];
  /** What pods are made of that look for a place before anything is done, or may do so at any time: but for those that no node could ever take. */
  readonly looking: readonly PodTemplate[];
  /** Templates of those that have found no place. */
  readonly waiting: ReadonlySet<PodTemplate>;
  /** Templates of those that may come. */
  readonly coming: ReadonlySet<PodTemplate>;
  /** It cannot be said which. */
  readonly anyMayLook: boolean;
  /** Of all pods on the way of an endpoint. */
  readonly lowestPriority: number;
  /** A webhook inside the cluster may refuse evictions, or new pods. */
  readonly refusesEvictions: boolean;
  readonly refusesPods: boolean;
  /** Nobody moves, waits or leaves by itself, so that no room comes free but by what is done. */
  readonly isStill: boolean;
  /** No node is lost already. */
  readonly allReady: boolean;
  /** How long every drain may take, where the scenario says so; null: as long as the actor's own. */
  readonly drainTimeoutMs: number | null;
  readonly #parts = new Map<Hop, Part>();
  readonly #footings = new Map<Hop, Footing>();
  readonly #floors = new Map<Endpoint, readonly RoleFloor[]>();
  readonly #endpointsByRoot = new Map<string, Endpoint[]>();
  readonly #supportingByRoot = new Map<string, Hop[]>();
  readonly #allowed = new Map<BudgetView, Allowed>();
  readonly #restless = new Set<string>();
  readonly #roots = new Map<ObjectKey, ObjectKey>();
  /** Owners whose pods come with others. */
  readonly #bound = new Map<ObjectKey, boolean>();
  /** Pods that own others, or what makes others: these go when they do. */
  readonly #leaders: ReadonlySet<PodKey>;
  /** By node: the pods of what is judged there, and of their kin. */
  #kin: ReadonlyMap<string, readonly Kin[]> | null = null;
  #near: ReadonlySet<string> | null = null;
  #residents: Residents | null = null;

  readonly #drivenOut = new Map<Endpoint, boolean>();
  #driving: readonly PodTemplate[] | null = null;

  /**
   * The simulation has settled and not begun. It must be so again whenever this is asked. `newcomers`: who may come to the cluster as it
   * was before it settled; they may settle elsewhere, or come later.
   */
  constructor(
    settled: Simulation,
    watched: { readonly endpoints: readonly Endpoint[]; readonly supporting: readonly Hop[] },
    newcomers: () => Newcomers | null,
  ) {
    this.view = settled.ledger;
    this.budgeted = new Budgeted(this.view);
    this.allReady = this.view.nodes.every(({ ready }) => ready);
    this.drainTimeoutMs = settled.timing.scenario.drainTimeoutMs;
    this.#leaders = leadersIn(this.view);
    for (const root of this.#rootsThatMove(settled)) this.#restless.add(root);
    this.isStill = this.#restless.size === 0;
    this.endpoints = watched.endpoints;
    this.supporting = watched.supporting;
    const newPods = this.isStill ? [] : newcomers()?.pods;
    this.anyMayLook = newPods === undefined;
    const templateOf = (pod: PodView): PodTemplate | [] => comesAs(this.view, pod) ?? [];
    const waiting = [...this.view.waiting].flatMap(templateOf);
    const coming = (newPods ?? []).flatMap(templateOf);
    this.looking = [...waiting, ...coming];
    this.waiting = new Set(waiting);
    this.coming = new Set(coming);
    const mayRefuse = this.view.webhooks.filter(({ failurePolicy }) => failurePolicy === "Fail");
    this.refusesEvictions = mayRefuse.some(({ onPodEviction }) => onPodEviction);
    this.refusesPods = mayRefuse.some(({ onPodCreate }) => onPodCreate);
    for (const endpoint of watched.endpoints) {
      this.#floors.set(endpoint, floorsOf(this.view, endpoint));
      for (const root of this.#rootsOf(endpoint.hops)) listed(this.#endpointsByRoot, root, endpoint);
    }
    this.lowestPriority = watched.endpoints.reduce(
      (least, endpoint) => Math.min(least, this.lowestOf(endpoint)),
      Number.POSITIVE_INFINITY,
    );
    for (const hop of watched.supporting) {
      for (const root of this.#rootsOf([hop])) listed(this.#supportingByRoot, root, hop);
    }
  }

  part(hop: Hop): Part {
    let part = this.#parts.get(hop);
    if (part === undefined) {
      const pods = podsOf(this.view, hop.pods).filter((pod) => !isTerminal(pod));
      part = {
        hop,
        pods,
        ready: readyUnits(this.view, hop),
        quiet: pods.every((pod) => this.#isQuiet(pod)),
        bound: hop.unit.kind !== "pod" || pods.some((pod) => this.comesWithOthers(pod)),
        lowest: pods.reduce((least, { template }) => Math.min(least, template.priority), Number.POSITIVE_INFINITY),
        on: onNodes(pods),
      };
      this.#parts.set(hop, part);
    }
    return part;
  }

  /** The lowest priority of any pod on its way. */
  lowestOf({ hops }: Endpoint): number {
    return hops.reduce((least, hop) => Math.min(least, this.part(hop).lowest), Number.POSITIVE_INFINITY);
  }

  /** Why it keeps what it needs whatever order these nodes are drained in; null: that cannot be argued (budget-holds.ts). */
  holds(hop: Hop, asked: Parameters<Footing["holds"]>[0]): Holding | null {
    return underKey(this.#footings, hop, () => new Footing(this.view, hop)).holds(asked);
  }

  floorsOf(endpoint: Endpoint): readonly RoleFloor[] {
    return this.#floors.get(endpoint) ?? [];
  }

  /** How many units each hop must keep: an engine its role's floor, any other part one. Null: with others of its role. */
  needOf(endpoint: Endpoint, hop: Hop): number {
    if (hop.outside !== "") return 0;
    if (hop.hop !== "engine") return hop.needed ? 1 : 0;
    const floor = this.floorsOf(endpoint).find(({ role }) => role === hop.role);
    return Math.max(floor?.minAvailable ?? 0, hop.needed ? 1 : 0);
  }

  /** Units of a hop, or of all engines of its role, by how many each has. */
  unitsWith(endpoint: Endpoint, hop: Hop, units: (hop: Hop) => number): number {
    return standInsOf(endpoint, hop).reduce((sum, other) => sum + units(other), 0);
  }

  /** Some hop, by how many units each has, keeps less than it must. */
  isShort(endpoint: Endpoint, units: (hop: Hop) => number): boolean {
    return endpoint.hops.some((hop) => this.unitsWith(endpoint, hop, units) < this.needOf(endpoint, hop));
  }

  capacityWith(endpoint: Endpoint, units: (hop: Hop) => number): number {
    return this.#isDown(endpoint, units) ? 0 : capacityOf(endpoint, this.floorsOf(endpoint), units);
  }

  nowOf(endpoint: Endpoint): "up" | "degraded" | "down" | "idle" {
    if (endpoint.idle) return "idle";
    const units = (hop: Hop): number => this.part(hop).ready;
    if (this.#isDown(endpoint, units)) return "down";
    return this.isShort(endpoint, units) ? "degraded" : "up";
  }

  #isDown(endpoint: Endpoint, units: (hop: Hop) => number): boolean {
    return endpoint.hops.some((hop) => this.isLost(endpoint, hop, units));
  }

  /** Nothing is left of a hop that the endpoint cannot do without. */
  isLost(endpoint: Endpoint, hop: Hop, units: (hop: Hop) => number): boolean {
    return hop.needed && hop.outside === "" && this.unitsWith(endpoint, hop, units) === 0;
  }

  /** Endpoints and supporting hops with a pod, or a pod's kin, among those of a loss. */
  touchedBy({ nodes, pods }: { readonly nodes: readonly string[]; readonly pods: PodSet }): {
    readonly endpoints: ReadonlySet<Endpoint>;
    readonly supporting: ReadonlySet<Hop>;
  } {
    this.#kin ??= this.#kinByNode();
    const roots = new Set<string>();
    for (const node of nodes) {
      for (const { pod, root } of this.#kin.get(node) ?? none) if (pods.has(pod)) roots.add(root);
    }
    const endpoints = new Set<Endpoint>();
    const supporting = new Set<Hop>();
    for (const root of roots) {
      for (const endpoint of this.#endpointsByRoot.get(root) ?? []) endpoints.add(endpoint);
      for (const hop of this.#supportingByRoot.get(root) ?? []) supporting.add(hop);
    }
    return { endpoints, supporting };
  }

  /** A pod of what is judged, or of its kin, is there, or one that may take such a pod's place when it has to look for one. */
  isNear(node: string): boolean {
    this.#near ??= new Set(this.#nodesNear());
    return this.#near.has(node);
  }

  *#nodesNear(): Iterable<string> {
    this.#kin ??= this.#kinByNode();
    yield* this.#kin.keys();
    for (const kind of this.view.kinds()) {
      if (kind.priority > this.lowestPriority && !staysPut(this.view, kind)) yield* kind.nodes();
    }
  }

  #kinByNode(): ReadonlyMap<string, readonly Kin[]> {
    const kin = new Map<string, Kin[]>();
    for (const root of new Set([...this.#endpointsByRoot.keys(), ...this.#supportingByRoot.keys()])) {
      const bare = podOfKey(root);
      const pod = bare === null ? undefined : this.view.pod(bare);
      for (const one of [...(pod === undefined ? none : [pod]), ...this.#podsBelow(root, new Set())])
        if (one.node !== null) listed(kin, one.node.name, { pod: one, root });
    }
    return kin;
  }

  /** Pods that an object owns, and that what it owns does. */
  *#podsBelow(key: ObjectKey, known: Set<ObjectKey>): Iterable<PodView> {
    if (known.has(key)) return;
    known.add(key);
    for (const { key: owned } of this.view.workloadsOwnedBy(key)) yield* this.#podsBelow(owned, known);
    for (const pod of this.view.podsOwnedBy(key)) {
      yield pod;
      if (this.#leaders.has(pod.key)) yield* this.#podsBelow(podObjectKey(pod), known);
    }
  }

  /** It is of a group, or owns others: those stand elsewhere. */
  comesWithOthers({ key, owner }: PodView): boolean {
    return (this.#leaders.size > 0 && this.#leaders.has(key)) || this.#isBound(owner);
  }

  #isBound(owner: ObjectKey | null): boolean {
    if (owner === null) return false;
    const known = this.#bound.get(owner);
    if (known !== undefined) return known;
    const root = this.#rootOfWorkload(owner);
    // Of few roots anything is to be read.
    const isOfSet = root.startsWith("LeaderWorkerSet.") && this.view.workload(root)?.spec.kind === "LeaderWorkerSet";
    const isBound = isOfSet || isUnderPod(this.view, owner);
    this.#bound.set(owner, isBound);
    return isBound;
  }

  /** Of all pods, by node. */
  get residents(): Residents {
    this.#residents ??= new Residents(this.view, this.lowestPriority, {
      leaders: [...this.#leaders].flatMap((key) => this.view.pod(key) ?? []),
      isBound: (owner) => this.#isBound(owner),
    });
    return this.#residents;
  }

  /** Pods of it may go, wherever they are, when this loss takes what is above them. */
  mayGoWith(loss: { readonly takesOthers: boolean; movers(): readonly PodView[] }, { bound, pods }: Part): boolean {
    if (!bound || !loss.takesOthers) return false;
    const roots = new Set(pods.map((pod) => this.#rootOf(pod)));
    return loss.movers().some((pod) => roots.has(this.#rootOf(pod)));
  }

  /**
   * One that waits for a place is stronger than some of its pods, and could stand where one of them is or may come to; or one that it
   * drives out could, and so on.
   */
  mayBeDrivenOut(endpoint: Endpoint): boolean {
    if (this.waiting.size === 0) return this.anyMayLook;
    return underKey(this.#drivenOut, endpoint, () => {
      const pods = endpoint.hops.flatMap((hop) => this.part(hop).pods);
      const lowest = this.lowestOf(endpoint);
      const drivers = this.#drivers().filter(({ priority }) => priority > lowest);
      return this.anyMayLook || mayReach(this.view, drivers, { pods, templates: [...templatesOf(this.view, pods)] });
    });
  }

  /** Templates of pods that wait for a place and are stronger than others, and of those that look for one when these have found it. */
  #drivers(): readonly PodTemplate[] {
    this.#driving ??= driversAmong(this.view.cluster, [...this.#strong()], (template) => !this.waiting.has(template));
    return this.#driving;
  }

  #strong(): ReadonlySet<PodTemplate> {
    const isStrong = ({ priority }: { readonly priority: number }): boolean => priority > this.lowestPriority;
    const moving = Iterator.from(this.view.kinds()).filter((kind) => isStrong(kind) && !staysPut(this.view, kind));
    return new Set([...moving.map(({ template }) => template), ...[...this.waiting, ...this.coming].filter(isStrong)]);
  }

  /** How many evictions a budget surely allows one after the other, with nothing coming back in between. */
  allowedBy(budget: BudgetView): number {
    const { now, synced } = this.#allowedOf(budget);
    return Math.min(now, synced);
  }

  /** The same where it is certain that it is no more; null: it is not. */
  exactlyAllowedBy(budget: BudgetView): number | null {
    const { now, synced, isTrusted } = this.#allowedOf(budget);
    return isTrusted && now === synced ? now : null;
  }

  #allowedOf(budget: BudgetView): Allowed {
    return underKey(this.#allowed, budget, () => {
      const { status } = budgetSync(this.view, budget);
      const isTrusted =
        status.reason !== "SyncFailed" &&
        budget.disruptedPods.size === 0 &&
        budget.status.observedGeneration >= generationOf(budget);
      if (!isTrusted) return { now: 0, synced: 0, isTrusted };
      return { now: budget.status.disruptionsAllowed, synced: status.disruptionsAllowed, isTrusted };
    });
  }

  #isQuiet(pod: PodView): boolean {
    const { node } = pod;
    if (node === null || !node.ready || pod.terminatingSinceMs !== null || pod.phase === "Pending") return false;
    if (node.taints.some(({ effect }) => effect === "NoExecute")) return false;
    return !this.#restless.has(this.#rootOf(pod));
  }

  /** What has moved while the cluster settled, and what will move without being touched: something is due there. */
  *#rootsThatMove(settled: Simulation): Iterable<string> {
    const { ledger, alarms, starts, timeline } = settled;
    const podOf = (uid: number): readonly PodView[] => {
      const pod = ledger.podByUid(uid);
      return pod === undefined ? [] : [pod];
    };
    const moving: PodView[] = [...ledger.waiting, ...[...starts.keys()].flatMap(podOf)];
    for (const { alarm } of alarms) {
      if (alarm.kind === "wake") yield this.#rootOfWorkload(alarm.workload);
      else if ("uid" in alarm) moving.push(...podOf(alarm.uid));
      else if (alarm.kind === "expel") moving.push(...takenLater(settled));
    }
    for (const { fact } of timeline) {
      if (fact.type === "scaled") yield this.#rootOfWorkload(fact.ref);
      else if (fact.type === "pod-created") yield this.#rootOfWorkload(fact.owner);
      else if ("pod" in fact) moving.push(...[ledger.pod(fact.pod)].filter((pod) => pod !== undefined));
    }
    for (const pod of ledger.unready) if (pod.terminatingSinceMs !== null) moving.push(pod);
    for (const pod of moving) yield this.#rootOf(pod);
  }

  #rootsOf(hops: readonly Hop[]): ReadonlySet<string> {
    const roots = new Set<string>();
    for (const hop of hops) for (const pod of this.part(hop).pods) roots.add(this.#rootOf(pod));
    return roots;
  }

  /** The owner above all owners: what comes and goes for one reason has one root. */
  #rootOf(pod: PodView): string {
    return pod.owner === null ? rootOf(this.view, pod) : this.#rootOfWorkload(pod.owner);
  }

  #rootOfWorkload(key: ObjectKey): string {
    const known = this.#roots.get(key) ?? topOf(this.view, key);
    this.#roots.set(key, known);
    return known;
  }
}

/** Asked for most nodes that one of them is on, one by one. */
function onNodes(pods: readonly PodView[]): Part["on"] {
  let known: ReadonlyMap<string, readonly PodView[]> | null = null;
  return (nodes) => {
    const byNode = known ?? Map.groupBy(pods, ({ node }) => node?.name ?? "");
    known = byNode;
    const [only] = nodes;
    if (nodes.length === 1 && only !== undefined) return byNode.get(only) ?? none;
    if (nodes.length < byNode.size) return nodes.flatMap((node) => byNode.get(node) ?? none);
    const names = setOf(nodes);
    return pods.filter(({ node }) => node !== null && names.has(node.name));
  };
}

/** Those that the taints of their nodes let stay for a time. */
function takenLater(sim: Simulation): readonly PodView[] {
  const { ledger } = sim;
  const tainted = ledger.nodes.filter(({ taints }) => taints.some(({ effect }) => effect === "NoExecute"));
  return tainted.flatMap(({ name }) => ledger.podsOn(name)).filter((pod) => sim.takenAtMs(pod) !== null);
}

function leadersIn(view: Ledger): ReadonlySet<PodKey> {
  const owned = [...Iterator.from(view.kinds()), ...Iterator.from(view.workloads)];
  return new Set(owned.flatMap(({ owner }) => (owner === null ? [] : (podOfKey(owner) ?? []))));
}
