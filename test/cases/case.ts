import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Fields, Item } from "../../scripts/recordings/objects.ts";
import { clusterText, type Items, recording } from "../../scripts/recordings/recording.ts";
import { recordings } from "../../scripts/recordings.ts";
import { holdfast } from "../cli/shell.ts";

/** What must come out. What is left out is not compared. Pods are named without namespace and template hash. */
export interface Expected {
  /** Answers of the eviction API, one for each that differs: `pod 201`, `pod 429 cause`, `pod 500 message`. */
  readonly evictions?: readonly string[];
  /** Pods somebody else than the eviction API deletes: `pod by whom`. */
  readonly deletions?: readonly string[];
  /** `pod node`, in the order of binding; of several nodes any will do: `pod n1|n2`. */
  readonly bound?: readonly string[];
  /** `pod message`, at the end. */
  readonly pending?: readonly string[];
  /** Every message of the scheduler on the way. */
  readonly unschedulable?: readonly string[];
  /** Pods that were not created: `owner message`. */
  readonly rejected?: readonly string[];
  /** Ready endpoints of a Service before, at the least, at the end. */
  readonly ready?: { readonly [service: string]: readonly [before: number, min: number, end: number] };
  readonly drains?: { readonly [node: string]: string };
  /** What a drain says that does not complete: `code message`, of the last drain. */
  readonly blocked?: readonly string[];
  readonly rolloutStalled?: boolean;
  readonly verdict?: string;
  /** Each of these is in the reason. */
  readonly because?: readonly string[];
}

export interface Case {
  readonly name: string;
  readonly cluster: readonly Item[];
  readonly steps: readonly Fields[];
  readonly timing?: Fields;
  readonly expect: Expected;
}

/** A case over a cluster that was also played on a real control plane. */
export function recorded(name: string, expect: Expected, steps?: readonly Fields[]): Case {
  const made = recordings.find((one) => one.name === name);
  assert.ok(made !== undefined, `${name} is a recording`);
  return { name, cluster: made.cluster, steps: steps ?? made.steps, expect };
}

export function written(name: string, cluster: readonly Items[], steps: readonly Fields[], expect: Expected): Case {
  return { name, cluster: recording(name, "", cluster, steps).cluster, steps, expect };
}

/** Plays the case through the program and reduces its JSON to what the case speaks of. */
export async function outcomeOf(made: Case): Promise<Required<Expected>> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-case-"));
  try {
    writeFileSync(join(folder, "cluster.yaml"), clusterText({ ...made, about: "" }));
    const spec = { steps: made.steps, ...(made.timing === undefined ? {} : { timing: made.timing }) };
    const scenario = { apiVersion: "holdfast.dev/v1alpha1", kind: "Scenario", metadata: { name: made.name }, spec };
    writeFileSync(join(folder, "scenario.yaml"), stringify(scenario));
    const argv = [
      "simulate",
      "-f",
      join(folder, "cluster.yaml"),
      "--scenario",
      join(folder, "scenario.yaml"),
      "-o",
      "json",
    ];
    const { out, err } = await holdfast(argv);
    assert.notEqual(out, "", err);
    return reduced(JSON.parse(out));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Report {
  readonly verdict: string;
  readonly because: string;
  readonly timeline: readonly {
    readonly type: string;
    readonly pod: string;
    readonly node: string;
    readonly code: number;
    readonly message: string;
    readonly cause: string;
    readonly by: string;
    readonly owner: string;
  }[];
  readonly drains: readonly {
    readonly node: string;
    readonly outcome: string;
    readonly blockedBy: readonly { readonly code: number; readonly message: string }[];
  }[];
  readonly services: readonly {
    readonly name: string;
    readonly ready: { readonly before: number; readonly min: number; readonly end: number };
  }[];
  readonly pending: readonly { readonly pod: string; readonly message: string }[];
}

const short = (pod: string): string => pod.replace(/^[^/]*\//, "").replace(/-6d4b75cb6d/, "");

function reduced({ timeline, drains, services, pending, verdict, because }: Report): Required<Expected> {
  const of = (type: string): Report["timeline"] => timeline.filter((fact) => fact.type === type);
  const answer = ({ pod, code, message, cause }: Report["timeline"][number]): string =>
    `${short(pod)} ${code}${code === 201 ? "" : ` ${cause || message}`}`;
  return {
    evictions: [...new Set(of("eviction").map(answer))],
    deletions: [...of("pod-deleted"), ...of("pod-preempted")]
      .filter(({ by }) => by !== "eviction")
      .map(({ pod, by }) => `${short(pod)} by ${by}`),
    bound: of("pod-bound").map(({ pod, node }) => `${short(pod)} ${node}`),
    pending: pending.map(({ pod, message }) => `${short(pod)} ${message}`),
    unschedulable: [...new Set(of("pod-unschedulable").map(({ pod, message }) => `${short(pod)} ${message}`))],
    rejected: [...new Set(of("pod-rejected").map(({ owner, message }) => `${owner} ${message}`))],
    ready: Object.fromEntries(services.map(({ name, ready: { before, min, end } }) => [name, [before, min, end]])),
    drains: Object.fromEntries(drains.map(({ node, outcome }) => [node, outcome])),
    blocked: (drains.at(-1)?.blockedBy ?? []).map(({ code, message }) => `${code} ${message}`),
    rolloutStalled: of("rollout-stalled").length > 0,
    verdict,
    because: [because],
  };
}

/** Where a pod may land on one of several nodes, the one it landed on stands for all. */
export function compare(actual: Required<Expected>, expect: Expected): void {
  for (const [field, wanted] of Object.entries(expect)) {
    const found: unknown = Reflect.get(actual, field);
    if (field === "bound") assert.deepEqual(settled(actual.bound, expect.bound ?? []), expect.bound, field);
    else if (field === "ready") {
      for (const [service, counts] of Object.entries(expect.ready ?? {}))
        assert.deepEqual(actual.ready[service], counts, service);
    } else if (field === "because") {
      for (const part of expect.because ?? []) assert.ok(actual.because.join().includes(part), actual.because.join());
    } else assert.deepEqual(found, wanted, field);
  }
}

function settled(bound: readonly string[], wanted: readonly string[]): readonly string[] {
  return bound.map((one, index) => {
    const [pod, node] = one.split(" ");
    const [wantedPod, nodes] = (wanted[index] ?? "").split(" ");
    return pod === wantedPod && nodes?.split("|").includes(node ?? "") ? (wanted[index] ?? one) : one;
  });
}
