import { unreachable } from "../base/invariant.ts";
import type { Block, Item, StepWords, Words } from "./blocks.ts";
import { type Cell, printable } from "./columns.ts";
import { coursePicture } from "./course-picture.ts";
import { xmlEscaped } from "./escape.ts";
import { htmlStyle } from "./html-style.ts";
import { pathPicture } from "./path-picture.ts";
import { reportBlocks } from "./report-blocks.ts";
import type { Report } from "./types.ts";

/**
 * One page that needs nothing but itself: no script, nothing fetched (its own policy forbids it), names from the cluster
 * escaped. What Markdown says, with drawings.
 */
export function htmlText(report: Report): string {
  const blocks = reportBlocks(report);
  const [first] = blocks;
  const title = first?.kind === "title" ? first.text : "Holdfast";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${html(title)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<main>
${blocks.map(htmlOf).join("\n")}
</main>
</body>
</html>
`;
}

const html = xmlEscaped;

function htmlOf(block: Block): string {
  switch (block.kind) {
    case "title":
      return `<h${block.level}>${html(block.text)}</h${block.level}>`;
    case "words":
      return `<p>${wordsOf(block.words)}</p>`;
    case "list":
      return `<ul>\n${block.items.map(itemOf).join("\n")}\n</ul>`;
    case "table":
      return tableOf(block.heads, block.rows);
    case "diff":
      return `<pre>${block.text.split("\n").map(diffLine).join("\n")}</pre>`;
    case "step":
      return stepOf(block.step);
    case "path":
      return pathPicture(block.endpoint);
    case "course":
      return coursePicture(block.endpoint, block.trace);
    default:
      return unreachable(block);
  }
}

function wordsOf(words: Words): string {
  return words.map(cellOf).join("");
}

function cellOf({ text, tone }: Cell): string {
  if (text === "") return "";
  if (tone === "plain") return html(text);
  return tone === "strong" ? `<strong>${html(text)}</strong>` : `<span class="${tone}">${html(text)}</span>`;
}

function itemOf([first, ...rest]: Item): string {
  return `<li>${wordsOf(first ?? [])}${rest.map((line) => `<div>${wordsOf(line)}</div>`).join("")}</li>`;
}

function tableOf(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const head = heads.map((text) => `<th scope="col">${html(text)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cellOf(cell)}</td>`).join("")}</tr>`);
  const look = heads[0] === "At" ? ' class="story"' : "";
  return `<div class="scroll"><table${look}>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join("\n")}\n</tbody>\n</table></div>`;
}

function diffLine(line: string): string {
  if (line.startsWith("---") || line.startsWith("+++")) return `<strong>${html(line)}</strong>`;
  const tone = line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : line.startsWith("@@") ? "dim" : "";
  return tone === "" ? html(line) : `<span class="${tone}">${html(line)}</span>`;
}

function stepOf({ n, head, about, within, command, expect, undo }: StepWords): string {
  const typed =
    command === ""
      ? ""
      : `<pre>${command
          .split("\n")
          .map((line) => html(printable(line)))
          .join("\n")}</pre>`;
  const back = undo === "" ? "" : `<p class="dim">Back: <code>${html(undo)}</code></p>`;
  return (
    `<div class="step"><p><strong>${n}. ${html(head)}</strong>${about === "" ? "" : ` ${html(about)}`}${html(within)}</p>` +
    `${typed}<p>${html(expect)}</p>${back}</div>`
  );
}
