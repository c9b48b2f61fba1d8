import { wantedText } from "../../eviction/budget-text.ts";
import { podsOf } from "../../eviction/budgets-of.ts";
import type { BudgetView } from "../../model/view.ts";
import { findingRule, labelOf, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import type { Scene, Stop } from "../scene.ts";

/** A budget over more than one part counts their pods together: one part's pods make up for another's. */
export const budgetTooWide = findingRule({
  name: "budget-too-wide",
  code: "HF006",
  title: "One budget over several parts",
  explain: `A budget selects pods of more than one part of the path, and counts them together. With minAvailable 1 over two engines and a scheduler, the scheduler alone satisfies it: both engines may be evicted at once. With maxUnavailable 1, one part's slow start holds the drain of another.

It comes from selecting by a label that a whole service shares, such as app.kubernetes.io/name of an LLMInferenceService.

Give each part a budget of its own, with the labels only that part carries.

It is an error where a likely maintenance breaks the endpoint through one of the parts.`,
  messages: {
    shared: (f: { budget: string; wanted: string; part: string; others: string }) => ({
      message: `Budget ${f.budget} (${f.wanted}) counts pods of ${f.part} together with those of ${f.others}: while one is up, all pods of the other may be evicted.`,
      remedy: `Add to the selector of budget ${f.budget} a label that only ${f.part} carries, and give ${f.others} a budget of its own if it needs one.`,
    }),
  },
  look: (scene, say) =>
    scene.view.budgets.flatMap((budget) => {
      const covered = coveredStops(scene, budget);
      const [first] = covered;
      if (first === undefined || standInForEachOther(covered)) return [];
      // Told of the part that broke, else of the engines, which are what the others can make up for.
      const about =
        covered.find(({ shown }) => shown.broke.length > 0) ?? covered.find(({ hop }) => hop.hop === "engine") ?? first;
      const others = covered.filter((stop) => stop !== about).map((stop) => nameOf(stop));
      const facts = {
        budget: budget.budget.ref.name,
        wanted: wantedText(budget.budget),
        part: nameOf(about),
        others: others.join(", "),
      };
      const evidence = covered.map((stop) => `selects pods of ${labelOf(stop)}`);
      const severity = severityOf(about.shown, "warning", "broke");
      return [say.of(about, { severity, evidence, source: budget.budget.source }, "shared", facts)];
    }),
});

/** Engines of one role in one endpoint are counted together anyway. */
function standInForEachOther(stops: readonly Stop[]): boolean {
  const [first] = stops;
  return stops.every(
    ({ hop, endpoints }) =>
      hop === first?.hop ||
      (hop.hop === "engine" &&
        first?.hop.hop === "engine" &&
        hop.role === first.hop.role &&
        endpoints.some((endpoint) => first.endpoints.includes(endpoint))),
  );
}

function coveredStops({ stops, view }: Scene, budget: BudgetView): readonly Stop[] {
  const pods = new Set(podsOf(view, budget));
  return stops.filter((stop) => stop.pods.some((pod) => pods.has(pod)));
}
