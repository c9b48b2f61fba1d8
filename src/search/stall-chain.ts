import { spokenSeconds } from "../base/words.ts";
import { countsByScale, wantedText } from "../eviction/budget-text.ts";
import { budgetsOf, podsOf } from "../eviction/budgets-of.ts";
import { healthyNeeded } from "../model/healthy-needed.ts";
import type { BudgetView, ClusterView, PodView, WorkloadView } from "../model/view.ts";
import { type DrainRecord, endsWell, type Refusal } from "../sim/trace.ts";
import { diskHolder } from "../workload/attached-disks.ts";
import { electionOf } from "../workload/leader-election.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { type Refused, refusedByWebhook, refusedMakers } from "./stall-admission.ts";
import { few, type Link, roomFor } from "./stall-room.ts";

/** Who waits for whom, from the node whose drain cannot end to the room that is missing. */
export interface Stall {
  readonly node: string;
  readonly chain: readonly Link[];
  /** Each by itself, the least harmful first; empty: nothing in sight. */
  readonly freedBy: readonly string[];
}

interface Wait {
  readonly links: readonly Link[];
  readonly freedBy: readonly string[];
}

/** More of a kind than this are counted, not told. */
const mostTold = 3;

/**
 * The drains that cannot end as things stand now, which is the end of a course. What a budget says is read anew: a drain
 * that gave up earlier, and whose budgets allow it by now, waits for nothing any more.
 */
export function stallsOf(view: ClusterView, drains: readonly DrainRecord[]): readonly Stall[] {
  const known = new Map<BudgetView, Wait>();
  return drains.flatMap((drain) => (isOver(view, drain) ? [] : [stallOf(view, drain, known)]));
}

function isOver(view: ClusterView, drain: DrainRecord): boolean {
  const { outcome, blockedBy } = drain;
  if (endsWell(drain)) return true;
  if (outcome === "stalled" || outcome === "refused") return false;
  return blockedBy.every(({ pod: key, code }) => {
    const pod = view.pod(key);
    if (pod === undefined) return true;
    return code === 429 && budgetsOf(view, pod).every(({ status }) => status.disruptionsAllowed > 0);
  });
}

function stallOf(
  view: ClusterView,
  { node, outcome, fromMs, toMs, blockedBy }: DrainRecord,
  known: Map<BudgetView, Wait>,
): Stall {
  const forMs = toMs === null ? 0 : toMs - fromMs;
  const after = forMs === 0 ? "" : ` after ${spokenSeconds(forMs / 1000)}`;
  const chain: Link[] = [{ kind: "node", ref: node, text: `the drain of ${node} ${ends[outcome]}${after}` }];
  const freedBy = new Set<string>();
  const told = new Set<BudgetView>();
  for (const refusal of blockedBy.slice(0, mostTold)) {
    const pod = view.pod(refusal.pod);
    const covering = pod === undefined ? [] : budgetsOf(view, pod);
    const wait = waitOf(view, refusal, { pod, covering, known, told });
    chain.push(...wait.links);
    for (const free of wait.freedBy) freedBy.add(free);
  }
  const more = blockedBy.length - mostTold;
  if (more > 0) chain.push({ kind: "pod", ref: "", text: `${more} more pods in its way` });
  return { node, chain, freedBy: [...freedBy] };
}

const ends: Readonly<Record<DrainRecord["outcome"], string>> = {
  completed: "is complete",
  stalled: "waits for ever",
  refused: "is refused",
  failed: "fails",
  forced: "is forced",
  stopped: "is given up",
};

interface Blocked {
  readonly pod: PodView | undefined;
  readonly covering: readonly BudgetView[];
  readonly known: Map<BudgetView, Wait>;
  readonly told: Set<BudgetView>;
}

function waitOf(view: ClusterView, refusal: Refusal, { pod, covering, known, told }: Blocked): Wait {
  const answer = refusal.cause === "" ? refusal.message : refusal.cause;
  const code = refusal.code === 0 ? "" : `its eviction is answered ${refusal.code}: `;
  const link: Link =
    refusal.pod === ""
      ? { kind: "node", ref: "", text: answer }
      : { kind: "pod", ref: refusal.pod, text: `${refusal.pod}: ${code}${answer}` };
  const flag = /use (--[a-z-]+) to override/.exec(answer)?.[1];
  if (flag !== undefined) return { links: [link], freedBy: [`a drain with ${flag}`] };
  if (covering.length > 1) {
    const names = few(covering.map(nameOf), "or");
    return { links: [link], freedBy: [`a selector of budget ${names} that leaves ${refusal.pod} out`] };
  }
  const [budget] = covering;
  if (pod === undefined) return { links: [link], freedBy: [] };
  if (refusal.code === 0) return { links: [link], freedBy: freedWithoutAsking(pod, answer) };
  if (refusal.code !== 429 || budget === undefined) {
    const request = { operation: "evict", namespace: pod.namespace, labels: new Map<string, string>() } as const;
    const webhook = refusedByWebhook(view, request, `the eviction of ${pod.key} is refused`);
    return webhook === null
      ? { links: [link], freedBy: freedByGoing(view, pod) }
      : withAwaited(view, { before: [link], refused: webhook, blocked: pod });
  }
  if (told.has(budget)) return { links: [link], freedBy: [] };
  told.add(budget);
  let wait = known.get(budget);
  if (wait === undefined) {
    wait = budgetWait(view, budget, pod);
    known.set(budget, wait);
  }
  return { links: [link, ...wait.links], freedBy: wait.freedBy };
}

/** Of a pod that is not asked to go, or was and is not gone. */
function freedWithoutAsking({ key, node, terminatingSinceMs }: PodView, answer: string): readonly string[] {
  const annotation = /^annotation (\S+): /.exec(answer)?.[1];
  if (annotation !== undefined) return [`${key} without annotation ${annotation}`];
  if (terminatingSinceMs === null || node?.ready !== false) return [];
  return [`${node.name} Ready again, or its Node object deleted`];
}

/** In a namespace that is being deleted a drain waits until the pod is deleted. */
function freedByGoing({ cluster }: ClusterView, { key, namespace }: PodView): readonly string[] {
  const goes = cluster.namespaces.get(namespace)?.terminating === true;
  return goes ? [`${key} deleted, as the deletion of namespace ${namespace} does by and by`] : [];
}

function budgetWait(view: ClusterView, budgetView: BudgetView, blocked: PodView): Wait {
  const { budget, status } = budgetView;
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status;
  const counts = `${currentHealthy} healthy of ${expectedPods}, ${desiredHealthy} needed`;
  const says = status.reason === "SyncFailed" ? status.message : counts;
  const link: Link = {
    kind: "budget",
    ref: nameOf(budgetView),
    text: `budget ${nameOf(budgetView)} (${wantedText(budget)}) allows ${disruptionsAllowed}: ${says}`,
  };
  const covered = podsOf(view, budgetView);
  const isUncounted = status.reason === "SyncFailed" || (expectedPods === 0 && countsByScale(budget));
  if (disruptionsAllowed > 0) return { links: [link], freedBy: [] };
  if (isUncounted) return { links: [link], freedBy: countedByHand(budgetView, covered) };
  const lacking = covered.filter(isLacking);
  const waits = lacking.slice(0, mostTold).map((pod) => lackOf(view, pod, blocked));
  const more = lacking.length - mostTold;
  const absent = expectedPods - covered.length;
  const links: Link[] = [link, ...waits.flatMap((wait) => wait.links)];
  if (more > 0) links.push({ kind: "replacement", ref: "", text: `${more} more of its pods are not Ready` });
  if (absent > 0)
    links.push({
      kind: "replacement",
      ref: "",
      text: `${absent} of its pods ${absent === 1 ? "does" : "do"} not exist`,
    });
  const makers = refusedMakers(view, ownersOf(view, [blocked, ...covered]));
  const refusals = makers.map((refused) => withAwaited(view, { before: [], refused, blocked }));
  links.push(...refusals.flatMap((wait) => wait.links));
  const short = desiredHealthy + 1 - currentHealthy;
  if (short > 1) links.push({ kind: "replacement", ref: "", text: `${short} more must be Ready before one may go` });
  const freedBy = [...waits, ...refusals].flatMap((wait) => wait.freedBy);
  if (lacking.length === 0 && absent <= 0 && makers.length === 0)
    freedBy.push(...anotherReplica(view, budgetView, blocked));
  if (!blocked.ready) freedBy.push(`unhealthyPodEvictionPolicy AlwaysAllow in budget ${nameOf(budgetView)}`);
  else if (lacking.every((pod) => electionOf(pod) !== null)) freedBy.push(looser(budgetView, lacking.length > 0));
  return { links, freedBy };
}

/** Who makes these pods, each once. */
function ownersOf(view: ClusterView, pods: readonly PodView[]): readonly WorkloadView[] {
  const keys = new Set(pods.flatMap(({ owner }) => owner ?? []));
  return [...keys].flatMap((key) => view.workload(key) ?? []);
}

/** A refusal, and what the webhook's own pods wait for. */
function withAwaited(
  view: ClusterView,
  {
    before,
    refused,
    blocked,
  }: { readonly before: readonly Link[]; readonly refused: Refused; readonly blocked: PodView },
): Wait {
  const waits = refused.awaits.slice(0, mostTold).map((pod) => lackOf(view, pod, blocked));
  return {
    links: [...before, ...refused.links, ...waits.flatMap(({ links }) => links)],
    freedBy: [...refused.freedBy, ...waits.flatMap(({ freedBy }) => freedBy)],
  };
}

function isLacking(pod: PodView): boolean {
  return (!pod.ready || pod.terminatingSinceMs !== null) && !isTerminal(pod);
}

/** Why a pod does not count as healthy, and what would make it. */
function lackOf(view: ClusterView, pod: PodView, blocked: PodView): Wait {
  const because = (text: string, ...freedBy: readonly string[]): Wait => ({
    links: [{ kind: "replacement", ref: pod.key, text: `${pod.key} ${text}` }],
    freedBy,
  });
  if (pod.terminatingSinceMs !== null) {
    return pod.keptByFinalizer === ""
      ? because("is being deleted")
      : because(
          `is deleted and kept by finalizer ${pod.keptByFinalizer}`,
          `finalizer ${pod.keptByFinalizer} off ${pod.key}`,
        );
  }
  const { schedulerName, schedulingGates } = pod.template;
  if (pod.node === null && schedulingGates.length > 0) {
    const gates = schedulingGates.join(", ");
    return because(`is held by scheduling gates ${gates}`, `scheduling gates ${gates} off ${pod.key}`);
  }
  if (pod.node === null && schedulerName !== "default-scheduler")
    return because(`waits for scheduler ${schedulerName}, which is not played`);
  if (pod.node === null) {
    const room = roomFor(view, pod, blocked);
    const { links, freedBy } = because("is Pending: no node takes it", ...room.freedBy);
    return { links: [...links, ...room.links], freedBy };
  }
  const where = pod.node.name;
  if (!pod.node.ready) return because(`is on ${where}, which is not ready`, `${where} back`);
  const holder = diskHolder(view, pod, (other) => other.ready || other.terminatingSinceMs !== null);
  if (holder !== null) {
    const { claim, pod: other } = holder;
    return because(
      `is on ${where} and waits for the disk of claim ${claim}, which ${other.key} on ${other.node?.name ?? ""} has`,
      `${other.key} gone`,
    );
  }
  if (electionOf(pod) !== null) return because(`runs on ${where} as a standby: Ready only once it leads`);
  return pod.key === blocked.key
    ? because(`runs on ${where} and is not Ready itself`)
    : because(`runs on ${where} and is not Ready`, `${pod.key} Ready`);
}

/** One more, where the budget would then let one go. */
function anotherReplica(view: ClusterView, { budget, status }: BudgetView, { owner }: PodView): readonly string[] {
  const pods = status.expectedPods + 1;
  const direct = owner === null ? undefined : view.workload(owner);
  if (direct === undefined || status.currentHealthy + 1 <= healthyNeeded(budget, pods)) return [];
  const above = direct.owner === null ? undefined : view.workload(direct.owner);
  const { kind, namespace, name } = (above ?? direct).spec.ref;
  return [`one more replica of ${kind} ${namespace}/${name}, Ready on another node`];
}

/** Where the owners do not say how many there should be: a number that needs none of them. */
function countedByHand(budgetView: BudgetView, covered: readonly PodView[]): readonly string[] {
  const { budget } = budgetView;
  const healthy = covered.filter((pod) => pod.ready && pod.terminatingSinceMs === null).length;
  if (budget.selector?.invalid === true || !countsByScale(budget) || healthy === 0) return [];
  const name = nameOf(budgetView);
  if (healthy === 1) return [`budget ${name} deleted (then none is Ready until its replacement is)`];
  return [`minAvailable ${healthy - 1} instead of ${wantedText(budget)} in budget ${name}`];
}

function looser(budgetView: BudgetView, hasStandby: boolean): string {
  const { expectedPods, currentHealthy } = budgetView.status;
  const least = expectedPods - currentHealthy + 1;
  const then = hasStandby
    ? " (then a standby takes over)"
    : currentHealthy > 1
      ? ""
      : " (then none is Ready until its replacement is)";
  return `maxUnavailable ${least} instead of ${wantedText(budgetView.budget)} in budget ${nameOf(budgetView)}${then}`;
}

function nameOf({ budget }: BudgetView): string {
  return `${budget.ref.namespace}/${budget.ref.name}`;
}
