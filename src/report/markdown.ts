import { unreachable } from "../base/invariant.ts";
import type { Block, Item, StepWords, Words } from "./blocks.ts";
import { markdownEscaped as md } from "./escape.ts";
import { reportBlocks } from "./report-blocks.ts";
import { visible } from "./text.ts";
import type { Report } from "./types.ts";

/** For a pull request's comment or a wiki: the table's content, without its colours. */
export function markdownText(report: Report): string {
  return `${reportBlocks(report)
    .map(markdownOf)
    .filter((block) => block !== "")
    .join("\n\n")}\n`;
}

function markdownOf(block: Block): string {
  switch (block.kind) {
    case "title":
      return `${block.level === 1 ? "##" : "###"} ${md(block.text)}`;
    case "words":
      return wordsOf(block.words);
    case "list":
      return block.items.map((item) => `- ${itemOf(item)}`).join("\n");
    case "table":
      return [
        rowOf(block.heads),
        `|${block.heads.map(() => " --- |").join("")}`,
        ...block.rows.map((row) => rowOf(row.map(({ text }) => text))),
      ].join("\n");
    case "diff":
      return fenced("diff", block.text.split("\n").map(visible).join("\n"));
    case "step":
      return stepOf(block.step);
    case "path":
    case "course":
      return "";
    default:
      return unreachable(block);
  }
}

function wordsOf(words: Words): string {
  return words.map(({ text, tone }) => (tone === "strong" ? `**${md(text)}**` : md(text))).join("");
}

function itemOf(item: Item): string {
  return item.map(wordsOf).join("<br>");
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.map(md).join(" | ")} |`;
}

function stepOf({ n, head, about, within, command, expect, undo }: StepWords): string {
  const typed = command === "" ? "" : `\n\n${indented(fenced("sh", command.split("\n").map(visible).join("\n")))}`;
  const back = undo === "" ? "" : `\n\n   Back: \`${visible(undo).replaceAll("`", "'")}\``;
  const what = about === "" ? "" : ` ${md(about)}`;
  return `${n}. [ ] **${head}**${what}${within}${typed}\n\n   ${md(expect)}${back}`;
}

/** A fence longer than any run of backticks inside: no text ends it. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `   ${line}`)
    .join("\n");
}
