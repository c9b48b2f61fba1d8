import { spokenSeconds } from "../base/words.ts";
import { aligned, cell, type Look, painted, paragraph } from "./columns.ts";
import { planDoubt } from "./plan-doubt.ts";
import { clusterLines, gapLines, problemLines, textOf, timingLines } from "./sections.ts";
import { visible } from "./text.ts";
import type { Plan, PlanStep } from "./types.ts";
import { percent } from "./verdict.ts";

export function planTable(plan: Plan, look: Look): string {
  return textOf([
    [
      ...paragraph(answerOfPlan(plan), 2, look, toneOfPlan(plan)),
      ...plan.downBefore.flatMap((each) => paragraph(downBeforeText(each), 2, look, "warn")),
    ],
    clusterLines(plan.cluster, look),
    plan.leastHelp === "" ? [] : paragraph(`What would do: ${plan.leastHelp}`, 2, look),
    [
      ...(plan.possible || plan.steps.length === 0
        ? []
        : [painted("The best that was found, not safe:", "warn", look)]),
      ...plan.steps.flatMap((step) => stepLines(step, look)),
    ],
    capacityLines(plan, look),
    problemLines(plan.problems, look),
    gapLines(plan.cluster, plan.notModelled, look),
    timingLines(plan.timing, look),
  ]);
}

/** The answer in one sentence. */
export function answerOfPlan(plan: Plan): string {
  const nodes = plan.nodes.join(", ");
  if (!plan.possible)
    return `There is no plan for ${nodes === "" ? "these nodes" : nodes} that breaks nothing: ${plan.because}.`;
  const window =
    plan.windowSeconds === null
      ? ""
      : `, ${spokenSeconds(Math.ceil(plan.windowSeconds))} at most from the first step to the last`;
  const who = plan.by === "by hand" ? "by hand" : `as ${plan.by} does it`;
  const which = plan.downBefore.length === 0 ? "no endpoint" : "no endpoint that is up now";
  const gap = planDoubt(plan);
  const doubt = gap === null ? "" : `, unless what was not seen or is not modelled changes it: ${gap.what}`;
  return `${nodes} can be maintained ${who} in ${plan.steps.length} steps${window}: ${which} breaks under any choice${doubt}.`;
}

export function toneOfPlan(plan: Plan): "good" | "warn" | "bad" {
  if (!plan.possible) return "bad";
  return planDoubt(plan) === null ? "good" : "warn";
}

/** What is wrong before the plan begins, so that nobody takes it for its work. */
export function downBeforeText({ endpoint, hop, because }: Plan["downBefore"][number]): string {
  const why = because === "" ? "" : ` (${because})`;
  return `${endpoint} is down already, before any step: nothing is ready of ${hop}${why}. The plan neither waits for it nor mends it; \`holdfast check\` says more.`;
}

function stepLines(step: PlanStep, look: Look): string[] {
  const within = step.atMostSeconds === null ? "" : ` (within ${spokenSeconds(step.atMostSeconds)})`;
  const about = step.ref === "" ? "" : ` ${step.ref}`;
  return [
    ...paragraph(`${String(step.n).padStart(3)}. ${headOf(step)}${about}${within}`, 5, look, "strong"),
    ...(step.command === "" ? [] : step.command.split("\n").map((line) => `       ${visible(line)}`)),
    ...paragraph(`     ${step.expect}`, 5, look),
    ...(step.undo === "" ? [] : [painted(`     back: ${visible(step.undo.split("\n")[0] ?? "")}`, "dim", look)]),
  ];
}

const heads: Readonly<Record<PlanStep["do"], string>> = {
  scale: "Scale",
  guard: "Guard",
  waitReady: "Wait until ready",
  drain: "Drain",
  wait: "Wait",
  uncordon: "Open",
  stepBack: "Step back",
};

export function headOf(step: PlanStep): string {
  return heads[step.do];
}

function capacityLines(plan: Plan, look: Look): string[] {
  if (plan.capacity.length === 0) return [];
  const rows = plan.capacity.map(({ endpoint, minCapacity, overTime }) => [
    cell(endpoint),
    cell(percent(minCapacity)),
    cell(overTimeText(overTime)),
  ]);
  return aligned([["ENDPOINT", "LEAST CAPACITY", "OVER TIME"].map((head) => cell(head, "dim")), ...rows], "", look);
}

export function overTimeText(overTime: Plan["capacity"][number]["overTime"]): string {
  return overTime
    .map(({ atSeconds, capacity }) => `${percent(capacity)} from ${spokenSeconds(Math.floor(atSeconds))}`)
    .join(", ");
}
