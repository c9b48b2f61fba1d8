import { listed } from "../base/listed.ts";
import { byCodeUnit } from "../base/ordering.ts";
import { listedAtMost } from "../base/words.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { filterAll, newCycle } from "../scheduler/cycle.ts";
import { profileOf } from "../scheduler/registry.ts";
import { anyStart, schedule } from "../scheduler/schedule.ts";
import { isClosed, openedView, withNodeLike } from "./opened-view.ts";

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
  const opened = refusalsFor(openedView(view), pod);
  const fits = view.nodes.filter((node) => isClosed(node) && opened.get(node.name) === "").map(({ name }) => name);
  const byReason = new Map<string, string[]>();
  for (const node of view.nodes) {
    const why = now.get(node.name) ?? "";
    if (why === "") continue;
    const behind = opened.get(node.name) ?? "";
    const closed = node.unschedulable ? "cordoned" : "closed by a taint";
    const reason = !isClosed(node) || behind === why ? why : behind === "" ? closed : `${closed}, and open: ${behind}`;
    listed(byReason, reason, node.name);
  }
  const like = sibling.node;
  const helps = like !== null && refusalsFor(withNodeLike(view, like, oneMore), pod).get(oneMore) === "";
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

/** Node → why the scheduler does not put the pod there; "" it would. Empty: nothing can be said of single nodes. */
function refusalsFor(view: ClusterView, pod: PodView): ReadonlyMap<string, string> {
  const filtered = filterAll(newCycle(view, pod), profileOf(view.cluster.version.minor));
  if (filtered.outcome === "error") return new Map();
  if (filtered.outcome === "rejected") {
    return new Map(view.nodes.map(({ name }) => [name, filtered.failure.preFilterMessage]));
  }
  const looked = new Map<string, string>();
  for (const [index, { name }] of filtered.nodes.entries()) {
    const verdict = filtered.verdicts[index];
    if (verdict === undefined) continue;
    looked.set(name, verdict.code === "Success" ? "" : verdict.reasons.join(", "));
  }
  return new Map(view.nodes.map(({ name }) => [name, looked.get(name) ?? filtered.absent.reasons.join(", ")]));
}

const mostNamed = 3;
/** Thousands of nodes that refuse for one reason would make the report as large as the cluster. */
const refsMax = 100;

/** A chain must stay readable with thousands of nodes. */
export function few(names: readonly string[], word: "and" | "or"): string {
  return listedAtMost(names, mostNamed, word);
}
