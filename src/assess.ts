import { byCodeUnit } from "./base/ordering.ts";
import { spokenSeconds } from "./base/words.ts";
import type { Finding } from "./finding/finding.ts";
import { notIgnored } from "./finding/ignore.ts";
import { closesForGood, type ScenarioOutcome } from "./finding/outcome.ts";
import { findingsOf } from "./finding/registry.ts";
import type { Actor } from "./maintenance/actor.ts";
import { kubectlDrain } from "./maintenance/actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "./maintenance/actors/kubectl-drain-in-turn.ts";
import { whoAddsNodes } from "./maintenance/adds-nodes.ts";
import { poolsOf } from "./maintenance/pool.ts";
import { nobodyKnown, recogniseActors } from "./maintenance/recognise.ts";
import { actorNamed } from "./maintenance/registry.ts";
import { buildCluster } from "./model/build.ts";
import type { Cluster } from "./model/cluster.ts";
import type { PodView } from "./model/view.ts";
import { addedOnAdmission } from "./report/added-on-admission.ts";
import { componentOf, survivalOf } from "./report/component.ts";
import { courseReport, drainsOf, milliseconds, pathPodsOf, timelineOf } from "./report/course.ts";
import { nodesInOrder } from "./report/nodes-in-order.ts";
import type { CheckOptions, CommonOptions, Progress, SimulateOptions } from "./report/options.ts";
import { scenarioDocument } from "./report/scenario-document.ts";
import {
  type CheckEndpoint,
  type CheckReport,
  type ClusterReport,
  type Component,
  type FindingReport,
  type NotModelled,
  type RestsOn,
  reportApiVersion,
  type ScenarioResult,
  type SimulationReport,
  type TimingSource,
  type Trace,
  type Verdict,
} from "./report/types.ts";
import { lossesBeside } from "./report/unjudged-losses.ts";
import { becauseOfSimulation, worseFirst } from "./report/verdict.ts";
import { endpointsOf, type Routes } from "./route/build.ts";
import { floorsOf } from "./route/capacity.ts";
import { askedInVain, chooseEndpoints } from "./route/choose.ts";
import { notSeenOf } from "./route/not-seen.ts";
import { answer } from "./search/answer.ts";
import type { Course, EndpointOutcome, HopOutcome, Judgement, Question } from "./search/judge.ts";
import { recall } from "./search/known.ts";
import { ApartJudge } from "./search/n-minus-one/apart.ts";
import { actorsOfPools, likeliest, type NamedScenario, namedScenarios } from "./search/named-scenarios.ts";
import {
  type Asked,
  cappedVerdict,
  doubted,
  hasGaps,
  isShared,
  type Judged,
  judged,
  outcomeOf,
  type Played,
  playAll,
} from "./search/play-all.ts";
import { standingOf } from "./search/proof/standing.ts";
import type { Rest } from "./search/rests-on.ts";
import { isWorse, worstOf } from "./search/severity.ts";
import { shrink } from "./search/shrink.ts";
import { Helper, type Helpers } from "./search/tasks.ts";
import { unrestAround } from "./search/unrest.ts";
import { isOnlyUnsure, Unsure } from "./search/unsure.ts";
import { asItStands } from "./sim/as-it-stands.ts";
import { withBoundClaims } from "./sim/bound-claims.ts";
import type { Ledger } from "./sim/ledger.ts";
import { darkSpans, podsOf } from "./sim/monitor.ts";
import { placeManifests } from "./sim/place-manifests.ts";
import { planScenario } from "./sim/plan-scenario.ts";
import type { Scenario } from "./sim/scenario.ts";
import { timingOf } from "./sim/timing.ts";
import type { Endpoint, Hop } from "./systems/endpoint.ts";
import type { Snapshot } from "./wire/snapshot.ts";

/** `holdfast check`: every endpoint under the maintenance that is likely on this cluster. With helpers: nothing but sooner. */
export function* check(
  snapshot: Snapshot,
  options: CheckOptions,
  helpers: Helpers | null = null,
): Generator<Progress, CheckReport> {
  yield { doing: "reads the cluster", done: 0, total: null };
  const read = readOf(snapshot);
  const cluster = asAsked(read, options);
  const help = helpers !== null && isShared(cluster) && helpers.begin(read) ? helpers : null;
  const { found, inVain, routes, named, actorsOf, scenarios, asked } = askedOf(cluster, options);
  const played = yield* playAll(asked, scenarios, help);
  const view = asItStands(cluster);
  const shared = notModelledOf(
    snapshot,
    cluster,
    played.map(({ judgement }) => judgement),
  );
  const survives = survivalsOf(played);
  const component = (hop: Hop): Component => componentOf(view, hop, survives(hop));
  const everywhere = gapsOfAll(shared, played);
  const judgedOf = new Map(
    routes.endpoints.map((endpoint) => [endpoint, judged(endpoint, played, view, everywhere.length > 0)] as const),
  );
  const told = new Set(
    [...judgedOf]
      .sort(([, a], [, b]) => worseFirst(a.verdict, b.verdict))
      .slice(0, options.traces)
      .map(([endpoint]) => endpoint),
  );
  const actors = poolsOf(cluster.nodes).flatMap((pool) => actorsOf(pool).sure);
  return {
    apiVersion: reportApiVersion,
    kind: "CheckReport",
    tool: { version: options.toolVersion },
    cluster: clusterReport(snapshot, cluster, { asked: named, likely: actors }),
    problems: [...inVain, ...allProblems(snapshot, cluster, routes)],
    endpoints: [...judgedOf].map(([endpoint, found]) =>
      checkEndpoint({ shared, everywhere, asked, played, options, component }, endpoint, {
        ...found,
        worst: told.has(endpoint) ? found.worst : null,
      }),
    ),
    notChosen: notChosenOf(found, routes),
    supporting: routes.supporting.map(component),
    findings: notIgnored(
      findingsOf({
        cluster,
        view,
        endpoints: routes.endpoints,
        supporting: routes.supporting,
        outcomes: outcomesOf(cluster, played),
        maintainers: new Map(poolsOf(cluster.nodes).map((pool) => [pool.name, likeliest(actorsOf(pool))])),
      }),
      options.ignore,
      options.today,
    ).map(findingReport),
    timing: timingReport(asked, actors, podsOnPaths(view, routes)),
    notModelled: shared,
  };
}

/** Does tasks of a check elsewhere, of the same cluster with the same options. */
export function helperOf(snapshot: Snapshot, options: CheckOptions): Helper {
  const { asked, scenarios } = askedOf(clusterOf(snapshot, options), options);
  return new Helper(new ApartJudge(asked), scenarios);
}

/** What a check asks of a cluster. */
function askedOf(cluster: Cluster, options: CheckOptions) {
  const found = endpointsOf(cluster);
  const inVain = askedInVain(cluster, found, options.endpoints);
  const routes = chooseEndpoints(cluster, found, options.endpoints, options.floors);
  const named = options.actors.flatMap((name) => actorNamed(name) ?? []);
  const actorsOf = actorsOfPools(cluster, named);
  const scenarios = inVain.length > 0 ? [] : namedScenarios(cluster, options.scenarios, actorsOf);
  const asked: Asked = {
    cluster,
    endpoints: routes.endpoints,
    supporting: routes.supporting,
    timing: timingOf(cluster, options.timing),
    states: options.limits.states,
    horizonMs: options.limits.horizonMs,
  };
  return { found, inVain, routes, named, actorsOf, scenarios, asked };
}

/** `holdfast simulate`: one scenario, every order and choice it leaves open. */
export function* simulate(
  snapshot: Snapshot,
  scenario: Scenario,
  options: SimulateOptions,
): Generator<Progress, SimulationReport> {
  yield { doing: "reads the cluster", done: 0, total: null };
  const cluster = clusterOf(snapshot, options);
  const found = endpointsOf(cluster);
  const routes = chooseEndpoints(cluster, found, options.endpoints, options.floors);
  const [named] = options.actors.flatMap((name) => actorNamed(name) ?? []);
  const recognised = named ?? recogniseActors(cluster)[0]?.actor ?? kubectlDrain;
  const plan = planScenario(snapshot, cluster, scenario, recognised);
  yield { doing: `plays ${scenario.name}`, done: 0, total: null };
  const question: Question = {
    cluster,
    steps: plan.steps,
    endpoints: routes.endpoints,
    supporting: routes.supporting,
    timing: timingOf(cluster, scenario.timing),
    states: scenario.limits.states,
    horizonMs: scenario.limits.horizonMs,
    choices: scenario.choices,
  };
  const { judgement: answered, rests: told } = answer(question);
  const judgement = doubted(answered, cluster);
  const rests = new Map(told);
  const sure = new Unsure(question).sureOf(judgement, [plan.steps], rests);
  const worst = worstOutcome(judgement);
  if (worst !== null) shrink(question, judgement.evictions, worst, shrunkInSimulate);
  const losses = lossesBeside(judgement, cluster, found);
  const losing = losses.unjudged.length > 0 || losses.unexplained.length > 0 ? judgement.losing : null;
  const shown = worst?.course ?? losing ?? judgement.stalling ?? judgement.first;
  const capped = [...notModelledOf(snapshot, cluster, [judgement]), ...losses.unexplained];
  const isCapped = capped.some(({ couldChange }) => couldChange !== "");
  const judged = scenarioVerdict(judgement, capped, sure);
  const verdict = losses.unjudged.length > 0 ? "unsafe" : judged;
  const played = plan.actor ?? null;
  const report: Omit<SimulationReport, "because"> = {
    apiVersion: reportApiVersion,
    kind: "SimulationReport",
    tool: { version: options.toolVersion },
    cluster: clusterReport(snapshot, cluster, { asked: played === null ? [] : [played], likely: [] }),
    problems: [
      ...askedInVain(cluster, found, options.endpoints),
      ...allProblems(snapshot, cluster, routes),
      ...plan.problems,
    ],
    scenario: scenarioDocument(scenario),
    verdict,
    exhaustive: judgement.exhaustive,
    statesExplored: judgement.states,
    counterexample:
      verdict === "safe" || shown === null
        ? null
        : { ...orderAndChoices(shown), drains: shown === worst?.course ? (worst.effort?.drains ?? null) : null },
    timeline: shown === null ? [] : timelineOf(shown),
    drains: shown === null ? [] : drainsOf(shown),
    stalls: shown === null ? [] : shown.stalls(),
    endpoints: judgement.endpoints.map((outcome) => ({
      namespace: outcome.endpoint.namespace,
      name: outcome.endpoint.name,
      verdict:
        outcome.now === "idle" ? null : cappedVerdict(outcome.verdict, isCapped || hasGaps(outcome.endpoint, sure)),
      restsOn: (rests.get(outcome.endpoint) ?? []).map(restReport),
      notModelled: outcome.endpoint.notModelled,
      down: courseReport(outcome.course ?? shown, outcome.endpoint),
      minCapacity: outcome.minCapacity,
    })),
    services: (shown?.services ?? []).map(({ service, sequence, min, ready }) => ({
      namespace: service.ref.namespace,
      name: service.ref.name,
      ready: { before: sequence[0]?.ready ?? 0, min, end: ready },
      sequence: sequence.map((entry) => entry.ready),
      nothingReady: darkSpans(sequence).map(({ fromMs, toMs }) => ({
        fromSeconds: milliseconds(fromMs),
        toSeconds: toMs === null ? null : milliseconds(toMs),
      })),
    })),
    pending: (shown?.pending ?? []).map(({ pod, sinceMs, message }) => ({
      pod,
      sinceSeconds: milliseconds(sinceMs),
      message,
    })),
    timing: timingReport(question, played === null ? [] : [played], cluster.pods),
    notModelled: capped,
  };
  return { ...report, because: becauseOfSimulation(report) };
}

/** Endpoints that are there and were not asked about. */
function notChosenOf(found: Routes, chosen: Routes): readonly string[] {
  const kept = new Set(chosen.endpoints.map(({ namespace, name }) => `${namespace}/${name}`));
  return found.endpoints.map(({ namespace, name }) => `${namespace}/${name}`).filter((name) => !kept.has(name));
}

/** What the scenarios showed, as findings take it. */
function outcomesOf(cluster: Cluster, played: readonly Played[]): readonly ScenarioOutcome[] {
  const nodesOf = new Map(
    poolsOf(cluster.nodes).map(({ name, nodes }) => [name, new Set(nodes.map((node) => node.name))]),
  );
  const closedBy = ({ kind, actors, pool }: NamedScenario): ReadonlySet<string> | undefined => {
    const [actor] = actors;
    return kind === "pool-maintenance" && actor !== undefined && closesForGood(actor) ? nodesOf.get(pool) : undefined;
  };
  return played.map(({ scenario, judgement }) => ({
    name: scenario.name,
    partOfVerdict: scenario.partOfVerdict,
    verdicts: new Map(judgement.endpoints.map(({ endpoint, verdict }) => [endpoint, verdict])),
    hops: new Map(
      judgement.hops.map(({ hop, wasZero, stalled }) => [hop, { wasDown: wasZero && hop.outside === "", stalled }]),
    ),
    closedForGood: closedBy(scenario) ?? new Set(),
  }));
}

/** The message's id is for tests. */
function findingReport({ id: _, ...finding }: Finding): FindingReport {
  return finding;
}

function worstOutcome(judgement: Judgement): EndpointOutcome | null {
  let worst: EndpointOutcome | null = null;
  for (const outcome of judgement.endpoints) {
    if (outcome.verdict === "safe") continue;
    if (worst === null || isWorse(outcome.verdict, worst.verdict)) worst = outcome;
  }
  return worst;
}

function scenarioVerdict(
  judgement: Judgement,
  notModelled: readonly NotModelled[],
  sure: ReadonlySet<Endpoint>,
): Verdict {
  const own: Verdict[] = judgement.endpoints
    .filter(({ now }) => now !== "idle")
    .map(({ verdict, endpoint }) => cappedVerdict(verdict, hasGaps(endpoint, sure)));
  if (judgement.maintenance === "stalls") own.push("stalls");
  if (judgement.maintenance === "unclear") own.push("undecided");
  if (!judgement.exhaustive || notModelled.some(({ couldChange }) => couldChange !== "")) own.push("undecided");
  return worstOf(own);
}

function checkEndpoint(
  {
    shared,
    everywhere,
    asked,
    played,
    options,
    component,
  }: {
    readonly shared: readonly NotModelled[];
    /** Those that could change the verdict of any endpoint. */
    readonly everywhere: readonly NotModelled[];
    readonly asked: Asked;
    readonly played: readonly Played[];
    readonly options: CheckOptions;
    readonly component: (hop: Hop) => Component;
  },
  endpoint: Endpoint,
  { now, verdict, worst }: Judged,
): CheckEndpoint {
  const view = asItStands(asked.cluster);
  const common = commonGaps(endpoint, { shared, everywhere, played });
  const notModelled = [...endpoint.notModelled.filter(({ couldChange }) => couldChange !== ""), ...common];
  const results: ScenarioResult[] = [];
  for (const one of played) {
    const outcome = outcomeOf(one.judgement, endpoint);
    if (outcome === undefined) continue;
    const isLeftOpen = everywhere.length > 0 || outcome.leansOnTime === true || hasGaps(endpoint, one.sure);
    results.push({
      name: one.scenario.name,
      actors: one.scenario.actors.map(({ name }) => name),
      // What is not judged is not left open either.
      verdict: cappedVerdict(outcome.verdict, now !== "idle" && isLeftOpen),
      partOfVerdict: one.scenario.partOfVerdict,
      downSeconds: {
        min: outcome.downLeastMs === null ? null : milliseconds(outcome.downLeastMs),
        max: outcome.downMostMs === null ? null : milliseconds(outcome.downMostMs),
      },
      minCapacity: outcome.minCapacity,
    });
  }
  const rests = distinctRests(played.flatMap((one) => one.rests.get(endpoint) ?? []));
  return {
    namespace: endpoint.namespace,
    name: endpoint.name,
    system: endpoint.system,
    model: endpoint.model,
    now,
    verdict,
    because: verdict === "undecided" && notModelled.length === 0 ? unrestIn(asked, endpoint, results) : "",
    restsOn: verdict === "safe" || verdict === "undecided" ? rests : [],
    notModelled: verdict === "safe" && isOnlyUnsure(endpoint) ? common : notModelled,
    floor: floorsOf(view, endpoint),
    scenarios: results,
    path: endpoint.hops.map(component),
    worst: worst === null ? null : traceOf(asked, endpoint, worst, options),
  };
}

/** What could change the verdict of this endpoint, and is of no endpoint. */
export function commonGaps(
  endpoint: Endpoint,
  {
    shared,
    everywhere,
    played,
  }: {
    readonly shared: readonly NotModelled[];
    readonly everywhere: readonly NotModelled[];
    readonly played: readonly Played[];
  },
): readonly NotModelled[] {
  const leans = played.some(
    ({ scenario, judgement }) => scenario.partOfVerdict && outcomeOf(judgement, endpoint)?.leansOnTime === true,
  );
  return leans ? shared.filter(({ couldChange }) => couldChange !== "") : everywhere;
}

/** What could change the verdict of any endpoint: times that are not known leave open those alone that lean on them. */
export function gapsOfAll(
  shared: readonly NotModelled[],
  played: readonly Pick<Played, "judgement">[],
): readonly NotModelled[] {
  const ofTime = new Set(
    played.flatMap(({ judgement }) =>
      [...judgement.notModelled].flatMap(([what, { isOfTime }]) => (isOfTime ? [what] : [])),
    ),
  );
  return shared.filter(({ what, couldChange }) => couldChange !== "" && !ofTime.has(what));
}

/** Who is not at rest and may have kept it from being decided; "": nobody. */
function unrestIn({ cluster, timing }: Asked, endpoint: Endpoint, results: readonly ScenarioResult[]): string {
  const open = results.find((result) => result.partOfVerdict && result.verdict === "undecided");
  return open === undefined ? "" : unrestAround(standingOf(cluster, timing), endpoint, open.name);
}

function distinctRests(rests: readonly Rest[]): readonly RestsOn[] {
  const byPart = new Map<string, RestsOn>();
  for (const rest of rests) {
    const report = restReport(rest);
    const key = `${report.kind}/${report.pod}`;
    const known = byPart.get(key);
    const shorter = known === undefined || (report.atMostSeconds ?? 0) < (known.atMostSeconds ?? 0);
    if (shorter) byPart.set(key, report);
  }
  return [...byPart.values()].sort((a, b) => byCodeUnit(a.pod, b.pod));
}

function restReport(rest: Rest): RestsOn {
  if (rest.kind === "scores") {
    return {
      kind: "scores",
      pod: "",
      atMostSeconds: null,
      text: "safe while the scheduler prefers the nodes it prefers now",
    };
  }
  if (rest.kind === "order") {
    return {
      kind: "order",
      pod: "",
      atMostSeconds: null,
      text: `safe while the pods of a node are evicted in the order of their names: another order can ${rest.decides === "place" ? "lead the scheduler to other nodes" : "decide which of them finds room"}`,
    };
  }
  if (rest.kind === "starts") {
    const text =
      "safe while pods start all as slowly as they may or all as quickly: their mixtures were too many to play";
    return { kind: "time", pod: "", atMostSeconds: null, text };
  }
  const { hop, atMostMs } = rest;
  return {
    kind: "time",
    pod: `${hop.ref.namespace}/${hop.ref.name}`,
    atMostSeconds: milliseconds(atMostMs),
    text: `safe while ${hop.component} (${hop.ref.namespace}/${hop.ref.name}) starts within ${atMost(atMostMs)}`,
  };
}

/** In whole minutes, rounded down: a promise must not be longer than what was found. */
function atMost(ms: number): string {
  return spokenSeconds(ms < 60_000 ? Math.floor(ms / 1000) : Math.floor(ms / 60_000) * 60);
}

function traceOf(
  asked: Asked,
  endpoint: Endpoint,
  { played, outcome }: { readonly played: Played; readonly outcome: EndpointOutcome },
  options: CheckOptions,
): Trace | null {
  const found = played.variants.find(({ judgement }) => judgement.endpoints.some((o) => o.course === outcome.course));
  const variant = found?.variant;
  if (found !== undefined)
    shrink({ ...asked, steps: found.variant.steps, choices: [] }, found.judgement.evictions, outcome, shrunkInCheck);
  const { course } = outcome;
  if (course === null) return null;
  const choices = choicesOf(course);
  const body = variant?.body ?? { kind: "steps" as const, steps: [] };
  const replayed: Scenario["body"] =
    body.kind === "actor" && choices.order.length > 0
      ? { ...body, nodes: nodesInOrder(body.nodes, choices.order, played.scenario.pool), order: "given" }
      : body;
  return {
    name: played.scenario.name,
    verdict: outcome.verdict,
    order: choices.order.slice(0, choices.drained),
    choices: choices.choices,
    replay: scenarioDocument({
      name: played.scenario.name.replaceAll("/", "-"),
      changes: [],
      body: replayed,
      timing: options.timing,
      limits: options.limits,
      choices: choices.choices,
    }),
    timeline: timelineOf(course),
    drains: drainsOf(course),
    stalls: course.stalls(),
    down: courseReport(course, endpoint),
    pods: pathPodsOf(asItStands(asked.cluster), endpoint, course),
  };
}

/** Pods times plays by which a course that is shown may be made smaller: a check shows one for each endpoint. */
const shrunkInCheck = 2_000;
const shrunkInSimulate = 20_000;

/** As the report of one scenario tells it. */
function orderAndChoices(course: Course): Pick<ReturnType<typeof choicesOf>, "order" | "choices"> {
  const { order, choices } = choicesOf(course);
  return { order, choices };
}

/** The order of drains, the scheduler's choices and the turns of evictions of a course. */
function choicesOf(course: Course): {
  readonly order: readonly string[];
  /** So many of them, from the first, it takes; the others would come next. */
  readonly drained: number;
  readonly choices: Scenario["choices"];
} {
  const order = new Set<string>();
  for (const { fact } of course.timeline) if (fact.type === "drain-started") order.add(fact.node);
  const drained = order.size;
  const ahead = course.choices.findLast(({ choice }) => choice.kind === "next-node");
  if (ahead?.choice.kind === "next-node") for (const node of ahead.choice.nodes) if (node !== "") order.add(node);
  return {
    order: [...order],
    drained,
    choices: course.settled,
  };
}

function survivalsOf(played: readonly Played[]): (hop: Hop) => Component["survives"] {
  const byKind = new Map<NamedScenario["kind"], Map<Hop, HopOutcome[]>>();
  for (const { scenario, judgement } of played) {
    const byHop = byKind.get(scenario.kind) ?? new Map<Hop, HopOutcome[]>();
    byKind.set(scenario.kind, byHop);
    for (const outcome of judgement.hops) {
      const known = byHop.get(outcome.hop);
      if (known === undefined) byHop.set(outcome.hop, [outcome]);
      else known.push(outcome);
    }
  }
  const over = (hop: Hop, kind: NamedScenario["kind"]): ReturnType<typeof survivalOf> => {
    const outcomes = byKind.get(kind)?.get(hop) ?? [];
    const survival = survivalOf(
      outcomes.length > 0 && hop.outside === "",
      outcomes.some(({ wasZero }) => wasZero),
      outcomes.some(({ stalled }) => stalled),
    );
    return survival === "yes" && outcomes.some(({ unclear }) => unclear === true) ? "unknown" : survival;
  };
  return (hop) => ({
    drainOneNode: over(hop, "drain-one-node"),
    cordonAll: over(hop, "cordon-all"),
    zoneLoss: over(hop, "zone-loss"),
  });
}

export function clusterOf(snapshot: Snapshot, options: CommonOptions): Cluster {
  return asAsked(readOf(snapshot), options);
}

function readOf(snapshot: Snapshot): Cluster {
  const cluster = buildCluster(snapshot);
  recall(cluster, snapshot.source);
  return cluster;
}

function asAsked(built: Cluster, { version, timing, limits }: CommonOptions): Cluster {
  const read = withBoundClaims(built);
  const cluster = version === null ? read : { ...read, version: { ...read.version, minor: version } };
  return placeManifests(cluster, timingOf(cluster, timing), limits.horizonMs);
}

function clusterReport(
  snapshot: Snapshot,
  cluster: Cluster,
  { asked, likely }: { readonly asked: readonly Actor[]; readonly likely: readonly Actor[] },
): ClusterReport {
  const recognised = recogniseActors(cluster);
  const distinct = [...new Map((asked.length > 0 ? asked : likely).map((actor) => [actor.name, actor])).values()];
  return {
    source: snapshot.source,
    version: cluster.version.reported,
    modelledAs: `1.${cluster.version.minor}`,
    nodes: cluster.nodes.length,
    pods: cluster.pods.length,
    actors: distinct.map((actor) => {
      // Who is assumed goes by the name of the command.
      if (actor === kubectlDrainInTurn && asked.length === 0) return { name: kubectlDrain.name, because: nobodyKnown };
      const found = recognised.find(({ actor: { name } }) => name === actor.name);
      return { name: actor.name, because: found?.because ?? "asked for" };
    }),
    notSeen: cluster.notSeen,
    secretsDropped: cluster.secretsDropped,
  };
}

function allProblems(snapshot: Snapshot, cluster: Cluster, { notes }: Routes): CheckReport["problems"] {
  const seen = new Set<string>();
  const noted = notes.map(({ ref, message, source }) => ({ ...source, path: "", message: `${ref}: ${message}` }));
  return [...snapshot.problems, ...cluster.problems, ...noted].filter((problem) => {
    const key = JSON.stringify(problem);
    return !seen.has(key) && seen.add(key);
  });
}

export function notModelledOf(
  snapshot: Snapshot,
  cluster: Cluster,
  judgements: readonly Judgement[],
): readonly NotModelled[] {
  const found = new Map<string, NotModelled>();
  for (const missed of notSeenOf(cluster)) found.set(missed.what, missed);
  // An owner that is not there is told of where its pods are on a path.
  // Reading the objects again finds the same problems again.
  const unread = new Set(
    [...snapshot.problems, ...cluster.problems]
      .filter(({ path }) => path !== "metadata.ownerReferences")
      .map((problem) => JSON.stringify(problem)),
  ).size;
  if (unread > 0) {
    found.set("problems", {
      what: unread === 1 ? "a part of the input that was not read" : `${unread} parts of the input that were not read`,
      ref: "",
      couldChange: "any verdict; see the problems",
    });
  }
  for (const { notModelled } of judgements) {
    for (const [what, { couldChange }] of notModelled) found.set(what, { what, ref: "", couldChange });
  }
  if (cluster.nodes.length === 0) {
    found.set("nodes", {
      what: "the input has no nodes",
      ref: "",
      couldChange:
        unread > 0 && cluster.pods.length === 0 && cluster.workloads.size === 0
          ? "where anything would run"
          : "where anything would run; say with --nodes FILE which nodes there are",
    });
  }
  for (const { name, service, failurePolicy, onPodCreate, onPodEviction } of cluster.webhooks) {
    if (service !== null || failurePolicy !== "Fail" || !(onPodCreate || onPodEviction)) continue;
    // Outside the cluster no drain takes it away: it answers as it does today.
    found.set(`webhook ${name}`, { what: `webhook ${name}, which is called by URL`, ref: "", couldChange: "" });
  }
  const adder = whoAddsNodes(cluster);
  if (adder !== null && judgements.some(({ endpoints }) => endpoints.some(({ verdict }) => verdict !== "safe"))) {
    // It takes nothing away, so that what is safe without it is safe with it.
    const what = `nodes that ${adder} adds: here a pod without a place waits, and a drain with it, where a new node may come within minutes`;
    found.set("new nodes", { what, ref: "", couldChange: "" });
  }
  const learnt = addedOnAdmission(cluster);
  if (learnt !== "") found.set("admission", { what: learnt, ref: "", couldChange: "" });
  if (!cluster.version.exact) {
    const said = cluster.version.reported === "" ? "a server that does not say its version" : cluster.version.reported;
    found.set("version", {
      what: `Kubernetes ${said}, played as 1.${cluster.version.minor}`,
      ref: "",
      couldChange: "",
    });
  }
  return [...found.values()].sort((a, b) => byCodeUnit(a.what, b.what));
}

/** What comes after a drain that takes a node away for a time. */
const nodesAreAway: ReadonlySet<Actor["afterDrain"]> = new Set(["reboots", "reboots-together", "replaced"]);

/** Those that are judged: of all others there are thousands. */
function podsOnPaths(view: Ledger, { endpoints, supporting }: Routes): readonly PodView[] {
  const hops = new Set([...endpoints.flatMap((endpoint) => endpoint.hops), ...supporting]);
  return [...hops].flatMap((hop) => podsOf(view, hop.pods));
}

function timingReport(
  { timing: times }: Pick<Question, "timing">,
  actors: readonly Actor[],
  pods: readonly Pick<PodView, "key" | "owner" | "template">[],
): readonly TimingSource[] {
  const timing = times.scenario;
  const starts = new Map<string, TimingSource>();
  const isAlike = timing.podStart.length === 0;
  for (const [at, pod] of pods.entries()) {
    const before = pods[at - 1];
    if (pod.owner === null) continue;
    // Pods of one owner mostly follow each other.
    if (isAlike && before?.owner === pod.owner && before.template === pod.template) continue;
    const { leastMs, mostMs, from } = times.podStart(pod);
    const of = pod.owner.slice(pod.owner.indexOf("/") + 1);
    // Pods of one owner may start in more than one way.
    const { minSeconds = Number.POSITIVE_INFINITY, maxSeconds = null } = starts.get(of) ?? {};
    starts.set(of, {
      what: "pod-start",
      of,
      minSeconds: Math.min(minSeconds, milliseconds(leastMs)),
      maxSeconds: Math.max(maxSeconds ?? 0, milliseconds(mostMs)),
      from,
    });
  }
  const sources = [...starts.values()].sort((a, b) => byCodeUnit(a.of, b.of));
  for (const actor of new Map(actors.map((actor) => [actor.name, actor])).values()) {
    const stated = timing.nodeDown;
    const down = stated ?? { leastMs: actor.nodeDownMs, mostMs: actor.nodeDownMs };
    if (!nodesAreAway.has(actor.afterDrain)) continue;
    sources.push({
      what: "node-down",
      of: actor.name,
      minSeconds: milliseconds(down.leastMs),
      maxSeconds: milliseconds(down.mostMs),
      from: stated === null ? "actor" : "scenario",
    });
  }
  return sources;
}
