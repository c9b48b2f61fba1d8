import type { Problem } from "../base/problem.ts";
import { spokenSeconds } from "../base/words.ts";
import { aligned, cell, type Look, painted, paragraph, type Tone } from "./columns.ts";
import { problemInWords } from "./problem-words.ts";
import { momentsOf, type StoryLine } from "./story.ts";
import { counted } from "./text.ts";
import type { ClusterReport, EndpointVerdict, NotModelled, TimingSource } from "./types.ts";
import { sourceInWords } from "./verdict.ts";

// What the tables of all commands share.

/** Sections with a blank line between; empty ones leave nothing. */
export function textOf(sections: readonly (readonly string[])[]): string {
  const filled = sections.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

export function clusterLines(cluster: ClusterReport, look: Look): string[] {
  return clusterInWords(cluster).flatMap((line) => paragraph(line, 2, look, "dim"));
}

/** What was read, and who maintains it. Whole sentences. */
export function clusterInWords(cluster: ClusterReport): readonly string[] {
  const version = cluster.version === "" ? "version not stated" : `Kubernetes ${cluster.version}`;
  const modelled = cluster.version.startsWith(`v${cluster.modelledAs}.`) ? "" : `, modelled as ${cluster.modelledAs}`;
  const size = `${counted(cluster.nodes, "node")}, ${counted(cluster.pods, "pod")}`;
  const actors = cluster.actors.map((actor) =>
    `Maintenance ${actor.name === "by hand" ? actor.name : `as ${actor.name} does it`}: ${actor.because}.`.replace(
      /\.\.$/,
      ".",
    ),
  );
  return [`${sourceInWords(cluster)}: ${size}, ${version}${modelled}.`, ...actors];
}

export function storyLines(title: string, story: readonly StoryLine[], look: Look): string[] {
  if (story.length === 0) return [];
  const moments = momentsOf(story);
  const widest = Math.max(...moments.map((moment) => moment.length));
  return [
    ...paragraph(title, 2, look, "strong"),
    ...story.flatMap((line, index) => {
      const moment = (moments[index] ?? "").padStart(widest);
      const [first = "", ...rest] = paragraph(line.text, widest + 4, look, line.tone);
      return [`  ${moment}  ${first}`, ...rest];
    }),
  ];
}

const mostProblems = 20;

export function problemLines(problems: readonly Problem[], look: Look): string[] {
  if (problems.length === 0) return [];
  const more = problems.length - mostProblems;
  return [
    painted(`Not read: ${counted(problems.length, "problem")} in the input`, "strong", look),
    ...problems.slice(0, mostProblems).flatMap((problem) => paragraph(`  ${problemInWords(problem)}`, 4, look, "warn")),
    ...(more > 0 ? [`  and ${more} more; -o json lists them all`] : []),
  ];
}

const mostGaps = 12;

export function gapLines(cluster: ClusterReport, gaps: readonly NotModelled[], look: Look): string[] {
  const lines = gapsInWords(cluster, gaps);
  if (lines.length === 0) return [];
  const shown = lines.slice(0, mostGaps);
  return [
    painted("Not modelled or not seen", "strong", look),
    ...shown.flatMap((line) => paragraph(`  ${line}`, 4, look, "dim")),
    ...(lines.length > mostGaps ? [`  and ${lines.length - mostGaps} more; -o json lists them all`] : []),
  ];
}

/** Each once. */
export function gapsInWords(cluster: ClusterReport, gaps: readonly NotModelled[]): readonly string[] {
  const lines = new Set([
    ...cluster.notSeen.map((entry) => `not seen: ${entry.resource} (${entry.why})`),
    ...gaps.map(gapInWords),
    ...(cluster.secretsDropped > 0 ? [`${counted(cluster.secretsDropped, "Secret")} in the input dropped unread`] : []),
  ]);
  return [...lines];
}

export function gapInWords(gap: NotModelled): string {
  const ref = gap.ref === "" ? "" : ` (${gap.ref})`;
  return `${gap.what}${ref}${gap.couldChange === "" ? "" : `: could change ${gap.couldChange}`}`;
}

/** Grouped by source: which times were assumed, and where from. */
export function timingLines(timing: readonly TimingSource[], look: Look): string[] {
  if (timing.length === 0) return [];
  const most = 8;
  const rows = timing.slice(0, most).map((source) => {
    const length =
      source.maxSeconds === null
        ? `${spokenSeconds(source.minSeconds)} or more`
        : source.minSeconds === source.maxSeconds
          ? spokenSeconds(source.maxSeconds)
          : `${spokenSeconds(source.minSeconds)} to ${spokenSeconds(source.maxSeconds)}`;
    return [cell(source.what, "dim"), cell(source.of, "dim"), cell(length, "dim"), cell(source.from, "dim")];
  });
  const more = timing.length - most;
  return [
    painted("Times assumed", "strong", look),
    ...aligned(rows, "  ", look),
    ...(more > 0 ? [`  and ${more} more; -o json lists them all`] : []),
  ];
}

export function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

export function toneOf(verdict: EndpointVerdict): Tone {
  if (verdict === "safe") return "good";
  if (verdict === "unsafe") return "bad";
  return verdict === null ? "plain" : "warn";
}
