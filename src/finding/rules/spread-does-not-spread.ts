import { matches } from "../../model/labels.ts";
import { matchesRequiredNodeAffinity } from "../../model/node-selector.ts";
import type { PodTemplate, TopologySpreadConstraint } from "../../model/pod-template.ts";
import type { ClusterView, NodeView } from "../../model/view.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { spreadText } from "../knob-text.ts";
import { taintedNodes } from "../nodes.ts";
import { severityOf } from "../outcome.ts";
import type { Stop } from "../scene.ts";
import { isReplicated } from "./same-node.ts";

const host = "kubernetes.io/hostname";

/** A spread or anti-affinity that is written and does not do what it says. */
export const spreadDoesNotSpread = findingRule({
  name: "spread-does-not-spread",
  code: "HF010",
  title: "A spread that does not spread",
  explain: `Three ways in which a spread or anti-affinity looks right and is not:

Its selector matches none of the part's own pods, so it keeps them apart from nothing. KServe's LLMInferenceService is the usual place: its pods carry no serving.kserve.io/inferenceservice.

It is soft (ScheduleAnyway, preferred), and the scheduler's other scores won: the pods stand together.

It is hard but counts nodes the pod cannot use as empty domains: nodeTaintsPolicy is Ignore by default, so tainted GPU nodes, cordoned nodes and nodes that are gone but not deleted all count as places with no replica. Once a node is closed, a replacement must not go where a replica already is, and stays Pending.

It is an error where a likely maintenance breaks or stalls through this part.`,
  messages: {
    selectsOthers: (f: { part: string; what: string; selector: string; remedy: string }) => ({
      message: `The ${f.what} of ${f.part} selects ${f.selector}, which none of its own pods carries: it keeps nothing apart.`,
      remedy: f.remedy,
    }),
    soft: (f: { part: string; node: string; remedy: string }) => ({
      message: `The spread of ${f.part} is only a wish (ScheduleAnyway or preferred), and its pods share node ${f.node}.`,
      remedy: f.remedy,
    }),
    countsClosed: (f: { part: string; nodes: string; remedy: string }) => ({
      message: `The spread of ${f.part} counts ${f.nodes} as empty places although its pods cannot go there: when a node closes, the replacement may not join the other replica and stays Pending.`,
      remedy: f.remedy,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { template } = stop;
      if (template === null || !isReplicated(scene, stop)) return [];
      const remedy = spreadText(stop.hop.knobs.spread);
      const about = { severity: severityOf(stop.shown, "note", "either") };
      const astray = astrayOf(template);
      if (astray !== null) {
        const severity = severityOf(stop.shown, "warning", "either");
        return [say.of(stop, { severity }, "selectsOthers", { part: nameOf(stop), ...astray, remedy })];
      }
      const hard = template.topologySpread.filter(
        (one) => one.topologyKey === host && isHard(one) && isOwn(template, one.selector),
      );
      const node = sharedNode(stop);
      if (node !== null && hard.length === 0 && isSoft(template))
        return [say.of(stop, about, "soft", { part: nameOf(stop), node, remedy })];
      const closed = closedNodes(scene.view, template);
      const blind = hard.some((one) => one.nodeTaintsPolicy === "Ignore");
      const bites = stop.shown.broke.length + stop.shown.stalled.length > 0;
      return blind && bites
        ? [
            say.of(stop, about, "countsClosed", {
              part: nameOf(stop),
              nodes: closed.length === 0 ? "nodes that are closed for maintenance" : few(closed),
              remedy,
            }),
          ]
        : [];
    }),
});

/** Nodes it cannot go to now and that count all the same: tainted, cordoned, or gone without having been deleted. */
function closedNodes(view: ClusterView, template: PodTemplate): readonly string[] {
  const tainted = new Set(taintedNodes(view, template));
  return view.nodes.filter((node) => tainted.has(node) || isCordonedFor(node, template)).map(({ name }) => name);
}

function isCordonedFor({ node, unschedulable }: NodeView, template: PodTemplate): boolean {
  return unschedulable && matchesRequiredNodeAffinity(template, node);
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

function isOwn(template: PodTemplate, selector: TopologySpreadConstraint["selector"]): boolean {
  return selector !== null && matches(selector, template.labels);
}

function isHard({ whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return whenUnsatisfiable === "DoNotSchedule";
}

function isSoft(template: PodTemplate): boolean {
  if (
    template.requiredPodAntiAffinity.some(
      ({ topologyKey, selector }) => topologyKey === host && isOwn(template, selector),
    )
  )
    return false;
  const wishes = template.preferredPodAntiAffinity.map(({ term }) => term);
  return [...template.topologySpread, ...wishes].some(
    ({ topologyKey, selector }) => topologyKey === host && isOwn(template, selector),
  );
}

/** A node with all its placed pods; null: they are apart. */
function sharedNode({ pods }: Stop): string | null {
  const names = pods.flatMap(({ node }) => (node === null ? [] : [node.name]));
  return names.length > 1 && new Set(names).size === 1 ? (names[0] ?? null) : null;
}

function selectorText(selector: TopologySpreadConstraint["selector"]): string {
  if (selector === null) return "nothing";
  return selector.requirements.map(({ key, values }) => `${key}=${values.join("|")}`).join(", ");
}

function few(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}
