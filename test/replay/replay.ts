import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseScenario } from "../../src/cli/scenario-file.ts";
import { loadText } from "../../src/load/from-files.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import { buildCluster } from "../../src/model/build.ts";
import { darkSpans } from "../../src/sim/monitor.ts";
import { planScenario } from "../../src/sim/plan-scenario.ts";
import { Simulation } from "../../src/sim/simulation.ts";
import { timingOf } from "../../src/sim/timing.ts";
import type { Choice } from "../../src/sim/world.ts";
import type { Snapshot, SnapshotItem } from "../../src/wire/snapshot.ts";
import { snapshotOver } from "../../src/wire/snapshot-over.ts";
import type { Trace, TraceEvent } from "./trace.ts";

/** A difference between what we play and what the real control plane did. */
export interface Difference {
  readonly what: string;
  readonly ours: string;
  readonly real: string;
}

export interface Replayed {
  readonly differences: readonly Difference[];
  /** Webhooks called by URL: what they answer is decided outside the cluster. */
  readonly outside: readonly string[];
}

export const recordingsFolder = join(import.meta.dirname, "..", "recordings");

export function recordingNames(): readonly string[] {
  return readdirSync(recordingsFolder)
    .filter((name) => existsSync(join(recordingsFolder, name, "trace.json")))
    .sort();
}

export function readTrace(file: string): Trace {
  const trace: Trace = JSON.parse(readFileSync(file, "utf8"));
  return trace;
}

/** A webhook outside the cluster decided these; reports name it among what is not modelled. */
const decidedOutside: ReadonlySet<string> = new Set(["webhook-dead-evictions", "webhook-dead-pods"]);

/** What differs, but for what was decided outside of the cluster and is told so. */
export function differencesIn(name: string, traceFile?: string): readonly Difference[] {
  const { differences, outside } = replay(name, traceFile);
  if (decidedOutside.has(name) && outside.length > 0) return [];
  return differences;
}

const afterwardsSeconds = 10;

/** Plays a recording's scenario on its cluster and compares with its trace. */
export function replay(name: string, traceFile = join(recordingsFolder, name, "trace.json")): Replayed {
  const folder = join(recordingsFolder, name);
  const trace = readTrace(traceFile);
  const clusterFile = join(folder, "cluster.yaml");
  const snapshot = asTheyWent(loadText(readFileSync(clusterFile, "utf8"), clusterFile), trace);
  const read = buildCluster(snapshot);
  const minor = Number(trace.kubernetes.split(".")[1]);
  const cluster =
    minor === 34 || minor === 36 || minor === 37 ? { ...read, version: { ...read.version, minor } as const } : read;
  const scenarioFile = join(folder, "scenario.yaml");
  const names = new Names(trace);
  const { scenario, problems } = parseScenario(names.ofTheirs(readFileSync(scenarioFile, "utf8")), scenarioFile);
  if (scenario === null)
    throw new Error(`${scenarioFile}: ${problems.map((p) => `${p.line}: ${p.message}`).join("; ")}`);
  const plan = planScenario(snapshot, cluster, scenario, kubectlDrain);
  if (plan.problems.length > 0) throw new Error(plan.problems.map((p) => `${p.path}: ${p.message}`).join("; "));
  const simulation = new Recorded(
    cluster,
    plan.steps,
    { endpoints: [], supporting: [] },
    {
      timed: true,
      startUps: "that-matter",
      evictions: "every",
      placement: "top",
      timing: timingOf(cluster, scenario.timing),
      span: "most",
      // A recording ends when nothing has happened for a while; what we would see later is not in it.
      horizonMs: 1000 * (trace.durationSeconds + afterwardsSeconds),
    },
  );
  const differences: Difference[] = [];
  const places = placesOf(trace);
  const gone = goneOf(trace);
  for (let stop = simulation.run(); stop.kind === "choice"; stop = simulation.run()) {
    const option =
      stop.choice.kind === "next-eviction"
        ? firstGone(simulation, stop.choice.pods, gone, names)
        : followed(simulation, stop.choice, places, names);
    if (typeof option !== "number") differences.push(option);
    simulation.choose(typeof option === "number" ? option : 0);
  }
  differences.push(...compare(simulation, trace, names));
  const outside = cluster.webhooks.filter(({ service }) => service === null).map(({ name }) => name);
  return { differences, outside };
}

/** A recording ends when nothing has happened for a while: what we would see later did not happen in it. */
class Recorded extends Simulation {
  protected override get endsAtHorizon(): boolean {
    return false;
  }
}

/**
 * Which of several evictions of one drain is answered first, and which of several like pods a ReplicaSet gives up, is chance: ours
 * go in the order of the input. So the pods that went come first here, in the order in which they did.
 */
function asTheyWent(snapshot: Snapshot, trace: Trace): Snapshot {
  const went = new Map<string, number>();
  for (const event of trace.events) {
    if (event.type === "pod-deleted" && event.step >= 0 && !went.has(event.pod)) went.set(event.pod, went.size);
  }
  const turn = ({ object: { kind, metadata } }: SnapshotItem): number =>
    kind === "Pod" ? (went.get(`${String(metadata["namespace"])}/${String(metadata["name"])}`) ?? went.size) : -1;
  const items = [...snapshot].sort((a, b) => turn(a) - turn(b));
  return snapshotOver(snapshot, { source: snapshot.source, [Symbol.iterator]: () => items[Symbol.iterator]() });
}

/** Pods that a controller made alike differ by number only, and the order of their making is chance: `m1-abc-~2` is `m1-abc-~`. */
function alike(name: string): string {
  return name.replace(/-~\d+$/, "-~");
}

/** Where the recording's pods went, like pods together; taken one by one. */
type Places = ReadonlyMap<string, readonly string[]>;

function placesOf(trace: Trace): Places {
  const places = new Map<string, string[]>();
  for (const event of trace.events) {
    if (event.type !== "pod-bound") continue;
    places.set(alike(event.pod), [...(places.get(alike(event.pod)) ?? []), event.node]);
  }
  return places;
}

/** Pods in the order in which their deletion began, like pods by one name. */
function goneOf(trace: Trace): readonly string[] {
  return trace.events.flatMap((event) => (event.type === "pod-deleted" ? [alike(event.pod)] : []));
}

/** Evictions of one moment are answered in any order: as it was recorded, of those that are not gone yet. */
function firstGone(simulation: Simulation, pods: readonly string[], gone: readonly string[], names: Names): number {
  const left = [...gone];
  for (const { fact } of simulation.timeline) {
    const at = fact.type === "pod-deleted" ? left.indexOf(alike(names.ofOurs(fact.pod))) : -1;
    if (at >= 0) left.splice(at, 1);
  }
  const turns = pods.map((pod) => left.indexOf(alike(names.ofOurs(pod)))).map((at) => (at < 0 ? left.length : at));
  return turns.indexOf(Math.min(...turns));
}

/** Among equals the scheduler draws: we follow the recorded draw, and say so when it is not among ours. */
function followed(simulation: Simulation, choice: Choice, places: Places, names: Names): number | Difference {
  if (choice.kind !== "place" && choice.kind !== "preempt") return 0;
  const like = alike(names.ofOurs(choice.pod));
  const left = [...(places.get(like) ?? [])];
  for (const { fact } of simulation.timeline) {
    if (fact.type !== "pod-bound" || alike(names.ofOurs(fact.pod)) !== like) continue;
    const taken = left.indexOf(fact.node);
    if (taken >= 0) left.splice(taken, 1);
  }
  const wanted = left.find((node) => choice.nodes.includes(node));
  if (wanted !== undefined) return choice.nodes.indexOf(wanted);
  if (left.length === 0) return 0;
  return { what: `place of ${choice.pod}`, ours: choice.nodes.join(" or "), real: left.join(" or ") };
}

/** Names that controllers make up: ours are numbered by creation, the recorder's ReplicaSets by revision. */
class Names {
  readonly #made = new Map<string, string[]>();

  constructor(trace: Trace) {
    for (const event of trace.events) {
      for (const name of namesIn(event)) {
        const found = /^(.*\/)?(.+)-~r(\d+)(?:-|$)/.exec(name);
        if (found === null) continue;
        const deployment = `${found[1] ?? ""}${found[2]}`;
        const made = this.#made.get(deployment) ?? [];
        const revision = found[3] ?? "";
        if (!made.includes(revision)) made.push(revision);
        made.sort((a, b) => Number(a) - Number(b));
        this.#made.set(deployment, made);
      }
    }
  }

  /** The recorder's names in a scenario → ours. */
  ofTheirs(text: string): string {
    return text.replace(/([\w./-]+?)-~r(\d+)/g, (whole, deployment: string, revision: string) => {
      const index = this.#made.get(deployment)?.indexOf(revision) ?? -1;
      return index < 0 ? whole : `${deployment}-~${index + 1}`;
    });
  }

  /** Our name → the recorder's: the n-th ReplicaSet made of a Deployment. */
  ofOurs(name: string): string {
    return name.replace(/^(.*)-~(\d+)-~(\d+)$/, (whole, deployment: string, number: string, pod: string) => {
      const revision = this.#made.get(deployment)?.[Number(number) - 1];
      return revision === undefined ? whole : `${deployment}-~r${revision}-~${pod}`;
    });
  }
}

function namesIn(event: TraceEvent): readonly string[] {
  return "pod" in event && typeof event.pod === "string" ? [event.pod] : [];
}

function compare(simulation: Simulation, trace: Trace, names: Names): readonly Difference[] {
  const smaller = madeSmaller(trace);
  return [
    ...sameMaps("evictions of", ourEvictions(simulation, names), realEvictions(trace)),
    ...sameMaps("messages of", ourMessages(simulation, names), realMessages(trace)),
    ...sameMaps("deletions", ourDeletions(simulation, names), realDeletions(trace)),
    ...sameMaps("rejections", ourRejections(simulation), realRejections(trace)),
    ...sameMaps("outcome of", ourOutcomes(simulation), realOutcomes(trace)),
    ...sameMaps("end of", countedWhere(smaller, ourEnd(simulation, names)), countedWhere(smaller, realEnd(trace))),
    ...sameMaps("ready endpoints of", ourServices(simulation), realServices(trace)),
    ...sameMaps("budget", ourBudgets(simulation), realBudgets(trace)),
  ];
}

type Facts = ReadonlyMap<string, string>;

function sameMaps(what: string, ours: Facts, real: Facts): readonly Difference[] {
  const keys = [...new Set([...ours.keys(), ...real.keys()])].sort();
  return keys.flatMap((key) => {
    const mine = ours.get(key) ?? "nothing";
    const theirs = real.get(key) ?? "nothing";
    return mine === theirs ? [] : [{ what: `${what} ${key}`, ours: mine, real: theirs }];
  });
}

/** The answer in the moment between an accepted eviction and the controller's count of it: milliseconds, not modelled. */
const passing = /does not allow evicting pods currently$/;

/**
 * Answers in order, each once as long as it repeats. A drain asks for all pods of a node at once: which of several like ones
 * is answered first is chance.
 */
function collect(pairs: Iterable<readonly [string, string]>): Facts {
  return together([...sequences(pairs)]);
}

function sequences(pairs: Iterable<readonly [string, string]>): Facts {
  const lists = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const list = lists.get(key) ?? [];
    if (list.at(-1)?.startsWith("429") && passing.test(list.at(-1) ?? "")) list.pop();
    if (list.at(-1) !== value) list.push(value);
    lists.set(key, list);
  }
  return new Map([...lists].map(([key, list]) => [key, list.join(" then ")]));
}

function sorted(facts: Iterable<readonly [string, string]>): Facts {
  const sets = new Map<string, Set<string>>();
  for (const [key, value] of facts) sets.set(key, (sets.get(key) ?? new Set()).add(value));
  return new Map([...sets].map(([key, set]) => [key, [...set].sort().join(" | ")]));
}

function ourEvictions(simulation: Simulation, names: Names): Facts {
  const evicted = new Set(
    simulation.timeline.flatMap(({ fact }) =>
      fact.type === "pod-deleted" && fact.by === "eviction" ? [fact.pod] : [],
    ),
  );
  return collect(
    simulation.timeline.flatMap(({ fact }) =>
      fact.type === "eviction" && (fact.code !== 201 || evicted.has(fact.pod))
        ? [[names.ofOurs(fact.pod), answer(fact.code, fact.message, fact.cause)] as const]
        : [],
    ),
  );
}

/** Evictions of pods that others were deleting already change nothing: whether a drain still meets them is chance. */
function realEvictions(trace: Trace): Facts {
  const evicted = new Set(
    trace.events.flatMap((event) => (event.type === "pod-deleted" && event.by === "eviction" ? [event.pod] : [])),
  );
  return collect(
    trace.events.flatMap((event) =>
      event.type === "eviction" && (event.code !== 201 || evicted.has(event.pod))
        ? [[event.pod, answer(event.code, event.message ?? "", event.causes?.[0]?.message ?? "")] as const]
        : [],
    ),
  );
}

function answer(code: number, message: string, cause: string): string {
  return [String(code), message, cause].filter((part) => part !== "").join(" ");
}

function ourMessages(simulation: Simulation, names: Names): Facts {
  const pending = [...simulation.ledger.pods].filter((pod) => pod.node === null && pod.terminatingSinceMs === null);
  return sorted(pending.map((pod) => [alike(names.ofOurs(pod.key)), pod.unschedulableMessage]));
}

function realMessages(trace: Trace): Facts {
  const pending = Object.entries(trace.end.pods).filter(([, pod]) => (pod.node ?? "") === "");
  return sorted(pending.map(([name, { message }]) => [alike(name), message ?? ""]));
}

const deleters: ReadonlyMap<string, string> = new Map([
  ["kubectl-drain", "user"],
  ["replication-controller", "replicaset-controller"],
  ["daemon-set-controller", "daemonset-controller"],
  ["taint-manager", "node-controller"],
  ["taint-eviction-controller", "node-controller"],
  ["podgc", "pod-garbage-collector"],
  ["pod-garbage-collector", "pod-garbage-collector"],
  ["scenario", "user"],
  ["garbage-collector", "generic-garbage-collector"],
]);

function ourDeletions(simulation: Simulation, names: Names): Facts {
  return deletions(
    simulation.timeline.flatMap(({ fact }) =>
      fact.type === "pod-deleted" || fact.type === "pod-preempted" ? [[names.ofOurs(fact.pod), fact.by] as const] : [],
    ),
  );
}

function realDeletions(trace: Trace): Facts {
  return deletions(
    trace.events.flatMap((event) =>
      event.type === "pod-deleted" && event.step >= 0 ? [[event.pod, event.by] as const] : [],
    ),
  );
}

/** Whom each owner's pods were deleted by, and how many of them. */
function deletions(pairs: readonly (readonly [string, string])[]): Facts {
  return together(
    pairs.map(([pod, by]) => {
      const who = deleters.get(by) ?? by;
      return [pod, who === "replicaset-controller" ? who : `${alike(pod).slice(alike(pod).indexOf("/") + 1)} ${who}`];
    }),
  );
}

function ourRejections(simulation: Simulation): Facts {
  return sorted(
    simulation.timeline.flatMap(({ fact }) => {
      if (fact.type !== "pod-rejected") return [];
      const [kind = "", namespace = "", name = ""] = fact.owner.split("/");
      return [[`${kind.split(".")[0]} ${namespace}/${name}`, fact.message] as const];
    }),
  );
}

function realRejections(trace: Trace): Facts {
  return sorted(
    trace.events.flatMap((event) =>
      event.type === "pod-rejected" ? [[event.object, suffixless(event.message)] as const] : [],
    ),
  );
}

/** A refused pod's random suffix. */
function suffixless(message: string): string {
  return message.replace("(combined from similar events): ", "").replace(/(pods "[^"]*-)[a-z0-9]{5}"/, '$1<suffix>"');
}

function ourOutcomes(simulation: Simulation): Facts {
  return sequences(simulation.drains.map(({ node, outcome }) => [node, outcome]));
}

function realOutcomes(trace: Trace): Facts {
  return sequences(
    trace.steps.flatMap(({ drains }) => (drains ?? []).map(({ node, outcome }) => [node, outcome] as const)),
  );
}

function ourEnd(simulation: Simulation, names: Names): Facts {
  return together(
    [...simulation.ledger.pods].map((pod) => [
      names.ofOurs(pod.key),
      `${pod.node?.name ?? ""} ${pod.ready ? "ready" : "unready"}`,
    ]),
  );
}

/** Pods of one owner: which of several equal ones a smaller ReplicaSet gives up is chance. */
function ownerOf(name: string): string {
  return name.replace(/-[^-]+$/, "-*");
}

/** Owners whose ReplicaSet gave up pods: where the others stand is chance too. */
function madeSmaller(trace: Trace): ReadonlySet<string> {
  const owners = new Set<string>();
  for (const event of trace.events) {
    const gaveUp = event.type === "pod-deleted" && deleters.get(event.by) === "replicaset-controller";
    if (gaveUp || (event.type === "pod-deleted" && event.by === "replicaset-controller"))
      owners.add(ownerOf(event.pod));
  }
  return owners;
}

function countedWhere(owners: ReadonlySet<string>, facts: Facts): Facts {
  return new Map(
    [...facts].map(([owner, value]) => {
      if (!owners.has(owner)) return [owner, value] as const;
      const states = value.split(" | ").map((state) => state.replace(/^\S* /, "somewhere "));
      return [owner, states.sort().join(" | ")] as const;
    }),
  );
}

/** Like pods as one: what they are, sorted. */
function together(pairs: readonly (readonly [string, string])[]): Facts {
  const lists = new Map<string, string[]>();
  for (const [name, value] of pairs) lists.set(ownerOf(name), [...(lists.get(ownerOf(name)) ?? []), value]);
  return new Map([...lists].map(([name, list]) => [name, list.sort().join(" | ")]));
}

function realEnd(trace: Trace): Facts {
  return together(
    Object.entries(trace.end.pods).map(([name, { node, ready }]) => [
      name,
      `${node ?? ""} ${ready === true ? "ready" : "unready"}`,
    ]),
  );
}

function ourServices(simulation: Simulation): Facts {
  return new Map(
    simulation.monitor.services.map(({ service, min, ready, sequence }) => [
      `${service.ref.namespace}/${service.ref.name}`,
      `least ${min}, at the end ${ready}, without any ${times(sequence)}`,
    ]),
  );
}

/** What is shorter than this is a matter of who was quicker: an old pod leaves its Service while a new one joins it. */
const blinkMs = 1500;

type Counts = Parameters<typeof darkSpans>[0];

/** How often there was nothing for a while. What was only for a blink counts as not having been. */
function times(sequence: Counts): string {
  const all = turns(sequence);
  const lasting = all.filter(({ atMs }, i) => i === 0 || (all[i + 1]?.atMs ?? Infinity) - atMs >= blinkMs);
  return `${darkSpans(turns(lasting)).length} times`;
}

/** Where something turns to nothing and back. */
function turns(sequence: Counts): Counts {
  return sequence.filter(({ ready }, i) => i === 0 || ready > 0 !== (sequence[i - 1]?.ready ?? 0) > 0);
}

function realServices(trace: Trace): Facts {
  const sequences = new Map(
    Object.entries(trace.start.services).map(([service, ready]) => [service, [{ atMs: 0, ready }]]),
  );
  for (const event of trace.events) {
    if (event.type !== "endpoints" || event.step < 0) continue;
    const sequence = sequences.get(event.service) ?? [];
    sequences.set(event.service, [...sequence, { atMs: Math.round(event.seconds * 1000), ready: event.ready }]);
  }
  return new Map(
    [...sequences].map(([service, sequence]) => {
      const least = Math.min(...sequence.map(({ ready }) => ready));
      const dark = times(sequence);
      return [service, `least ${least}, at the end ${trace.end.services[service] ?? 0}, without any ${dark}`];
    }),
  );
}

function ourBudgets(simulation: Simulation): Facts {
  return new Map(
    simulation.ledger.budgets.map(({ budget, status }) => [
      `${budget.ref.namespace}/${budget.ref.name}`,
      [status.expectedPods, status.desiredHealthy, status.currentHealthy, status.disruptionsAllowed].join("/"),
    ]),
  );
}

function realBudgets(trace: Trace): Facts {
  return new Map(
    Object.entries(trace.end.budgets).map(([name, { expected, desired, healthy, allowed }]) => [
      name,
      [expected, desired, healthy, allowed].join("/"),
    ]),
  );
}
