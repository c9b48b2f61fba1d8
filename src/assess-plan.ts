import { clusterOf, simulate } from "./assess.ts";
import { listed, spokenSeconds } from "./base/words.ts";
import { withoutHandover } from "./finding/rules/picker-standby-budget.ts";
import { kubectlDrain } from "./maintenance/actors/kubectl-drain.ts";
import { actorNamed } from "./maintenance/registry.ts";
import type { Cluster } from "./model/cluster.ts";
import { type ObjectRef, objectKey } from "./model/key.ts";
import type { Node } from "./model/node.ts";
import { EditApplier } from "./patch/apply-edits.ts";
import { carriedTiming } from "./patch/carried-timing.ts";
import type { Choosing } from "./patch/choose.ts";
import type { Edit } from "./patch/edit.ts";
import { KeptObjects } from "./patch/kept-objects.ts";
import { nodeLike } from "./patch/node-like.ts";
import { nameOfSite, sameRef, sitesOf } from "./patch/site.ts";
import { type PlanFound, type PlanRequest, searchPlan } from "./plan/search.ts";
import { milliseconds } from "./report/course.ts";
import type { Progress, SimulateOptions } from "./report/options.ts";
import { planSteps } from "./report/plan-steps.ts";
import { type NotModelled, type Plan, reportApiVersion, type SimulationReport } from "./report/types.ts";
import { endpointsOf } from "./route/build.ts";
import { chooseEndpoints } from "./route/choose.ts";
import { asItStands } from "./sim/as-it-stands.ts";
import { chosenNodes } from "./sim/plan-scenario.ts";
import { podsBelow } from "./sim/program.ts";
import type { NodeChoice, Scenario } from "./sim/scenario.ts";
import { timingOf } from "./sim/timing.ts";
import { unitSize } from "./systems/endpoint.ts";
import type { Knob } from "./systems/knobs.ts";
import { isJsonObject } from "./wire/fields.ts";
import { pathSteps, valueAt } from "./wire/object-path.ts";
import type { Snapshot } from "./wire/snapshot.ts";

export interface PlanAsked {
  readonly nodes: NodeChoice;
  /** Null: by hand. */
  readonly actor: string | null;
}

/** `holdfast plan`: a runbook whose every step was played forward, or why there is none. */
export function* plan(snapshot: Snapshot, asked: PlanAsked, options: SimulateOptions): Generator<Progress, Plan> {
  const kept = new KeptObjects();
  const cluster = clusterOf(kept.watching(snapshot), options);
  const nothing: Scenario = {
    name: "plan",
    changes: [],
    body: { kind: "steps", steps: [] },
    timing: options.timing,
    limits: options.limits,
    choices: [],
  };
  const seen = yield* simulate(snapshot, nothing, options);
  const problems = [...seen.problems];
  const nodes = chosenNodes(cluster, asked.nodes, (path, message) =>
    problems.push({ file: "plan", line: null, path, message }),
  );
  const actor = asked.actor === null ? null : (actorNamed(asked.actor) ?? null);
  const down = options.timing.nodeDown?.mostMs ?? (actor ?? kubectlDrain).nodeDownMs;
  const request: PlanRequest = { nodes, actor, nodeDownMs: down };
  const choosing = choosingOf(cluster, kept, options);
  const base: Pick<Plan, "apiVersion" | "kind" | "tool" | "cluster" | "problems" | "by" | "timing" | "notModelled"> = {
    apiVersion: reportApiVersion,
    kind: "Plan",
    tool: { version: options.toolVersion },
    cluster: {
      ...seen.cluster,
      actors: [{ name: actor?.name ?? "by hand", because: asked.actor === null ? "nobody was named" : "asked for" }],
    },
    problems,
    by: actor?.name ?? "by hand",
    timing: seen.timing,
    notModelled: [...seen.notModelled, ...gapsOf(seen)],
  };
  if (nodes.length === 0) {
    const none = { nodes: [], steps: [], windowSeconds: null, capacity: [], downBefore: [], gaps: [] };
    return { ...base, ...none, possible: false, because: "no node was named that is there", leastHelp: "" };
  }
  const found = yield* told(searchPlan(choosing, request));
  const { outcome, runbook } = found;
  const startMs = (ref: ObjectRef): number => slowestStart(choosing, ref);
  return {
    ...base,
    possible: outcome.holds,
    nodes: runbook.nodes.map(({ name }) => name),
    steps: planSteps({ runbook, outcome, kept, startMs, partsOf: partsOf(choosing, runbook.edits) }),
    windowSeconds: outcome.windowMs === null ? null : milliseconds(outcome.windowMs),
    capacity: outcome.capacity.map(({ endpoint, min, overTime }) => ({
      endpoint,
      minCapacity: min,
      overTime: overTime.map(({ atMs, capacity }) => ({ atSeconds: milliseconds(atMs), capacity })),
    })),
    downBefore: outcome.downBefore,
    gaps: outcome.gaps.map(({ endpoint, ms, hop }) => ({
      endpoint,
      seconds: ms === null ? null : milliseconds(ms),
      hop,
    })),
    because: outcome.holds ? "" : becauseOf(found),
    leastHelp: outcome.holds ? "" : yield* leastHelp(found, request, { cluster, kept, options }),
  };
}

/** Many sets of changes are played, so that no single one may take long: what is not followed to its end is undecided. */
const mostStates = 20_000;

function choosingOf(cluster: Cluster, kept: KeptObjects, options: SimulateOptions): Choosing {
  return {
    proving: {
      cluster,
      timing: carriedTiming(cluster, timingOf(cluster, options.timing)),
      states: Math.min(mostStates, options.limits.states),
      horizonMs: options.limits.horizonMs,
      actors: [],
      choose: (endpoints) =>
        chooseEndpoints(cluster, { endpoints, supporting: [], notes: [] }, options.endpoints, options.floors).endpoints,
    },
    applier: new EditApplier(cluster, kept),
    bench: { cluster, view: asItStands(cluster), kept },
    wrongs: new Map(),
  };
}

/** Each once, however many endpoints it is on the path of. */
function gapsOf({ endpoints }: SimulationReport): readonly NotModelled[] {
  const gaps = endpoints.flatMap(({ notModelled }) => notModelled);
  return [...new Map(gaps.map((gap) => [`${gap.what} ${gap.ref}`, gap])).values()];
}

function* told<T>(steps: Generator<string, T>): Generator<Progress, T> {
  let done = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    done += 1;
    yield { doing: step.value, done, total: null };
  }
}

/** The reason, with the gap in plain seconds where one part cannot be doubled. */
function becauseOf({ outcome, stuck }: PlanFound): string {
  const gaps = outcome.gaps.map(({ endpoint, ms, hop }) =>
    ms === null
      ? `${endpoint} would stay without ${hop}`
      : `${endpoint} would be without ${hop} for ${spokenSeconds(Math.ceil(ms / 1000))}`,
  );
  const nowhere = stuck.map((site) => `${nameOfSite(site)} cannot be doubled here so that it lasts`);
  return [outcome.because, ...nowhere, ...gaps].filter((reason) => reason !== "").join("; ");
}

/** What refuses a drain for good, and no node more would change. */
function refusalHelp({ outcome: { refusal } }: PlanFound): string {
  if (refusal === null) return "";
  const { pod, code, message } = refusal;
  if (pod === "")
    return "What kubectl refuses has to be moved or given up by hand first; or the flags it names, with what they cost.";
  if (code === 500 || code === 403) return `It is refused for good: ${message} \`holdfast fix\` says what to change.`;
  return "";
}

/** Nobody leads for a moment, whatever is done: one node more changes nothing about it. */
function isHandover({ outcome: { gaps } }: PlanFound, { bench, proving }: Choosing): boolean {
  const endpoints = proving.choose(endpointsOf(bench.cluster).endpoints);
  const isLed = ({ endpoint, hop }: PlanFound["outcome"]["gaps"][number]): boolean =>
    endpoints.some(
      ({ namespace, name, hops }) =>
        `${namespace}/${name}` === endpoint &&
        hops.some(({ component, leaderElected }) => leaderElected && component === hop),
    );
  return gaps.length > 0 && gaps.every(isLed);
}

function* leastHelp(
  found: PlanFound,
  request: PlanRequest,
  {
    cluster,
    kept,
    options,
  }: { readonly cluster: Cluster; readonly kept: KeptObjects; readonly options: SimulateOptions },
): Generator<Progress, string> {
  const { stuck } = found;
  const refused = refusalHelp(found);
  if (refused !== "") return refused;
  if (isHandover(found, choosingOf(cluster, kept, options))) return withoutHandover;
  if (stuck.length > 0) {
    const names = stuck.map(nameOfSite).join(", ");
    return `A second replica of ${names} where it is made; \`holdfast fix\` says where that is.`;
  }
  const shapes = new Map<string, Node>();
  for (const node of request.nodes)
    shapes.set(`${node.allocatable.milliCpu} ${[...node.allocatable.scalar].join()}`, node);
  for (const node of shapes.values()) {
    yield { doing: `tries one more node like ${node.name}`, done: 0, total: null };
    const larger: Cluster = { ...cluster, nodes: [...cluster.nodes, nodeLike(node, cluster.nodes)] };
    const other = yield* told(searchPlan(choosingOf(larger, kept, options), request));
    if (other.outcome.holds) {
      const prepared = other.runbook.edits.filter(({ aspect }) => aspect === "replicas");
      const late = other.runbook.first.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
      const whole = late.length === 0 ? "" : ` all of ${listed(late)} come up on it, and`;
      const then =
        prepared.length === 0
          ? `Then${whole} the nodes can be drained one after the other.`
          : `Then ${prepared.map(({ siteRef, value }) => `${siteRef.kind} ${siteRef.namespace}/${siteRef.name} can be scaled to ${String(value)}`).join(", ")} for the time of the maintenance.`;
      return `One more node like ${node.name} while it lasts. ${then}`;
    }
  }
  const budgets =
    found.outcome.refusal === null
      ? ""
      : " What holds it is a budget: `holdfast fix` says whether it ever lets a pod go.";
  return `No help was found by trying one node more of the shapes that are drained.${budgets}`;
}

/** The parts of an owner that keeps pods itself, with as many as there are while the plan lasts. */
function partsOf(
  { bench, proving }: Choosing,
  edits: readonly Edit[],
): (ref: ObjectRef) => readonly { readonly labels: string; readonly count: number }[] {
  const sites = sitesOf({ ...bench, endpoints: proving.choose(endpointsOf(bench.cluster).endpoints) });
  return (ref) =>
    sites
      .filter(({ hop }) => sameRef(hop.ref, ref))
      .map(({ key, selector, units, hop }) => {
        const labels = selector?.["matchLabels"];
        const pairs = isJsonObject(labels) ? Object.entries(labels) : [];
        const scaled = edits.find(({ site, aspect }) => site === key && aspect === "replicas")?.value;
        const ownUnits = typeof scaled === "number" ? scaled : units;
        return {
          labels: pairs.map(([name, value]) => `${name}=${String(value)}`).join(","),
          count: (unitsInSets(hop.knobs.replicas, units, edits, bench.kept) ?? ownUnits) * unitSize(hop),
        };
      });
}

/** Where sets of all parts are scaled, each part has as many times more, whichever of them it was for. Null: they are not. */
function unitsInSets(knob: Knob, units: number, edits: readonly Edit[], kept: KeptObjects): number | null {
  if (knob.by !== "field" || knob.scales === null) return null;
  const { target, path } = knob;
  const fields = edits.flatMap((edit) =>
    edit.act.do === "set" && sameRef(edit.target, target) ? edit.act.fields : [],
  );
  const after = fields.find((field) => field.path === path)?.value;
  const before = valueAt(kept.get(target), pathSteps(path)) ?? 1;
  return typeof after === "number" && typeof before === "number" && before > 0 ? (units / before) * after : null;
}

function slowestStart({ proving, bench }: Choosing, ref: ObjectRef): number {
  const pods = podsBelow({ ledger: asItStands(bench.cluster) }, objectKey(ref));
  return Math.max(0, ...pods.map((pod) => proving.timing.podStart(pod).mostMs));
}
