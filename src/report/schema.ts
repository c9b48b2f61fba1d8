import type { Json, JsonObject } from "../wire/snapshot.ts";
import { scenarioKinds } from "./options.ts";
import type { ScenarioDocument } from "./scenario-document.ts";
import {
  type CheckReport,
  type FixReport,
  type Plan,
  reportApiVersion,
  type SimulationReport,
  type TimelineEvent,
} from "./types.ts";

/**
 * The published shape of the JSON, draft 2020-12, said once in TypeScript: a field missing here or of another type than
 * in types.ts does not compile. Fields may be added later, so unknown ones are allowed.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A schema and, for the compiler only, the type of what it describes. */
interface Shape<T> {
  /** True: anything at all. */
  readonly json: JsonSchema | true;
  readonly type?: T;
}

type Fields = { readonly [name: string]: Shape<unknown> };
type Of<S> = S extends Shape<infer T> ? T : never;

const text: Shape<string> = { json: { type: "string" } };
const truth: Shape<boolean> = { json: { type: "boolean" } };
const count: Shape<number> = { json: { type: "integer", minimum: 0 } };
const code: Shape<number> = { json: { type: "integer" } };
const seconds: Shape<number> = { json: { type: "number", minimum: 0 } };
const share: Shape<number> = { json: { type: "number", minimum: 0, maximum: 1 } };
const anything: Shape<ScenarioDocument["spec"]> = { json: { type: "object" } };

function just<const T extends string>(value: T): Shape<T> {
  return { json: { const: value } };
}

function oneOf<const T extends readonly string[]>(...values: T): Shape<T[number]> {
  return { json: { enum: values } };
}

function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return { json: { anyOf: [shape.json, { type: "null" }] } };
}

function list<T>(items: Shape<T>): Shape<readonly T[]> {
  return { json: { type: "array", items: items.json } };
}

function fields<const F extends Fields>(shapes: F): Shape<{ readonly [K in keyof F]: Of<F[K]> }> {
  const properties = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, shape.json]));
  return { json: { type: "object", required: Object.keys(shapes), properties } };
}

const tool = fields({ version: text });
const ref = fields({ apiVersion: text, kind: text, namespace: text, name: text });
const problem = fields({ file: text, line: orNull(count), path: text, message: text });
const verdict = oneOf("unsafe", "stalls", "undecided", "safe");
const endpointVerdict = orNull(verdict);
const notModelled = fields({ what: text, ref: text, couldChange: text });

const cluster = fields({
  source: text,
  version: text,
  modelledAs: text,
  nodes: count,
  pods: count,
  actors: list(fields({ name: text, because: text })),
  notSeen: list(fields({ resource: text, why: text })),
  secretsDropped: count,
});

const restsOn = fields({ kind: oneOf("time", "scores", "order"), pod: text, atMostSeconds: orNull(seconds), text });
const choice = fields({ pod: text, node: text, leaves: truth, soon: truth });
const blockedBy = fields({ pod: text, code, message: text, cause: text });
const outcome = oneOf("completed", "stalled", "refused", "failed", "forced", "stopped");
const drain = fields({
  node: text,
  outcome,
  fromSeconds: seconds,
  toSeconds: orNull(seconds),
  blockedBy: list(blockedBy),
});
const stall = fields({
  node: text,
  chain: list(fields({ kind: oneOf("node", "pod", "budget", "replacement", "room", "admission"), ref: text, text })),
  freedBy: list(text),
});
const down = fields({ fromSeconds: seconds, toSeconds: orNull(seconds), hop: text, because: text });
const timing = fields({
  what: oneOf("pod-start", "pod-stop", "node-down", "drain-timeout"),
  of: text,
  minSeconds: seconds,
  maxSeconds: orNull(seconds),
  from: oneOf("scenario", "config", "learnt", "actor", "default"),
});

const scenario = fields({
  apiVersion: just("holdfast.dev/v1alpha1"),
  kind: just("Scenario"),
  metadata: fields({ name: text }),
  spec: anything,
});

const node = { atSeconds: seconds, node: text };
const pod = { atSeconds: seconds, pod: text };
const endpoint = { atSeconds: seconds, endpoint: text };

const events = [
  fields({ ...node, type: just("node-cordoned"), by: text }),
  fields({ ...node, type: just("node-uncordoned"), by: text }),
  fields({ ...node, type: just("node-tainted"), taint: text, by: text }),
  fields({ ...node, type: just("node-down"), because: text }),
  fields({ ...node, type: just("node-up") }),
  fields({ ...node, type: just("node-removed"), by: text }),
  fields({ ...node, type: just("node-added"), by: text }),
  fields({ ...pod, type: just("eviction"), node: text, code, message: text, cause: text }),
  fields({ ...pod, type: just("pod-deleted"), node: text, by: text }),
  fields({ ...pod, type: just("pod-created"), owner: text }),
  fields({ atSeconds: seconds, type: just("pod-rejected"), owner: text, message: text }),
  fields({ ...pod, type: just("pod-bound"), node: text }),
  fields({ ...pod, type: just("pod-unschedulable"), message: text }),
  fields({ ...pod, type: just("pod-preempted"), node: text, by: text }),
  fields({ ...pod, type: just("pod-ready"), node: text }),
  fields({ ...pod, type: just("pod-unready"), node: text }),
  fields({ ...node, type: just("drain-started"), by: text }),
  fields({ ...node, type: just("drain-stalled"), blockedBy: list(blockedBy) }),
  fields({ ...node, type: just("drain-completed"), outcome }),
  fields({ ...endpoint, type: just("endpoint-down"), hop: text, because: text }),
  fields({ ...endpoint, type: just("endpoint-up") }),
  fields({ ...endpoint, type: just("endpoint-degraded"), capacity: share, because: text }),
  fields({ atSeconds: seconds, type: just("rollout-stalled"), ref: text, message: text }),
  fields({ atSeconds: seconds, type: just("scaled"), ref: text, from: count, to: count, by: text }),
] as const;

const event: Shape<Of<(typeof events)[number]>> = { json: { anyOf: events.map((shape) => shape.json) } };
const timeline: Shape<readonly TimelineEvent[]> = list(event);

const spread = oneOf("required", "preferred", "none");
const survival = oneOf("yes", "no", "stalls", "unknown");
const bound: Shape<number | string | null> = { json: { type: ["integer", "string", "null"] } };

const component = fields({
  hop: text,
  component: text,
  onPath: truth,
  needed: truth,
  neededBecause: text,
  role: text,
  ref,
  owner: ref,
  desired: orNull(count),
  ready: count,
  nodes: list(text),
  zones: list(text),
  placed: list(fields({ node: text, zone: text, pods: count, ready: count })),
  budgets: list(fields({ name: text, minAvailable: bound, maxUnavailable: bound, disruptionsAllowed: count })),
  spread: fields({ node: spread, zone: spread }),
  survives: fields({ drainOneNode: survival, cordonAll: survival, zoneLoss: survival }),
  outside: text,
});

const trace = fields({
  name: text,
  verdict,
  order: list(text),
  choices: list(choice),
  replay: scenario,
  timeline,
  drains: list(drain),
  stalls: list(stall),
  down: list(down),
  pods: list(fields({ pod: text, component: text })),
});

const scenarioResult = fields({
  name: { json: { type: "string", pattern: `^(?:${scenarioKinds.join("|")})(?:/|$)` }, type: "" },
  actors: list(text),
  verdict,
  partOfVerdict: truth,
  downSeconds: fields({ min: orNull(seconds), max: orNull(seconds) }),
  minCapacity: share,
});

const source = fields({ file: text, line: orNull(count) });

const finding = fields({
  rule: text,
  code: text,
  severity: oneOf("error", "warning", "note"),
  endpoint: text,
  component: text,
  message: text,
  evidence: list(text),
  remedy: text,
  source: orNull(source),
});

const checkReport: Shape<CheckReport> = fields({
  apiVersion: just(reportApiVersion),
  kind: just("CheckReport"),
  tool,
  cluster,
  problems: list(problem),
  endpoints: list(
    fields({
      namespace: text,
      name: text,
      system: text,
      model: text,
      now: oneOf("up", "degraded", "down", "idle"),
      verdict: endpointVerdict,
      because: text,
      restsOn: list(restsOn),
      notModelled: list(notModelled),
      floor: list(fields({ role: text, desired: count, minAvailable: count })),
      scenarios: list(scenarioResult),
      path: list(component),
      worst: orNull(trace),
    }),
  ),
  notChosen: list(text),
  supporting: list(component),
  findings: list(finding),
  timing: list(timing),
  notModelled: list(notModelled),
});

const simulationReport: Shape<SimulationReport> = fields({
  apiVersion: just(reportApiVersion),
  kind: just("SimulationReport"),
  tool,
  cluster,
  problems: list(problem),
  scenario,
  verdict,
  because: text,
  exhaustive: truth,
  statesExplored: count,
  counterexample: orNull(fields({ order: list(text), drains: orNull(count), choices: list(choice) })),
  timeline,
  drains: list(drain),
  stalls: list(stall),
  endpoints: list(
    fields({
      namespace: text,
      name: text,
      verdict: endpointVerdict,
      restsOn: list(restsOn),
      notModelled: list(notModelled),
      down: list(down),
      minCapacity: share,
    }),
  ),
  services: list(
    fields({
      namespace: text,
      name: text,
      ready: fields({ before: count, min: count, end: count }),
      sequence: list(count),
      nothingReady: list(fields({ fromSeconds: seconds, toSeconds: orNull(seconds) })),
    }),
  ),
  pending: list(fields({ pod: text, sinceSeconds: seconds, message: text })),
  timing: list(timing),
  notModelled: list(notModelled),
});

const value: Shape<Json> = { json: true };
const object: Shape<JsonObject> = { json: { type: "object" } };
const cost = fields({ milliCpu: count, memoryBytes: count, gpus: count });

const change = fields({
  target: ref,
  manager: text,
  holds: oneOf("live", "upstream", "composition"),
  do: oneOf("edit", "create", "delete", "helm"),
  remedies: list(text),
  fields: list(fields({ path: text, value })),
  patchType: oneOf("merge", "json", ""),
  patch: text,
  diff: text,
  object: orNull(object),
  source: orNull(source),
  why: text,
  cost,
});

const pair = fields({ endpoint: text, verdict: endpointVerdict, because: text });

const fixReport: Shape<FixReport> = fields({
  apiVersion: just(reportApiVersion),
  kind: just("FixReport"),
  tool,
  cluster,
  problems: list(problem),
  findings: list(finding),
  changes: list(change),
  cost,
  before: list(pair),
  after: list(pair),
  afterLiveOnly: list(pair),
  secondMaintenance: list(pair),
  rollout: fields({ verdict, timeline }),
  alternatives: list(fields({ changes: list(change), cost, why: text })),
  cannot: list(fields({ endpoint: text, why: text, leastHelp: text })),
  notModelled: list(notModelled),
});

const planReport: Shape<Plan> = fields({
  apiVersion: just(reportApiVersion),
  kind: just("Plan"),
  tool,
  cluster,
  problems: list(problem),
  possible: truth,
  nodes: list(text),
  by: text,
  steps: list(
    fields({
      n: count,
      do: oneOf("scale", "guard", "waitReady", "drain", "wait", "uncordon", "stepBack"),
      ref: text,
      command: text,
      expect: text,
      atMostSeconds: orNull(seconds),
      undo: text,
    }),
  ),
  windowSeconds: orNull(seconds),
  capacity: list(
    fields({
      endpoint: text,
      minCapacity: share,
      overTime: list(fields({ atSeconds: seconds, capacity: share })),
    }),
  ),
  downBefore: list(fields({ endpoint: text, hop: text, because: text })),
  gaps: list(fields({ endpoint: text, seconds: orNull(seconds), hop: text })),
  because: text,
  leastHelp: text,
  timing: list(timing),
  notModelled: list(notModelled),
});

function published(title: string, shape: Shape<unknown>): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `https://holdfast.dev/schema/v1alpha1/${title}.json`,
    title,
    description:
      "Times are seconds from the scenario's start with three decimals; null: not within the horizon. Shares are 0 to 1. Pods are namespace/name.",
    ...(shape.json === true ? {} : shape.json),
  };
}

export const checkSchema: JsonSchema = published("CheckReport", checkReport);
export const fixSchema: JsonSchema = published("FixReport", fixReport);
export const planSchema: JsonSchema = published("Plan", planReport);
export const simulationSchema: JsonSchema = published("SimulationReport", simulationReport);
