import { listedAtMost, spokenSeconds } from "../base/words.ts";
import { aligned, cell, type Look, painted, paragraph } from "./columns.ts";
import { clusterLines, gapLines, problemLines, storyLines, textOf, timingLines, toneOf } from "./sections.ts";
import { stallLines } from "./stall-lines.ts";
import { transcriptOf } from "./story.ts";
import { counted } from "./text.ts";
import type { Drain, SimulationReport } from "./types.ts";
import { answerOfSimulation, drainInWords, percent } from "./verdict.ts";

export function simulationTable(report: SimulationReport, look: Look): string {
  return textOf([
    paragraph(answerOfSimulation(report), 2, look, toneOf(report.verdict)),
    [...clusterLines(report.cluster, look), searchLine(report)],
    simulatedEndpointLines(report, look),
    timelineLines(report, look),
    drainLines(report.drains, look),
    stallLines(report.stalls, look),
    pendingLines(report, look),
    serviceLines(report, look),
    problemLines(report.problems, look),
    gapLines(report.cluster, [...report.notModelled, ...report.endpoints.flatMap((e) => e.notModelled)], look),
    timingLines(report.timing, look),
  ]);
}

function searchLine(report: SimulationReport): string {
  return `${counted(report.statesExplored, "state")} tried${report.exhaustive ? ", every order and every choice" : ", not all of them"}.`;
}

function simulatedEndpointLines(report: SimulationReport, look: Look): string[] {
  if (report.endpoints.length === 0) return [];
  const heads = ["ENDPOINT", "VERDICT", "DOWN", "LEAST CAPACITY"].map((head) => cell(head, "dim"));
  const rows = report.endpoints.map((endpoint) => [
    cell(`${endpoint.namespace}/${endpoint.name}`),
    cell(endpoint.verdict ?? "idle", toneOf(endpoint.verdict)),
    cell(
      endpoint.down.length === 0
        ? "never"
        : endpoint.down
            .map(({ fromSeconds, toSeconds, hop }) =>
              toSeconds === null
                ? `from ${spokenSeconds(fromSeconds)} on (${hop})`
                : `${spokenSeconds(toSeconds - fromSeconds)} from ${spokenSeconds(fromSeconds)} (${hop})`,
            )
            .join("; "),
    ),
    cell(percent(endpoint.minCapacity)),
  ]);
  return aligned([heads, ...rows], "", look);
}

const mostEvents = 400;

function timelineLines(report: SimulationReport, look: Look): string[] {
  const transcript = transcriptOf(report.timeline);
  const { order, drains } = report.counterexample ?? { order: [], drains: null };
  // What is drained after the harm is done is told too, and not to be taken for its cause.
  const enough =
    drains !== null && drains < order.length
      ? ` (${drains === 1 ? "the first is" : `the first ${drains} are`} enough)`
      : "";
  const title =
    order.length === 0
      ? "What happens:"
      : `What happens when drained in the order ${listedAtMost(order, 12)}${enough}:`;
  const more = transcript.length - mostEvents;
  return [
    ...storyLines(title, transcript.slice(0, mostEvents), look),
    ...(more > 0 ? [`  and ${more} more events; -o json lists them all`] : []),
  ];
}

function drainLines(drains: readonly Drain[], look: Look): string[] {
  if (drains.length === 0) return [];
  return [
    painted("Drains", "strong", look),
    ...drains.flatMap((drain) => {
      const took = drain.toSeconds === null ? "" : `, after ${spokenSeconds(drain.toSeconds - drain.fromSeconds)}`;
      const tone = drain.outcome === "completed" ? "good" : "bad";
      return paragraph(`  ${drainInWords(drain)}${took}`, 4, look, tone);
    }),
  ];
}

function pendingLines({ pending }: SimulationReport, look: Look): string[] {
  if (pending.length === 0) return [];
  return [
    painted("Pending at the end", "strong", look),
    ...pending.flatMap((pod) =>
      paragraph(`  ${pod.pod} since ${spokenSeconds(pod.sinceSeconds)}: ${pod.message}`, 4, look, "warn"),
    ),
  ];
}

function serviceLines({ services }: SimulationReport, look: Look): string[] {
  const moved = services.filter(({ ready }) => ready.min < ready.before || ready.end !== ready.before);
  if (moved.length === 0) return [];
  const heads = ["SERVICE", "READY BEFORE", "LEAST", "AT THE END"].map((head) => cell(head, "dim"));
  const rows = moved.map(({ namespace, name, ready }) => [
    cell(`${namespace}/${name}`),
    cell(`${ready.before}`),
    cell(`${ready.min}`, ready.min === 0 ? "bad" : "plain"),
    cell(`${ready.end}`),
  ]);
  return aligned([heads, ...rows], "", look);
}
