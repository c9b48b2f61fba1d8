import type { Answer, Decision } from "./decision.ts";
import { isJudged, judgedFrom, scoreValues, shortfalls } from "./requirements.ts";

/** What a run of comparisons has touched. A figure of agreement says nothing without it. */
export interface Coverage {
  clusters: number;
  pods: number;
  /** Pod × node verdicts. */
  decisions: number;
  nodesMin: number;
  nodesMax: number;
  /** Searches that ended before every node was looked at. */
  sampled: number;
  bound: number;
  unschedulable: number;
  errors: number;
  gated: number;
  preemptions: number;
  /** Filter → how often it let a node through, and turned it down. Only where it had something to check. */
  readonly filters: Map<string, { passed: number; rejected: number }>;
  /** Plugin in PreFilter → rejections. */
  readonly preFilters: Map<string, number>;
  /** `Plugin: reason`, names and numbers made alike → times. */
  readonly messages: Map<string, number>;
  /** Text after the reasons in a whole message → times. */
  readonly endings: Map<string, number>;
  /** Score plugin → the scores it gave, after normalizing and before. */
  readonly scores: Map<string, { readonly values: Set<number>; readonly raw: Set<number> }>;
  /** The same after normalizing, of the first clusters only. */
  readonly earlyScores: Map<string, Set<number>>;
}

export function emptyCoverage(): Coverage {
  return {
    clusters: 0,
    pods: 0,
    decisions: 0,
    nodesMin: Infinity,
    nodesMax: 0,
    sampled: 0,
    bound: 0,
    unschedulable: 0,
    errors: 0,
    gated: 0,
    preemptions: 0,
    filters: new Map(),
    preFilters: new Map(),
    messages: new Map(),
    endings: new Map(),
    scores: new Map(),
    earlyScores: new Map(),
  };
}

export function cover(coverage: Coverage, answer: Answer): void {
  coverage.clusters++;
  const nodes = answer.order?.length ?? 0;
  coverage.nodesMin = Math.min(coverage.nodesMin, nodes);
  coverage.nodesMax = Math.max(coverage.nodesMax, nodes);
  for (const decision of answer.decisions ?? []) coverDecision(coverage, decision);
}

function coverDecision(coverage: Coverage, decision: Decision): void {
  coverage.pods++;
  if (decision.preEnqueue !== undefined) {
    coverage.gated++;
    countReasons(coverage, decision.preEnqueue);
    return;
  }
  if (decision.error !== undefined) coverage.errors++;
  else if (decision.message !== undefined) coverage.unschedulable++;
  else coverage.bound++;
  if (decision.preemption !== undefined) coverage.preemptions++;
  if (decision.preFilter.code !== "Success") {
    add(coverage.preFilters, decision.preFilter.plugin ?? "", 1);
    countReasons(coverage, decision.preFilter);
  }
  const nodes = decision.nodes ?? [];
  coverage.decisions += nodes.length;
  if ((decision.evaluated ?? 0) < nodes.length && decision.error === undefined) coverage.sampled++;
  for (const verdict of nodes) {
    for (const filter of decision.filters ?? []) {
      const counts = get(coverage.filters, filter, () => ({ passed: 0, rejected: 0 }));
      if (verdict.plugin === filter) {
        counts.rejected++;
        break;
      }
      counts.passed++;
    }
    if (verdict.code !== "Success") countReasons(coverage, verdict);
  }
  for (const plugin of decision.scores ?? []) {
    const seen = get(coverage.scores, plugin.plugin, () => ({ values: new Set<number>(), raw: new Set<number>() }));
    for (const score of plugin.score) seen.values.add(score);
    for (const score of plugin.raw) seen.raw.add(score);
    if (coverage.clusters > scoreValues.clusters) continue;
    const early = get(coverage.earlyScores, plugin.plugin, () => new Set<number>());
    for (const score of plugin.score) early.add(score);
  }
  const after = decision.message?.match(/\. (.*)$/s)?.[1];
  if (after !== undefined) {
    for (const part of after.split(/(?:, |: )(?=\d+ |preemption|still|no new|deal|deletion|not elig)|\.$/)) {
      if (part !== "") add(coverage.endings, alike(part), 1);
    }
  }
}

function countReasons(
  coverage: Coverage,
  verdict: { readonly plugin?: string; readonly reasons?: readonly string[] },
): void {
  for (const reason of verdict.reasons ?? []) add(coverage.messages, `${verdict.plugin}: ${alike(reason)}`, 1);
}

/** Texts that differ only in names and numbers become one. */
function alike(text: string): string {
  return text
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\b(pending|placed|claim|devices|volume|node|request|sub|gpu|nic|scratch|slice)-[a-z0-9/.-]+/g, "$1-…")
    .replace(/, request (?:all|(?:request|sub)-…)/g, ", request …")
    .replace(/\b[abc]\/[a-z0-9-…]+/g, "…")
    .replace(/(device|pool) [a-z.]+\/[a-z0-9/.…-]+/g, "$1 …")
    .replace(/(CEL runtime error: ).*/s, "$1…")
    .replace(/\[[^\]]*\]/g, "[…]")
    .replace(/\d+/g, "N");
}

function add(map: Map<string, number>, key: string, count: number): void {
  map.set(key, (map.get(key) ?? 0) + count);
}

function get<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Whether the run has touched all it must: null: it is a sample. */
export function coverageVerdict(
  coverage: Coverage,
  minor: number,
): { readonly met: boolean; readonly text: string } | null {
  if (!isJudged(coverage)) return null;
  const lacking = shortfalls(coverage, minor);
  return lacking.length === 0
    ? { met: true, text: "coverage: met" }
    : { met: false, text: ["coverage: not met", ...lacking.map((one) => `  ${one}`)].join("\n") };
}

export const sampleText = `coverage: not judged, a run of less than ${judgedFrom.clusters} clusters and ${judgedFrom.decisions} decisions is a sample`;

export function coverageText(coverage: Coverage): string {
  const lines = [
    `${coverage.clusters} clusters of ${coverage.nodesMin} to ${coverage.nodesMax} nodes, ${coverage.pods} pods, ${coverage.decisions} pod × node decisions`,
    `bound ${coverage.bound}, unschedulable ${coverage.unschedulable}, gated ${coverage.gated}, errors ${coverage.errors}, with preemption ${coverage.preemptions}, sampled ${coverage.sampled}`,
    "",
    "filter                            passed  rejected",
    ...[...coverage.filters].map(
      ([name, c]) => `${name.padEnd(32)}${String(c.passed).padStart(8)}${String(c.rejected).padStart(10)}`,
    ),
    "",
    "rejected before any node",
    ...counts(coverage.preFilters),
    "",
    "reasons",
    ...counts(coverage.messages),
    "",
    "after the reasons",
    ...counts(coverage.endings),
    "",
    "score                         values  raw values",
    ...[...coverage.scores].map(
      ([name, s]) => `${name.padEnd(32)}${String(s.values.size).padStart(4)}${String(s.raw.size).padStart(12)}`,
    ),
  ];
  return lines.join("\n");
}

function counts(map: ReadonlyMap<string, number>): string[] {
  return [...map].sort((a, b) => b[1] - a[1]).map(([text, count]) => `${String(count).padStart(8)}  ${text}`);
}
