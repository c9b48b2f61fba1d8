import { markdownEscaped as md } from "./escape.ts";
import { answersOf, costText, headOf } from "./fix-table.ts";
import { visible } from "./text.ts";
import type { FixReport } from "./types.ts";

/** For a pull request: what is changed, where it holds, and the diffs. */
export function fixMarkdown(report: FixReport): readonly string[] {
  return [
    "## Holdfast fix",
    answersOf(report)
      .map(({ text }) => `- ${md(text)}`)
      .join("\n"),
    ...(report.changes.length === 0
      ? []
      : [
          "### Changes",
          report.changes.map((change) => `- **${change.holds}** ${md(headOf(change))}<br>${md(change.why)}`).join("\n"),
          `Costs ${costText(report.cost)}.`,
          ...report.changes
            .filter(({ diff }) => diff !== "")
            .map(({ diff }) => `\`\`\`\`diff\n${diff.split("\n").map(visible).join("\n")}\`\`\`\``),
        ]),
    ...report.cannot.map(
      ({ endpoint, why, leastHelp }) =>
        `**${md(endpoint)}** cannot be made safe by changes here: ${md(why)}. ${md(leastHelp)}`,
    ),
  ];
}
