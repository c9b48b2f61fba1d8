import { unreachable } from "../base/invariant.ts";
import { listed, listedAtMost, spokenSeconds } from "../base/words.ts";
import { endsWell } from "../sim/trace.ts";
import { endpointAnnotation } from "../systems/service.ts";
import { lossesInWords } from "./losses.ts";
import { problemInWords } from "./problem-words.ts";
import { counted } from "./text.ts";
import type {
  CheckEndpoint,
  CheckReport,
  ClusterReport,
  Down,
  Drain,
  EndpointVerdict,
  NotModelled,
  SimulatedEndpoint,
  SimulationReport,
  Trace,
  Verdict,
} from "./types.ts";

/** Worst first; idle endpoints last. */
const severity: ReadonlyMap<EndpointVerdict, number> = new Map<EndpointVerdict, number>([
  ["unsafe", 0],
  ["stalls", 1],
  ["undecided", 2],
  ["safe", 3],
  [null, 4],
]);

export function worseFirst(a: EndpointVerdict, b: EndpointVerdict): number {
  return (severity.get(a) ?? 0) - (severity.get(b) ?? 0);
}

/** Null for no endpoint that is judged. */
export function worstOf(verdicts: readonly EndpointVerdict[]): EndpointVerdict {
  return verdicts.reduce((worst, verdict) => (worseFirst(verdict, worst) < 0 ? verdict : worst), null);
}

/** Worst first, then as the report has them. */
export function endpointsWorstFirst(report: CheckReport): readonly CheckEndpoint[] {
  return [...report.endpoints].sort((a, b) => worseFirst(a.verdict, b.verdict));
}

/** The answer for several endpoints in one sentence, the broken ones by name where they are few. "" for one: its own answer says it. */
export function answerForAll({ endpoints }: CheckReport): string {
  if (endpoints.length < 2) return "";
  const shares = inWords.flatMap(([verdict, one, several]) => {
    const names = endpoints
      .filter((endpoint) => endpoint.verdict === verdict)
      .map(({ namespace, name }) => `${namespace}/${name}`);
    const isNamed = isWanting(verdict) && names.length <= mostNamed;
    if (names.length === 0) return [];
    return [{ count: names.length, words: names.length === 1 ? one : several, named: isNamed ? listed(names) : "" }];
  });
  const [only, ...more] = shares;
  if (only === undefined) return "";
  if (more.length === 0) {
    const who = only.count === 2 ? "Both" : `All ${only.count}`;
    return `${who} model endpoints ${only.words}${only.named === "" ? "" : `: ${only.named}`}.`;
  }
  const each = shares.map(({ count, words, named }) => `${count} ${words}${named === "" ? "" : ` (${named})`}`);
  return `Of ${endpoints.length} model endpoints ${listed(each)}.`;
}

/** More names than this are no answer any more. */
const mostNamed = 3;

/** Whether a person has to do something about it. */
function isWanting(verdict: EndpointVerdict): boolean {
  return verdict !== null && verdict !== "safe";
}

const inWords: readonly (readonly [EndpointVerdict, one: string, several: string])[] = [
  ["unsafe", "is unsafe", "are unsafe"],
  ["stalls", "stalls the maintenance", "stall the maintenance"],
  ["undecided", "is undecided", "are undecided"],
  ["safe", "is safe", "are safe"],
  [null, "is idle", "are idle"],
];

/** The answer for one endpoint, without its name: `is unsafe: …`. */
export function answerOf(endpoint: CheckEndpoint): string {
  if (endpoint.verdict === null)
    return "is idle: it serves nothing by intent (HF020 or HF036 says how), so there is nothing to take down.";
  const because = endpoint.because !== "" ? endpoint.because : becauseOf(endpoint, endpoint.verdict);
  switch (endpoint.verdict) {
    case "unsafe":
      return endpoint.now === "down" ? `is down now: ${because}` : `is unsafe: ${because}`;
    case "stalls":
      return `stays up but stalls the maintenance: ${because}`;
    case "undecided":
      return `is undecided: ${because}`;
    case "safe":
      return `is safe: ${because}`;
    default:
      return unreachable(endpoint.verdict);
  }
}

/** The answer where there is no endpoint. */
export function nothingToJudge({ cluster, problems, notChosen }: CheckReport): string {
  const where = sourceInWords(cluster);
  const [first] = problems;
  const read = first === undefined ? where : `what could be read of ${where}`;
  if (cluster.nodes === 0 && first !== undefined && cluster.pods === 0) {
    const which = problems.length === 1 ? "The problem" : `The first of ${counted(problems.length, "problem")}`;
    return `Nothing was judged: there are no nodes in ${read}. ${which}: ${problemInWords(first)}`;
  }
  if (cluster.nodes === 0) return `Nothing was judged: there are no nodes in ${where}, so nothing can be played.`;
  if (notChosen.length > 0)
    return `No model endpoint is where you asked; ${where} has ${listedAtMost(notChosen, 5)} elsewhere.`;
  return `No model endpoint was found in ${read}, so there is nothing to judge. A Service with the annotation ${endpointAnnotation}: "true" is judged as one.`;
}

export function sourceInWords({ source }: ClusterReport): string {
  if (source === "") return "the cluster";
  return source === "-" ? "standard input" : source;
}

function becauseOf(endpoint: CheckEndpoint, verdict: Verdict): string {
  switch (verdict) {
    case "unsafe":
      return unsafeBecause(endpoint);
    case "stalls":
      return stallsBecause(endpoint);
    case "undecided":
      return undecidedBecause(endpoint);
    case "safe":
      return endpoint.restsOn.length === 0
        ? "no order of drains and no placement breaks it."
        : `it holds while ${listedAtMost(
            endpoint.restsOn.map((rest) => withoutPrefix(rest.text)),
            3,
          )}.`;
    default:
      return unreachable(verdict);
  }
}

function unsafeBecause(endpoint: CheckEndpoint): string {
  const { now, worst, path, notModelled } = endpoint;
  if (now === "down") {
    const dead = path.filter((part) => part.onPath && part.needed && part.ready === 0 && part.outside === "");
    return dead.length === 0
      ? "a part it needs has nothing ready."
      : `nothing is ready of ${listedAtMost(
          dead.map((part) => part.component),
          3,
        )}.`;
  }
  if (worst === null) return `${untoldName(endpoint)} breaks it; ask about it alone to see how.`;
  const down = longestDown(worst);
  if (down !== null) {
    return `${worst.name} takes it down${howLong(down, notModelled)}: nothing is ready of ${down.hop} (${withoutSchedulerText(down.because)}).`;
  }
  const low = worst.timeline.find((event) => event.type === "endpoint-degraded");
  return low?.type === "endpoint-degraded"
    ? `${worst.name} leaves it ${percent(low.capacity)} of its capacity: ${low.because}.`
    : `${worst.name} breaks it.`;
}

/** The story has the scheduler's whole message; the answer says only that there is one. */
export function withoutSchedulerText(because: string): string {
  return trimmed(because.replace(/: \d+\/\d+ nodes are available:.*$/su, ""));
}

/** The longest span without service; one without an end is longer than any. Null: never down. */
function longestDown(trace: Pick<Trace, "down">): Trace["down"][number] | null {
  const length = (down: Trace["down"][number]): number =>
    down.toSeconds === null ? Number.POSITIVE_INFINITY : down.toSeconds - down.fromSeconds;
  return trace.down.reduce<Trace["down"][number] | null>(
    (longest, down) => (longest === null || length(down) > length(longest) ? down : longest),
    null,
  );
}

/** The scenario that hurts it, where its trace is left out for there being so many. */
function untoldName({ scenarios, verdict }: CheckEndpoint): string {
  return scenarios.find((one) => one.partOfVerdict && one.verdict === verdict)?.name ?? "a trace";
}

function stallsBecause(endpoint: CheckEndpoint): string {
  const { worst } = endpoint;
  if (worst === null) return `${untoldName(endpoint)} does not complete because of it; ask about it alone to see why.`;
  const stuck = worst.drains.find((drain) => drain.outcome !== "completed");
  if (stuck === undefined) return "in some trace the maintenance does not complete.";
  return `in ${worst.name} ${drainInWords(stuck)}.`;
}

/** `the drain of n1 waits for ever on ns/pod: <cause>` */
export function drainInWords(drain: Drain): string {
  const blocker = drain.blockedBy[0];
  const on =
    blocker === undefined
      ? ""
      : `${blocker.pod === "" ? "" : ` on ${blocker.pod}`}: ${trimmed(blocker.cause !== "" ? blocker.cause : blocker.message)}`;
  switch (drain.outcome) {
    case "completed":
      return `the drain of ${drain.node} completes`;
    case "stalled":
      return `the drain of ${drain.node} waits for ever${on}`;
    case "refused":
      return `the drain of ${drain.node} is refused${on}`;
    case "failed":
      return `the drain of ${drain.node} fails${on}`;
    case "forced":
      return `the drain of ${drain.node} ends by force${on}`;
    case "stopped":
      return `the drain of ${drain.node} gives up${on}`;
    default:
      return unreachable(drain.outcome);
  }
}

function undecidedBecause(endpoint: CheckEndpoint): string {
  const gap = endpoint.notModelled.find((entry) => entry.couldChange !== "");
  if (gap === undefined) {
    const { scenarios } = endpoint;
    return scenarios.length > 0 && scenarios.every(({ partOfVerdict }) => !partOfVerdict)
      ? "only what-ifs were played, and they make no verdict; what each of them does is in the table."
      : "a limit was reached before every order was tried; raise --max-states.";
  }
  const ref = gap.ref === "" ? "" : ` (${gap.ref})`;
  return `${trimmed(gap.what)}${ref} could change ${trimmed(gap.couldChange)}.`;
}

/** The answer of a simulation as one sentence. */
export function answerOfSimulation(report: SimulationReport): string {
  const name = report.scenario.metadata.name === "" ? "This scenario" : `Scenario ${report.scenario.metadata.name}`;
  return `${name} ${verdictInWords(report)}`;
}

function verdictInWords(report: SimulationReport): string {
  switch (report.verdict) {
    case "unsafe":
      return `is unsafe: ${report.because}`;
    case "stalls":
      return `stalls: ${report.because}`;
    case "undecided":
      return `is undecided: ${report.because}`;
    case "safe":
      // Nothing was judged: the word for endpoints that hold is not for a maintenance that only ends.
      return report.endpoints.every(({ verdict }) => verdict === null)
        ? `runs through: ${report.because}`
        : `is safe: ${report.because}`;
    default:
      return unreachable(report.verdict);
  }
}

/** Why the verdict is what it is, and what is lost besides. Whole sentences. */
export function becauseOfSimulation(report: Omit<SimulationReport, "because">): string {
  return [reasonOf(report), lossesInWords(report)].filter((sentence) => sentence !== "").join(" ");
}

function reasonOf(report: Omit<SimulationReport, "because">): string {
  switch (report.verdict) {
    case "unsafe": {
      const broken = report.endpoints.filter((endpoint) => endpoint.verdict === "unsafe");
      // Where no endpoint is known, Services are what there is to lose.
      return broken.length === 0 ? "" : `it ${listedAtMost(broken.map(breakageOf), 3)}.`;
    }
    case "stalls": {
      const stuck = report.drains.find((drain) => !endsWell(drain));
      return stuck === undefined ? "it waits for ever for pods to be Ready." : `${drainInWords(stuck)}.`;
    }
    case "undecided": {
      const gaps = [...report.notModelled, ...report.endpoints.flatMap((endpoint) => endpoint.notModelled)];
      const gap = gaps.find(({ couldChange }) => couldChange !== "");
      if (gap === undefined) return `a limit was reached after ${counted(report.statesExplored, "state")}.`;
      const ref = gap.ref === "" ? "" : ` (${gap.ref})`;
      return `${trimmed(gap.what)}${ref} could change ${trimmed(gap.couldChange)}.`;
    }
    case "safe":
      return safeBecause(report);
    default:
      return unreachable(report.verdict);
  }
}

/** `takes ml/llama down for 4 min (Endpoint picker)` */
function breakageOf(endpoint: SimulatedEndpoint): string {
  const name = `${endpoint.namespace}/${endpoint.name}`;
  const down = longestDown(endpoint);
  if (down === null) return `leaves ${name} ${percent(endpoint.minCapacity)} of its capacity`;
  return `takes ${name} down${howLong(down, endpoint.notModelled)} (${down.hop})`;
}

/** What nobody here brings back may come back all the same. */
function howLong({ fromSeconds, toSeconds }: Down, notModelled: readonly NotModelled[]): string {
  if (toSeconds !== null) return ` for ${spokenSeconds(toSeconds - fromSeconds)}`;
  const isOpen = notModelled.some(({ couldChange }) => couldChange !== "");
  return isOpen ? ", for how long is not known" : " and it does not come back";
}

function safeBecause(report: Omit<SimulationReport, "because">): string {
  const rests = report.endpoints.flatMap((endpoint) => endpoint.restsOn);
  if (rests.length > 0)
    return `it holds while ${listedAtMost(
      rests.map((rest) => withoutPrefix(rest.text)),
      3,
    )}.`;
  const judged = report.endpoints.filter((endpoint) => endpoint.verdict !== null).length;
  const what =
    judged === 0
      ? "it completes; no model endpoint is known, and no Service is left with nothing ready"
      : `it completes and ${judged === 1 ? "the endpoint stays" : "all endpoints stay"} up`;
  return report.exhaustive ? `${what}, in every order and with every placement.` : `${what}.`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** `safe while the picker starts within 58 min` → `the picker starts within 58 min` */
function withoutPrefix(text: string): string {
  return trimmed(text.replace(/^safe while /, ""));
}

function trimmed(sentence: string): string {
  return sentence.replace(/[.\s]+$/, "");
}
