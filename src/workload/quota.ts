import { unreachable } from "../base/invariant.ts";
import { byCodeUnit } from "../base/ordering.ts";
import type { Container, PodAffinityTerm, PodTemplate } from "../model/pod-template.ts";
import type { Quota, ScopeSelector } from "../model/policy.ts";
import type { Resources } from "../model/resources.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { isTerminal } from "./pod-state.ts";
import { quantityText } from "./quantity-text.ts";

/**
 * What quota admission says to one more pod of this template: null when every quota of the namespace has room, else the
 * text of the refusal, from the first quota without room. Usage is counted from the pods that are there: finished ones do
 * not count, terminating ones do until their grace is over.
 *
 * Not mirrored: quotas with scopes the model does not know (they never refuse here), resources that are not pods'.
 * Mirrors: apiserver pkg/admission/plugin/resourcequota/controller.go CheckRequest, 0.36.3;
 * pkg/quota/v1/evaluator/core/pods.go PodUsageFunc, Constraints, podMatchesScopeFunc, 1.36.3.
 */
export function admitByQuota(view: ClusterView, namespace: string, template: PodTemplate): string | null {
  const quotas = view.quotas.filter((quota) => quota.ref.namespace === namespace && covers(quota, template));
  for (const quota of quotas) {
    const missing = unstated(quota, template);
    if (missing !== "") return `failed quota: ${quota.ref.name}: must specify ${missing}`;
  }
  for (const quota of quotas) {
    const refusal = check(view, quota, template);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** What a container must state because a quota counts it; for other resources nobody has to. */
const mustState: readonly { readonly names: readonly string[]; readonly of: (container: Container) => number }[] = [
  { names: ["cpu", "requests.cpu"], of: ({ requests }) => requests.milliCpu },
  { names: ["memory", "requests.memory"], of: ({ requests }) => requests.memoryBytes },
  { names: ["limits.cpu"], of: ({ limits }) => limits.milliCpu },
  { names: ["limits.memory"], of: ({ limits }) => limits.memoryBytes },
];

/** `requests.cpu for: main,proxy; requests.memory for: main`; "" when all is stated. */
function unstated(quota: Quota, { containers, initContainers, statesPodLevel }: PodTemplate): string {
  if (statesPodLevel) return "";
  return mustState
    .flatMap(({ names, of }) => {
      const silent = [...containers, ...initContainers].filter((container) => of(container) === 0);
      const who = [...new Set(silent.map(({ name }) => name))].sort(byCodeUnit).join(",");
      return who === "" ? [] : names.filter((name) => quota.hard.has(name)).map((name) => `${name} for: ${who}`);
    })
    .sort(byCodeUnit)
    .join("; ");
}

function check(view: ClusterView, quota: Quota, template: PodTemplate): string | null {
  const requested = podUsage(template.requests, template.limits);
  const wanted = [...quota.hard.keys()].filter((name) => requested.has(name)).sort(byCodeUnit);
  if (wanted.length === 0) return null;
  const used = usage(view, quota);
  const amount = (amounts: ReadonlyMap<string, number>, name: string): number => amounts.get(name) ?? 0;
  const exceeded = wanted.filter((name) => amount(used, name) + amount(requested, name) > amount(quota.hard, name));
  if (exceeded.length === 0) return null;
  const list = (amounts: ReadonlyMap<string, number>): string =>
    exceeded.map((name) => `${name}=${quantityText(name, amount(amounts, name))}`).join(",");
  return `exceeded quota: ${quota.ref.name}, requested: ${list(requested)}, used: ${list(used)}, limited: ${list(quota.hard)}`;
}

/** Whether the quota's scopes take a pod like this. activeDeadlineSeconds is not modelled: no pod is of scope Terminating. */
function covers(quota: Quota, template: PodTemplate): boolean {
  if (quota.notModelled.length > 0) return false;
  const named = quota.scopes.map((scope): ScopeSelector => ({ scope, operator: "Exists", values: [] }));
  return [...named, ...quota.scopeSelectors].every((selector) => isOfScope(selector, template));
}

function isOfScope({ scope, operator, values }: ScopeSelector, template: PodTemplate): boolean {
  switch (scope) {
    case "NotTerminating":
      return true;
    case "BestEffort":
      return isBestEffort(template);
    case "NotBestEffort":
      return !isBestEffort(template);
    case "PriorityClass":
      return hasClass(operator, values, template.priorityClassName);
    case "CrossNamespacePodAffinity":
      return [
        ...template.requiredPodAffinity,
        ...template.requiredPodAntiAffinity,
        ...template.preferredPodAffinity.map(({ term }) => term),
        ...template.preferredPodAntiAffinity.map(({ term }) => term),
      ].some((term) => isElsewhere(term, template.namespace));
    default:
      return false;
  }
}

function hasClass(operator: ScopeSelector["operator"], values: readonly string[], name: string): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    case "NotIn":
      return !values.includes(name);
    default:
      return unreachable(operator);
  }
}

/** The term names namespaces itself. One that names only the pod's own reads as one that names none. */
function isElsewhere({ namespaces, namespaceSelector }: PodAffinityTerm, own: string): boolean {
  return namespaceSelector !== null || namespaces.some((namespace) => namespace !== own);
}

function isBestEffort({ containers, initContainers }: PodTemplate): boolean {
  const states = ({ milliCpu, memoryBytes }: Resources): boolean => milliCpu > 0 || memoryBytes > 0;
  return ![...containers, ...initContainers].some(({ requests, limits }) => states(requests) || states(limits));
}

function usage(view: ClusterView, quota: Quota): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  const add = (name: string, amount: number): void => {
    sum.set(name, (sum.get(name) ?? 0) + amount);
  };
  for (const pod of view.podsIn(quota.ref.namespace)) {
    if (!covers(quota, pod.template)) continue;
    if (isOver(pod, view.nowMs)) add("count/pods", 1);
    else for (const [name, amount] of podUsage(pod.requests, pod.template.limits)) add(name, amount);
  }
  return sum;
}

function isOver(pod: PodView, nowMs: number): boolean {
  if (isTerminal(pod)) return true;
  return pod.terminatingSinceMs !== null && pod.terminatingSinceMs + pod.template.terminationGraceMs < nowMs;
}

/** Resource name as quotas write it → amount; what the pod does not state is absent. */
function podUsage(requests: Resources, limits: Resources): ReadonlyMap<string, number> {
  const usage = new Map<string, number>([
    ["pods", 1],
    ["count/pods", 1],
  ]);
  const set = (names: readonly string[], amount: number): void => {
    if (amount > 0) for (const name of names) usage.set(name, amount);
  };
  set(["cpu", "requests.cpu"], requests.milliCpu);
  set(["memory", "requests.memory"], requests.memoryBytes);
  set(["ephemeral-storage", "requests.ephemeral-storage"], requests.ephemeralStorageBytes);
  set(["limits.cpu"], limits.milliCpu);
  set(["limits.memory"], limits.memoryBytes);
  set(["limits.ephemeral-storage"], limits.ephemeralStorageBytes);
  for (const [name, amount] of requests.scalar) {
    set(name.startsWith("hugepages-") ? [name, `requests.${name}`] : [`requests.${name}`], amount);
  }
  return usage;
}
