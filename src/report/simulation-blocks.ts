import { spokenSeconds } from "../base/words.ts";
import { type Block, line, title, titledList, words } from "./blocks.ts";
import { storyTable } from "./check-blocks.ts";
import { cell } from "./columns.ts";
import { clusterInWords, toneOf } from "./sections.ts";
import { stallBlocks } from "./stall-lines.ts";
import { transcriptOf } from "./story.ts";
import type { SimulationReport } from "./types.ts";
import { unreadBlocks } from "./unread-blocks.ts";
import { answerOfSimulation, drainInWords, percent } from "./verdict.ts";

/** A transcript longer than this helps nobody. */
const mostLines = 400;

export function simulationBlocks(report: SimulationReport): readonly Block[] {
  const lines = transcriptOf(report.timeline);
  const story = storyTable(lines.slice(0, mostLines));
  return [
    title(1, "Holdfast simulation"),
    words(answerOfSimulation(report), toneOf(report.verdict)),
    words(clusterInWords(report.cluster).join(" "), "dim"),
    ...(report.endpoints.length === 0
      ? []
      : [
          {
            kind: "table" as const,
            heads: ["Endpoint", "Verdict", "Least capacity"],
            rows: report.endpoints.map((endpoint) => [
              cell(`${endpoint.namespace}/${endpoint.name}`),
              cell(endpoint.verdict ?? "idle", toneOf(endpoint.verdict)),
              cell(percent(endpoint.minCapacity)),
            ]),
          },
        ]),
    ...(story.length === 0 ? [] : [words("What happens:"), ...story]),
    ...(lines.length > mostLines
      ? [words(`and ${lines.length - mostLines} lines more; -o json has them all`, "dim")]
      : []),
    ...titledList(
      "Drains",
      report.drains.map((drain) => line(drainInWords(drain))),
    ),
    ...stallBlocks(report.stalls),
    ...titledList(
      "Pending at the end",
      report.pending.map((pod) => line(`${pod.pod} since ${spokenSeconds(pod.sinceSeconds)}: ${pod.message}`)),
    ),
    ...unreadBlocks(report),
  ];
}
