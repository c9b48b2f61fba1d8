import type { Actor } from "../maintenance/actor.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { ClusterView } from "../model/view.ts";
import type { Applied } from "../patch/apply-edits.ts";
import type { Edit } from "../patch/edit.ts";
import { nameOf, type Proving } from "../patch/prove.ts";
import { isRolledOut } from "../patch/rolled-out.ts";
import { partKey } from "../patch/site.ts";
import { endpointsOf } from "../route/build.ts";
import { capacityOf } from "../route/capacity.ts";
import { explore } from "../search/explore.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { readyUnits } from "../sim/monitor.ts";
import type { ObjectChange } from "../sim/object-change.ts";
import { maintenanceOf } from "../sim/plan-scenario.ts";
import { drainStep, type PlannedStep } from "../sim/program.ts";
import { Simulation } from "../sim/simulation.ts";
import type { DrainRecord, Refusal } from "../sim/trace.ts";
import type { Endpoint } from "../systems/endpoint.ts";

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
function undone({ cluster }: Proving, { changes }: Applied): readonly ObjectChange[] {
  return changes.flatMap((change): readonly ObjectChange[] => {
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
}

export function playRunbook(proving: Proving, runbook: Runbook): RunbookOutcome {
  const { cluster, timing, horizonMs, states } = proving;
  const endpoints = proving.choose(endpointsOf(cluster).endpoints);
  const steps = stepsOf(proving, runbook);
  const seen = new Seen(runbook, endpoints, new Ledger(cluster, new Journal()));
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
  readonly #endpoints: readonly Endpoint[];
  readonly #before: ClusterView;
  readonly #weak = new Set<string>();
  readonly #gaps = new Map<string, Gap>();
  readonly #drainMs = new Map<string, number>();
  readonly #capacity = new Map<string, { min: number; overTime: { atMs: number; capacity: number }[] }>();
  #because = "";
  #refusal: Refusal | null = null;
  #holds = true;
  #ends = true;
  #windowMs: number | null = 0;

  constructor(runbook: Runbook, endpoints: readonly Endpoint[], before: ClusterView) {
    this.#runbook = runbook;
    this.#endpoints = endpoints;
    this.#before = before;
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
    for (const { hop, wasZero } of end.monitor.hops) {
      const stalled = end.monitor.stalledOn(end.ledger, hop, end.drains);
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
    if (now === "idle" || now === "down" || endpoint.idle) return;
    const name = nameOf(endpoint);
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

  /** Capacity over time, told from what became ready and unready. */
  #trace(end: Simulation): void {
    for (const endpoint of this.#endpoints) {
      const known = this.#capacity.get(nameOf(endpoint));
      if (known === undefined) continue;
      const floors = end.monitor.floorsOf(endpoint);
      const start = capacityOf(endpoint, floors, (hop) => readyUnits(this.#before, hop));
      known.overTime = [{ atMs: 0, capacity: start }];
      for (const { atMs, fact } of end.timeline) {
        const isOwn = "endpoint" in fact && fact.endpoint === nameOf(endpoint);
        if (!isOwn) continue;
        const capacity = fact.type === "endpoint-down" ? 0 : fact.type === "endpoint-degraded" ? fact.capacity : null;
        if (capacity !== null) known.overTime.push({ atMs, capacity });
        else known.overTime.push({ atMs, capacity: 1 });
      }
      const last = capacityOf(endpoint, floors, (hop) => end.monitor.readyOf(hop));
      if (known.overTime.at(-1)?.capacity !== last) known.overTime.push({ atMs: end.ledger.nowMs, capacity: last });
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
      gaps: [...this.#gaps.values()],
      windowMs: this.#windowMs,
      drainMs: this.#drainMs,
      capacity: [...this.#capacity].map(([endpoint, { min, overTime }]) => ({ endpoint, min, overTime })),
    };
  }
}
