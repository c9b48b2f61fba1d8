import { unreachable } from "../base/invariant.ts";
import type { ObjectRef } from "../model/key.ts";
import type { NodeChoice, Scenario, ScenarioTiming, Span, Step } from "../sim/scenario.ts";

/** Plain JSON data. */
export type Data = null | boolean | number | string | readonly Data[] | { readonly [field: string]: Data };

/** A scenario as its file says it: written to a file, it plays the same. */
export interface ScenarioDocument {
  readonly apiVersion: "holdfast.dev/v1alpha1";
  readonly kind: "Scenario";
  readonly metadata: { readonly name: string };
  readonly spec: { readonly [field: string]: Data };
}

/** Leaves out what is not set, so that what is not said here is learnt or default there too. */
export function scenarioDocument(scenario: Scenario): ScenarioDocument {
  return {
    apiVersion: "holdfast.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: scenario.name },
    spec: {
      ...bodyOf(scenario),
      ...(scenario.changes.length > 0 ? { changes: scenario.changes.map(dataOf) } : {}),
      ...timingOf(scenario.timing),
      ...(scenario.choices.length > 0 ? { choices: scenario.choices.map(choiceOf) } : {}),
      limits: { states: scenario.limits.states, horizon: duration(scenario.limits.horizonMs) },
    },
  };
}

function choiceOf({ pod, node, leaves, soon }: Scenario["choices"][number]): Data {
  return { pod, node, ...(leaves ? { leaves } : {}), ...(soon ? { soon } : {}) };
}

function bodyOf({ body }: Scenario): { readonly [field: string]: Data } {
  if (body.kind === "steps") return { steps: body.steps.map(stepOf) };
  return {
    ...(body.actor === null ? {} : { actor: body.actor }),
    nodes: nodesOf(body.nodes),
    order: body.order,
  };
}

function nodesOf(nodes: NodeChoice): Data {
  switch (nodes.by) {
    case "names":
      return { names: nodes.names };
    case "selector":
      return { selector: nodes.selector };
    case "pool":
      return { pool: nodes.pool, ...(nodes.first.length > 0 ? { first: nodes.first } : {}) };
    case "zone":
      return { zone: nodes.zone };
    default:
      return unreachable(nodes);
  }
}

function stepOf(step: Step): Data {
  switch (step.do) {
    case "cordon":
      return { cordon: step.nodes };
    case "uncordon":
      return { uncordon: step.nodes };
    case "taint": {
      const { key, value, effect } = step.taint;
      return { taint: { node: step.node, key, value, effect, ...(step.remove ? { remove: true } : {}) } };
    }
    case "drain":
      return {
        drain: step.nodes.length === 1 ? (step.nodes[0] ?? "") : step.nodes,
        flags: step.flags,
        ...(step.concurrent ? { concurrent: true } : {}),
        ...(step.stopAfterMs === null ? {} : { stopAfter: duration(step.stopAfterMs) }),
        ...(step.forceAfterMs === null ? {} : { forceAfter: duration(step.forceAfterMs) }),
      };
    case "evict":
      return { evict: step.pod };
    case "deletePod":
      return { delete: step.pod };
    case "deleteNode":
      return { delete: { node: step.node } };
    case "deleteObject":
      return { delete: { ref: refOf(step.target) } };
    case "fail":
      return { fail: step.node };
    case "down":
      return { down: { node: step.node, for: duration(step.forMs) } };
    case "apply":
      return { apply: step.objects.map(dataOf) };
    case "patch":
      return { patch: dataOf(step.patch), target: refOf(step.target), type: step.type };
    case "scale":
      return { scale: { ref: refOf(step.target), replicas: step.replicas } };
    case "wait":
      return { wait: duration(step.forMs) };
    case "waitReady":
      return { waitReady: step.target === null ? "all" : { ref: refOf(step.target) } };
    default:
      return unreachable(step);
  }
}

function refOf({ apiVersion, kind, namespace, name }: ObjectRef): Data {
  return namespace === "" ? { apiVersion, kind, name } : { apiVersion, kind, namespace, name };
}

function timingOf(timing: ScenarioTiming): { readonly [field: string]: Data } {
  const set = {
    ...(timing.nodeDown === null ? {} : { nodeDown: span(timing.nodeDown) }),
    ...patterns("podStart", timing.podStart),
    ...patterns("podReady", timing.podReady),
    ...patterns("podStop", timing.podStop),
    ...(timing.drainTimeoutMs === null ? {} : { drainTimeout: duration(timing.drainTimeoutMs) }),
    ...(timing.retryMs === null ? {} : { retry: duration(timing.retryMs) }),
  };
  return Object.keys(set).length > 0 ? { timing: set } : {};
}

function patterns(
  field: string,
  rows: readonly { readonly pattern: string; readonly span: Span }[],
): { readonly [field: string]: Data } {
  return rows.length === 0 ? {} : { [field]: Object.fromEntries(rows.map((row) => [row.pattern, span(row.span)])) };
}

function span({ leastMs, mostMs }: Span): string {
  return leastMs === mostMs ? duration(leastMs) : `${duration(leastMs)}..${duration(mostMs)}`;
}

/** As Go writes it, without the zeroes it would print: `1h30m`, `90s`, `1.5s`, `0s`. Minutes begin at two: `90s`, `2m`. */
export function duration(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  if (hours === 0 && minutes < 2) return `${minutes * 60 + seconds}s`;
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${seconds > 0 ? `${seconds}s` : ""}`;
}

/** A copy without what JSON cannot hold. */
function dataOf(value: unknown): Data {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(dataOf);
  if (typeof value !== "object") return null;
  const entries: [string, Data][] = [];
  for (const [field, inner] of Object.entries(value)) if (inner !== undefined) entries.push([field, dataOf(inner)]);
  return Object.fromEntries(entries);
}
