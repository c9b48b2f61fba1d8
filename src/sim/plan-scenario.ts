import { hint, nearest } from "../base/closest.ts";
import { unreachable } from "../base/invariant.ts";
import type { Problem } from "../base/problem.ts";
import type { Actor } from "../maintenance/actor.ts";
import { poolsOf } from "../maintenance/pool.ts";
import { actorNamed } from "../maintenance/registry.ts";
import { buildCluster } from "../model/build.ts";
import type { Cluster } from "../model/cluster.ts";
import { groupOf, type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import { matches } from "../model/labels.ts";
import { type Node, zoneOf } from "../model/node.ts";
import type { Pod } from "../model/pod.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { parseSelectorText } from "../model/selector-text.ts";
import { notInterned, templateContent } from "../model/template-content.ts";
import type { Workload } from "../model/workload.ts";
import { isJsonObject } from "../wire/fields.ts";
import { jsonPatch, mergePatch, strategicPatch } from "../wire/patch-object.ts";
import type { Json, JsonObject, Snapshot, SnapshotItem, WireObject } from "../wire/snapshot.ts";
import { lanesOf } from "./lanes.ts";
import type { ObjectChange } from "./object-change.ts";
import { drainStep, type PlannedStep } from "./program.ts";
import type { NodeChoice, Scenario, Step } from "./scenario.ts";

export interface PlannedScenario {
  readonly steps: readonly PlannedStep[];
  /** Nodes the maintenance takes, in the order given. */
  readonly nodes: readonly string[];
  /** Null: the scenario is steps. */
  readonly actor: Actor | null;
  /** What the scenario names and the cluster has not, or what cannot be played. */
  readonly problems: readonly Problem[];
}

/** Looks everything up that a scenario names: nodes, objects, manifests. All problems at once. */
export function planScenario(
  snapshot: Snapshot,
  cluster: Cluster,
  scenario: Scenario,
  recognised: Actor,
): PlannedScenario {
  const problems: Problem[] = [];
  const problem = (path: string, message: string): void => {
    problems.push({ file: scenario.name, line: null, path, message });
  };
  const edits = new Edits(snapshot, cluster, problem);
  const first: PlannedStep[] = [];
  if (scenario.changes.length > 0)
    first.push({ do: "change", changes: scenario.changes.flatMap((object) => edits.put(object, "spec.changes")) });
  if (scenario.changes.length > 0) first.push({ do: "waitReady", target: null });
  if (scenario.body.kind === "steps") {
    const steps = scenario.body.steps.map((step, index) =>
      planStep(cluster, step, edits, `spec.steps[${index}]`, problem),
    );
    const nodes = scenario.body.steps.flatMap((step) => (step.do === "drain" ? step.nodes : []));
    return { steps: [...first, ...steps], nodes: [...new Set(nodes)], actor: null, problems };
  }
  const actor = scenario.body.actor === null ? recognised : actorNamed(scenario.body.actor);
  if (actor === undefined) {
    problem("spec.actor", `names ${JSON.stringify(scenario.body.actor)}, which is no actor; see holdfast actors`);
    return { steps: first, nodes: [], actor: null, problems };
  }
  const nodes = chosenNodes(cluster, scenario.body.nodes, problem);
  const maintenance = maintenanceOf(cluster, actor, nodes, scenario.body.order);
  return { steps: [...first, maintenance], nodes: nodes.map((node) => node.name), actor, problems };
}

/** The whole of an actor's maintenance over these nodes as one step. */
export function maintenanceOf(
  cluster: Cluster,
  actor: Actor,
  nodes: readonly Node[],
  order: "any" | "given",
): PlannedStep {
  const lanes = lanesOf(cluster, actor, nodes, order);
  return {
    do: "maintain",
    nodes: lanes.flatMap((lane) => lane.nodes),
    options: {
      lanes,
      inTurn: actor.pools === "in-turn",
      flags: null,
      anyOrder: order === "any",
      stopAfterMs: null,
      forceAfterMs: null,
      again: false,
    },
  };
}

type Tell = (path: string, message: string) => void;

function noSuchNode({ nodes }: Cluster, typed: string): string {
  const names = nodes.map(({ name }) => name);
  return `names ${JSON.stringify(typed)}, which is no node here${hint(nearest(typed, names), names)}`;
}

export function chosenNodes(cluster: Cluster, choice: NodeChoice, problem: Tell): readonly Node[] {
  switch (choice.by) {
    case "names": {
      return named(cluster.nodes, choice.names, (name) => problem("spec.nodes", noSuchNode(cluster, name)));
    }
    case "selector": {
      const selector = parseSelectorText(choice.selector);
      if (!selector.ok) {
        problem("spec.nodes.selector", selector.message);
        return [];
      }
      const nodes = cluster.nodes.filter((node) => matches(selector.selector, node.labels));
      if (nodes.length === 0) problem("spec.nodes.selector", `is ${choice.selector}, which no node has`);
      return nodes;
    }
    case "pool": {
      const pools = poolsOf(cluster.nodes);
      const pool = pools.find((candidate) => candidate.name === choice.pool);
      if (pool === undefined) {
        problem(
          "spec.nodes.pool",
          `names ${JSON.stringify(choice.pool)}, which is no pool here; there are ${pools.map((p) => p.name).join(", ")}`,
        );
      }
      const first = named(pool?.nodes ?? [], choice.first, (name) =>
        problem("spec.nodes.first", `names ${JSON.stringify(name)}, which is no node of pool ${choice.pool}`),
      );
      return [...new Set([...first, ...(pool?.nodes ?? [])])];
    }
    case "zone": {
      const nodes = cluster.nodes.filter((node) => zoneOf(node.labels) === choice.zone);
      if (nodes.length === 0) problem("spec.nodes.zone", `no node is in zone ${JSON.stringify(choice.zone)}`);
      return nodes;
    }
    default:
      return unreachable(choice);
  }
}

/** Those of these nodes, each once, in the order of their names here. */
function named(nodes: readonly Node[], names: readonly string[], missing: (name: string) => void): readonly Node[] {
  if (names.length === 0) return [];
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const found = new Set<Node>();
  for (const name of names) {
    const node = byName.get(name);
    if (node === undefined) missing(name);
    else found.add(node);
  }
  return [...found];
}

function planStep(cluster: Cluster, step: Step, edits: Edits, path: string, problem: Tell): PlannedStep {
  checkNames(cluster, step, edits, path, problem);
  switch (step.do) {
    case "drain":
      return drainStep(step);
    case "apply":
      return { do: "change", changes: step.objects.flatMap((object) => edits.put(object, path)) };
    case "patch":
      return { do: "change", changes: edits.patch(step, path) };
    case "deleteObject":
      return { do: "change", changes: edits.remove(step.target, path) };
    case "scale":
      return edits.scale(step.target, step.replicas, path);
    default:
      return step;
  }
}

/** Gone, but for those that name it as their owner. */
function isOnlyNamed(workload: Workload): boolean {
  return workload.kind === "Other" && !workload.present;
}

/** `ns/m1-3` where there is, or will be, a StatefulSet or a group set m1. */
function isOfNamedSet(cluster: Cluster, edits: Edits, pod: string): boolean {
  const [namespace, name = ""] = pod.split("/");
  const set = name.replace(/(-\d+)+$/, "");
  const kinds = ["StatefulSet", "LeaderWorkerSet"];
  return (
    set !== name &&
    (kinds.some((kind) => edits.adds(kind, set)) ||
      [...cluster.workloads.values()].some(
        ({ kind, ref }) => kinds.includes(kind) && ref.namespace === namespace && ref.name === set,
      ))
  );
}

function checkNames(cluster: Cluster, step: Step, edits: Edits, path: string, problem: Tell): void {
  const nodes = "nodes" in step ? step.nodes : "node" in step ? [step.node] : [];
  for (const name of nodes) {
    const known = cluster.nodes.some((node) => node.name === name) || edits.adds("Node", name);
    if (!known) problem(path, noSuchNode(cluster, name));
  }
  if (step.do === "deletePod") {
    // Replacements (`~1`) and pods with an ordinal may exist only once the scenario is played.
    const known =
      cluster.pods.some((pod) => pod.key === step.pod) ||
      step.pod.includes("~") ||
      edits.adds("Pod", step.pod.slice(step.pod.indexOf("/") + 1)) ||
      isOfNamedSet(cluster, edits, step.pod);
    if (!known) problem(path, `names ${JSON.stringify(step.pod)}, which is no pod here`);
  }
}

/** Objects as the scenario changes them, one edit after the other, each read as the whole cluster would be read. */
class Edits {
  readonly #items: SnapshotItem[];
  readonly #snapshot: Snapshot;
  readonly #problem: Tell;
  #cluster: Cluster;
  readonly #templates = new Map<string, PodTemplate>();
  readonly #added = new Set<string>();

  constructor(snapshot: Snapshot, cluster: Cluster, problem: Tell) {
    this.#snapshot = snapshot;
    this.#items = [];
    this.#problem = problem;
    this.#cluster = cluster;
  }

  adds(kind: string, name: string): boolean {
    return this.#added.has(`${kind}/${name}`);
  }

  put(object: WireObject, path: string): readonly ObjectChange[] {
    const ref = refOf(object);
    this.#added.add(`${ref.kind}/${ref.name}`);
    const at = this.#find(ref);
    const known = at < 0 ? undefined : this.#load()[at];
    // Applying says nothing of what it leaves out: fields of the object that is there stay.
    const merged = known === undefined ? object : asWireObject(strategicPatch(known.object, object));
    return this.#replace(ref, merged, path, !statesReplicas(object));
  }

  patch(step: Extract<Step, { readonly do: "patch" }>, path: string): readonly ObjectChange[] {
    const at = this.#find(step.target);
    const item = at < 0 ? undefined : this.#load()[at];
    if (item === undefined) {
      this.#problem(
        path,
        `patches ${step.target.kind} ${step.target.namespace}/${step.target.name}, which is not here`,
      );
      return [];
    }
    const patched = applyPatch(item.object, step);
    if (!patched.ok) {
      this.#problem(path, patched.message);
      return [];
    }
    const touches =
      JSON.stringify(step.patch).includes('"replicas"') || JSON.stringify(step.patch).includes("/replicas");
    return this.#replace(step.target, asWireObject(patched.value), path, !touches);
  }

  remove(ref: ObjectRef, path: string): readonly ObjectChange[] {
    const at = this.#find(ref);
    if (at < 0) {
      this.#problem(path, `deletes ${ref.kind} ${ref.namespace}/${ref.name}, which is not here`);
      return [];
    }
    this.#load().splice(at, 1);
    return this.#changes(ref, path, false);
  }

  scale(ref: ObjectRef, replicas: number, path: string): PlannedStep {
    const key = objectKey(ref);
    const workload = this.#cluster.workloads.get(key);
    if (workload === undefined || !("replicas" in workload)) {
      const why =
        workload === undefined ? "is not in the input" : "has no scale that is modelled; name the workload it owns";
      this.#problem(path, `${ref.kind} ${ref.namespace}/${ref.name} ${why}`);
    }
    return { do: "scaleTo", workload: key, replicas };
  }

  #load(): SnapshotItem[] {
    if (this.#items.length === 0) this.#items.push(...this.#snapshot);
    return this.#items;
  }

  #find(ref: ObjectRef): number {
    const key = objectKey(ref);
    return this.#load().findLastIndex(({ object }) => objectKey(refOf(object)) === key);
  }

  #replace(ref: ObjectRef, object: WireObject, path: string, keepReplicas: boolean): readonly ObjectChange[] {
    const at = this.#find(ref);
    const item: SnapshotItem = { object, source: { file: path, line: null } };
    if (at < 0) this.#load().push(item);
    else this.#load()[at] = item;
    return this.#changes(ref, path, keepReplicas);
  }

  /** What the edit means to the model: the object as it reads now. */
  #changes(ref: ObjectRef, path: string, keepReplicas: boolean): readonly ObjectChange[] {
    const items = this.#load();
    const before = this.#cluster;
    const known = new Set(before.problems.map((p) => JSON.stringify(p)));
    const after = buildCluster({ ...withItems(this.#snapshot, items) });
    for (const found of after.problems) {
      if (found.file === path && !known.has(JSON.stringify(found)))
        this.#problem(`${path} ${found.path}`, found.message);
    }
    this.#cluster = after;
    const key = objectKey(ref);
    const kind = `${ref.kind}.${groupOf(ref.apiVersion)}`;
    switch (kind) {
      case "PodDisruptionBudget.policy": {
        const budget = after.budgets.find((b) => b.key === key) ?? null;
        const generation = (before.budgets.find((b) => b.key === key)?.generation ?? 0) + 1;
        return [{ what: "budget", key, budget: budget === null ? null : { ...budget, generation } }];
      }
      case "Node.":
        return [{ what: "node", name: ref.name, node: after.nodes.find((n) => n.name === ref.name) ?? null }];
      case "Pod.": {
        const isIt = (p: Pod): boolean => p.namespace === ref.namespace && p.name === ref.name;
        const pod = after.pods.find(isIt);
        const owner = ownerLeft(before, before.pods.find(isIt), pod);
        if (owner !== null) {
          this.#problem(
            path,
            `takes ${ref.namespace}/${ref.name} out of the selector of ${owner}: that its owner lets go of it and makes another is not modelled`,
          );
          return [];
        }
        const template = pod === undefined ? null : this.#known(before, pod.template);
        return [{ what: "pod", namespace: ref.namespace, name: ref.name, template }];
      }
      case "Service.":
        return [{ what: "services", services: after.services }];
      case "HorizontalPodAutoscaler.autoscaling":
        return [{ what: "autoscalers", autoscalers: after.autoscalers }];
      case "ResourceQuota.":
        return [{ what: "quotas", quotas: after.quotas }];
      case "MutatingWebhookConfiguration.admissionregistration.k8s.io":
      case "ValidatingWebhookConfiguration.admissionregistration.k8s.io":
        return [{ what: "webhooks", webhooks: after.webhooks }];
      default: {
        const spec = after.workloads.get(key);
        if (spec === undefined && !before.workloads.has(key)) {
          this.#problem(path, `changing a ${ref.kind} is not modelled: it changes nothing here`);
          return [];
        }
        return [
          {
            what: "workload",
            key,
            spec: spec === undefined || isOnlyNamed(spec) ? null : this.#rebased(before, spec),
            keepReplicas,
          },
        ];
      }
    }
  }

  #rebased(before: Cluster, spec: Workload): Workload {
    if (spec.kind === "LeaderWorkerSet") {
      return {
        ...spec,
        leaderTemplate: this.#known(before, spec.leaderTemplate),
        workerTemplate: this.#known(before, spec.workerTemplate),
      };
    }
    return "template" in spec ? { ...spec, template: this.#known(before, spec.template) } : spec;
  }

  /** Templates are told apart by identity: the same content is the same object as in the cluster that is played. */
  #known(cluster: Cluster, template: PodTemplate): PodTemplate {
    if (this.#templates.size === 0) {
      const add = (t: PodTemplate): void => {
        this.#templates.set(templateContent(t), t);
      };
      for (const pod of cluster.pods) add(pod.template);
      for (const workload of cluster.workloads.values()) if ("template" in workload) add(workload.template);
    }
    return this.#templates.get(templateContent(template)) ?? { ...template, id: notInterned };
  }
}

/** A pod's owner whose selector took its labels before and does not now; null: none. */
function ownerLeft({ workloads }: Cluster, before: Pod | undefined, after: Pod | undefined): ObjectKey | null {
  const owner = before?.owner ?? null;
  const workload = owner === null ? undefined : workloads.get(owner);
  if (before === undefined || after === undefined || workload === undefined || !("selector" in workload)) return null;
  const takes = ({ template }: Pod): boolean => matches(workload.selector, template.labels);
  return takes(before) && !takes(after) ? owner : null;
}

function withItems(snapshot: Snapshot, items: readonly SnapshotItem[]): Snapshot {
  return {
    source: snapshot.source,
    serverVersion: snapshot.serverVersion,
    problems: snapshot.problems,
    notSeen: snapshot.notSeen,
    secretsDropped: snapshot.secretsDropped,
    [Symbol.iterator]: () => items[Symbol.iterator](),
  };
}

function applyPatch(
  object: WireObject,
  step: Extract<Step, { readonly do: "patch" }>,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string } {
  const { patch } = step;
  if (step.type === "json") {
    if (!isList(patch)) return { ok: false, message: "a json patch is a list of operations" };
    return jsonPatch(object, patch);
  }
  if (isList(patch)) return { ok: false, message: `a ${step.type} patch is an object, not a list` };
  return { ok: true, value: step.type === "merge" ? mergePatch(object, patch) : strategicPatch(object, patch) };
}

const isList = (value: JsonObject | readonly JsonObject[]): value is readonly JsonObject[] => Array.isArray(value);

function statesReplicas(object: WireObject): boolean {
  const spec = object["spec"];
  return typeof spec === "object" && spec !== null && !Array.isArray(spec) && Object.hasOwn(spec, "replicas");
}

function refOf(object: WireObject): ObjectRef {
  const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
  return {
    apiVersion: text(object.apiVersion),
    kind: text(object.kind),
    namespace: text(object.metadata["namespace"]),
    name: text(object.metadata["name"]),
  };
}

/** A patched object is an object still; one whose patch took that away reads as one without a name. */
function asWireObject(value: Json): WireObject {
  const object = isJsonObject(value) ? value : {};
  const { apiVersion, kind, metadata } = object;
  return {
    ...object,
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
    kind: typeof kind === "string" ? kind : "",
    metadata: isJsonObject(metadata) ? metadata : {},
  };
}
