import { unreachable } from "../base/invariant.ts";
import { listed } from "../base/listed.ts";
import { underKey } from "../base/under-key.ts";
import type { Cluster, OtherObject } from "../model/cluster.ts";
import { groupOf, type ObjectKey } from "../model/key.ts";
import { matches } from "../model/labels.ts";
import type { Node } from "../model/node.ts";
import { matchesRequiredNodeAffinity } from "../model/node-selector.ts";
import { parseLabelSelector } from "../model/parse-selector.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { repelled } from "../model/taints.ts";
import type { Workload } from "../model/workload.ts";
import { fieldsOf } from "../systems/facts.ts";
import type { Actor, Sign } from "./actor.ts";
import { kubectlDrain } from "./actors/kubectl-drain.ts";
import { poolsOf } from "./pool.ts";
import { actors } from "./registry.ts";
import { imageName } from "./settings/container-flags.ts";
import { settingOf } from "./settings.ts";

export interface RecognisedActor {
  /** As the cluster sets it, where all pools of these nodes agree. */
  readonly actor: Actor;
  /** The sign that decided, and what the cluster says of how it is set, for the report. */
  readonly because: string;
}

/** Why kubectl drain is assumed. */
export const nobodyKnown = "no sign of who maintains the nodes: a person, one node after the other";

/**
 * The actors whose signs are on the cluster: who maintains pools first, in registry order (kubectl drain when there is none),
 * then what only removes nodes or pods. For one pool: the cluster with that pool's nodes alone.
 */
export function recogniseActors(cluster: Cluster): readonly RecognisedActor[] {
  const found: RecognisedActor[] = [];
  for (const actor of actors) {
    const because = decisive(cluster, actor)
      .map((sign) => seen(cluster, sign))
      .find((text) => text !== null);
    if (because != null) found.push(asSet(cluster, actor, because));
  }
  const maintains = found.filter(({ actor }) => actor.kind === "maintains");
  const rest = found.filter(({ actor }) => actor.kind !== "maintains");
  if (maintains.length === 0) maintains.push({ actor: kubectlDrain, because: nobodyKnown });
  return [...maintains, ...rest];
}

/** The actor as the cluster sets it; of several pools that differ, the registry's own with all that was said. */
function asSet(cluster: Cluster, actor: Actor, because: string): RecognisedActor {
  const settings = poolsOf(cluster.nodes).map((pool) => settingOf(cluster, pool, actor));
  const said = new Set(settings.flatMap((setting) => setting.said));
  const [first, ...others] = settings;
  const alike =
    first !== undefined && others.every((other) => JSON.stringify(other.actor) === JSON.stringify(first.actor));
  return { actor: alike ? first.actor : actor, because: [because, ...said].join("; ") };
}

/** Where objects say which nodes the actor takes, nothing else does. */
function decisive(cluster: Cluster, { signs }: Actor): readonly Sign[] {
  const saying = signs.filter((sign) => sign.on === "objectKind" && sign.selects !== "");
  const isSaid = saying.some((sign) => sign.on === "objectKind" && objectsOfGroup(cluster, sign.group).length > 0);
  return isSaid ? saying : signs;
}

function objectsOfGroup({ others }: Cluster, group: string): readonly OtherObject[] {
  return [...others.values()].filter(({ ref }) => groupOf(ref.apiVersion) === group);
}

/** Workloads by the image they run: asked for every sign of every pool. */
function running({ workloads }: Cluster, image: string): readonly Running[] {
  const keys = signImagesOf({ workloads }).get(image) ?? [];
  return keys.map((key) => workloads.get(key)).filter((workload) => isRunning(workload));
}

/** Image → the workloads that run it: of the images that are signs. */
export type SignImages = ReadonlyMap<string, readonly ObjectKey[]>;

function signsAmong(workloads: Cluster["workloads"]): SignImages {
  const signs = new Set(
    actors.flatMap((actor) => actor.signs.flatMap((sign) => ("image" in sign ? [sign.image] : []))),
  );
  const found = new Map<string, ObjectKey[]>();
  for (const workload of workloads.values()) {
    if (!isRunning(workload)) continue;
    const images = new Set(workload.template.containers.map((container) => imageName(container.image)));
    for (const name of images) if (signs.has(name)) listed(found, name, workload.key);
  }
  return found;
}

export function signImagesOf({ workloads }: Pick<Cluster, "workloads">): SignImages {
  return underKey(byImages, workloads, () => signsAmong(workloads));
}

/** They were looked for before, and saved with the cluster. */
export function knowSignImages({ workloads }: Cluster, images: SignImages): void {
  byImages.set(workloads, images);
}

type Running = Extract<Workload, { readonly template: PodTemplate }>;

function isRunning(workload: Workload | undefined): workload is Running {
  return workload !== undefined && "template" in workload;
}

const byImages = new WeakMap<Cluster["workloads"], SignImages>();

/** Its pods are on some of these nodes, cordoned or not. */
function isOnSome(template: PodTemplate, { nodes }: Cluster): boolean {
  const isOn = (node: Node): boolean => {
    const own = node.taints.filter(({ key }) => !key.startsWith("node.kubernetes.io/"));
    return matchesRequiredNodeAffinity(template, node) && !repelled(own, template.tolerations);
  };
  return nodes.length === 0 || nodes.some(isOn);
}

function seen(cluster: Cluster, sign: Sign): string | null {
  const onNode = (test: (node: Node) => boolean, what: string): string | null => {
    const node = cluster.nodes.find(test);
    return node === undefined ? null : `node ${node.name}: ${what}`;
  };
  switch (sign.on) {
    case "nodeLabel": {
      const { key, value } = sign;
      const fits = (labels: Node["labels"]): boolean => (value === null ? labels.has(key) : labels.get(key) === value);
      return onNode(({ labels }) => fits(labels), `label ${key}${value === null ? "" : `=${value}`}`);
    }
    case "nodeAnnotation":
      return onNode((node) => node.annotations.has(sign.key), `annotation ${sign.key}`);
    case "nodeName":
      return onNode((node) => node.name.startsWith(sign.prefix), `name begins with ${sign.prefix}`);
    case "nodeCondition":
      return onNode(
        (node) => node.conditions.some((c) => c.type === sign.type && c.status === "True"),
        `condition ${sign.type}`,
      );
    case "nodeTaint":
      return onNode((node) => node.taints.some(({ key }) => key === sign.key), `taint ${sign.key}`);
    case "osImage":
      return onNode((node) => node.osImage.startsWith(sign.prefix), `OS image ${sign.prefix}`);
    case "workloadImage": {
      const workload = running(cluster, sign.image).find(
        (w) => w.kind === sign.kind && (w.kind !== "DaemonSet" || isOnSome(w.template, cluster)),
      );
      if (workload === undefined) return null;
      return `${sign.kind} ${workload.ref.namespace}/${workload.ref.name} runs ${sign.image}`;
    }
    case "objectKind": {
      const object = objectsOfGroup(cluster, sign.group).find((one) => {
        const selector = sign.selects === "" ? null : parseLabelSelector(fieldsOf(one).object("spec"), sign.selects);
        return selector === null || cluster.nodes.some(({ labels }) => matches(selector, labels));
      });
      return object === undefined ? null : `${object.ref.kind} ${object.ref.name} of ${sign.group}`;
    }
    default:
      return unreachable(sign);
  }
}
