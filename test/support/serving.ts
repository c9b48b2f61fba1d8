import type { Cluster } from "../../src/model/cluster.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { Endpoint, Hop } from "../../src/systems/endpoint.ts";
import type { Knob } from "../../src/systems/knobs.ts";
import { clusterFrom } from "./cluster.ts";

/** Objects of serving systems with only what recognising them is about, in namespace `ns` unless said otherwise. */
export interface Thing {
  readonly [field: string]: unknown;
}

interface Marks {
  readonly namespace?: string;
  readonly labels?: Thing;
  readonly annotations?: Thing;
  readonly owner?: Thing;
}

interface Work extends Marks {
  readonly kind?: string;
  readonly podLabels?: Thing;
  readonly podAnnotations?: Thing;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly replicas?: number;
  readonly gpus?: number;
  readonly spec?: Thing;
}

function metadata(name: string, { namespace = "ns", labels, annotations, owner }: Marks): Thing {
  return {
    name,
    namespace,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(owner ? { ownerReferences: [{ ...owner, uid: "u", controller: true }] } : {}),
  };
}

function container({ image = "app:1", args = [], gpus = 0 }: Work): Thing {
  const amounts = { "nvidia.com/gpu": String(gpus) };
  const resources = gpus > 0 ? { requests: amounts, limits: amounts } : {};
  return { name: "main", image, args, resources };
}

/** A Deployment unless `kind` says otherwise; its pods are labelled as itself, and by its name. */
export function workload(name: string, work: Work = {}): Thing {
  const labels = { app: name, ...work.labels, ...work.podLabels };
  return {
    apiVersion: "apps/v1",
    kind: work.kind ?? "Deployment",
    metadata: metadata(name, work),
    spec: {
      replicas: work.replicas ?? 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels, annotations: work.podAnnotations ?? {} },
        spec: { containers: [container(work)], ...work.spec },
      },
    },
  };
}

/** A bare pod, or one of a custom resource. */
export function pod(name: string, work: Work = {}): Thing {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata(name, work),
    spec: { nodeName: "n1", containers: [container(work)], ...work.spec },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

export function group(name: string, { size, ...work }: Work & { readonly size: number }): Thing {
  const template = (labels: Thing): Thing => ({ metadata: { labels }, spec: { containers: [container(work)] } });
  return {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: metadata(name, work),
    spec: {
      replicas: work.replicas ?? 1,
      leaderWorkerTemplate: {
        size,
        leaderTemplate: template({ ...work.labels, ...work.podLabels }),
        workerTemplate: template({ app: name }),
      },
    },
  };
}

export function service(name: string, selector: Thing, marks: Marks & { readonly spec?: Thing } = {}): Thing {
  const spec = { selector, ports: [{ port: 80 }], ...marks.spec };
  return { apiVersion: "v1", kind: "Service", metadata: metadata(name, marks), spec };
}

export function object(apiVersion: string, kind: string, name: string, spec: Thing, marks: Marks = {}): Thing {
  return { apiVersion, kind, metadata: metadata(name, marks), spec };
}

export function gateway(name: string, className: string, spec: Thing = {}): Thing {
  return object("gateway.networking.k8s.io/v1", "Gateway", name, {
    gatewayClassName: className,
    listeners: [],
    ...spec,
  });
}

export function route(name: string, toGateway: string, backend: Thing): Thing {
  const spec = { parentRefs: [{ name: toGateway }], rules: [{ backendRefs: [backend] }] };
  return object("gateway.networking.k8s.io/v1", "HTTPRoute", name, spec);
}

export function pool(name: string, selector: Thing, picker: string, failureMode = "FailOpen"): Thing {
  return object("inference.networking.k8s.io/v1", "InferencePool", name, {
    selector: { matchLabels: selector },
    targetPorts: [{ number: 8000 }],
    endpointPickerRef: { name: picker, port: { number: 9002 }, failureMode },
  });
}

export const toPool = (name: string): Thing => ({ group: "inference.networking.k8s.io", kind: "InferencePool", name });

export function servingCluster(things: readonly Thing[]): Cluster {
  // JSON is YAML.
  return clusterFrom(things.map((thing) => JSON.stringify(thing)).join("\n---\n"), { problemsAllowed: true });
}

/** What was found, one line an endpoint and one a hop: place, object, who owns its replicas and where, marks. */
export function pathsOf(things: readonly Thing[]): readonly string[] {
  return endpointsOf(servingCluster(things)).endpoints.flatMap((endpoint) => [
    titleOf(endpoint),
    ...endpoint.hops.filter(({ hop, outside }) => hop !== "dns" || outside === "").map(lineOf),
    ...endpoint.notModelled.map(({ what }) => `  ! ${what}`),
  ]);
}

export function supportingOf(things: readonly Thing[]): readonly string[] {
  return endpointsOf(servingCluster(things)).supporting.map((hop) => `${hop.hop} ${hop.component}`);
}

function titleOf({ system, namespace, name, idle }: Endpoint): string {
  return `${system} ${namespace}/${name}${idle ? " idle" : ""}`;
}

function lineOf(hop: Hop): string {
  const role = hop.role === "" ? "" : `(${hop.role})`;
  const count =
    hop.desired === null ? "" : ` x${hop.desired}${hop.unit.kind === "group" ? ` groups of ${hop.unit.size}` : ""}`;
  const marks = `${hop.needed ? "" : ", not needed"}${hop.leaderElected ? ", leader" : ""}${hop.outside === "" ? "" : ", outside"}`;
  return `  ${hop.hop}${role} ${hop.ref.kind}/${hop.ref.name}${count}${marks}; ${knobText(hop.knobs.replicas)}`;
}

export function knobText(knob: Knob): string {
  switch (knob.by) {
    case "field":
      return `${knob.target.kind}/${knob.target.name} ${knob.path}`;
    case "text":
      return `${knob.target.kind}/${knob.target.name} ${knob.key} ${knob.path}`;
    case "helm":
      return `helm ${knob.value}`;
    default:
      return knob.by;
  }
}
