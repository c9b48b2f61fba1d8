import type { OtherObject } from "../model/cluster.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json } from "../wire/snapshot.ts";
import { argumentsOf, type Facts, fieldsOf, type Part, replicasOf } from "./facts.ts";
import { none } from "./knobs.ts";
import { type Match, partsLike } from "./match.ts";
import { plainPart } from "./part-rules.ts";
import { partsBehind } from "./route-kind.ts";
import type { Entry, Need, PartRule, Stage } from "./system.ts";

export const operatorMatch: Match = { kinds: ["Deployment"], labels: { "app.kubernetes.io/name": "dynamo-operator" } };

const discoveryLabel = "nvidia.com/dynamo-discovery-backend";
const requestPlane = "DYN_REQUEST_PLANE";

export const planeRules: readonly PartRule[] = [
  planeRule(
    "etcd",
    "etcd needs three members, of which two must be there (value etcd.replicaCount: 3); or let Kubernetes do the discovery.",
  ),
  planeRule(
    "NATS",
    "Run NATS as a cluster of three (values nats.config.cluster.enabled: true, replicas: 3); or let requests go by TCP.",
  ),
];

function planeRule(component: string, more: string): PartRule {
  const hop = component.toLowerCase();
  const rule = plainPart({ hop, component, match: { labels: { "app.kubernetes.io/name": hop } } });
  return { ...rule, knobs: (part, facts) => ({ ...rule.knobs(part, facts), replicas: none(more) }) };
}

/** Of several members more than half must be there, and the play is content with one. */
export function quorumOf(stage: Stage): Entry["notModelled"] {
  if (stage.by !== "part" || stage.hop !== "etcd") return [];
  const { workload } = stage.part;
  const members = replicasOf(workload) ?? 1;
  if (members < 2) return [];
  const { kind, namespace, name } = workload.ref;
  const what = `of its ${members} members more than half must be there: played as if one were enough`;
  return [{ what, ref: `${kind} ${namespace}/${name}`, couldChange: "whether etcd answers while several are away" }];
}

/** What the parts of a graph find each other by and send requests through, where that is etcd or NATS of this cluster. */
interface Plane {
  /** `app.kubernetes.io/name` of the StatefulSet that the platform's chart brings. */
  readonly hop: "etcd" | "nats";
  /** How the operator is told its address: an argument, or since 1.0 a line of its configuration. */
  readonly address: RegExp;
}

const etcd: Plane = { hop: "etcd", address: /(?:--etcdAddr=|etcdAddress:\s*"?)([^\s"]+)/ };
const nats: Plane = { hop: "nats", address: /(?:--natsAddr=|natsAddress:\s*"?)([^\s"]+)/ };

/**
 * Discovery is by etcd unless the operator marked the pods as found by Kubernetes; requests go through NATS before 0.8, and later where
 * DYN_REQUEST_PLANE says so. Mirrors: Dynamo 0.5 to 1.5, its documentation of discovery and request plane, issue 3493.
 */
export function planeStages(facts: Facts, graph: OtherObject | undefined, parts: readonly Part[]): readonly Stage[] {
  if (parts.length === 0) return [];
  const byEtcd = parts.some(({ labels }) => labels.get(discoveryLabel) !== "kubernetes");
  const throughNats = natsNeed(facts, graph, parts);
  return [
    ...(byEtcd ? stagesOf(facts, etcd, etcdNeed) : []),
    ...(throughNats === null ? [] : stagesOf(facts, nats, throughNats)),
  ];
}

const etcdNeed: Need = {
  needed: true,
  because:
    "Frontends and workers hold leases of 10 s in etcd: when it is away for longer, all of them end themselves and start anew. That they are gone after it is back is not played.",
};

function natsNeed(facts: Facts, graph: OtherObject | undefined, parts: readonly Part[]): Need | null {
  const images = [...parts, ...partsLike(facts, operatorMatch)].flatMap(({ template }) => template?.images ?? []);
  if (images.some(isBeforeTcp)) return { needed: true, because: "Before Dynamo 0.8 every request goes through NATS." };
  if (graph === undefined || !namesVariable(graph.body, requestPlane)) return null;
  const because = `The graph sets ${requestPlane}, whose value is not read: where it is nats, every request goes through NATS.`;
  return { needed: true, because };
}

/** `nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.1` */
function isBeforeTcp(image: string): boolean {
  return /ai-dynamo\/[^:@]+:v?0\.[0-7](\.|-|$)/.test(image);
}

/** Values of variables are dropped from every input, their names are not. */
function namesVariable(value: Json | undefined, name: string): boolean {
  if (isJsonList(value)) return value.some((one) => namesVariable(one, name));
  if (!isJsonObject(value)) return false;
  return value["name"] === name || Object.values(value).some((one) => namesVariable(one, name));
}

function stagesOf(facts: Facts, plane: Plane, needed: Need): readonly Stage[] {
  return partsOf(facts, plane).map((part) => ({ by: "part", part, hop: plane.hop, role: "", needed }));
}

/** By the address the operator hands on, else those the chart brings beside it. */
function partsOf(facts: Facts, { address, hop }: Plane): readonly Part[] {
  const found = new Set<Part>();
  for (const operator of partsLike(facts, operatorMatch)) {
    const { namespace } = operator.workload.ref;
    const texts = [...argumentsOf(operator), ...configurationsOf(facts, namespace)];
    const named = texts
      .flatMap((text) => address.exec(text)?.[1] ?? [])
      .flatMap((one) => partsBehind(facts, one, namespace));
    const brought = facts.partsIn(namespace).filter(({ labels }) => labels.get("app.kubernetes.io/name") === hop);
    for (const part of named.length > 0 ? named : brought) found.add(part);
  }
  return [...found];
}

function configurationsOf(facts: Facts, namespace: string): readonly string[] {
  return facts
    .others("ConfigMap", "")
    .filter(({ ref }) => ref.namespace === namespace)
    .map((map) => fieldsOf(map).object("data").text("config.yaml"))
    .filter((text) => text.includes("OperatorConfiguration"));
}
