import type { Answer, Decision, NodeVerdict, Question, Verdict } from "./decision.ts";

/** One way in which two answers to the same question disagree. */
export interface Difference {
  /** What disagrees: `filter verdict`, `filter reason`, `score PodTopologySpread` … Differences of one kind tend to have one cause. */
  readonly kind: string;
  readonly pod: string;
  /** The node, when the difference is about one. */
  readonly node: string;
  readonly theirs: string;
  readonly ours: string;
}

/** Differences in everything both sides say; `theirs` is the real scheduler. */
export function compareAnswers(question: Question, theirs: Answer, ours: Answer): readonly Difference[] {
  const found: Difference[] = [];
  if (ours.error !== undefined) {
    return [{ kind: "our side failed", pod: "", node: "", theirs: "an answer", ours: ours.error }];
  }
  if (!same(theirs.order, ours.order)) found.push(difference("node order", "", "", theirs.order, ours.order));
  // 1.34 walks pools in the order of a map: which of the devices that do not go together it names is chance.
  const named = (decision: Decision): Decision =>
    theirs.version.startsWith("1.34.") ? withoutDeviceNames(decision) : decision;
  const ourDecisions = new Map((ours.decisions ?? []).map((decision) => [decision.pod, decision]));
  for (const decision of theirs.decisions ?? []) {
    const other = ourDecisions.get(decision.pod);
    if (other === undefined) found.push(difference("pod not decided", decision.pod, "", "decided", "missing"));
    else found.push(...compareDecisions(named(decision), named(other), question.options.sequence === true));
  }
  return found;
}

export function compareDecisions(theirs: Decision, ours: Decision, sequence: boolean): readonly Difference[] {
  const { pod } = theirs;
  const found: Difference[] = [];
  const differ = (kind: string, a: unknown, b: unknown, node = ""): boolean => {
    if (same(a, b)) return false;
    found.push(difference(kind, pod, node, a, b));
    return true;
  };
  if (theirs.preEnqueue !== undefined || ours.preEnqueue !== undefined) {
    if (!differ("pre-enqueue verdict", codeOf(theirs.preEnqueue), codeOf(ours.preEnqueue))) {
      differ("pre-enqueue reason", theirs.preEnqueue?.reasons ?? [], ours.preEnqueue?.reasons ?? []);
    }
    return found;
  }
  if (!differ("pre-filter verdict", codeOf(theirs.preFilter), codeOf(ours.preFilter))) {
    differ("pre-filter reason", reasonsOf(theirs.preFilter), reasonsOf(ours.preFilter));
  }
  differ("restricted nodes", [...(theirs.restricted ?? ["all"])].sort(), [...(ours.restricted ?? ["all"])].sort());
  compareNodes(theirs.nodes ?? [], ours.nodes ?? [], differ);
  differ("nodes looked at", theirs.evaluated ?? 0, ours.evaluated ?? 0);
  if (!differ("feasible nodes", theirs.feasible ?? [], ours.feasible ?? [])) compareScores(theirs, ours, differ);
  differ("best nodes", theirs.top ?? [], ours.top ?? []);
  differ("error", unnamed(theirs.error ?? ""), unnamed(ours.error ?? ""));
  differ("message", steady(theirs.message ?? ""), steady(ours.message ?? ""));
  comparePreemption(theirs, ours, differ, sequence);
  return found;
}

type Differ = (kind: string, theirs: unknown, ours: unknown, node?: string) => boolean;

function compareNodes(theirs: readonly NodeVerdict[], ours: readonly NodeVerdict[], differ: Differ): void {
  const other = new Map(ours.map((verdict) => [verdict.node, verdict]));
  if (differ("nodes judged", theirs.map((v) => v.node).sort(), ours.map((v) => v.node).sort())) return;
  for (const verdict of theirs) {
    const mine = other.get(verdict.node);
    const name = verdict.plugin ?? mine?.plugin ?? "";
    if (differ(`filter verdict ${name}`, codeOf(verdict), codeOf(mine), verdict.node)) continue;
    differ(`filter reason ${name}`, reasonsOf(verdict), reasonsOf(mine), verdict.node);
  }
}

function compareScores(theirs: Decision, ours: Decision, differ: Differ): void {
  const other = new Map((ours.scores ?? []).map((score) => [score.plugin, score]));
  for (const score of theirs.scores ?? []) {
    const mine = other.get(score.plugin);
    if (mine === undefined && score.score.every((value) => value === 0)) continue;
    if (!differ(`score ${score.plugin}`, perNode(theirs, score.score), perNode(theirs, mine?.score ?? []))) {
      differ(`raw score ${score.plugin}`, perNode(theirs, score.raw), perNode(theirs, mine?.raw ?? []));
    }
    differ(`weight ${score.plugin}`, score.weight, mine?.weight ?? 0);
  }
  for (const score of ours.scores ?? []) {
    const known = (theirs.scores ?? []).some((their) => their.plugin === score.plugin);
    if (!known && score.score.some((value) => value !== 0))
      differ(`score ${score.plugin}`, "none", perNode(ours, score.score));
  }
  differ("total score", perNode(theirs, theirs.totals ?? []), perNode(theirs, ours.totals ?? []));
}

function perNode(decision: Decision, values: readonly number[]): readonly string[] {
  return (decision.feasible ?? []).map((node, i) => `${node}=${values[i] ?? "?"}`);
}

/**
 * Beyond 100 candidates the scheduler looks at a drawn part of them only; the oracle looks at all. So our choices must hold its
 * best ones, not equal them.
 */
function comparePreemption(theirs: Decision, ours: Decision, differ: Differ, sequence: boolean): void {
  const candidates = theirs.preemption?.candidates ?? [];
  const best = theirs.preemption?.nodes ?? [];
  const mine = ours.preemption?.nodes ?? [];
  if (candidates.length > 100)
    differ(
      "preemption nodes",
      [],
      best.filter((node) => !mine.includes(node)),
    );
  else if (differ("preemption nodes", [...best].sort(), [...mine].sort())) return;
  const described = new Map((ours.preemption?.candidates ?? []).map((candidate) => [candidate.node, candidate]));
  for (const candidate of candidates) {
    const other = described.get(candidate.node);
    if (other === undefined && !best.includes(candidate.node)) continue;
    // Pods assumed a moment ago have not started, so their order is nobody's.
    const order = (names: readonly string[]): readonly string[] => (sequence ? [...names].sort() : names);
    differ("preemption victims", order(candidate.victims), order(other?.victims ?? []), candidate.node);
  }
}

/** A verdict without its words. */
function codeOf(verdict: Verdict | undefined): string {
  if (verdict === undefined) return "none";
  return verdict.code === "Success" ? "Success" : `${verdict.code} by ${verdict.plugin ?? "nobody"}`;
}

function reasonsOf(verdict: Verdict | undefined): readonly string[] {
  const reasons = (verdict?.reasons ?? []).map(unnamed);
  return verdict?.plugin === "NodeResourcesFit" ? [...reasons].sort() : reasons;
}

/**
 * Of several pods on a node whose claims are another's, NodeVolumeLimits names the one it comes to first: in which order they
 * came to the node is not in an input.
 */
function unnamed(reason: string): string {
  return reason.startsWith('running "NodeVolumeLimits"')
    ? reason.replace(/PVC \S+ was not created for pod \S+/, "PVC … was not created for pod …")
    : reason;
}

function withoutDeviceNames(decision: Decision): Decision {
  return JSON.parse(
    JSON.stringify(decision).replaceAll(/cannot add device \S+ because/g, "cannot add device … because"),
  ) as Decision;
}

/** Errors of several nodes stand in brackets, in the order of a map. */
function steady(message: string): string {
  return message.replace(
    /\[(running .*)\]/s,
    (_, errors: string) =>
      `[${errors
        .split(/, (?=running )/)
        .sort()
        .join(", ")}]`,
  );
}

function difference(kind: string, pod: string, node: string, theirs: unknown, ours: unknown): Difference {
  return { kind, pod, node, theirs: text(theirs), ours: text(ours) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
