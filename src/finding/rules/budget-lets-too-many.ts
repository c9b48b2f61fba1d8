import { budgetStatus } from "../../eviction/budget-status.ts";
import { budgetLine, wantedText } from "../../eviction/budget-text.ts";
import { floorsOf } from "../../route/capacity.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import { type Scene, type Stop, stopsUnder } from "../scene.ts";

/**
 * A budget over one part that lets more of it go at once than the endpoint can spare.
 * Mirrors: the disruption controller's arithmetic; percentages round up, of maxUnavailable too, 1.36.
 */
export const budgetLetsTooMany = findingRule({
  name: "budget-lets-too-many",
  code: "HF033",
  title: "A budget that lets too many go at once",
  explain: `The budget is met while fewer pods serve than the endpoint wants: maxUnavailable 2 of 3, a percentage that rounds up (50 % of 3 is 2), a minAvailable from a time with fewer replicas. Drains of several nodes, or of one node with several of the pods, then take that many before the first replacement is Ready.

Of engines one unit less than wanted may be away, or what holdfast.dev/min-available says; of any other part all but one.

Write maxUnavailable 1: it lets one go at a time, whatever the replicas are.

It is an error where a likely maintenance breaks the endpoint through this part, else a note. A budget over several parts is told of by HF006, one over groups by HF018.`,
  messages: {
    tooMany: (f: {
      budget: string;
      wanted: string;
      allowed: number;
      replicas: number;
      part: string;
      spare: number;
    }) => ({
      message: `Budget ${f.budget} (${f.wanted}) lets ${f.allowed} of the ${f.replicas} pods of ${f.part} go at once, and no more than ${f.spare} can be spared.`,
      remedy: `Write maxUnavailable ${f.spare} in budget ${f.budget}.`,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const [entry, ...more] = stop.budgets;
      const isPlain = stop.hop.needed && stop.hop.unit.kind === "pod" && !stop.hop.leaderElected;
      if (entry === undefined || more.length > 0 || !isPlain || stop.units < 2) return [];
      if (stopsUnder(scene.stops, entry).length > 1) return [];
      const status = budgetStatus(scene.view, entry);
      const allowed = status.expectedPods - status.desiredHealthy;
      const spare = spareOf(scene, stop);
      if (spare < 1 || allowed <= spare) return [];
      const { budget } = entry;
      const about = {
        severity: severityOf(stop.shown, "note", "broke"),
        evidence: [budgetLine(budget, status)],
        source: budget.source,
        breaks: true,
      };
      const facts = { budget: budget.ref.name, wanted: wantedText(budget), allowed, replicas: status.expectedPods };
      return [say.of(stop, about, "tooMany", { ...facts, part: nameOf(stop), spare })];
    }),
});

/** How many units may be away at once; of engines in the endpoint that can spare fewest. */
function spareOf({ view }: Scene, { hop, endpoints, units }: Stop): number {
  if (hop.hop !== "engine") return units - 1;
  const spares = endpoints.flatMap((endpoint) =>
    floorsOf(view, endpoint).flatMap(({ role, desired, minAvailable }) =>
      role === hop.role ? [desired - minAvailable] : [],
    ),
  );
  return Math.min(units - 1, ...spares);
}
