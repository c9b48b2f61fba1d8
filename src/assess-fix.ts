import { check, clusterOf, commonGaps, gapsOfAll, notModelledOf } from "./assess.ts";
import { listedAtMost } from "./base/words.ts";
import type { Actor } from "./maintenance/actor.ts";
import { type Pool, poolsOf } from "./maintenance/pool.ts";
import { actorNamed } from "./maintenance/registry.ts";
import type { Cluster } from "./model/cluster.ts";
import type { ObjectKey, PodKey } from "./model/key.ts";
import type { Node } from "./model/node.ts";
import { EditApplier } from "./patch/apply-edits.ts";
import { carriedTiming } from "./patch/carried-timing.ts";
import { type Choosing, type Chosen, choose, rightedRules } from "./patch/choose.ts";
import { type Edit, sumOfCosts } from "./patch/edit.ts";
import { KeptObjects } from "./patch/kept-objects.ts";
import { nodeLike } from "./patch/node-like.ts";
import {
  becauseOf,
  downAlready,
  nameOf,
  type Proof,
  type Proving,
  proveRollout,
  rankOf,
  verdictKinds,
} from "./patch/prove.ts";
import { sickPodsOf, withReady } from "./patch/sick-pods.ts";
import { sitesOf } from "./patch/site.ts";
import { changesOf } from "./report/changes.ts";
import { timelineOf } from "./report/course.ts";
import type { CheckOptions, Progress } from "./report/options.ts";
import {
  type CheckReport,
  type EndpointVerdictPair,
  type FindingReport,
  type FixReport,
  type NotModelled,
  reportApiVersion,
} from "./report/types.ts";
import { endpointsOf } from "./route/build.ts";
import { chooseEndpoints } from "./route/choose.ts";
import { actorsOfPools, likeliest, namedScenarios } from "./search/named-scenarios.ts";
import { type Judged, judged, playAll } from "./search/play-all.ts";
import { isWorse } from "./search/severity.ts";
import { asItStands } from "./sim/as-it-stands.ts";
import { timingOf } from "./sim/timing.ts";
import type { Endpoint } from "./systems/endpoint.ts";
import type { Snapshot } from "./wire/snapshot.ts";

/** `holdfast fix`: the smallest changes at the owners that make endpoints safe, proved by playing them forward. */
export function* fix(snapshot: Snapshot, options: CheckOptions): Generator<Progress, FixReport> {
  const kept = new KeptObjects();
  const cluster = clusterOf(kept.watching(snapshot), options);
  const checked = yield* check(snapshot, options);
  const choosing = { ...choosingOf(cluster, kept, options), wrongs: wrongsOf(checked.findings, cluster) };
  const chosen = yield* told(choose(choosing));
  const live = chosen.edits.filter(({ holds }) => holds === "live");
  const isAllLive = live.length === chosen.edits.length;
  const asIs = answersBefore(checked, chosen, choosing);
  const ask = function* (edits: readonly Edit[], proof: () => Proof): Generator<Progress, Answers> {
    return edits.length === 0 ? asIs : yield* answersAfter(proof(), choosing.proving, snapshot, options);
  };
  const answers = yield* ask(chosen.edits, () => chosen.after);
  yield { doing: "plays the live changes alone", done: 0, total: null };
  const answersLive = isAllLive
    ? answers
    : yield* ask(live, () => proveRollout(choosing.proving, choosing.applier.apply(live)));
  const after = pairsOf(checked, answers);
  const { rollout } = chosen.after;
  return {
    apiVersion: reportApiVersion,
    kind: "FixReport",
    tool: { version: options.toolVersion },
    cluster: checked.cluster,
    problems: checked.problems,
    findings: checked.findings,
    changes: changesOf(chosen.edits, kept, choosing.applier),
    cost: sumOfCosts(chosen.edits.map(({ cost }) => cost)),
    before: pairsOf(checked, asIs),
    after,
    afterLiveOnly: pairsOf(checked, answersLive),
    secondMaintenance: pairsOfTwice(checked, chosen.after, answers),
    rollout: { verdict: rollout.verdict, timeline: rollout.course === null ? [] : timelineOf(rollout.course) },
    alternatives: chosen.alternatives.map(({ edits, cost, why }) => ({
      changes: changesOf(edits, kept, choosing.applier),
      cost,
      why,
    })),
    cannot: yield* cannotOf(after, checked, choosing, options, { kept, snapshot }),
    notModelled: checked.notModelled,
  };
}

/** Many sets of changes are played, so that no single one may take long: what is not followed to its end is undecided. */
const mostStates = 20_000;

export function choosingOf(cluster: Cluster, kept: KeptObjects, options: CheckOptions): Choosing {
  const proving: Proving = {
    cluster,
    timing: carriedTiming(cluster, timingOf(cluster, options.timing)),
    states: Math.min(mostStates, options.limits.states),
    horizonMs: options.limits.horizonMs,
    actors: options.actors.flatMap((name) => actorNamed(name) ?? []),
    choose: (endpoints) =>
      chooseEndpoints(cluster, { endpoints, supporting: [], notes: [] }, options.endpoints, options.floors).endpoints,
  };
  return {
    proving,
    applier: new EditApplier(cluster, kept),
    bench: { cluster, view: asItStands(cluster), kept },
    wrongs: new Map(),
  };
}

/** What is plainly wrong, by the workload it is wrong with. */
function wrongsOf(findings: readonly FindingReport[], cluster: Cluster): Choosing["wrongs"] {
  const byLabel = new Map(
    [...cluster.workloads.values()].map(({ key, ref }) => [`${ref.kind} ${ref.namespace}/${ref.name}`, key]),
  );
  const wrongs = new Map<ObjectKey, Set<string>>();
  for (const { rule, severity, component } of findings) {
    const key = byLabel.get(component);
    // These are never more than a warning.
    const isWarning = ["rollout-cannot-finish", "webhook-single", "autoscaler-floor"].includes(rule);
    const isWrong = severity === "error" || (severity === "warning" && isWarning);
    if (key === undefined || !isWrong || !(rightedRules.has(rule) || rule === "webhook-single")) continue;
    wrongs.set(key, (wrongs.get(key) ?? new Set()).add(rule));
  }
  return wrongs;
}

function* told<T>(steps: Generator<string, T>): Generator<Progress, T> {
  let done = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    done += 1;
    yield { doing: step.value, done, total: null };
  }
}

/** What `check` says of each endpoint, by its name. */
type Answers = ReadonlyMap<string, Answered>;

interface Answered {
  readonly verdict: EndpointVerdictPair["verdict"];
  readonly because: string;
  /** The first thing that is not modelled or not seen, and what it could change; "" none. */
  readonly gap: string;
}

/** Asked as `check` asks, of each cluster the rollout may leave; the worst counts. */
function* answersAfter(
  { ends }: Proof,
  proving: Proving,
  snapshot: Snapshot,
  options: CheckOptions,
): Generator<Progress, Answers> {
  const answers = new Map<string, Answered>();
  for (const cluster of ends) {
    const endpoints = proving.choose(endpointsOf(cluster).endpoints);
    const { timing, horizonMs } = proving;
    const asked = { cluster, endpoints, supporting: [], timing, states: options.limits.states, horizonMs };
    const scenarios = namedScenarios(cluster, verdictKinds, actorsOfPools(cluster, proving.actors));
    const played = yield* playAll(asked, scenarios);
    const view = asItStands(cluster);
    const judgements = played.map(({ judgement }) => judgement);
    const shared = notModelledOf(snapshot, cluster, judgements);
    const everywhere = gapsOfAll(shared, played);
    for (const endpoint of endpoints) {
      const common = commonGaps(endpoint, { shared, everywhere, played });
      const gaps = [...common, ...endpoint.notModelled.filter(({ couldChange }) => couldChange !== "")];
      const answered = answeredOf(endpoint, judged(endpoint, played, view, everywhere.length > 0), gapText(gaps[0]));
      const known = answers.get(nameOf(endpoint));
      const isWorst = known === undefined || isWorse(answered.verdict ?? "safe", known.verdict ?? "safe");
      if (isWorst) answers.set(nameOf(endpoint), answered);
    }
  }
  return answers;
}

function answeredOf(endpoint: Endpoint, { now, verdict, worst }: Judged, gap: string): Answered {
  if (verdict === null || verdict === "safe") return { verdict, because: "", gap };
  const course = worst?.outcome.course ?? null;
  if (now === "down") return { verdict, because: downAlready(endpoint, course), gap };
  if (worst === null || (verdict === "undecided" && gap !== "")) return { verdict, because: gap, gap };
  return { verdict, because: becauseOf(worst.played.scenario.name, verdict, endpoint, course), gap };
}

function gapText(gap: NotModelled | undefined): string {
  return gap === undefined ? "" : `${gap.what} could change ${gap.couldChange}`;
}

/** With nothing changed, nothing is asked again. */
function answersBefore({ endpoints, notModelled }: CheckReport, { before }: Chosen, { proving }: Choosing): Answers {
  const own = new Map(
    proving.choose(endpointsOf(proving.cluster).endpoints).map((endpoint) => [nameOf(endpoint), endpoint.notModelled]),
  );
  return new Map(
    endpoints.map((endpoint) => {
      const { verdict } = endpoint;
      const name = nameOf(endpoint);
      const gap = gapText([...notModelled, ...(own.get(name) ?? [])].find(({ couldChange }) => couldChange !== ""));
      const shown = verdict === "undecided" && gap !== "" ? gap : (before.because.get(name) ?? "");
      return [name, { verdict, because: verdict === "safe" || verdict === null ? "" : shown, gap }];
    }),
  );
}

/** In the report's order. */
function pairsOf({ endpoints }: CheckReport, answers: Answers): readonly EndpointVerdictPair[] {
  return endpoints.map((each) => {
    const endpoint = nameOf(each);
    const { verdict, because } = answers.get(endpoint) ?? { verdict: "undecided", because: "it is not found again" };
    return { endpoint, verdict, because };
  });
}

/** By then every pod is a new one: what is not modelled leaves nothing better than undecided. */
function pairsOfTwice({ endpoints }: CheckReport, proof: Proof, answers: Answers): readonly EndpointVerdictPair[] {
  return endpoints.map((each) => {
    const endpoint = nameOf(each);
    const { verdict, gap } = answers.get(endpoint) ?? { verdict: "undecided", gap: "" };
    if (verdict === null) return { endpoint, verdict, because: "" };
    const rank = rankOf(proof, endpoint, "twice");
    if (rank === "safe" && gap !== "") return { endpoint, verdict: "undecided", because: gap };
    return { endpoint, verdict: rank, because: rank === "safe" ? "" : (proof.because.get(endpoint) ?? "") };
  });
}

/** More than this is not looked at: each shape costs a whole search. */
const mostShapesForHelp = 4;
const mostNodesForHelp = 60;

/** For every endpoint that is not safe after all: why, and the least help from outside that was found to do. */
function* cannotOf(
  after: readonly EndpointVerdictPair[],
  { endpoints, findings }: CheckReport,
  choosing: Choosing,
  options: CheckOptions,
  { kept, snapshot }: { readonly kept: KeptObjects; readonly snapshot: Snapshot },
): Generator<Progress, FixReport["cannot"]> {
  const open = after.filter(({ verdict }) => verdict === "unsafe" || verdict === "stalls");
  if (open.length === 0) return [];
  const help = new Map<string, string>();
  const down = new Set(endpoints.filter(({ now }) => now === "down").map(nameOf));
  for (const trial of trialsOf(choosing)) {
    const left = open.filter(({ endpoint }) => !help.has(endpoint));
    if (left.length === 0) break;
    yield { doing: `tries ${trial.what}`, done: help.size, total: open.length };
    const other = choosingOf(trial.cluster, kept, options);
    const actors = trial.actors ?? other.proving.actors;
    const proving = { ...other.proving, actors, timing: withReady(other.proving.timing, trial.cured) };
    const found = yield* told(choose({ ...other, proving }));
    const helped = left.filter(
      ({ endpoint }) =>
        rankOf(found.after, endpoint, "verdict") === "safe" && rankOf(found.after, endpoint, "rollout") === "safe",
    );
    if (helped.length === 0) continue;
    const answers = yield* answersAfter(found.after, proving, snapshot, options);
    for (const { endpoint } of helped) {
      const answered = answers.get(endpoint);
      if (answered?.verdict === "safe" || answered?.verdict === "undecided")
        help.set(endpoint, [trial.help, ...helpText(found.edits, answered)].join(" "));
    }
  }
  return open.map(({ endpoint, because }) => ({
    endpoint,
    why: because === "" ? "no set of changes tried makes it safe" : because,
    leastHelp: help.get(endpoint) ?? (down.has(endpoint) ? upFirst : [noHelp, ...byHand(endpoint, findings)].join(" ")),
  }));
}

/** Rules whose remedy no change of ours makes. */
const personsRules: ReadonlySet<string> = new Set([
  "annotation-holds",
  "budget-without-scale",
  "daemon-set-goes-along",
  "drain-refused",
  "grace-beyond-drain",
  "limit-range-refuses",
  "picker-standby-budget",
  "volume-pins",
]);

/** Those that mostly name a field to set, which was tried. */
const settingRules: ReadonlySet<string> = new Set(["single-replica", "budget-never-allows"]);

/** What the findings tell a person to do, where no field of the owner does it. */
function byHand(endpoint: string, findings: readonly FindingReport[]): readonly string[] {
  const told = findings.flatMap((finding) => {
    const isOurs = settingRules.has(finding.rule)
      ? /^(Set|Write) /.test(finding.remedy) && !finding.remedy.includes(" But claim ")
      : !personsRules.has(finding.rule);
    return finding.severity !== "error" || finding.endpoint !== endpoint || isOurs ? [] : [finding];
  });
  return [...new Map(told.map(({ code, remedy }) => [remedy, `By hand (${code}): ${remedy}`])).values()];
}

/** What goes with it, and what it is then: what is not modelled leaves that open. */
function helpText(edits: readonly Edit[], { verdict, gap }: Answered): readonly string[] {
  const names = [...new Set(edits.map(({ target }) => `${target.kind} ${target.namespace}/${target.name}`))];
  const changed = names.length === 0 ? "" : `With changes of ${names.join(", ")} `;
  if (verdict === "safe") return changed === "" ? [] : [`${changed}it is safe then.`];
  const open = `It is undecided: ${gap === "" ? "not every order was tried" : gap}.`;
  return changed === "" ? [open] : [`${changed}nothing that was played breaks it then.`, open];
}

const noHelp = "No help was found by trying one node more of the shapes that are there.";
const upFirst =
  "It has to come up first, which no change tried and no node more of the shapes that are there brings about: `holdfast check` says what it waits for.";

interface Trial {
  readonly what: string;
  readonly help: string;
  readonly cluster: Cluster;
  readonly actors: readonly Actor[] | null;
  /** Pods that are not Ready now, and are then. */
  readonly cured: readonly PodKey[];
}

/**
 * Pods that are not Ready cured; nodes opened again before the next one; then one node more of a shape that is there, the smallest
 * first.
 */
function trialsOf({ bench, proving }: Choosing): readonly Trial[] {
  const { cluster } = bench;
  const pools = poolsOf(cluster.nodes);
  const actorsOf = actorsOfPools(cluster, proving.actors);
  const stays = pools.map((pool) => likeliest(actorsOf(pool))).find(({ afterDrain }) => afterDrain === "stays");
  const trials: Trial[] = [];
  const cured = sickPodsOf(sitesOf({ ...bench, endpoints: proving.choose(endpointsOf(cluster).endpoints) }));
  if (cured.length > 0) {
    const help = `Find out why ${listedAtMost(cured, 3)} ${cured.length === 1 ? "is" : "are"} not Ready, and mend that first.`;
    trials.push({ what: "with its pods Ready", help, cluster, actors: null, cured });
  }
  if (stays !== undefined) {
    trials.push({
      what: "one node after the other",
      help: `Drain one node at a time and open each (kubectl uncordon) before the next; \`holdfast plan\` writes the steps.`,
      cluster,
      actors: [{ ...stays, closeWhen: "node", afterDrain: "reboots" }],
      cured: [],
    });
  }
  if (cluster.nodes.length > mostNodesForHelp) return trials;
  const shapes = new Map<string, { readonly pool: Pool; readonly first: Node }>();
  for (const pool of pools) for (const first of pool.nodes) shapes.set(shapeOf(pool, first), { pool, first });
  const sized = [...shapes.values()].sort((a, b) => a.first.allocatable.milliCpu - b.first.allocatable.milliCpu);
  for (const { pool, first } of sized.slice(0, mostShapesForHelp)) {
    const added = { ...cluster, nodes: [...cluster.nodes, nodeLike(first, cluster.nodes)] };
    const help = `One more node like ${first.name} in pool ${pool.name} (${pool.nodes.length + 1} in all).`;
    trials.push({ what: `one more node in ${pool.name}`, help, cluster: added, actors: null, cured: [] });
    if (stays !== undefined) {
      const actors = [{ ...stays, closeWhen: "node" as const, afterDrain: "reboots" as const }];
      trials.push({
        what: `one more node in ${pool.name}, one after the other`,
        help: `${help} And drain one node at a time, opening each before the next.`,
        cluster: added,
        actors,
        cured: [],
      });
    }
  }
  return trials;
}

function shapeOf(pool: Pool, { allocatable, taints }: Node): string {
  const taint = taints.filter(({ effect }) => effect === "NoSchedule").map(({ key }) => key);
  return JSON.stringify([pool.name, allocatable.milliCpu, allocatable.memoryBytes, [...allocatable.scalar], taint]);
}
