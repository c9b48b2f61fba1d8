import { hasScale } from "../../eviction/expected-scale.ts";
import { matches } from "../../model/labels.ts";
import { unitSize } from "../../systems/endpoint.ts";
import { selectorOf } from "../../systems/facts.ts";
import { findingRule, labelOf, nameOf, namesOf } from "../finding-rule.ts";
import { type BudgetNumber, budgetText } from "../knob-text.ts";
import { lostBudgets } from "../lost-budgets.ts";
import { breaksLines, severityOf } from "../outcome.ts";
import type { Scene, Stop } from "../scene.ts";

/** Several replicas, and nothing that keeps two drains from taking them together. */
export const noBudget = findingRule({
  name: "no-budget",
  code: "HF002",
  title: "Replicas on the request path without a budget",
  explain: `Two or more replicas, but no PodDisruptionBudget selects them. A drain asks nobody then: two nodes drained one after the other take both replicas, the second while the first one's replacement is still starting, and replicas on one node go together.

Engines of one role may also be several workloads of one replica each, which stand in for each other: only one budget over all of them helps.

A budget with maxUnavailable 1 makes each drain wait until the replacement of the pod before it is Ready. Over pods whose controller has no scale (a RayCluster, a RoleSet) it has to be an integer minAvailable, one less than there are pods.

Leader-elected pickers are left out: a budget over standbys that are never Ready only holds drains (HF012). One replica is left out: a budget over it holds every drain for ever (HF003).

It is an error where a likely maintenance breaks the endpoint through this part, else a note.`,
  messages: {
    unguarded: (f: { part: string; replicas: string; remedy: string }) => ({
      message: `${f.part} has ${f.replicas} and no budget: a drain may take the next one while the last is still starting.`,
      remedy: f.remedy,
    }),
    unguardedTogether: (f: { parts: string; role: number }) => ({
      message: `${f.parts} stand in for each other (${f.role} engines in all), and no budget counts them together: a drain may take the next one while the last is still starting.`,
      remedy:
        "Create one PodDisruptionBudget with maxUnavailable 1 whose selector takes the pods of all of them, by a label they share; each alone is one pod, and a budget over one pod holds every drain of its node.",
    }),
  },
  look: (scene, say) => {
    const meant = new Set(lostBudgets(scene).map(({ meantFor }) => meantFor));
    const unguarded = scene.stops.filter((stop) => isUnguarded(stop) && !meant.has(stop));
    const lone = unguarded.filter(({ ownUnits }) => ownUnits === 1);
    return [
      ...unguarded
        .filter(({ ownUnits }) => ownUnits !== 1)
        .map((stop) =>
          say.of(stop, { severity: severityOf(stop.shown, "note", "broke"), breaks: true }, "unguarded", {
            part: nameOf(stop),
            replicas: replicasOf(stop),
            remedy: budgetText(stop.hop.knobs.budget, numberOf(stop, scene)),
          }),
        ),
      ...[...Map.groupBy(lone, roleOf).values()].flatMap((stops) => {
        const told = stops.find(({ shown }) => shown.broke.length > 0) ?? stops[0];
        if (told === undefined) return [];
        const evidence = [...stops.map((stop) => `no budget selects ${labelOf(stop)}`), ...breaksLines(told.shown)];
        const about = { severity: severityOf(told.shown, "note", "broke"), evidence };
        return [say.ofAll(stops, about, "unguardedTogether", { parts: namesOf(stops), role: told.units })];
      }),
    ];
  },
});

/** Where a budget has to count pods of several owners, or of one without a scale, only an integer minAvailable lets any go. */
function numberOf({ hop, ownUnits, workload }: Stop, { view }: Scene): BudgetNumber {
  const over = hop.knobs.budget.by === "budget" ? hop.knobs.budget.over : null;
  if (workload !== null && hasScale(workload)) return { name: "maxUnavailable", value: 1 };
  const size = unitSize(hop);
  const selector = over === null ? null : selectorOf(over);
  const guarded =
    selector === null
      ? ownUnits * size
      : [...view.podsIn(hop.ref.namespace)].filter(({ template }) => matches(selector, template.labels)).length;
  return { name: "minAvailable", value: Math.max(1, guarded - 1) };
}

function replicasOf({ hop: { unit }, ownUnits }: Stop): string {
  return unit.kind === "group" ? `${ownUnits} groups of ${unit.size} pods` : `${ownUnits} replicas`;
}

function isUnguarded({ hop, units, workload, budgets, pods }: Stop): boolean {
  if (!hop.needed || units < 2 || pods.length === 0 || hop.leaderElected) return false;
  // No drain asks for what stays until its machine goes.
  const stays = workload?.kind === "DaemonSet" || pods.every(({ mirror }) => mirror);
  return budgets.length === 0 && !stays;
}

/** Engines of one role in the same endpoints. */
function roleOf({ hop, endpoints }: Stop): string {
  return JSON.stringify([hop.role, endpoints.map(({ namespace, name }) => `${namespace}/${name}`)]);
}
