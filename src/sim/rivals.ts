import { listed } from "../base/listed.ts";
import { budgetsOf } from "../eviction/budgets-of.ts";
import { type AdmissionRequest, mayHaveSay } from "../model/admission-webhooks.ts";
import { matchesRequiredNodeAffinity } from "../model/node-selector.ts";
import type { PodTemplate, Taint } from "../model/pod-template.ts";
import { toleratesAny } from "../model/taints.ts";
import type { BudgetView, ClusterView, NodeView, PodView } from "../model/view.ts";
import { requiredSelection } from "../scheduler/required-selection.ts";
import { electionOf } from "../workload/leader-election.ts";
import { hasVolumes, isDaemon } from "./leaving-pods.ts";
import { servedWebhooks } from "./served-webhooks.ts";

/**
 * Which orders of evictions that are asked for at one moment are told apart; each takes in those before it. by-name: none.
 * for-budgets: where a budget lets only some of them go. for-room: where it may decide who finds a place, or whether one is
 * made again at all. for-scores: where it may decide which of several places is taken. every: nothing is taken on trust.
 */
export type EvictionOrders = (typeof orders)[number];

const orders = ["by-name", "for-budgets", "for-room", "for-scores", "every"] as const;

function takesIn(given: EvictionOrders, wanted: EvictionOrders): boolean {
  return orders.indexOf(given) >= orders.indexOf(wanted);
}

export interface Telling {
  readonly told: EvictionOrders;
  /** Whether this taint goes when the maintenance is over. */
  readonly isClosing: (taint: Taint) => boolean;
}

/**
 * Of pods whose eviction is asked for at one moment, the first and those whose turn may matter to it, however far: who of them
 * is first has to be tried. What all others do is the same before and after.
 */
export function rivalsOf(
  view: ClusterView,
  asked: readonly PodView[],
  { told, isClosing }: Telling,
): readonly PodView[] {
  const [first] = asked;
  if (first === undefined || asked.length === 1 || told === "by-name") return asked.slice(0, 1);
  if (told === "every") return asked;
  const matters = mattering(view, asked, { told, isClosing });
  const group = [first];
  for (let at = 0; at < group.length; at += 1) {
    const one = group[at];
    if (one === undefined) continue;
    for (const other of asked) if (!group.includes(other) && matters(one, other)) group.push(other);
  }
  return asked.filter((pod) => group.includes(pod));
}

/**
 * Whether it may matter that a node with these pods is closed, and its drain begun, before the next of those that are asked for: the
 * one that is made again could go there, or a budget lets only some of them all go.
 */
export function isTakenFirst(
  view: ClusterView,
  asked: readonly PodView[],
  others: readonly PodView[],
  told: EvictionOrders,
): boolean {
  if (takesIn(told, "for-room")) return true;
  const tight = takesIn(told, "for-budgets") ? tightBudgets(view, [...asked, ...others]) : [];
  return tight.some((pods) => asked.some((pod) => pods.includes(pod)) && others.some((pod) => pods.includes(pod)));
}

type Matters = (one: PodView, other: PodView) => boolean;

function mattering(view: ClusterView, asked: readonly PodView[], { told, isClosing }: Telling): Matters {
  const tight = tightBudgets(view, asked);
  const share = (one: PodView, other: PodView): boolean =>
    tight.some((pods) => pods.includes(one) && pods.includes(other));
  if (!takesIn(told, "for-room")) return share;
  const usable = new Map<PodTemplate, ReadonlySet<NodeView>>();
  const places = ({ template }: PodView): ReadonlySet<NodeView> => {
    const known = usable.get(template) ?? placesOf(view, template, isClosing);
    usable.set(template, known);
    return known;
  };
  const ample = new Map<NodeView, boolean>();
  let coming: readonly PodView[] | null = null;
  const isAmple = (node: NodeView): boolean => {
    coming ??= [...view.pods].filter((pod) => asked.includes(pod) || isComing(pod));
    const known = ample.get(node) ?? holdsAll(node, { coming, asked });
    ample.set(node, known);
    return known;
  };
  const matters = takesIn(told, "for-scores") ? (): boolean => true : (node: NodeView): boolean => !isAmple(node);
  return (one, other) => {
    if (share(one, other) || areTied(view, one, other)) return true;
    if (admits(view, asked, one, other) || admits(view, asked, other, one)) return true;
    return comesAgain(one) && comesAgain(other) && [...places(one)].some((at) => places(other).has(at) && matters(at));
  };
}

/** The pods asked for under each budget that lets some of them go and not all; under several budgets at once none goes. */
function tightBudgets(view: ClusterView, asked: readonly PodView[]): readonly (readonly PodView[])[] {
  const byBudget = new Map<BudgetView, PodView[]>();
  for (const pod of asked) for (const budget of budgetsOf(view, pod)) listed(byBudget, budget, pod);
  return [...byBudget].flatMap(([{ status }, covered]) => {
    const { disruptionsAllowed } = status;
    // With nothing allowed nobody goes but who is not Ready.
    const isTight = disruptionsAllowed > 0 ? covered.length > disruptionsAllowed : covered.some(({ ready }) => !ready);
    return isTight ? [covered] : [];
  });
}

function comesAgain(pod: PodView): boolean {
  return pod.owner !== null && !isDaemon(pod);
}

/** Something beside room and budgets ties them. */
function areTied(view: ClusterView, one: PodView, other: PodView): boolean {
  const election = electionOf(one);
  if (election !== null && election === electionOf(other)) return true;
  if (!comesAgain(one) || !comesAgain(other)) return false;
  const isUnderQuota = view.quotas.some(({ ref }) => ref.namespace === one.namespace);
  if (isUnderQuota && one.namespace === other.namespace) return true;
  // One of a group takes the others along, and they all come again.
  if (isOfGroup(view, one) || isOfGroup(view, other)) return true;
  const both = (has: (template: PodTemplate) => boolean): boolean => has(one.template) && has(other.template);
  if (both(({ hostPorts }) => hostPorts.length > 0) || both(({ resourceClaims }) => resourceClaims.length > 0))
    return true;
  if (hasVolumes(one) && hasVolumes(other)) return true;
  const looksAt = (a: PodView, b: PodView): boolean =>
    requiredSelection(view.cluster, a.template)?.(b.template) === true;
  return looksAt(one, other) || looksAt(other, one);
}

/** One is of the last backends of a webhook that has a say in what becomes of the other. */
function admits(view: ClusterView, asked: readonly PodView[], one: PodView, other: PodView): boolean {
  const { namespace } = other;
  const requests: readonly AdmissionRequest[] = [
    { operation: "evict", namespace, labels: new Map() },
    { operation: "deletePod", namespace, labels: other.template.labels },
    ...(comesAgain(other)
      ? (["createPod", "bind"] as const).map((operation) => ({ operation, namespace, labels: other.template.labels }))
      : []),
  ];
  return servedWebhooks(view, one).some(
    (webhook) =>
      webhook.service !== null &&
      view.readyEndpoints(`${webhook.service.namespace}/${webhook.service.name}`) <=
        asked.filter((pod) => servedWebhooks(view, pod).includes(webhook)).length &&
      requests.some((request) => mayHaveSay(view, webhook, request)),
  );
}

function isOfGroup(view: ClusterView, { owner }: PodView): boolean {
  const above = owner === null ? undefined : view.workload(owner);
  return (
    above?.spec.kind === "LeaderWorkerSet" || (above?.owner ?? "").startsWith("LeaderWorkerSet.") || isOfPod(above)
  );
}

/** Workers of a group are owned by the group's first pod. */
function isOfPod(workload: { readonly owner: string | null } | undefined): boolean {
  return workload?.owner?.startsWith("Pod./") === true;
}

/** Nodes it may stand on once they are open: what closes a node for its maintenance goes again. */
function placesOf(
  view: ClusterView,
  template: PodTemplate,
  isClosing: (taint: Taint) => boolean,
): ReadonlySet<NodeView> {
  const repels = (taint: Taint): boolean =>
    taint.effect !== "PreferNoSchedule" &&
    !taint.key.startsWith("node.kubernetes.io/") &&
    !isClosing(taint) &&
    !toleratesAny(template.tolerations, taint);
  return new Set(
    view.nodes.filter(
      ({ node, taints }) => matchesRequiredNodeAffinity(template, node) && !taints.some((taint) => repels(taint)),
    ),
  );
}

function isComing({ node, terminatingSinceMs, phase }: PodView): boolean {
  return node === null && terminatingSinceMs === null && phase === "Pending";
}

/** Whether all that is asked for and all that waits could stand there together: then nobody's place is another's. */
function holdsAll(
  { node, pods, unschedulable }: NodeView,
  { coming, asked }: { readonly coming: readonly PodView[]; readonly asked: readonly PodView[] },
): boolean {
  const arrives = coming.filter(({ template }) => matchesRequiredNodeAffinity(template, node));
  // A closed node opens again when those that leave it are gone.
  const stays = unschedulable ? pods.filter((pod) => pod.terminatingSinceMs === null && !asked.includes(pod)) : pods;
  const sum = (read: (requests: PodTemplate["requests"]) => number): number =>
    [...stays, ...arrives].reduce((total, { requests }) => total + read(requests), 0);
  const { milliCpu, memoryBytes, ephemeralStorageBytes, scalar } = node.allocatable;
  return (
    stays.length + arrives.length <= node.podsMax &&
    sum((requests) => requests.milliCpu) <= milliCpu &&
    sum((requests) => requests.memoryBytes) <= memoryBytes &&
    sum((requests) => requests.ephemeralStorageBytes) <= ephemeralStorageBytes &&
    arrives.every(({ requests }) =>
      [...requests.scalar.keys()].every((name) => sum((r) => r.scalar.get(name) ?? 0) <= (scalar.get(name) ?? 0)),
    )
  );
}
