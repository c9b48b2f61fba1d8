import { bareDrainFlags, type DrainFlags } from "../../src/eviction/drain-flags.ts";
import type { DrainRule } from "../../src/eviction/drain-rule.ts";
import type { Pod } from "../../src/model/pod.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import { rows } from "./rows.ts";
import { cluster, type Parts } from "./tiny.ts";

export interface DrainCase {
  readonly pod: Pod;
  readonly parts?: Parts;
  readonly flags?: Partial<DrainFlags>;
  readonly nowMs?: number;
}

/** One row a case: what a rule says of one pod, as the id of its message, or `pass`. */
export function drainRows(rule: DrainRule, table: readonly (readonly [string, DrainCase, string])[]): void {
  const decide = ({ pod, parts = {}, flags = {}, nowMs = 0 }: DrainCase): string => {
    const view = new Ledger(cluster({ ...parts, pods: [pod] }), new Journal());
    view.setTime(nowMs);
    const [subject] = view.pods;
    if (subject === undefined) return "no pod";
    const decision = rule.decide({ view, pod: subject, flags: { ...bareDrainFlags, ...flags } });
    return decision.outcome === "pass" ? "pass" : `${decision.outcome} ${decision.id}`;
  };
  rows(rule.name, decide, table);
}
