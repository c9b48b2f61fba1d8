import { byCodeUnit } from "../base/ordering.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Node } from "../model/node.ts";
import type { NodeView, PodView } from "../model/view.ts";
import { isBusy, maintenanceKey } from "./maintenance-state.ts";
import type { Simulation } from "./simulation.ts";

/**
 * Names a state at a choice so that two states with the same name go on alike: pods by what they are and not by what they
 * are called, nodes that nothing tells apart by what stands on them, times from now on.
 */
export class StateKeys {
  readonly #named: ReadonlySet<string>;
  readonly #shapes = new Map<Node, string>();

  constructor(cluster: Cluster) {
    this.#named = namedNodes(cluster);
  }

  /** Of a simulation that stands at a choice, or at any moment between two actions. */
  of(sim: Simulation): string {
    const { ledger } = sim;
    const nodes = ledger.nodes.map((node) => this.nodeClass(sim, node)).sort(byCodeUnit);
    const waiting: string[] = [];
    for (const pod of ledger.pods) if (pod.node === null) waiting.push(`${podClass(sim, pod)}|${sim.isTried(pod)}`);
    const budgets = ledger.budgets.map(({ budget, status, disruptedPods }) =>
      [budget.key, status.disruptionsAllowed, status.currentHealthy, status.expectedPods, disruptedPods.size].join(","),
    );
    const workloads: string[] = [];
    for (const { key, spec, memory, deleting } of ledger.workloads) {
      if (spec.kind === "Other") continue;
      workloads.push(
        [key, "replicas" in spec ? spec.replicas : "", "template" in spec ? spec.template.id : "", deleting].join(",") +
          (memory === null ? "" : JSON.stringify(memory)),
      );
    }
    const watched = sim.monitor.endpoints.map((record) => [
      record.broken,
      record.degraded,
      record.down === null ? -1 : ledger.nowMs - record.down.fromMs,
      record.stalledBy.length,
      longestMs(record.downs),
      record.minCapacity,
    ]);
    const hops = sim.monitor.hops.map((record) => (record.wasZero ? 1 : 0)).join("");
    const claims: string[] = [];
    for (const claim of ledger.resourceClaims) {
      const devices = claim.allocation?.results.map((r) => `${r.driver}/${r.pool}/${r.device}`).join(",") ?? "";
      claims.push(`${claim.ownerPod === null ? claim.name : ""}=${devices}`);
    }
    const volumes: string[] = [];
    for (const claim of ledger.volumeClaims) volumes.push(`${claim.namespace}/${claim.name}=${claim.volumeName}`);
    for (const [claim, inMs] of sim.disks.late) volumes.push(`${claim}@${inMs}`);
    return JSON.stringify([
      nodes,
      waiting.sort(byCodeUnit),
      budgets,
      workloads.sort(byCodeUnit),
      watched,
      hops,
      claims.sort(byCodeUnit),
      volumes.sort(byCodeUnit),
      this.#program(sim),
      this.#alarms(sim),
    ]);
  }

  /** Nodes of one class are the same to everything that can happen: one of them stands for all. */
  nodeClass(sim: Simulation, node: NodeView): string {
    const pods = node.pods.map((pod) => podClass(sim, pod)).sort(byCodeUnit);
    const taints = node.taints.map((taint) => `${taint.key}=${taint.value}:${taint.effect}`).sort(byCodeUnit);
    return JSON.stringify([
      this.#shape(node.node),
      node.unschedulable,
      node.ready,
      sim.isDown(node.name),
      taints,
      pods,
      this.#part(sim, node.name),
      this.#backIn(sim, node.name),
    ]);
  }

  /** Pods of one class are the same to everything that can happen. */
  podClass(sim: Simulation, pod: PodView): string {
    return podClass(sim, pod);
  }

  /** What the node is, whatever happens: its name too where something asks for it by name. */
  #shape(node: Node): string {
    const known = this.#shapes.get(node);
    if (known !== undefined) return known;
    const labels = [...node.labels]
      .filter(([, value]) => value !== node.name)
      .map(([key, value]) => `${key}=${value}`)
      .sort(byCodeUnit);
    const scalar = [...node.allocatable.scalar].map(([name, amount]) => `${name}=${amount}`).sort(byCodeUnit);
    const images = [...node.images.keys()].sort(byCodeUnit);
    const shape = JSON.stringify([
      this.#named.has(node.name) ? node.name : "",
      labels,
      [...node.labels].filter(([, value]) => value === node.name).map(([key]) => key),
      node.allocatable.milliCpu,
      node.allocatable.memoryBytes,
      node.allocatable.ephemeralStorageBytes,
      node.podsMax,
      scalar,
      images,
      node.declaredFeatures,
    ]);
    this.#shapes.set(node, shape);
    return shape;
  }

  /** Its part in the maintenance: not named, or how far it is. */
  #part(sim: Simulation, node: string): string {
    const { program, steps } = sim;
    const later = steps.slice(program.at + 1).map((step) => {
      if ("nodes" in step) return step.nodes.indexOf(node);
      if ("node" in step) return step.node === node ? 0 : -1;
      return -1;
    });
    const running = program.running?.kind === "maintenance" ? program.running.state : null;
    const now = running === null ? stepNames(steps[program.at], node) : "";
    const run = running?.runs.get(node);
    // Of a node that is done nobody asks when it was.
    const sinceMs = sim.ledger.nowMs - (run?.fromMs ?? 0);
    return JSON.stringify([
      later,
      now,
      running?.ahead.includes(node),
      running?.closed.includes(node),
      running?.batch.includes(node),
      run === undefined
        ? null
        : [run.phase, run.replacement, isBusy(run) ? sinceMs : 0, run.outcome, leavingOf(sim, run.pods)],
    ]);
  }

  #backIn(sim: Simulation, node: string): readonly number[] {
    return sim.alarms.flatMap(({ atMs, alarm }) => {
      const about =
        alarm.kind === "node-lost"
          ? alarm.node
          : alarm.kind === "program" && "node" in alarm.timer
            ? alarm.timer.node
            : null;
      return about === node ? [atMs - sim.ledger.nowMs] : [];
    });
  }

  #program(sim: Simulation): string {
    const { at, running, stalled } = sim.program;
    const maintenance = running?.kind === "maintenance" ? maintenanceKey(running.state) : "";
    return `${at}/${running?.kind ?? ""}/${maintenance}/${stalled.join(",")}`;
  }

  /** Alarms that no pod's or node's own description holds. */
  #alarms(sim: Simulation): readonly string[] {
    return sim.alarms
      .flatMap(({ atMs, alarm }) => {
        const inMs = atMs - sim.ledger.nowMs;
        if (alarm.kind === "wake") return [`${alarm.workload}@${inMs}`];
        if (alarm.kind === "budget") return [`${alarm.budget}@${inMs}`];
        if (alarm.kind === "elect") return [`${alarm.election}@${inMs}`];
        if (alarm.kind === "expel" || alarm.kind === "collect") return [`${alarm.kind}@${inMs}`];
        if (alarm.kind === "program" && !("node" in alarm.timer)) return [`${alarm.timer.what}@${inMs}`];
        return [];
      })
      .sort(byCodeUnit);
  }
}

type Leavings = ReadonlyMap<string, { readonly state: string; readonly retryAtMs: number | null }>;

function leavingOf(sim: Simulation, pods: Leavings): readonly string[] {
  return [...pods]
    .map(([key, { state, retryAtMs }]) => {
      const pod = sim.ledger.pod(key);
      const retryIn = retryAtMs === null ? "" : retryAtMs - sim.ledger.nowMs;
      return `${pod === undefined ? "gone" : podClass(sim, pod)}:${state}:${retryIn}`;
    })
    .sort(byCodeUnit);
}

function stepNames(step: Simulation["steps"][number] | undefined, node: string): boolean {
  if (step === undefined) return false;
  if ("nodes" in step) return step.nodes.includes(node);
  return "node" in step && step.node === node;
}

function longestMs(downs: readonly { readonly fromMs: number; readonly toMs: number | null }[]): number {
  return downs.reduce((longest, { fromMs, toMs }) => Math.max(longest, (toMs ?? Number.MAX_SAFE_INTEGER) - fromMs), 0);
}

/** What a pod is to everything that can happen; StatefulSet pods and bare ones keep their names. */
function podClass(sim: Simulation, pod: PodView): string {
  const nowMs = sim.ledger.nowMs;
  const startAt = sim.starts.get(pod.uid);
  const goneAt = sim.alarms.find(({ alarm }) => alarm.kind === "gone" && alarm.uid === pod.uid)?.atMs;
  const runsAt = sim.alarms.find(({ alarm }) => alarm.kind === "running" && alarm.uid === pod.uid)?.atMs;
  const takenAt = sim.takenAtMs(pod);
  const minReady = pod.readySinceMs === null ? "" : nowMs - Math.max(pod.readySinceMs, nowMs - readyAgeMattersMs);
  return [
    pod.owner ?? pod.key,
    pod.ordinal ?? "",
    pod.revision,
    pod.template.id,
    pod.phase,
    pod.ready ? minReady : "unready",
    pod.terminatingSinceMs === null ? "" : "ends",
    startAt === undefined ? (sim.isStartOpen(pod.uid) ? "open" : "") : sim.timed ? startAt - nowMs : "starts",
    goneAt === undefined ? "" : goneAt - nowMs,
    runsAt === undefined ? "" : runsAt - nowMs,
    takenAt === null ? "" : takenAt - nowMs,
    pod.nominatedNode,
    pod.heldByFinalizer ? "held" : "",
    pod.keptByFinalizer,
  ].join("|");
}

/** Readiness older than any minReadySeconds in use is simply old. */
const readyAgeMattersMs = 0;

/** Nodes that something asks for by name: they are never stood for by another. */
function namedNodes(cluster: Cluster): ReadonlySet<string> {
  const names = new Set(cluster.nodes.map((node) => node.name));
  const asked = new Set<string>();
  const ask = (value: string): void => {
    if (names.has(value)) asked.add(value);
  };
  const askTerms = (
    terms:
      | readonly {
          readonly matchExpressions: readonly { readonly values: readonly string[] }[];
          readonly matchFields: readonly { readonly values: readonly string[] }[];
        }[]
      | null,
  ): void => {
    for (const term of terms ?? []) {
      for (const requirement of [...term.matchExpressions, ...term.matchFields]) requirement.values.forEach(ask);
    }
  };
  for (const pod of cluster.pods) {
    for (const value of pod.template.nodeSelector.values()) ask(value);
    if (pod.nodeName === "" || pod.owner === null) askTerms(pod.template.requiredNodeAffinity);
    askTerms(pod.template.preferredNodeAffinity.map(({ term }) => term));
  }
  for (const volume of cluster.storage.volumes.values()) askTerms(volume.nodeAffinity);
  for (const slice of cluster.devices.slices) {
    if (slice.nodeName !== null) ask(slice.nodeName);
    askTerms(slice.nodeSelector);
  }
  for (const node of cluster.storage.csiNodes.keys()) ask(node);
  return asked;
}
