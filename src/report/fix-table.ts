import { listed } from "../base/words.ts";
import { aligned, cell, type Look, painted, paragraph, type Tone } from "./columns.ts";
import { clusterLines, gapLines, problemLines, storyLines, textOf, toneOf } from "./sections.ts";
import { transcriptOf } from "./story.ts";
import { counted, visible } from "./text.ts";
import type { Change, ChangeCost, EndpointVerdictPair, FixReport } from "./types.ts";

/** The answer first, then what to change and where it holds, the diffs last. */
export function fixTable(report: FixReport, look: Look): string {
  return textOf([
    answerLines(report, look),
    clusterLines(report.cluster, look),
    verdictLines(report, look),
    changeLines(report.changes, look),
    costLines(report, look),
    rolloutLines(report, look),
    report.alternatives.flatMap((other) => [
      ...paragraph(`${wayOf(report, other)}: ${other.why}.`, 2, look),
      ...other.changes.flatMap((change) => paragraph(`  ${headOf(change)}`, 4, look, "dim")),
    ]),
    report.cannot.flatMap(({ endpoint, why, leastHelp }) => [
      ...paragraph(`${endpoint} cannot be made safe by changes here: ${why}.`, 2, look, "bad"),
      ...(leastHelp === "" ? [] : paragraph(`  What would do: ${leastHelp}`, 4, look)),
    ]),
    ...(report.changes.length > 0 ? report.changes : (report.alternatives[0]?.changes ?? [])).map((change) =>
      diffLines(change, look),
    ),
    problemLines(report.problems, look),
    gapLines(report.cluster, report.notModelled, look),
  ]);
}

/** In place of the changes, or beside them: what was not asked for, and what only lets answers finish. */
export function wayOf({ changes }: FixReport, { changes: own, cost }: FixReport["alternatives"][number]): string {
  const isBeside =
    changes.length === 0 ||
    own.every(({ remedies }) => remedies.every((name) => name === "grace" || name === "drain-timeout"));
  return `${isBeside ? "Worth doing beside" : "Another way"}, costs ${costText(cost)}`;
}

/** What is said of each endpoint in one sentence. */
export function answersOf(report: FixReport): readonly { readonly text: string; readonly tone: Tone }[] {
  const live = new Map(report.afterLiveOnly.map((pair) => [pair.endpoint, pair]));
  const before = new Map(report.before.map((pair) => [pair.endpoint, pair]));
  const isOnlyBeside = report.changes.length > 0 && report.before.every(({ verdict }) => verdict === "safe");
  const beside = isOnlyBeside ? `; ${counted(report.changes.length, "change")} beside, for what the findings name` : "";
  return report.after.map((pair) => {
    const was = before.get(pair.endpoint)?.verdict ?? null;
    if (pair.verdict === null) return { text: `${pair.endpoint} is idle.`, tone: "dim" as const };
    if (was === "safe") {
      const again = report.secondMaintenance.find(({ endpoint }) => endpoint === pair.endpoint);
      const isLasting = again === undefined || again.verdict === "safe" || again.verdict === null;
      const second = isLasting ? "" : ` Twice in a row it ${said(again.verdict)}: ${again.because}.`;
      return {
        text: `${pair.endpoint} is safe as it is${beside}.${second}`,
        tone: isLasting ? ("good" as const) : ("warn" as const),
      };
    }
    const half = live.get(pair.endpoint);
    const alone =
      half !== undefined && half.verdict !== pair.verdict && report.changes.some(({ holds }) => holds !== "live")
        ? ` With the live changes alone it ${saidStill(half.verdict)}: ${half.because}.`
        : "";
    if (pair.verdict === "safe") {
      const count = counted(report.changes.length, "change");
      return { text: `${pair.endpoint} ${said(was)}; with ${count} it is safe.${alone}`, tone: toneOf(pair.verdict) };
    }
    const stays = pair.verdict === was ? saidStill(was) : `${said(was)}; with all changes it ${said(pair.verdict)}`;
    return {
      text: `${pair.endpoint} ${stays}${pair.because === "" ? "" : `: ${pair.because}`}.${alone}`,
      tone: toneOf(pair.verdict),
    };
  });
}

function said(verdict: EndpointVerdictPair["verdict"]): string {
  return verdict === "stalls" ? "stalls the maintenance" : `is ${verdict ?? "idle"}`;
}

function saidStill(verdict: EndpointVerdictPair["verdict"]): string {
  return verdict === "stalls" ? `still ${said(verdict)}` : `is still ${verdict ?? "idle"}`;
}

function answerLines(report: FixReport, look: Look): string[] {
  if (report.after.length === 0)
    return paragraph("No model endpoint was found, so there is nothing to fix.", 2, look, "warn");
  return answersOf(report).flatMap(({ text, tone }) => paragraph(text, 2, look, tone));
}

function verdictLines(report: FixReport, look: Look): string[] {
  if (report.changes.length === 0) return [];
  const find = (pairs: readonly EndpointVerdictPair[], endpoint: string): EndpointVerdictPair["verdict"] =>
    pairs.find((pair) => pair.endpoint === endpoint)?.verdict ?? null;
  const verdict = (value: EndpointVerdictPair["verdict"]): ReturnType<typeof cell> =>
    cell(value ?? "idle", toneOf(value));
  const heads = ["ENDPOINT", "BEFORE", "AFTER LIVE ONES", "AFTER ALL", "SECOND IN A ROW"].map((head) =>
    cell(head, "dim"),
  );
  const rows = report.after.map(({ endpoint, verdict: after }) => [
    cell(endpoint),
    verdict(find(report.before, endpoint)),
    verdict(find(report.afterLiveOnly, endpoint)),
    verdict(after),
    verdict(find(report.secondMaintenance, endpoint)),
  ]);
  return aligned([heads, ...rows], "", look);
}

const holdsText: Readonly<Record<Change["holds"], string>> = {
  live: "holds where it is made",
  upstream: "belongs into what the object is made from",
  composition: "belongs into the composition: made here it would be put back",
};

export function headOf(change: Change): string {
  const { kind, namespace, name } = change.target;
  const object = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
  switch (change.do) {
    case "create":
      return `create ${object}`;
    case "delete":
      return `delete ${object}`;
    case "helm":
      return `Helm values of ${change.manager} for ${object}: ${change.fields.map(({ path, value }) => `${path}=${shortValue(value)}`).join(", ")}`;
    default:
      return `${object}: ${change.fields.map(({ path, value }) => (value === null ? `without ${path}` : `${path}=${shortValue(value)}`)).join(", ")}`;
  }
}

function shortValue(value: unknown): string {
  return typeof value === "object" && value !== null ? "…" : String(value);
}

function changeLines(changes: readonly Change[], look: Look): string[] {
  if (changes.length === 0) return [];
  return [
    painted("Changes", "strong", look),
    ...changes.flatMap((change) => {
      const by = change.manager === "" || change.holds === "live" ? "" : ` (${change.manager})`;
      return [
        ...paragraph(`  ${change.holds}: ${headOf(change)}`, 4, look, change.holds === "live" ? "good" : "warn"),
        ...paragraph(`    ${change.why}`, 6, look),
        ...(change.holds === "live" ? [] : paragraph(`    It ${holdsText[change.holds]}${by}.`, 6, look, "dim")),
      ];
    }),
  ];
}

function costLines({ cost, changes }: FixReport, look: Look): string[] {
  return changes.length === 0 ? [] : paragraph(`Costs ${costText(cost)}.`, 2, look);
}

export function costText({ milliCpu, memoryBytes, gpus }: ChangeCost): string {
  const parts = [
    ...(milliCpu === 0 ? [] : [`${milliCpu}m CPU`]),
    ...(memoryBytes === 0 ? [] : [`${Math.ceil(memoryBytes / 1024 ** 2)} MiB of memory`]),
    ...(gpus === 0 ? [] : [counted(gpus, "GPU")]),
  ];
  return parts.length === 0 ? "nothing" : listed(parts);
}

const mostRolloutEvents = 40;

function rolloutLines({ rollout, changes }: FixReport, look: Look): string[] {
  if (changes.length === 0) return [];
  const story = transcriptOf(rollout.timeline);
  const title = rollout.verdict === "safe" ? "How the changes roll out:" : `Their own rollout is ${rollout.verdict}:`;
  const more = story.length - mostRolloutEvents;
  return [
    ...storyLines(title, story.slice(0, mostRolloutEvents), look),
    ...(more > 0 ? [`  and ${more} more events; -o json lists them all`] : []),
  ];
}

function diffLines(change: Change, look: Look): string[] {
  return change.diff === "" ? [] : diffText(change.diff, look);
}

export function diffText(diff: string, look: Look): string[] {
  const tone = (line: string): Tone => {
    if (line.startsWith("---") || line.startsWith("+++")) return "strong";
    if (line.startsWith("+")) return "good";
    return line.startsWith("-") ? "bad" : line.startsWith("@@") ? "dim" : "plain";
  };
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => painted(visible(line), tone(line), look));
}
