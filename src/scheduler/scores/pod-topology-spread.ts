import { LabelIndex } from "../../model/label-index.ts";
import { hasLabels, type Labels, type Requirement } from "../../model/labels.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Service } from "../../model/policy.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import type { Cycle, NodeScore, Score } from "../framework.ts";
import { countOn, hasAllKeys, includes, type SpreadRule, selection, spreadRules } from "../spread-rule.ts";
import { logarithm } from "./logarithm.ts";
import { maxScore, scaledDown } from "./normalize.ts";

const hostname = "kubernetes.io/hostname";
/** The scheduler's own default constraints: by host with maxSkew 3, by zone with 5. */
export const defaultSpread = [
  { topologyKey: hostname, maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", maxSkew: 5 },
] as const;

/**
 * ScheduleAnyway constraints: fewer matching pods in the node's domains is better, weighed by how many domains there are. A
 * pod without any constraint of its own, not even a DoNotSchedule one, gets the default ones with the selector of its
 * Services and its owner.
 * Mirrors: plugins/podtopologyspread/scoring.go and plugins/helper/spread.go, Kubernetes 1.34 to 1.37.
 */
export const podTopologySpreadScore: Score = {
  name: "PodTopologySpread",
  prepare(cycle, nodes) {
    const { template } = cycle.pod;
    const own = template.topologySpread.length > 0;
    const rules = own ? spreadRules(template, "ScheduleAnyway") : defaultRules(cycle.view, cycle.pod);
    return rules.length === 0 ? null : spreadScore(cycle, nodes, rules, own);
  },
};

/** With the pod's own constraints, nodes that lack one of the keys are ignored; with the defaults they are not. */
function spreadScore(
  cycle: Cycle,
  nodes: readonly NodeView[],
  rules: readonly SpreadRule[],
  needsAllKeys: boolean,
): NodeScore {
  const { template, namespace } = cycle.pod;
  const ignored = new Set(needsAllKeys ? nodes.filter((node) => !hasAllKeys(rules, node)) : []);
  const isIgnored = (node: NodeView | undefined): boolean => node !== undefined && ignored.has(node);
  const scored = nodes.filter((node) => !ignored.has(node));
  const counts = rules.map((rule) => domainsOf(rule, scored));
  for (const node of cycle.nodes) {
    if (needsAllKeys && !hasAllKeys(rules, node)) continue;
    rules.forEach((rule, i) => {
      const domains = counts[i];
      const domain = node.node.labels.get(rule.topologyKey) ?? "";
      const before = domains?.get(domain);
      if (domains === undefined || before === undefined || !includes(rule, template, node)) return;
      domains.set(domain, before + countOn(node, rule, namespace));
    });
  }
  const weights = rules.map((rule, i) =>
    logarithm((rule.topologyKey === hostname ? scored.length : (counts[i]?.size ?? 0)) + 2),
  );
  return {
    raw(node) {
      if (isIgnored(node)) return 0;
      let score = 0;
      rules.forEach((rule, i) => {
        const domain = node.node.labels.get(rule.topologyKey);
        if (domain === undefined) return;
        const count = rule.topologyKey === hostname ? countOn(node, rule, namespace) : (counts[i]?.get(domain) ?? 0);
        score += count * (weights[i] ?? 0) + (rule.maxSkew - 1);
      });
      return Math.round(score);
    },
    normalize: (raw, of) => spreadOut(raw, (i) => isIgnored(of[i])),
  };
}

/** Domains of the nodes that passed, all at 0. Host names are counted a node at a time instead. */
function domainsOf(rule: SpreadRule, nodes: readonly NodeView[]): Map<string, number> {
  if (rule.topologyKey === hostname) return new Map();
  return new Map(nodes.map(({ node }) => [node.labels.get(rule.topologyKey) ?? "", 0]));
}

function spreadOut(raw: readonly number[], ignored: (index: number) => boolean): readonly number[] {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  raw.forEach((score, i) => {
    if (ignored(i)) return;
    lowest = Math.min(lowest, score);
    highest = Math.max(highest, score);
  });
  return raw.map((score, i) => {
    if (ignored(i)) return 0;
    return highest === 0 ? maxScore : scaledDown(highest + lowest - score, maxScore, highest);
  });
}

export function defaultRules(
  view: Pick<ClusterView, "services" | "workload">,
  pod: Pick<PodView, "template" | "owner">,
): readonly SpreadRule[] {
  const requirements = serviceLabels(view, pod.template);
  const owner = pod.owner === null ? undefined : view.workload(pod.owner)?.spec;
  if (owner?.kind === "ReplicaSet" || owner?.kind === "ReplicationController" || owner?.kind === "StatefulSet") {
    if (!owner.selector.invalid) requirements.push(...owner.selector.requirements);
  }
  if (requirements.length === 0) return [];
  const { selector, selectsAll, matches } = selection({ requirements, invalid: false });
  return defaultSpread.map(({ topologyKey, maxSkew }) => ({
    maxSkew,
    topologyKey,
    minDomains: 1,
    honorsAffinity: true,
    honorsTaints: false,
    selector,
    selectsAll,
    matches,
  }));
}

/** The selectors of all Services that select the pod, merged: they all agree with its labels. */
function serviceLabels(view: Pick<ClusterView, "services">, { namespace, labels }: PodTemplate): Requirement[] {
  const merged: Requirement[] = [];
  for (const selector of selectorsOf(view.services).about(namespace, labels)) {
    if (!hasLabels(labels, selector)) continue;
    for (const [key, value] of selector) {
      if (!merged.some((known) => known.key === key)) merged.push({ key, operator: "In", values: [value] });
    }
  }
  return merged;
}

const known = new WeakMap<readonly Service[], LabelIndex<Labels>>();

/** By the first label they name. */
function selectorsOf(services: readonly Service[]): LabelIndex<Labels> {
  let index = known.get(services);
  if (index === undefined) {
    index = new LabelIndex();
    for (const { ref, selector } of services) {
      const [first] = selector ?? [];
      if (selector !== null && first !== undefined) index.add(ref.namespace, ...first, selector);
    }
    known.set(services, index);
  }
  return index;
}
