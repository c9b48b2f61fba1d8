import { isJsonObject } from "../../src/wire/fields.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import type { Asked } from "./said.ts";

export interface Case {
  readonly name: string;
  readonly example: string;
  /** Fixed by `holdfast fix --apply` first. */
  readonly fix: boolean;
  /** The LeaderWorkerSet controller runs and makes the groups: the cluster it has made is kept beside the order. */
  readonly lws: boolean;
  /** Orders by chance, for the endpoints said to be safe, though there is a counterexample for others. */
  readonly attack: boolean;
  /** The example's object as it is loaded; null: left out. */
  edited(object: WireObject): WireObject | null;
  readonly asked: Asked;
}

const everything: Asked = {
  nodes: null,
  actor: "",
  start: { leastMs: 300, mostMs: 3_000 },
  stop: { leastMs: 800, mostMs: 2_500 },
  nodeDown: { leastMs: 500, mostMs: 4_000 },
  drainTimeoutMs: null,
};

const examples = [
  "modelplane-fixed",
  "openshift-two-replicas",
  "modelplane-incident",
  "modelplane-standby",
  "openshift-as-written",
  "openshift-one-replica",
  "openshift-no-room",
];

function ofExample(example: string, asked: Partial<Asked> = {}, more: Partial<Case> = {}): Case {
  const edited = (object: WireObject): WireObject => object;
  return {
    name: example,
    example,
    fix: false,
    lws: false,
    attack: false,
    edited,
    ...more,
    asked: { ...everything, ...asked },
  };
}

/** Small clusters of test/orders, made for what is asked of them. */
function small(
  name: string,
  asked: Partial<Asked> = {},
  { folder = name, ...more }: Partial<Case> & { readonly folder?: string } = {},
): Case {
  return ofExample(`../test/orders/${folder}`, asked, { name, ...more });
}

const noTime = { leastMs: 0, mostMs: 0 };

/** Groups that come back after their old workers' names are free, and leaders that are Ready long before. */
const slowGroups = { actor: "openshift-mco", start: { leastMs: 4_000, mostMs: 6_000 } };
const quickLeaders = {
  actor: "openshift-mco",
  start: { leastMs: 100, mostMs: 200 },
  stop: { leastMs: 6_000, mostMs: 6_500 },
  nodeDown: { leastMs: 100, mostMs: 200 },
};

const forcedDown = { leastMs: 60_000, mostMs: 65_000 };

/** Where the pickers are, by an actor that brings each node back. */
const standby = { nodes: ["system-1", "system-2"], actor: "nebius" };

/** A machine that fails, for long enough for its lease to run out. */
const lost = { actor: "node-failure", nodeDown: forcedDown };

/** A whole zone, until all that the control plane does about it is done. */
const zone = { nodes: ["b1", "b2"], actor: "zone-loss", nodeDown: { leastMs: 100_000, mostMs: 110_000 } };

/** An actor's limit of an hour or so, and a machine that is away for long enough to be missed. */
const forced = { drainTimeoutMs: 6_000, nodeDown: forcedDown };

export const cases: readonly Case[] = [
  ...examples.map((example) => ofExample(example)),
  ...["modelplane-incident", "openshift-as-written"].map((example) =>
    ofExample(example, {}, { name: `${example}-after-fix`, fix: true }),
  ),
  ...["modelplane-incident", "modelplane-standby", "openshift-one-replica"].map((example) =>
    ofExample(example, {}, { name: `${example}-attacked`, attack: true }),
  ),
  ...["turns", "held"].map((name) => small(name, { nodes: ["n1", "n3"], actor: "kubectl-drain", start: noTime })),
  small("groups-together", { actor: "openshift-mco" }, { lws: true }),
  small("groups-apart", slowGroups, { lws: true }),
  small("groups-quick-leaders", quickLeaders, { lws: true, folder: "groups-apart" }),
  ofExample("modelplane-standby", { ...standby, ...forced }, { name: "standby-forced" }),
  ofExample("modelplane-standby", standby, { name: "standby-unguarded", edited: unguarded }),
  ofExample("modelplane-standby", standby, { name: "standby-awaited", edited: awaited }),
  small("surge-gke", { actor: "gke-surge" }, { folder: "surge" }),
  small("surge-eks", { actor: "eks-managed" }, { folder: "surge" }),
  small("surge-together", { actor: "gke-surge" }),
  small("two-at-once"),
  small("two-at-once-unguarded", {}, { folder: "two-at-once", edited: withoutBudgets }),
  small("forced-stop", { actor: "nebius", ...forced }, { folder: "forced" }),
  ofExample("modelplane-standby", { ...lost, nodes: ["system-1"] }, { name: "standby-lost", edited: unguarded }),
  small("preempted", { nodes: ["n1"], actor: "openshift-mco" }),
  small("webhook", { actor: "openshift-mco" }),
  small("zone-lost", zone),
  small("zone-lost-attacked", zone, { folder: "zone-lost", attack: true }),
  small("zone-lost-preempted", zone),
  small("shared-disk", { nodes: ["a1"], actor: "kubectl-drain", start: noTime }),
  small("forced-delete", { actor: "gke-surge", drainTimeoutMs: forced.drainTimeoutMs }, { folder: "forced" }),
];

function withoutBudgets(object: WireObject): WireObject | null {
  return object.kind === "PodDisruptionBudget" ? null : object;
}

/** No budget over the pickers: the leader goes, and its standby takes over. */
function unguarded(object: WireObject): WireObject | null {
  return object.kind === "PodDisruptionBudget" && object.metadata["name"] === "chat-picker" ? null : object;
}

/** The same, and the endpoint may be down for as long as that takes. */
function awaited(object: WireObject): WireObject | null {
  if (object.kind !== "InferencePool") return unguarded(object);
  const { annotations } = object.metadata;
  const more = { ...(isJsonObject(annotations) ? annotations : {}), "holdfast.dev/max-down": "15s" };
  return { ...object, metadata: { ...object.metadata, annotations: more } };
}

export function caseNamed(name: string): Case {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}
