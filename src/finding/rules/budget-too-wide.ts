import { budgetStatus } from "../../eviction/budget-status.ts";
import { wantedText } from "../../eviction/budget-text.ts";
import { findingRule, labelOf, nameOf, namesOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import { type Stop, stopsUnder } from "../scene.ts";

/** A budget over more than one part counts their pods together: one part's pods make up for another's. */
export const budgetTooWide = findingRule({
  name: "budget-too-wide",
  code: "HF006",
  title: "One budget over several parts",
  explain: `A budget selects pods of more than one part of the path, and counts them together. With minAvailable 1 over two engines and a scheduler, the scheduler alone satisfies it: both engines may be evicted at once. With maxUnavailable 1 nothing goes together, but one part's slow start holds the drain of another.

It comes from selecting by a label that a whole service shares, such as app.kubernetes.io/name of an LLMInferenceService, or from an empty selector, which takes the whole namespace.

Give each part a budget of its own, with the labels only that part carries.

It is an error where a likely maintenance breaks the endpoint through one of the parts, a warning where more than one pod may go at once, and else a note. Where all its pods have a budget of their own as well, HF004 is what matters.`,
  messages: {
    shared: (f: { budget: string; wanted: string; allowed: number; part: string; others: string }) => ({
      message: `Budget ${f.budget} (${f.wanted}) counts pods of ${f.part} together with those of ${f.others}, and allows ${f.allowed} evictions over all of them: while one part is up, the pods of another may all go.`,
      remedy: `Add to the selector of budget ${f.budget} a label that only ${f.part} carries, and give ${f.others} a budget of its own if it needs one.`,
    }),
    waits: (f: { budget: string; wanted: string; part: string; others: string }) => ({
      message: `Budget ${f.budget} (${f.wanted}) counts pods of ${f.part} together with those of ${f.others}: while one of them starts, no drain of the others goes on.`,
      remedy: `Add to the selector of budget ${f.budget} a label that only ${f.part} carries, and give ${f.others} a budget of its own if it needs one.`,
    }),
  },
  look: (scene, say) =>
    scene.view.budgets.flatMap((budget) => {
      const covered = stopsUnder(scene.stops, budget);
      const [first] = covered;
      if (first === undefined || standInForEachOther(covered)) return [];
      if (covered.every(({ budgets }) => budgets.length > 1)) return [];
      // Told of the part that broke, else of the engines, which are what the others can make up for.
      const about =
        covered.find(({ shown }) => shown.broke.length > 0) ??
        covered.find(({ hop }) => hop.hop === "engine") ??
        covered.find(({ workload }) => workload?.kind !== "DaemonSet") ??
        first;
      const { expectedPods, desiredHealthy } = budgetStatus(scene.view, budget);
      const allowed = expectedPods - desiredHealthy;
      const facts = {
        budget: budget.budget.ref.name,
        wanted: wantedText(budget.budget),
        allowed,
        part: nameOf(about),
        others: namesOf(covered.filter((stop) => stop !== about)),
      };
      const evidence = covered.map((stop) => `selects pods of ${labelOf(stop)}`);
      const source = budget.budget.source;
      if (allowed < 2) return [say.of(about, { severity: "note", evidence, source, quiet: true }, "waits", facts)];
      const severity = severityOf(about.shown, "warning", "broke");
      return [say.of(about, { severity, evidence, source, breaks: true }, "shared", facts)];
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
