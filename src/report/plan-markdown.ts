import { markdownEscaped as md } from "./escape.ts";
import { answerOfPlan, headOf } from "./plan-table.ts";
import { spokenSeconds, visible } from "./text.ts";
import type { Plan } from "./types.ts";
import { percent } from "./verdict.ts";

/** A runbook to follow by hand, a box to tick at each step. */
export function planMarkdown(plan: Plan): readonly string[] {
  return [
    `## Maintenance of ${md(plan.nodes.join(", "))}`,
    md(answerOfPlan(plan)),
    plan.leastHelp === "" ? "" : `What would do: ${md(plan.leastHelp)}`,
    plan.possible || plan.steps.length === 0
      ? ""
      : "**The best that was found follows. It breaks what is said above.**",
    ...plan.steps.map((step) => {
      const within = step.atMostSeconds === null ? "" : ` (within ${spokenSeconds(step.atMostSeconds)})`;
      const command = step.command === "" ? "" : `\n\n   \`\`\`sh\n${indented(step.command)}\n   \`\`\``;
      const undo =
        step.undo === "" ? "" : `\n\n   Back: \`${visible(step.undo.split("\n")[0] ?? "").replaceAll("`", "'")}\``;
      return `${step.n}. [ ] **${headOf(step)}** ${md(step.ref)}${within}${command}\n\n   ${md(step.expect)}${undo}`;
    }),
    ...(plan.capacity.length === 0
      ? []
      : [
          "### Capacity",
          plan.capacity
            .map(({ endpoint, minCapacity }) => `- ${md(endpoint)}: never below ${percent(minCapacity)}`)
            .join("\n"),
        ]),
  ];
}

function indented(command: string): string {
  return command
    .split("\n")
    .map((line) => `   ${visible(line).replaceAll("```", "'''")}`)
    .join("\n");
}
