import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../../src/model/cluster.ts";
import type { PodKey } from "../../src/model/key.ts";
import type { Effect } from "../../src/model/view.ts";
import type { SnapshotItem, WireObject } from "../../src/wire/snapshot.ts";
import { plainPod } from "../support/plain-pods.ts";
import type { Answer, Decision, KubeObject, Question, Verdict } from "./decision.ts";
import type { Ours } from "./run.ts";

const needed = ["src/scheduler/explain.ts", "src/model/build.ts", "src/sim/ledger.ts"];
const absent = needed.filter((path) => !existsSync(join(import.meta.dirname, "../..", path)));

/** Why the comparison cannot be made; null when it can. */
export const missing: string | null = absent.length === 0 ? null : `${absent.join(", ")} does not exist yet`;

/** Why the recordings need not agree yet; null when they must. */
export async function unfinished(): Promise<string | null> {
  if (missing !== null) return missing;
  const { profileOf } = await import("../../src/scheduler/registry.ts");
  const modelled = profileOf(36).filters.some((filter) => filter.name === "DynamicResources");
  return modelled ? null : "the DynamicResources filter is not modelled yet";
}

/** Our side: the same objects through our model, our ledger and our scheduler. */
export async function loadOurs(): Promise<Ours | null> {
  if (missing !== null) return null;
  const { buildCluster } = await import("../../src/model/build.ts");
  const { Ledger } = await import("../../src/sim/ledger.ts");
  const { Journal } = await import("../../src/sim/journal.ts");
  const { explain } = await import("../../src/scheduler/explain.ts");
  const { snapshotOrder } = await import("../../src/scheduler/node-order.ts");
  const { schedule } = await import("../../src/scheduler/schedule.ts");
  type Explanation = ReturnType<typeof explain>;

  const decideAll = (question: Question, minor: number): Answer => {
    const cluster = waiting(buildCluster(snapshotOf(question.objects, minor)), question.pods);
    const ledger = new Ledger(cluster, new Journal());
    const order = snapshotOrder(ledger.nodes).map((node) => node.name);
    const percentageOfNodesToScore = question.options.percentageOfNodesToScore ?? 0;
    const decisions: Decision[] = [];
    let start = 0;
    for (const key of question.pods) {
      const pod = ledger.pod(key);
      if (pod === undefined) throw new Error(`our model has no pod ${key}`);
      // Binding clears it.
      const { nominatedNode } = pod;
      const explanation = explain(ledger, pod, { start, percentageOfNodesToScore });
      decisions.push(decisionOf(explanation));
      if (question.options.sequence !== true) continue;
      const [chosen] = explanation.top;
      if (chosen !== undefined && explanation.error === "") {
        const result = schedule(ledger, pod, { start, percentageOfNodesToScore });
        if (result.outcome !== "bind") throw new Error(`explain binds ${key}, schedule says ${result.outcome}`);
        ledger.bind(key, chosen);
        for (const effect of result.effectsOn(chosen)) reserve(ledger, effect);
      }
      // A node that broke the search has no verdict, so the next search begins with it.
      const judged = explanation.evaluated - (explanation.error === "" ? 0 : 1);
      const shortcut =
        nominatedNode !== "" && explanation.feasible.length === 1 && explanation.feasible[0] === nominatedNode;
      // A promised node is judged before all others; it counts once, and not at all when it broke.
      const looked = explanation.nodes.map(({ node }) => node);
      const visited = looked.map((_, i) => looked[(start + i) % looked.length]).slice(0, Math.max(0, judged));
      const broke = explanation.nodes.some(({ node, code }) => node === nominatedNode && code === "Error");
      const searched = explanation.preEnqueue === null && explanation.preFilter.code === "Success";
      const promised = searched && order.includes(nominatedNode) && !broke;
      const more = promised && !visited.includes(nominatedNode) ? 1 : 0;
      if (!shortcut && order.length > 0) start = (start + Math.max(0, judged + more)) % order.length;
    }
    return { id: question.id, version: `1.${minor}`, order, decisions };
  };

  const reserve = (ledger: InstanceType<typeof Ledger>, effect: Effect): void => {
    if (effect.do === "allocateClaim") ledger.allocateClaim(effect.claim, effect.allocation, effect.pod);
    if (effect.do === "bindVolumeClaim") ledger.bindVolumeClaim(effect.claim, effect.volume, effect.node);
  };

  const decisionOf = (said: Explanation): Decision => ({
    pod: said.pod,
    ...(said.preEnqueue === null ? {} : { preEnqueue: verdictOf(said.preEnqueue) }),
    preFilter: verdictOf(said.preFilter),
    ...(said.restricted === null ? {} : { restricted: said.restricted }),
    filters: said.filters,
    nodes: said.nodes.map((node) => ({ node: node.node, ...verdictOf(node) })),
    start: said.start,
    evaluated: said.evaluated,
    // One broken node spoils the whole search, whatever was found before it.
    ...(said.error === "" ? { feasible: said.feasible, scores: said.scores, totals: said.totals, top: said.top } : {}),
    ...(said.message === "" ? {} : { message: said.message }),
    ...(said.preemption === null ? {} : { preemption: said.preemption }),
    ...(said.error === "" ? {} : { error: said.error }),
  });

  return (question, minor) => {
    try {
      return decideAll(question, minor);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { id: question.id, version: "", order: null, decisions: null, error: text };
    }
  };
}

function verdictOf(step: {
  readonly code: Verdict["code"];
  readonly plugin: string;
  readonly reasons: readonly string[];
}): Verdict {
  if (step.code === "Success") return { code: "Success" };
  return step.plugin === "" ? { code: step.code, reasons: step.reasons } : step;
}

export function snapshotOf(
  objects: readonly KubeObject[],
  minor: number,
): Parameters<typeof import("../../src/model/build.ts").buildCluster>[0] {
  // The API server lists by namespace and name.
  const keyed = objects.map((object) => ({
    key: `${object.metadata.namespace ?? ""}/${object.metadata.name}`,
    object,
  }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const items: SnapshotItem[] = keyed.map(({ object }) => ({
    object: object as unknown as WireObject,
    source: { file: "drawn", line: null },
  }));
  return {
    source: "drawn",
    serverVersion: `v1.${minor}.0`,
    problems: [],
    notSeen: [],
    secretsDropped: 0,
    [Symbol.iterator]: () => items[Symbol.iterator](),
  };
}

/** Pods to decide wait for a node even when they name one; the name is then the NodeName filter's. */
function waiting(cluster: Cluster, undecided: readonly PodKey[]): Cluster {
  if (!cluster.pods.some((pod) => pod.nodeName !== "" && undecided.includes(pod.key))) return cluster;
  let id = cluster.templateCount;
  const pods = cluster.pods.map((pod) =>
    pod.nodeName !== "" && undecided.includes(pod.key)
      ? { ...plainPod(pod), nodeName: "", template: { ...pod.template, id: ++id, nodeName: pod.nodeName } }
      : pod,
  );
  return { ...cluster, pods };
}
