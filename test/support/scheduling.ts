import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { type Explanation, explain } from "../../src/scheduler/explain.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";

/**
 * Small clusters for tests of the scheduler, as the API server would list them. The pod that looks for a place is `new`;
 * everything is in namespace `ns` unless it says otherwise.
 */
export interface Question {
  readonly objects: readonly WireObject[];
  /** 36 when left out. */
  readonly minor?: 34 | 35 | 36 | 37;
}

export interface NodeFields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly JsonObject[];
  readonly unschedulable?: boolean;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly images?: readonly JsonObject[];
  readonly declaredFeatures?: readonly string[];
}

/** 4 CPUs, 8Gi and 110 pods, with its host name as label. */
export function node(name: string, fields: NodeFields = {}): WireObject {
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110", ...fields.allocatable };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: name, labels: { "kubernetes.io/hostname": name, ...fields.labels } },
    spec: {
      ...(fields.taints === undefined ? {} : { taints: fields.taints }),
      ...(fields.unschedulable === undefined ? {} : { unschedulable: fields.unschedulable }),
    },
    status: {
      allocatable,
      capacity: allocatable,
      conditions: [{ type: "Ready", status: "True" }],
      images: fields.images ?? [],
      declaredFeatures: fields.declaredFeatures ?? [],
    },
  };
}

export interface PodFields {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Of its only container. */
  readonly requests?: Readonly<Record<string, string>>;
  readonly on?: string;
  readonly terminating?: boolean;
  readonly nominated?: string;
  readonly priority?: number;
  readonly owner?: { readonly kind: string; readonly name: string };
  readonly spec?: JsonObject;
}

export function pod(name: string, fields: PodFields = {}): WireObject {
  const {
    namespace = "ns",
    labels = {},
    requests = {},
    on,
    terminating,
    nominated,
    priority = 0,
    owner,
    spec,
  } = fields;
  const owners =
    owner === undefined
      ? []
      : [{ apiVersion: "apps/v1", ...owner, uid: `${owner.kind}-${owner.name}`, controller: true }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: `${namespace}-${name}`,
      labels,
      ownerReferences: owners,
      ...(terminating === true
        ? { deletionTimestamp: "2026-01-01T00:10:00Z", deletionGracePeriodSeconds: 30, finalizers: ["test/hold"] }
        : {}),
    },
    spec: {
      schedulerName: "default-scheduler",
      priority,
      ...(on === undefined ? {} : { nodeName: on }),
      containers: [{ name: "main", image: "registry.test/main:v1", resources: { requests } }],
      ...spec,
    },
    status: {
      phase: on === undefined ? "Pending" : "Running",
      ...(nominated === undefined ? {} : { nominatedNodeName: nominated }),
    },
  };
}

/** The pod that looks for a place. */
export function incoming(fields: PodFields = {}): WireObject {
  return pod("new", fields);
}

export function object(kind: string, name: string, fields: JsonObject): WireObject {
  const apiVersion = kind === "Service" || kind === "ReplicationController" || kind === "Namespace" ? "v1" : "apps/v1";
  const metadata = kind === "Namespace" ? { name } : { name, namespace: "ns", uid: `${kind}-${name}` };
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, ...(fields["metadata"] as JsonObject | undefined) },
    ...without(fields),
  };
}

function without({ metadata: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

export function clusterOf({ objects, minor = 36 }: Question): Cluster {
  return buildCluster({
    source: "test",
    serverVersion: `v1.${minor}.0`,
    problems: [],
    notSeen: [],
    secretsDropped: 0,
    *[Symbol.iterator]() {
      for (const wire of objects) yield { object: wire, source: { file: "test", line: null } };
    },
  });
}

export function viewOf(question: Question): Ledger {
  return new Ledger(clusterOf(question), new Journal());
}

/** Every question asked, so that the same ones can be put to the real scheduler. */
export const asked: Question[] = [];

export function explained(question: Question): Explanation {
  asked.push(question);
  const view = viewOf(question);
  const found = view.pod("ns/new");
  if (found === undefined) throw new Error("the question has no pod named new");
  return explain(view, found, { start: 0, percentageOfNodesToScore: 0 });
}

/** Node → `pass`, or `for now` or `for good` with plugin and reasons. */
export function verdicts(question: Question): Readonly<Record<string, string>> {
  const { nodes, preFilter } = explained(question);
  if (preFilter.code !== "Success") return { all: said(preFilter) };
  return Object.fromEntries(nodes.map((verdict) => [verdict.node, said(verdict)]));
}

function said({ code, plugin, reasons }: Pick<Explanation["nodes"][number], "code" | "plugin" | "reasons">): string {
  if (code === "Success") return "pass";
  const when = code === "Unschedulable" ? "for now" : code === "Error" ? "error" : "for good";
  return `${when}, ${plugin}: ${reasons.join("; ")}`;
}

/** Node → [raw, score] of one plugin; null: it gives none. */
export function scores(plugin: string): (question: Question) => Readonly<Record<string, readonly number[]>> | null {
  return (question) => {
    const { feasible, scores: all } = explained(question);
    const found = all.find((one) => one.plugin === plugin);
    if (found === undefined) return null;
    return Object.fromEntries(feasible.map((name, i) => [name, [found.raw[i] ?? NaN, found.score[i] ?? NaN]]));
  };
}

export function message(question: Question): string {
  return explained(question).message;
}
