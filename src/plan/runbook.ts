import type { Actor } from "../maintenance/actor.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Applied } from "../patch/apply-edits.ts";
import type { Edit } from "../patch/edit.ts";
import { nameOf, type Proving } from "../patch/prove.ts";
import { isRolledOut } from "../patch/rolled-out.ts";
import { partKey } from "../patch/site.ts";
import { endpointsOf } from "../route/build.ts";
import { explore } from "../search/explore.ts";
import type { ObjectChange } from "../sim/object-change.ts";
import { maintenanceOf } from "../sim/plan-scenario.ts";
import { drainStep, type PlannedStep } from "../sim/program.ts";
import { Simulation } from "../sim/simulation.ts";
import type { DrainRecord, Refusal } from "../sim/trace.ts";

/** What is done, in order: prepare, one node after the other (or a whole maintenance of an actor's), step back. */
export interface Runbook {
  readonly edits: readonly Edit[];
  readonly applied: Applied;
  /** In the order they are drained. */
  readonly nodes: readonly Node[];
  /** Null: by hand, each node drained, worked on and opened before the next. */
  readonly actor: Actor | null;
  /** How long the work on a node takes, ms. */
  readonly nodeDownMs: number;
  /** Parts that are not whole at the start and will be: nothing begins before. */
  readonly first: readonly ObjectRef[];
  /** Parts that are whole then: each step waits until they are again. */
  readonly whole: readonly ObjectRef[];
}

export interface Gap {
  readonly endpoint: string;
  /** Null: to the end. */
  readonly ms: number | null;
  readonly hop: string;
}

/** What playing a runbook under every choice showed. */
export interface RunbookOutcome {
  readonly holds: boolean;
  readonly exhaustive: boolean;
  /** Every drain completed and every step came to its end, in every course. */
  readonly ends: boolean;
  readonly because: string;
  /** What a drain that did not complete was refused with, the first one; null: none was. */
  readonly refusal: Refusal | null;
  /** Parts without anything ready for a time, or that held a drain to its end. */
  readonly weak: ReadonlySet<string>;
  readonly gaps: readonly Gap[];
  /** Endpoints that are down before anything is done: no step makes or mends that. */
  readonly downBefore: readonly { readonly endpoint: string; readonly hop: string; readonly because: string }[];
  /** Longest over all courses. Null: something does not end. */
  readonly windowMs: number | null;
  /** Node → its longest drain, ms. */
  readonly drainMs: ReadonlyMap<string, number>;
  readonly capacity: readonly {
    readonly endpoint: string;
    readonly min: number;
    readonly overTime: readonly { readonly atMs: number; readonly capacity: number }[];
  }[];
}

export const handFlags: readonly string[] = ["--ignore-daemonsets", "--delete-emptydir-data"];

export function stepsOf(proving: Proving, runbook: Runbook): readonly PlannedStep[] {
  const { applied, nodes, actor, nodeDownMs, first, whole } = runbook;
  const ready: readonly PlannedStep[] = whole.map((target) => ({ do: "waitReady", target }));
  const begun: readonly PlannedStep[] = first.map((target) => ({ do: "waitReady", target }));
  // An autoscaler looks every so often: until it has, what it scales is whole with as many as before.
  const seen: readonly PlannedStep[] = runbook.edits.some(isAutoscaled) ? [{ do: "wait", forMs: autoscalerMs }] : [];
  const prepared: readonly PlannedStep[] =
    applied.changes.length === 0 ? begun : [...begun, { do: "change", changes: applied.changes }, ...seen, ...ready];
  const back = undone(proving, applied);
  const returned: readonly PlannedStep[] = back.length === 0 ? [] : [{ do: "change", changes: back }, ...ready];
  if (actor !== null) return [...prepared, maintenanceOf(proving.cluster, actor, nodes, "any"), ...ready, ...returned];
  const drained = nodes.flatMap(({ name }): readonly PlannedStep[] => [
    drainStep({
      do: "drain",
      nodes: [name],
      flags: handFlags,
      concurrent: false,
      stopAfterMs: null,
      forceAfterMs: null,
    }),
    { do: "down", node: name, forMs: nodeDownMs },
    { do: "uncordon", nodes: [name] },
    ...ready,
  ]);
  return [...prepared, ...drained, ...returned];
}

/** Four of an autoscaler's looks. */
const autoscalerMs = 60_000;

function isAutoscaled({ target }: Edit): boolean {
  return ["HorizontalPodAutoscaler", "ScaledObject", "PodAutoscaler"].includes(target.kind);
}

/** With the words of whoever refused, where it is no plain waiting. */
function drainWords({ node, outcome, blockedBy }: DrainRecord): string {
  const [first] = blockedBy;
  const on = first === undefined || first.pod === "" ? "" : ` on ${first.pod}`;
  if (outcome === "stalled") return `the drain of ${node} waits for ever${on}`;
  const says = first === undefined || first.message === "" ? "" : ` (${first.message})`;
  return `the drain of ${node} ${outcome === "failed" ? "fails" : `is ${outcome}`}${on}${says}`;
}

/** Everything as it was before. */
function undone({ cluster }: Proving, { changes, back }: Applied): readonly ObjectChange[] {
  const others = changes.flatMap((change): readonly ObjectChange[] => {
    switch (change.what) {
      case "workload": {
        const spec = cluster.workloads.get(change.key);
        return spec === undefined ? [] : [{ ...change, spec, keepReplicas: false }];
      }
      case "budget": {
        const budget = cluster.budgets.find(({ key }) => key === change.key) ?? null;
        return [{ ...change, budget }];
      }
      case "autoscalers":
        return [{ ...change, autoscalers: cluster.autoscalers }];
      default:
        return [];
    }
  });
  return [...others, ...back];
}

export function playRunbook(proving: Proving, runbook: Runbook): RunbookOutcome {
  const { cluster, timing, horizonMs, states } = proving;
  const endpoints = proving.choose(endpointsOf(cluster).endpoints);
  const steps = stepsOf(proving, runbook);
  const seen = new Seen(runbook);
  let exhaustive = true;
  for (const span of ["most", "least"] as const) {
    const sim = new Simulation(
      cluster,
      steps,
      { endpoints, supporting: [] },
      { timed: true, startUps: "that-matter", placement: "top", evictions: "for-room", timing, span, horizonMs },
    );
    const explored = explore(sim, { states, choices: [] }, (end) => {
      seen.look(end);
      return "on";
    });
    exhaustive &&= explored.exhaustive && !explored.horizon;
  }
  return seen.outcome(exhaustive);
}

class Seen {
  readonly #runbook: Runbook;
  readonly #weak = new Set<string>();
  readonly #gaps = new Map<string, Gap>();
  readonly #down = new Map<string, RunbookOutcome["downBefore"][number]>();
  readonly #drainMs = new Map<string, number>();
  readonly #capacity = new Map<string, { min: number; overTime: { atMs: number; capacity: number }[] }>();
  #because = "";
  #refusal: Refusal | null = null;
  #holds = true;
  #ends = true;
  #windowMs: number | null = 0;

  constructor(runbook: Runbook) {
    this.#runbook = runbook;
  }

  look(end: Simulation): void {
    for (const drain of end.drains) {
      const ms = drain.toMs === null ? 0 : drain.toMs - drain.fromMs;
      this.#drainMs.set(drain.node, Math.max(ms, this.#drainMs.get(drain.node) ?? 0));
      if (drain.outcome === "completed") continue;
      this.#ends = false;
      this.#refusal ??= drain.blockedBy[0] ?? null;
      this.#fails(drainWords(drain));
    }
    for (const { hop, wasZero, stalled } of end.monitor.hops) {
      if ((wasZero && hop.needed) || stalled) this.#weak.add(partKey(hop));
    }
    for (const record of end.monitor.endpoints) this.#lookAt(record);
    const late = this.#runbook.applied.rolled.find((key) => !isRolledOut(end.ledger, key));
    if (late !== undefined || end.program.stalled.length > 0) this.#ends = false;
    if (late !== undefined)
      this.#fails(`what is done to ${late.slice(late.indexOf("/") + 1)} does not come to its end`);
    else if (end.program.stalled.length > 0) this.#fails("a step waits for ever");
    const ends = end.timeline.findLast(({ fact }) => fact.type !== "pod-unschedulable")?.atMs ?? 0;
    if (this.#windowMs !== null && ends >= this.#windowMs) {
      this.#windowMs = ends;
      this.#trace(end);
    }
  }

  #lookAt(record: Simulation["monitor"]["endpoints"][number]): void {
    const { endpoint, now, broken, downs } = record;
    if (now === "idle" || endpoint.idle) return;
    const name = nameOf(endpoint);
    if (now === "down") {
      const [{ hop, because }] = [downs[0] ?? record.down ?? { hop: "", because: "" }];
      this.#down.set(name, { endpoint: name, hop, because });
      return;
    }
    const known = this.#capacity.get(name) ?? { min: 1, overTime: [] };
    known.min = Math.min(known.min, record.minCapacity);
    this.#capacity.set(name, known);
    if (broken) {
      const [down] = downs;
      this.#fails(
        down === undefined
          ? `${name} is left with fewer units than its floor`
          : `nothing is ready of ${down.hop} of ${name}`,
      );
      if (down === undefined) for (const hop of endpoint.hops) if (hop.hop === "engine") this.#weak.add(partKey(hop));
    }
    for (const { fromMs, toMs, hop } of downs) {
      const ms = toMs === null ? null : toMs - fromMs;
      const longest = this.#gaps.get(`${name} ${hop}`);
      if (longest === undefined || ms === null || (longest.ms !== null && ms > longest.ms))
        this.#gaps.set(`${name} ${hop}`, { endpoint: name, ms: longest?.ms === null ? null : ms, hop });
    }
  }

  /** Capacity over time: what it starts with, and then what lasts. */
  #trace(end: Simulation): void {
    for (const { endpoint, capacities } of end.monitor.endpoints) {
      const known = this.#capacity.get(nameOf(endpoint));
      if (known === undefined) continue;
      const lasting = capacities.filter(({ atMs }, index) => index === 0 || capacities[index + 1]?.atMs !== atMs);
      known.overTime = lasting.filter(({ capacity }, index) => lasting[index - 1]?.capacity !== capacity);
    }
  }

  #fails(because: string): void {
    this.#holds = false;
    this.#because ||= because;
  }

  outcome(exhaustive: boolean): RunbookOutcome {
    return {
      holds: this.#holds && exhaustive,
      exhaustive,
      ends: this.#ends,
      refusal: this.#refusal,
      because: this.#because || (exhaustive ? "" : "not every choice could be followed to its end"),
      weak: this.#weak,
      downBefore: [...this.#down.values()],
      gaps: [...this.#gaps.values()],
      windowMs: this.#windowMs,
      drainMs: this.#drainMs,
      capacity: [...this.#capacity].map(([endpoint, { min, overTime }]) => ({ endpoint, min, overTime })),
    };
  }
}
