import type { KubeObject } from "../decision.ts";
import type { Draw } from "./draw.ts";

export type Fields = { [field: string]: unknown };
export type Strings = { [key: string]: string };

export interface NodeDraft {
  readonly name: string;
  readonly labels: Strings;
  readonly annotations: Strings;
  taints: Fields[];
  unschedulable: boolean;
  /** The taint that follows a cordon is not there yet, or is still there. */
  lagging: boolean;
  readonly allocatable: Strings;
  images: Fields[];
  declaredFeatures: string[];
}

export interface ContainerDraft {
  name: string;
  image: string;
  resources: { requests?: Strings; limits?: Strings; claims?: Fields[] };
  ports?: Fields[];
  restartPolicy?: string;
  [field: string]: unknown;
}

export interface PodDraft {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Strings;
  readonly app: App;
  readonly uid: string;
  readonly containers: ContainerDraft[];
  readonly initContainers: ContainerDraft[];
  readonly volumes: Fields[];
  readonly tolerations: Fields[];
  readonly spec: Fields;
  readonly status: Fields;
  readonly metadata: Fields;
  priority: number;
  nodeName: string;
}

/** Pods that look alike and belong together, as the pods of a ReplicaSet do. */
export interface App {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Strings;
  readonly ownerKind: string;
}

/** A cluster being drawn. Features change it; `write.ts` turns it into objects. */
export interface World {
  readonly draw: Draw;
  readonly minor: number;
  readonly namespaces: { readonly name: string; readonly labels: Strings }[];
  readonly nodes: NodeDraft[];
  readonly apps: App[];
  readonly placed: PodDraft[];
  readonly pending: PodDraft[];
  readonly others: KubeObject[];
  /** Names of objects that exist once per world, so that features do not make them twice. */
  readonly made: Set<string>;
  /** A number not given before in this world. */
  serial(): number;
}

/** One thing a cluster can be about. */
export interface Feature {
  readonly name: string;
  readonly weight: number;
  /** The first minor version in which it means anything. */
  readonly since?: number;
  /** Changes nodes and placed pods before any pending pod is drawn. */
  prepare?(world: World): void;
  /** Gives a pending pod what makes it depend on the feature. */
  pending(world: World, pod: PodDraft): void;
}

export const hostnameKey = "kubernetes.io/hostname";
export const zoneKey = "topology.kubernetes.io/zone";

export function makePod(app: App, name: string): PodDraft {
  return {
    name,
    namespace: app.namespace,
    labels: { ...app.labels },
    app,
    uid: `pod-${app.namespace}-${name}`,
    containers: [{ name: "main", image: "registry.test/base:v1", resources: {} }],
    initContainers: [],
    volumes: [],
    tolerations: [],
    spec: {},
    status: {},
    metadata: {},
    priority: 0,
    nodeName: "",
  };
}

export function requestOf(pod: PodDraft): Strings {
  const main = mainOf(pod);
  main.resources.requests ??= {};
  return main.resources.requests;
}

export function mainOf(pod: PodDraft): ContainerDraft {
  const main = pod.containers[0];
  if (main === undefined) throw new Error("a pod has a container");
  return main;
}

/** The affinity of a pod, made when absent. */
export function affinityOf(pod: PodDraft, kind: "nodeAffinity" | "podAffinity" | "podAntiAffinity"): Fields {
  pod.spec["affinity"] ??= {};
  const affinity = pod.spec["affinity"] as Fields;
  affinity[kind] ??= {};
  return affinity[kind] as Fields;
}

export function push(fields: Fields, key: string, item: unknown): void {
  fields[key] ??= [];
  (fields[key] as unknown[]).push(item);
}

export function once(world: World, name: string): boolean {
  if (world.made.has(name)) return false;
  world.made.add(name);
  return true;
}
