import { type Block, type Item, list, title, words } from "./blocks.ts";
import { cell } from "./columns.ts";
import { answersOf, costText, headOf } from "./fix-table.ts";
import type { FixReport } from "./types.ts";
import { unreadBlocks } from "./unread-blocks.ts";

/** For a pull request: what is changed, where it holds, and the diffs. */
export function fixBlocks(report: FixReport): readonly Block[] {
  return [
    title(1, "Holdfast fix"),
    list(answersOf(report).map(({ text, tone }) => [[cell(text, tone)]])),
    ...(report.changes.length === 0
      ? []
      : [
          title(2, "Changes"),
          list(
            report.changes.map(
              (change): Item => [
                [cell(change.holds, "strong"), cell(" "), cell(headOf(change))],
                [cell(change.why, "dim")],
              ],
            ),
          ),
          words(`Costs ${costText(report.cost)}.`),
          ...report.changes
            .filter(({ diff }) => diff !== "")
            .map(({ diff }): Block => ({ kind: "diff", text: diff.replace(/\n$/, "") })),
        ]),
    ...report.cannot.map(
      ({ endpoint, why, leastHelp }): Block => ({
        kind: "words",
        words: [
          cell(endpoint, "strong"),
          cell(` cannot be made safe by changes here: ${why}.`, "bad"),
          ...(leastHelp === "" ? [] : [cell(` ${leastHelp}`)]),
        ],
      }),
    ),
    ...unreadBlocks(report),
  ];
}
