import { listed } from "../base/listed.ts";
import { byCodeUnit } from "../base/ordering.ts";
import { listedAtMost } from "../base/words.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, NodeView, PodView } from "../model/view.ts";
import { filterAll, newCycle } from "../scheduler/cycle.ts";
import { filterWithNominatedPods } from "../scheduler/framework.ts";
import { profileOf } from "../scheduler/registry.ts";
import { anyStart, schedule } from "../scheduler/schedule.ts";
import { spreadRules } from "../scheduler/spread-rule.ts";
import { isClosed, nodeLike, openedNode, openedView } from "./opened-view.ts";

/**
 * One of those that wait, and for what. `ref`: a node, a pod, a budget; for `room` the first hundred nodes that refuse, by commas; for
 * `admission` the quota or webhook.
 */
export interface Link {
  readonly kind: "node" | "pod" | "budget" | "replacement" | "room" | "admission";
  readonly ref: string;
  readonly text: string;
}

const oneMore = "one more node";

/** Why a pod stays without a node, and what would give it one. */
export interface Room {
  readonly links: readonly Link[];
  readonly freedBy: readonly string[];
}

/** `sibling`: a pod that has a place; a further node like its own is tried. */
export function roomFor(view: ClusterView, pod: PodView, sibling: PodView): Room {
  const now = refusalsFor(view, pod);
  // Of other pods it is the same refusals: no filter looks at the taints of one node to judge another.
  const looksAtTaints = spreadRules(pod.template, "DoNotSchedule").some(({ honorsTaints }) => honorsTaints);
  const opened = looksAtTaints || pod.nominatedNode !== "" ? refusalsFor(openedView(view), pod) : now;
  const fits: string[] = [];
  const byReason = new Map<string, string[]>();
  for (const node of view.nodes) {
    const why = now(node) ?? "";
    const isShut = isClosed(node);
    const behind = isShut ? opened(openedNode(node)) : why;
    if (isShut && behind === "") fits.push(node.name);
    if (why === "") continue;
    const closed = node.unschedulable ? "cordoned" : "closed by a taint";
    const reason = behind === why ? why : (behind ?? "") === "" ? closed : `${closed}, and open: ${behind}`;
    listed(byReason, reason, node.name);
  }
  const like = sibling.node;
  // Nor does an empty node change what spread allows there: it is the emptiest of its domain, or of all.
  const helps = like !== null && now(nodeLike(like, oneMore)) === "";
  return {
    links: [...byReason]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([reason, nodes]) => ({
        kind: "room",
        ref: nodes.slice(0, refsMax).join(","),
        text: `${few(nodes, "and")}: ${reason}`,
      })),
    freedBy: [
      ...(fits.length === 0 ? [] : [`${few(fits, "or")} open again: ${pod.key} fits there`]),
      helps ? `one more node like ${like.name}, for ${pod.key}` : `one more node that ${pod.key} may use`,
      ...higherPriority(view, pod, sibling),
    ],
  };
}

/** Where less important pods could be displaced, were the pod itself more important; never its own kind. */
function higherPriority(view: ClusterView, pod: PodView, sibling: PodView): readonly string[] {
  const { priority } = pod.template;
  const template: PodTemplate = {
    ...pod.template,
    priority: highestPriority,
    preemptionPolicy: "PreemptLowerPriority",
  };
  const asked = schedule(view, { ...pod, template }, anyStart);
  const ways = asked.outcome === "unschedulable" ? asked.preemption : [];
  for (const { node, victims } of ways) {
    const displaced = victims.flatMap((key) => view.pod(key) ?? []);
    if (displaced.some(({ owner, key }) => owner === pod.owner || key === sibling.key)) continue;
    const above = Math.max(...displaced.map((victim) => victim.template.priority));
    const how = priority > above ? "preemptionPolicy PreemptLowerPriority" : `a priority above ${above}`;
    return [`${how} for ${pod.key}: it then displaces ${few(victims, "and")} from ${node}`];
  }
  return [];
}

/** Nothing a user can set is higher. */
const highestPriority = 1_000_000_000;

/** Why the scheduler does not put the pod on a node, "" it would; null: nothing can be said of single nodes. */
type Refusals = (node: NodeView) => string | null;

function refusalsFor(view: ClusterView, pod: PodView): Refusals {
  const cycle = newCycle(view, pod);
  const filtered = filterAll(cycle, profileOf(view.cluster.version.minor));
  if (filtered.outcome === "error") return () => null;
  if (filtered.outcome === "rejected") return () => filtered.failure.preFilterMessage;
  const { run, nodes, restricted, verdicts, absent } = filtered;
  const looked = new Map(nodes.map((node, at) => [node, verdicts[at]] as const));
  const names = restricted ? new Set(nodes.map(({ name }) => name)) : null;
  return (node) => {
    if (names !== null && !names.has(node.name)) return absent.reasons.join(", ");
    const verdict = looked.get(node) ?? filterWithNominatedPods(cycle, run, node);
    return verdict.code === "Success" ? "" : verdict.reasons.join(", ");
  };
}

const mostNamed = 3;
/** Thousands of nodes that refuse for one reason would make the report as large as the cluster. */
const refsMax = 100;

/** A chain must stay readable with thousands of nodes. */
export function few(names: readonly string[], word: "and" | "or"): string {
  return listedAtMost(names, mostNamed, word);
}
