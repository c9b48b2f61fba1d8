import { spokenSeconds } from "../base/words.ts";
import { type Block, line, list, title, words } from "./blocks.ts";
import { answerOfPlan, downBeforeText, headOf, overTimeText, toneOfPlan } from "./plan-table.ts";
import type { Plan } from "./types.ts";
import { unreadBlocks } from "./unread-blocks.ts";
import { percent } from "./verdict.ts";

/** A runbook to follow by hand, a box to tick at each step. */
export function planBlocks(plan: Plan): readonly Block[] {
  return [
    title(1, `Maintenance of ${plan.nodes.join(", ")}`),
    words(answerOfPlan(plan), toneOfPlan(plan)),
    ...plan.downBefore.map((each) => words(downBeforeText(each), "strong")),
    ...(plan.leastHelp === "" ? [] : [words(`What would do: ${plan.leastHelp}`)]),
    ...(plan.possible || plan.steps.length === 0
      ? []
      : [words("The best that was found follows. It breaks what is said above.", "strong")]),
    ...plan.steps.map(
      (step): Block => ({
        kind: "step",
        step: {
          n: step.n,
          head: headOf(step),
          about: step.ref,
          within: step.atMostSeconds === null ? "" : ` (within ${spokenSeconds(step.atMostSeconds)})`,
          command: step.command,
          expect: step.expect,
          undo: step.undo.split("\n")[0] ?? "",
        },
      }),
    ),
    ...(plan.capacity.length === 0
      ? []
      : [
          title(2, "Capacity"),
          list(
            plan.capacity.map(({ endpoint, minCapacity, overTime }) =>
              line(`${endpoint}: never below ${percent(minCapacity)} (${overTimeText(overTime)})`),
            ),
          ),
        ]),
    ...unreadBlocks(plan),
  ];
}
