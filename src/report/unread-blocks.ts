import type { Problem } from "../base/problem.ts";
import { type Block, line, titledList } from "./blocks.ts";
import { problemInWords } from "./problem-words.ts";
import { gapsInWords } from "./sections.ts";
import type { ClusterReport, NotModelled } from "./types.ts";

/** What an answer was given without. */
export interface Unread {
  readonly cluster: ClusterReport;
  readonly problems: readonly Problem[];
  readonly notModelled: readonly NotModelled[];
}

/** Every report ends with it: silence must not read as safe. */
export function unreadBlocks({ cluster, problems, notModelled }: Unread): readonly Block[] {
  return [
    ...titledList(
      "Not read",
      problems.map((problem) => line(problemInWords(problem))),
    ),
    ...titledList(
      "Not modelled or not seen",
      gapsInWords(cluster, notModelled).map((text) => line(text)),
    ),
  ];
}
