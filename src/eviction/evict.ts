import type { ObjectKey, PodKey } from "../model/key.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";
import { generationOf } from "./budget-status.ts";
import { budgetsOf } from "./budgets-of.ts";
import { evictionWebhooks } from "./eviction-webhooks.ts";

/** What the API server answers to one `pods/eviction` request. */
export interface EvictionAnswer {
  readonly code: 201 | 403 | 404 | 429 | 500;
  /** Status reason (`TooManyRequests`); "" when the answer has none: success, and the 500 for two budgets. */
  readonly reason: string;
  /** Status message; "" on success. */
  readonly message: string;
  /** details.causes[0].message; null: no cause. */
  readonly cause: string | null;
  /** The budget this eviction uses up: lower its disruptionsAllowed, record the pod. null: it costs no budget. */
  readonly budget: ObjectKey | null;
  /** The budgets that refused; empty on success and on answers that no budget gave. */
  readonly blockedBy: readonly ObjectKey[];
  /** Retry-After in ms; null: the header is not sent. */
  readonly retryAfterMs: number | null;
  /** What is not modelled and could turn this answer, one text each. */
  readonly undecided: readonly string[];
}

/** More accepted evictions than this that the controller has not confirmed: refused. */
const disruptedPodsMax = 2000;

/** The only message of a 429, whatever the cause. */
const overBudget = "Cannot evict pod as it would violate the pod's disruption budget.";

/**
 * The eviction subresource, in its order of checks: admission (a namespace that goes, webhooks); pods that go without a look at budgets (finished,
 * pending, already terminating); more than one budget; unready pods; the budget itself. Accepted means deletion begins.
 * Mirrors: pkg/registry/core/pod/storage/eviction.go Create and checkAndDecrement, 1.34.4, 1.36.3, 1.37.2.
 */
export function evict(view: ClusterView, podKey: PodKey): EvictionAnswer {
  const namespace = podKey.slice(0, podKey.indexOf("/"));
  if (view.cluster.namespaces.get(namespace)?.terminating === true) return refuseInGoingNamespace(namespace, podKey);
  const admission = evictionWebhooks(view, namespace);
  if (admission.refused !== null) {
    return refuse(500, "InternalError", admission.refused, { undecided: admission.undecided });
  }
  const answer = evictAdmitted(view, podKey);
  return admission.undecided.length === 0 ? answer : { ...answer, undecided: admission.undecided };
}

/**
 * kubectl drain asks again until the pod is terminating, and then waits for it.
 * Mirrors: apiserver pkg/admission/plugin/namespace/lifecycle, 0.36.3.
 */
function refuseInGoingNamespace(namespace: string, podKey: PodKey): EvictionAnswer {
  const name = podKey.slice(namespace.length + 1);
  const message = `pods ${JSON.stringify(name)} is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
  return refuse(403, "Forbidden", message, { cause: `namespace ${namespace} is being terminated` });
}

function evictAdmitted(view: ClusterView, podKey: PodKey): EvictionAnswer {
  const pod = view.pod(podKey);
  if (pod === undefined) {
    const name = podKey.slice(podKey.indexOf("/") + 1);
    return refuse(404, "NotFound", `pods ${JSON.stringify(name)} not found`, {});
  }
  if (goesUnasked(pod)) return accept(null);
  const budgets = budgetsOf(view, pod);
  if (budgets.length > 1) {
    return refuse(
      500,
      "",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      { blockedBy: budgets.map(({ budget }) => budget.key) },
    );
  }
  const [only] = budgets;
  if (only === undefined) return accept(null);
  if (!pod.ready && unreadyMayGo(only)) return accept(null);
  return checkAndDecrement(view, only);
}

/** Pending pods are never protected, by any budget. */
function goesUnasked(pod: PodView): boolean {
  return (
    pod.phase === "Succeeded" || pod.phase === "Failed" || pod.phase === "Pending" || pod.terminatingSinceMs !== null
  );
}

function unreadyMayGo({ budget, status }: BudgetView): boolean {
  if (budget.unhealthyPodEviction === "AlwaysAllow") return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

function checkAndDecrement(view: ClusterView, budgetView: BudgetView): EvictionAnswer {
  const { budget, status } = budgetView;
  const { name } = budget.ref;
  const blockedBy = [budget.key];
  if (status.observedGeneration < generationOf(budgetView)) {
    const cause = `The disruption budget ${name} is still being processed by the server.`;
    return refuse(429, "TooManyRequests", overBudget, { cause, blockedBy, retryAfterMs: 10_000 });
  }
  const broken = brokenBudget(budgetView);
  if (broken !== null) {
    const message = `poddisruptionbudget.policy ${JSON.stringify(name)} is forbidden: ${broken.message}`;
    const cause =
      view.cluster.version.minor >= 37
        ? `The disruption budget ${name} does not allow evicting pods currently: ${broken.cause}`
        : null;
    return refuse(403, "Forbidden", message, { cause, blockedBy });
  }
  if (status.disruptionsAllowed === 0) {
    return refuse(429, "TooManyRequests", overBudget, { cause: spentCause(view, budgetView), blockedBy });
  }
  return accept(budget.key);
}

function brokenBudget({
  status,
  disruptedPods,
}: BudgetView): { readonly message: string; readonly cause: string } | null {
  if (status.disruptionsAllowed < 0) {
    const text = "pdb disruptions allowed is negative";
    return { message: text, cause: text };
  }
  if (disruptedPods.size > disruptedPodsMax) {
    return {
      message: "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
      cause: "too many pending evictions not confirmed by PDB controller",
    };
  }
  return null;
}

/** 1.34 knows the second text only; all four are in 1.35.2 and later. */
function spentCause(view: ClusterView, { budget, status }: BudgetView): string {
  const { name } = budget.ref;
  const needs = `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`;
  if (view.cluster.version.minor <= 34) return needs;
  const said = status.conditionStatus === "False" && status.message !== "";
  if (said && status.reason === "SyncFailed") {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${status.message}`;
  }
  if (status.currentHealthy <= status.desiredHealthy) return needs;
  if (said) {
    return `The disruption budget ${name} does not allow evicting pods currently (${status.reason}): ${status.message}`;
  }
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

function accept(budget: ObjectKey | null): EvictionAnswer {
  return { code: 201, reason: "", message: "", cause: null, budget, blockedBy: [], retryAfterMs: null, undecided: [] };
}

function refuse(
  code: 403 | 404 | 429 | 500,
  reason: string,
  message: string,
  facts: Partial<Pick<EvictionAnswer, "cause" | "blockedBy" | "retryAfterMs" | "undecided">>,
): EvictionAnswer {
  return { ...accept(null), code, reason, message, ...facts };
}
