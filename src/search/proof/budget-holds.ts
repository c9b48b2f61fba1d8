import { budgetSync } from "../../eviction/budget-status.ts";
import { budgetsOf, podsOf as podsUnder } from "../../eviction/budgets-of.ts";
import type { BudgetView, ClusterView, PodView } from "../../model/view.ts";
import { podsOf, readyUnits } from "../../sim/monitor.ts";
import type { Hop } from "../../systems/endpoint.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { isUnderPod } from "../owners.ts";

/** Why a hop never has fewer ready pods than it needs, whatever order its nodes are drained in. */
export type Holding =
  /** None of its pods is on a node that is touched. */
  | { readonly by: "untouched" }
  /** One budget over exactly its pods keeps that many, as long as evictions go through the Eviction API. */
  | { readonly by: "budget"; readonly budget: BudgetView; readonly desiredHealthy: number; readonly replicas: number }
  /** No budget is over any of them, and one of them may be away at a time. */
  | { readonly by: "turns" };

/**
 * A budget is an invariant: an eviction of a ready pod is accepted only while more than `desiredHealthy` are healthy, and
 * nothing else takes pods away. Without one it takes that they leave one after the other (turns.ts). Null: it cannot be argued so.
 */
export function holds(view: ClusterView, hop: Hop, asked: Asked): Holding | null {
  return new Footing(view, hop).holds(asked);
}

interface Asked {
  readonly need: number;
  readonly touched: ReadonlySet<string>;
}

/** What there is of a hop: the same for all who ask while the cluster stands still. */
export class Footing {
  readonly #view: ClusterView;
  readonly #hop: Hop;
  readonly #pods: readonly PodView[];
  readonly #isAtRest: boolean;
  readonly #ready: number;
  #kept: Kept | null | undefined;

  constructor(view: ClusterView, hop: Hop) {
    this.#view = view;
    this.#hop = hop;
    this.#pods = podsOf(view, hop.pods).filter((pod) => !isTerminal(pod));
    this.#isAtRest = this.#pods.length > 0 && this.#pods.every((pod) => atRest(view, pod));
    this.#ready = this.#isAtRest ? readyUnits(view, hop) : 0;
  }

  holds({ need, touched }: Asked): Holding | null {
    if (!this.#isAtRest || this.#ready < need) return null;
    if (this.#pods.every(({ node }) => node !== null && !touched.has(node.name))) return { by: "untouched" };
    if (this.#hop.unit.kind !== "pod" || this.#hop.leaderElected) return null;
    if (this.#kept === undefined) this.#kept = keptBy(this.#view, this.#pods);
    if (this.#kept === null) return null;
    const isEnough = this.#kept.by === "turns" ? this.#pods.length > need : this.#kept.desiredHealthy >= need;
    return isEnough ? this.#kept : null;
  }
}

type Kept = Exclude<Holding, { readonly by: "untouched" }>;

/** However many it needs. */
function keptBy(view: ClusterView, pods: readonly PodView[]): Kept | null {
  const [budget, ...more] = new Set(pods.flatMap((pod) => budgetsOf(view, pod)));
  if (budget === undefined) return { by: "turns" };
  if (more.length > 0) return null;
  const own = new Set(pods.map((pod) => pod.uid));
  const covered = podsUnder(view, budget);
  if (covered.length < own.size || !covered.every(({ uid }) => own.has(uid))) return null;
  const { status } = budgetSync(view, budget);
  const replicas = pods.length;
  if (status.currentHealthy < status.desiredHealthy) return null;
  // The count it starts from must be today's: an old status would let one more go.
  if (budget.status.disruptionsAllowed > Math.max(0, status.currentHealthy - status.desiredHealthy)) return null;
  return { by: "budget", budget, desiredHealthy: status.desiredHealthy, replicas };
}

/** Ready, staying, and its controllers want nothing: no rollout, no scaling, no autoscaler that would act. */
export function atRest(view: ClusterView, pod: PodView): boolean {
  if (!pod.ready || pod.terminatingSinceMs !== null || pod.owner === null) return false;
  const owner = view.workload(pod.owner);
  if (owner === undefined) return false;
  const { spec } = owner;
  if (spec.kind === "ReplicaSet") {
    if (view.podsOwnedBy(owner.key).length !== spec.replicas || scaled(view, owner.key)) return false;
    if (isUnderPod(view, owner.key)) return false;
    if (owner.owner === null) return true;
    const deployment = view.workload(owner.owner)?.spec;
    if (deployment?.kind !== "Deployment" || scaled(view, owner.owner)) return false;
    if (deployment.replicas !== spec.replicas) return false;
    return view
      .workloadsOwnedBy(owner.owner)
      .every((set) => set.key === owner.key || !("replicas" in set.spec) || set.spec.replicas === 0);
  }
  if (spec.kind === "StatefulSet") {
    return view.podsOwnedBy(owner.key).length === spec.replicas && !scaled(view, owner.key) && owner.owner === null;
  }
  return false;
}

function scaled(view: ClusterView, key: string): boolean {
  return view.autoscalers.some(({ target }) => target === key);
}
