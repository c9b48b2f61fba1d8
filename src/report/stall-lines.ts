import { type Block, line, titledList } from "./blocks.ts";
import { type Look, painted, paragraph } from "./columns.ts";
import type { StallReport } from "./types.ts";

/** What reads alike for many nodes helps nobody twice. */
const mostStalls = 6;

const title = "Who waits for whom";

export function stallLines(stalls: readonly StallReport[], look: Look): string[] {
  if (stalls.length === 0) return [];
  return [
    painted(title, "strong", look),
    ...stalls
      .slice(0, mostStalls)
      .flatMap(({ chain, freedBy }) => [
        ...chain.flatMap(({ text }, index) => paragraph(index === 0 ? `  ${text}` : `    ← ${text}`, 6, look, "warn")),
        ...freedBy.flatMap((free) => paragraph(`    freed by: ${free}`, 6, look, "good")),
      ]),
    ...(stalls.length > mostStalls ? [`  ${moreOf(stalls)}`] : []),
  ];
}

export function stallBlocks(stalls: readonly StallReport[]): readonly Block[] {
  const items = stalls
    .slice(0, mostStalls)
    .map(({ chain, freedBy }) => [
      ...chain.flatMap(({ text }, index) => line(index === 0 ? text : `← ${text}`)),
      ...freedBy.flatMap((free) => line(`freed by: ${free}`)),
    ]);
  return titledList(title, stalls.length > mostStalls ? [...items, line(moreOf(stalls))] : items);
}

function moreOf({ length }: readonly StallReport[]): string {
  return `and ${length - mostStalls} more; -o json lists them all`;
}
