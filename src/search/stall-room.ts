import { byCodeUnit } from "../base/ordering.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { filterAll, newCycle } from "../scheduler/cycle.ts";
import { profileOf } from "../scheduler/registry.ts";
import { isClosed, openedView, withNodeLike } from "./opened-view.ts";

/** One of those that wait, and for what. `ref`: a node, a pod, a budget; for `room` the nodes that refuse, by commas. */
export interface Link {
  readonly kind: "node" | "pod" | "budget" | "replacement" | "room";
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
    byReason.set(reason, [...(byReason.get(reason) ?? []), node.name]);
  }
  const like = sibling.node;
  const helps = like !== null && refusalsFor(withNodeLike(view, like, oneMore), pod).get(oneMore) === "";
  return {
    links: [...byReason]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([reason, nodes]) => ({ kind: "room", ref: nodes.join(","), text: `${few(nodes, "and")}: ${reason}` })),
    freedBy: [
      ...(fits.length === 0 ? [] : [`${few(fits, "or")} open again: ${pod.key} fits there`]),
      helps ? `one more node like ${like.name}, for ${pod.key}` : `one more node that ${pod.key} may use`,
    ],
  };
}

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

/** `a, b and 4 more`: a chain must stay readable with thousands of nodes. */
export function few(names: readonly string[], word: "and" | "or"): string {
  if (names.length > mostNamed + 1)
    return `${names.slice(0, mostNamed).join(", ")} ${word} ${names.length - mostNamed} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1) ?? ""}`;
}
