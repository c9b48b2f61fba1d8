import { closest } from "../base/closest.ts";
import type { Problem } from "../base/problem.ts";
import type { ObjectRef } from "../model/key.ts";
import { podsOfOneOwnerMax } from "../model/pods-max.ts";
import type { NodeChoice, Scenario, ScenarioLimits, Step } from "../sim/scenario.ts";
import type { WireObject } from "../wire/snapshot.ts";
import {
  complain,
  countOf,
  durationOf,
  type Field,
  fieldsOf,
  itemsOf,
  oneOf,
  textOf,
  textsOf,
  truthOf,
} from "./fields.ts";
import { objectsOf } from "./manifests.ts";
import { readNamedText } from "./read-text.ts";
import { noTiming, timingOf } from "./timing-fields.ts";
import { jsonOf, parseTrees, type Tree } from "./yaml-tree.ts";

export const defaultLimits: ScenarioLimits = { states: 1_000_000, horizonMs: 86_400_000 };

/** What people type; `flags: []` is kubectl's bare behaviour. */
export const defaultDrainFlags: readonly string[] = ["--ignore-daemonsets", "--delete-emptydir-data"];

/** Reads a scenario file. Null only together with problems. Throws UsageError when the file cannot be read. */
export function readScenarioFile(
  file: string,
  shown = file,
): {
  readonly scenario: Scenario | null;
  readonly problems: readonly Problem[];
} {
  return parseScenario(readNamedText(file, `the scenario file ${shown}`), file);
}

export function parseScenario(
  text: string,
  file: string,
): { readonly scenario: Scenario | null; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const trees = parseTrees(text, file, problems);
  const [tree, second] = trees;
  if (tree === undefined && problems.length === 0)
    problems.push({ file, line: null, path: "", message: "holds no scenario" });
  if (second !== undefined) complain({ tree: second, path: "", file, problems }, "a scenario file holds one document");
  const scenario = tree === undefined ? null : scenarioOf({ tree, path: "", file, problems });
  return { scenario: problems.length > 0 ? null : scenario, problems };
}

function scenarioOf(root: Field): Scenario {
  const top = fieldsOf(root, ["apiVersion", "kind", "metadata", "spec"]);
  oneOf(needed(root, top, "apiVersion"), ["holdfast.dev/v1alpha1"]);
  oneOf(needed(root, top, "kind"), ["Scenario"]);
  const metadata = top.get("metadata");
  const spec = needed(root, top, "spec") ?? root;
  const fields =
    spec === root
      ? new Map<string, Field>()
      : fieldsOf(spec, ["actor", "nodes", "order", "changes", "timing", "limits", "steps", "choices"]);
  return {
    name:
      metadata === undefined ? "" : (textOf(fieldsOf(metadata, ["name", "labels", "annotations"]).get("name")) ?? ""),
    changes: itemsOf(fields.get("changes")).flatMap(objectsOf),
    body: bodyOf(spec, fields),
    timing: fields.has("timing") ? timingOf(fields.get("timing")) : noTiming,
    limits: limitsOf(fields.get("limits")),
    choices: itemsOf(fields.get("choices")).map(choiceOf),
  };
}

function choiceOf(choice: Field): Scenario["choices"][number] {
  const fields = fieldsOf(choice, ["pod", "node", "leaves", "soon"]);
  return {
    pod: textOf(needed(choice, fields, "pod")) ?? "",
    node: textOf(needed(choice, fields, "node")) ?? "",
    leaves: truthOf(fields.get("leaves")) ?? false,
    soon: truthOf(fields.get("soon")) ?? false,
  };
}

function needed(parent: Field, fields: ReadonlyMap<string, Field>, name: string): Field | undefined {
  const field = fields.get(name);
  if (field === undefined) complain(parent, `needs ${name}`);
  return field;
}

function bodyOf(spec: Field, fields: ReadonlyMap<string, Field>): Scenario["body"] {
  const steps = fields.get("steps");
  if (steps === undefined) {
    const nodes = fields.get("nodes");
    if (nodes === undefined) complain(spec, "needs nodes (with an actor), or steps");
    const order = oneOf(fields.get("order"), ["any", "given"]) ?? "any";
    const chosen: NodeChoice = nodes === undefined ? { by: "names", names: [] } : nodesOf(nodes);
    if (nodes !== undefined && order === "any" && chosen.by === "pool" && chosen.first.length > 0)
      complain(nodes, "says which come first, and that goes with order: given");
    return { kind: "actor", actor: textOf(fields.get("actor")), nodes: chosen, order };
  }
  for (const name of ["actor", "nodes", "order"]) {
    const field = fields.get(name);
    if (field !== undefined) complain(field, "does not go with steps: steps are played as written");
  }
  const items = itemsOf(steps);
  if (items.length === 0) complain(steps, "needs at least one step");
  return { kind: "steps", steps: items.flatMap((item) => stepOf(item) ?? []) };
}

function nodesOf(field: Field): NodeChoice {
  const fields = fieldsOf(field, ["names", "selector", "pool", "zone", "first"]);
  const first = fields.get("first");
  if (fields.size - (first === undefined ? 0 : 1) !== 1)
    complain(field, "needs exactly one of names, selector, pool, zone");
  if (first !== undefined && !fields.has("pool")) complain(first, "goes with pool: which of its nodes come first");
  const selector = fields.get("selector");
  if (selector !== undefined) return { by: "selector", selector: textOf(selector) ?? "" };
  const pool = fields.get("pool");
  if (pool !== undefined)
    return { by: "pool", pool: textOf(pool) ?? "", first: first === undefined ? [] : textsOf(first) };
  const zone = fields.get("zone");
  if (zone !== undefined) return { by: "zone", zone: textOf(zone) ?? "" };
  return { by: "names", names: textsOf(fields.get("names")) };
}

function limitsOf(field: Field | undefined): ScenarioLimits {
  if (field === undefined) return defaultLimits;
  const fields = fieldsOf(field, ["states", "horizon"]);
  return {
    states: countOf(fields.get("states"), 1) ?? defaultLimits.states,
    horizonMs: durationOf(fields.get("horizon")) ?? defaultLimits.horizonMs,
  };
}

/** Verb → the fields that may stand beside it. */
const verbs: ReadonlyMap<string, readonly string[]> = new Map([
  ["cordon", []],
  ["uncordon", []],
  ["taint", []],
  ["drain", ["flags", "concurrent", "stopAfter", "forceAfter"]],
  ["evict", []],
  ["delete", []],
  ["fail", []],
  ["down", []],
  ["apply", []],
  ["patch", ["target", "type"]],
  ["scale", []],
  ["wait", []],
  ["waitReady", []],
]);

function stepOf(item: Field): readonly Step[] | null {
  if (item.tree.kind !== "map") return complain(item, `should be a step: one of ${[...verbs.keys()].join(", ")}`);
  const said = [...item.tree.fields.keys()].filter((name) => verbs.has(name));
  const [verb] = said;
  if (verb === undefined) {
    const typed = [...item.tree.fields.keys()][0] ?? "";
    const near = closest(typed, [...verbs.keys()]);
    return complain(
      item,
      `is no step; ${near === null ? `steps are ${[...verbs.keys()].join(", ")}` : `did you mean ${near}?`}`,
    );
  }
  if (said.length > 1) return complain(item, `says ${said.join(" and ")}; make them two steps`);
  const fields = fieldsOf(item, [verb, ...(verbs.get(verb) ?? [])]);
  const value = fields.get(verb);
  return value === undefined ? null : stepFor(verb, value, fields);
}

function stepFor(verb: string, value: Field, fields: ReadonlyMap<string, Field>): readonly Step[] | null {
  switch (verb) {
    case "cordon":
      return nodesStep(value, (nodes) => ({ do: "cordon", nodes }));
    case "uncordon":
      return nodesStep(value, (nodes) => ({ do: "uncordon", nodes }));
    case "taint":
      return taintStep(value);
    case "drain":
      return drainStep(value, fields);
    case "evict":
      return podStep(value, (pod) => ({ do: "evict", pod }));
    case "delete":
      return deleteStep(value);
    case "fail":
      return textsOf(value).map((node) => ({ do: "fail", node }));
    case "down":
      return downStep(value);
    case "apply":
      return applyStep(value);
    case "patch":
      return patchStep(value, fields);
    case "scale":
      return scaleStep(value);
    case "wait": {
      const forMs = durationOf(value);
      return forMs === null ? null : [{ do: "wait", forMs }];
    }
    default:
      return waitReadyStep(value);
  }
}

function nodesStep(value: Field, step: (nodes: readonly string[]) => Step): readonly Step[] | null {
  const nodes = textsOf(value);
  return nodes.length === 0 ? complain(value, "needs a node's name, or a list of them") : [step(nodes)];
}

function taintStep(value: Field): readonly Step[] | null {
  const fields = fieldsOf(value, ["node", "key", "value", "effect", "remove"]);
  const node = textOf(needed(value, fields, "node"));
  const key = textOf(needed(value, fields, "key"));
  const effect = oneOf(needed(value, fields, "effect"), ["NoSchedule", "PreferNoSchedule", "NoExecute"]);
  const said = fields.get("value");
  const isEmpty = said?.tree.kind === "scalar" && (said.tree.value === "" || said.tree.value === null);
  const text = said === undefined || isEmpty ? "" : textOf(said);
  if (node === null || key === null || effect === null || text === null) return null;
  return [{ do: "taint", node, taint: { key, value: text, effect }, remove: truthOf(fields.get("remove")) ?? false }];
}

const kubectlDrainFlags: readonly string[] = [
  "--chunk-size",
  "--delete-emptydir-data",
  "--disable-eviction",
  "--force",
  "--grace-period",
  "--ignore-daemonsets",
  "--pod-selector",
  "--skip-wait-for-delete-timeout",
  "--timeout",
];

function drainStep(value: Field, fields: ReadonlyMap<string, Field>): readonly Step[] | null {
  const flags = fields.get("flags");
  const items = flags === undefined ? null : itemsOf(flags);
  for (const item of items ?? []) {
    const name = textOf(item)?.split("=")[0] ?? "";
    if (name === "" || kubectlDrainFlags.includes(name)) continue;
    const near = closest(name, kubectlDrainFlags);
    complain(item, `is no flag of kubectl drain that is modelled${near === null ? "" : `; did you mean ${near}?`}`);
  }
  const texts = items?.map(textOf).filter((text) => text !== null);
  return nodesStep(value, (nodes) => ({
    do: "drain",
    nodes,
    flags: texts ?? defaultDrainFlags,
    concurrent: truthOf(fields.get("concurrent")) ?? false,
    stopAfterMs: durationOf(fields.get("stopAfter")),
    forceAfterMs: durationOf(fields.get("forceAfter")),
  }));
}

function podStep(value: Field, step: (pod: string) => Step): readonly Step[] | null {
  const pod = textOf(value);
  if (pod === null) return null;
  return /^[^/]+\/[^/]+$/.test(pod) ? [step(pod)] : complain(value, `should be namespace/name of a pod, not "${pod}"`);
}

function deleteStep(value: Field): readonly Step[] | null {
  if (value.tree.kind !== "map") return podStep(value, (pod) => ({ do: "deletePod", pod }));
  const fields = fieldsOf(value, ["node", "ref"]);
  if (fields.size !== 1) return complain(value, "should be namespace/name of a pod, or one of node, ref");
  const ref = fields.get("ref");
  if (ref !== undefined) {
    const target = refOf(ref);
    return target === null ? null : [{ do: "deleteObject", target }];
  }
  const node = textOf(fields.get("node"));
  return node === null ? null : [{ do: "deleteNode", node }];
}

function downStep(value: Field): readonly Step[] | null {
  const fields = fieldsOf(value, ["node", "for"]);
  const node = textOf(needed(value, fields, "node"));
  const forMs = durationOf(needed(value, fields, "for"));
  return node === null || forMs === null ? null : [{ do: "down", node, forMs }];
}

function applyStep(value: Field): readonly Step[] | null {
  const items = value.tree.kind === "list" ? itemsOf(value) : [value];
  const objects: readonly WireObject[] = items.flatMap(objectsOf);
  return [{ do: "apply", objects }];
}

const patchTypes = ["merge", "strategic", "json"] as const;

function patchStep(value: Field, fields: ReadonlyMap<string, Field>): readonly Step[] | null {
  const target = fields.get("target");
  if (target === undefined) return complain(value, "needs target beside it");
  const ref = refOf(target);
  const type = oneOf(fields.get("type"), patchTypes) ?? "strategic";
  const wanted = type === "json" ? "list" : "map";
  const body = patchBody(value);
  if (body === null || body.tree.kind !== wanted) {
    return complain(value, `should be a ${wanted} for type ${type}`);
  }
  if (ref === null) return null;
  return [{ do: "patch", target: ref, type, patch: patchOf(body.tree) }];
}

/** A patch may be written as text, the way kubectl patch -p takes it. */
function patchBody(value: Field): Field | null {
  if (value.tree.kind !== "scalar") return value;
  if (typeof value.tree.value !== "string") return null;
  const [tree] = parseTrees(value.tree.value, value.file, []);
  return tree === undefined ? null : { ...value, tree };
}

function patchOf(tree: Tree): Extract<Step, { do: "patch" }>["patch"] {
  return tree.kind === "list" ? tree.items.flatMap((item) => mapOf(item)) : (mapOf(tree)[0] ?? {});
}

function mapOf(tree: Tree): readonly { readonly [field: string]: ReturnType<typeof jsonOf> }[] {
  if (tree.kind !== "map") return [];
  return [Object.fromEntries([...tree.fields].map(([field, inner]) => [field, jsonOf(inner)]))];
}

function scaleStep(value: Field): readonly Step[] | null {
  const fields = fieldsOf(value, ["ref", "replicas"]);
  const ref = needed(value, fields, "ref");
  const target = ref === undefined ? null : refOf(ref);
  const replicas = countOf(needed(value, fields, "replicas"), 0, podsOfOneOwnerMax);
  return target === null || replicas === null ? null : [{ do: "scale", target, replicas }];
}

function waitReadyStep(value: Field): readonly Step[] | null {
  if (value.tree.kind !== "map") {
    return oneOf(value, ["all"]) === null ? null : [{ do: "waitReady", target: null }];
  }
  const ref = needed(value, fieldsOf(value, ["ref"]), "ref");
  const target = ref === undefined ? null : refOf(ref);
  return target === null ? null : [{ do: "waitReady", target }];
}

/** Kinds that may be named in short: `Deployment/serving/m1`. */
const shortKinds: ReadonlyMap<string, string> = new Map([
  ["Deployment", "apps/v1"],
  ["StatefulSet", "apps/v1"],
  ["ReplicaSet", "apps/v1"],
  ["DaemonSet", "apps/v1"],
  ["Pod", "v1"],
  ["Job", "batch/v1"],
  ["PodDisruptionBudget", "policy/v1"],
  ["HorizontalPodAutoscaler", "autoscaling/v2"],
  ["LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1"],
]);

function refOf(field: Field): ObjectRef | null {
  if (field.tree.kind !== "map") {
    const [kind = "", namespace = "", name = "", ...more] = (textOf(field) ?? "").split("/");
    const apiVersion = shortKinds.get(kind);
    if (apiVersion === undefined || name === "" || more.length > 0) {
      return complain(field, "should be { apiVersion, kind, namespace, name }, or short: Deployment/namespace/name");
    }
    return { apiVersion, kind, namespace, name };
  }
  const fields = fieldsOf(field, ["apiVersion", "kind", "namespace", "name"]);
  const apiVersion = textOf(needed(field, fields, "apiVersion"));
  const kind = textOf(needed(field, fields, "kind"));
  const name = textOf(needed(field, fields, "name"));
  if (apiVersion === null || kind === null || name === null) return null;
  return { apiVersion, kind, namespace: textOf(fields.get("namespace")) ?? "", name };
}
