import type { PodTemplate, TopologySpreadConstraint } from "../../model/pod-template.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import { hasRoom } from "../../scheduler/has-room.ts";
import { isSetUpWell } from "../closing.ts";
import type { Finding } from "../finding.ts";
import { findingRule, labelOf, nameOf, namesOf, type Say } from "../finding-rule.ts";
import { few, spreadText } from "../knob-text.ts";
import { countedNodes, usableNodes } from "../nodes.ts";
import { severityOf } from "../outcome.ts";
import { rolloutObstacle } from "../rollout.ts";
import type { Scene, Stop } from "../scene.ts";
import { hardSpreads, host, isOwn, isWish } from "../spread.ts";
import { isReplicated, placesOf } from "./same-node.ts";

const messages = {
  selectsOthers: (f: { part: string; what: string; selector: string; remedy: string }) => ({
    message: `The ${f.what} of ${f.part} selects ${f.selector}, which none of its own pods carries: it keeps nothing apart.`,
    remedy: f.remedy,
  }),
  soft: (f: { parts: string; remedy: string }) => ({
    message: `The spread of ${f.parts} over nodes is only a wish (ScheduleAnyway or preferred): while nodes are closed the scheduler may put the replicas together, and nothing moves them apart again.`,
    remedy: f.remedy,
  }),
  countsClosed: (f: { part: string; nodes: string; remedy: string }) => ({
    message: `The spread of ${f.part} counts ${f.nodes} as empty places although its pods cannot go there: when one of its nodes closes, the replacement may not join another replica and stays Pending until the node is back.`,
    remedy: f.remedy,
  }),
};

/** A spread or anti-affinity that is written and does not do what it says. */
export const spreadDoesNotSpread = findingRule({
  name: "spread-does-not-spread",
  code: "HF010",
  title: "A spread that does not spread",
  explain: `Three ways in which a spread or anti-affinity looks right and is not:

Its selector matches none of the part's own pods, so it keeps them apart from nothing. KServe's LLMInferenceService is the usual place: its pods carry no serving.kserve.io/inferenceservice.

It is soft (ScheduleAnyway, preferred): the scheduler's other scores may win, most of all while other nodes are closed, and then the pods stand together. Where they do, HF008 says so.

It is hard but counts nodes the pod cannot use as empty domains: nodeTaintsPolicy is Ignore by default, so tainted GPU nodes, cordoned nodes and nodes that are gone but not deleted all count as places with no replica; nodes without an accelerator count for engines whatever the policy, unless a nodeSelector leaves them out. When every node it can use has a replica and one of them closes, the replacement must not join another replica and stays Pending until the node is back.

Write a hard spread that counts only nodes the pods can use (nodeTaintsPolicy Honor) and only pods of one rollout (matchLabelKeys [pod-template-hash]); \`holdfast fix\` finds the form whose own rollout finishes in this cluster.

A selector that misses is a warning, and an error where a likely maintenance breaks or stalls through the part. A wish is a note, told once for all parts. Counting closed nodes is a note, and an error where a likely maintenance breaks or stalls through a part that is otherwise set up well.`,
  messages,
  look: (scene, say) => {
    const stops = scene.stops.filter((stop) => isReplicated(scene, stop));
    // Those that stand together now are told of by that (HF008).
    const wishful = stops.filter(
      (stop) => stop.template !== null && isWish(stop.template) && placesOf(stop, nodeName).length !== 1,
    );
    const [first, second] = wishful;
    const remedy =
      first !== undefined && second === undefined
        ? spreadText(first.hop.knobs.spread)
        : "Make it hard, in the form that `holdfast fix` finds for each: one whose own rollout finishes here.";
    const evidence =
      second === undefined ? [] : wishful.map((stop) => `${labelOf(stop)}: ${spreadText(stop.hop.knobs.spread)}`);
    return [
      ...stops.flatMap((stop) => lookAt(scene, stop, say)),
      ...(first === undefined
        ? []
        : [say.ofAll(wishful, { severity: "note", evidence }, "soft", { parts: namesOf(wishful), remedy })]),
    ];
  },
});

function lookAt(scene: Scene, stop: Stop, say: Say<typeof messages>): readonly Finding[] {
  const { template } = stop;
  if (template === null) return [];
  const remedy = spreadText(stop.hop.knobs.spread);
  const astray = astrayOf(template);
  if (astray !== null) {
    const severity = severityOf(stop.shown, "warning", "either");
    return [say.of(stop, { severity }, "selectsOthers", { part: nameOf(stop), ...astray, remedy })];
  }
  const blind = hardSpreads(template).find((one) => strands(scene.view, stop, template, one));
  if (blind === undefined) return [];
  const empty = emptyPlaces(scene.view, template, blind);
  const bites = isSetUpWell(stop) && stop.shown.broke.length + stop.shown.stalled.length > 0;
  // A rollout that cannot finish for the same reason says all there is to do.
  if (!bites && (empty.length === 0 || rolloutObstacle(scene.view, stop)?.kind === "spread")) return [];
  const nodes = empty.length === 0 ? "nodes that are closed for maintenance" : few(empty);
  return [say.of(stop, { severity: bites ? "error" : "note" }, "countsClosed", { part: nameOf(stop), nodes, remedy })];
}

/**
 * Whether the replacement of one of its pods has no place while that pod's node is closed, and would have one if only
 * nodes counted that it can go to.
 */
function strands(
  view: ClusterView,
  { pods }: Stop,
  template: PodTemplate,
  constraint: TopologySpreadConstraint,
): boolean {
  const usable = usableNodes(view, template).filter(({ unschedulable }) => !unschedulable);
  const counted = countedNodes(view, template, constraint);
  const own = new Map<NodeView, number>();
  for (const { node } of pods) if (node !== null) own.set(node, (own.get(node) ?? 0) + 1);
  const fewest = (nodes: readonly NodeView[], closing: NodeView): number =>
    Math.min(...nodes.map((node) => (node === closing ? 0 : (own.get(node) ?? 0))));
  // Nodes with as many pods are alike: one of each will do.
  const alike = new Map([...own].map(([node, count]) => [count, node]));
  return [...alike.values()].some((closing) => {
    const open = usable.filter((node) => node !== closing);
    const seen =
      constraint.nodeTaintsPolicy === "Ignore"
        ? counted
        : counted.filter((node) => node !== closing && !node.unschedulable);
    const takes = (least: number): boolean =>
      open.some((node) => hasRoom(node, template) && (own.get(node) ?? 0) + 1 - least <= constraint.maxSkew);
    return open.length > 0 && takes(fewest(open, closing)) && !takes(fewest(seen, closing));
  });
}

/** Nodes that count as empty places and are none now: tainted, too small, cordoned, or gone without having been deleted. */
function emptyPlaces(
  view: ClusterView,
  template: PodTemplate,
  constraint: TopologySpreadConstraint,
): readonly string[] {
  const usable = new Set(usableNodes(view, template));
  return countedNodes(view, template, constraint)
    .filter((node) => !usable.has(node) || (node.unschedulable && constraint.nodeTaintsPolicy === "Ignore"))
    .map(({ name }) => name);
}

/** A hard term over nodes whose selector misses the pods themselves; null: none. */
function astrayOf(template: PodTemplate): { readonly what: string; readonly selector: string } | null {
  const spread = template.topologySpread.find((one) => one.topologyKey === host && !isOwn(template, one.selector));
  if (spread !== undefined) return { what: "topology spread", selector: selectorText(spread.selector) };
  const terms = [...template.requiredPodAntiAffinity, ...template.preferredPodAntiAffinity.map(({ term }) => term)];
  const own = terms.filter(({ topologyKey }) => topologyKey === host);
  // Keeping away from others as well as from itself is fine.
  if (own.length === 0 || own.some(({ selector }) => isOwn(template, selector))) return null;
  return { what: "anti-affinity", selector: selectorText(own[0]?.selector ?? null) };
}

function nodeName({ node }: PodView): string {
  return node?.name ?? "";
}

function selectorText(selector: TopologySpreadConstraint["selector"]): string {
  if (selector === null) return "nothing";
  return selector.requirements.map(({ key, values }) => `${key}=${values.join("|")}`).join(", ");
}
