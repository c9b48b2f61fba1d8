import { unreachable } from "../base/invariant.ts";
import type { Cluster } from "../model/cluster.ts";
import { groupOf } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Actor, Sign } from "./actor.ts";
import { kubectlDrain } from "./actors/kubectl-drain.ts";
import { actors } from "./registry.ts";

export interface RecognisedActor {
  readonly actor: Actor;
  /** The sign that decided, for the report. */
  readonly because: string;
}

/** The actors whose signs are on the cluster, in registry order; kubectl drain when there is none. */
export function recogniseActors(cluster: Cluster): readonly RecognisedActor[] {
  const found: RecognisedActor[] = [];
  for (const actor of actors) {
    const because = actor.signs.map((sign) => seen(cluster, sign)).find((text) => text !== null);
    if (because != null) found.push({ actor, because });
  }
  if (found.length === 0) found.push({ actor: kubectlDrain, because: "no cloud's signs on the nodes" });
  return found;
}

function seen(cluster: Cluster, sign: Sign): string | null {
  const onNode = (test: (node: Node) => boolean, what: string): string | null => {
    const node = cluster.nodes.find(test);
    return node === undefined ? null : `node ${node.name}: ${what}`;
  };
  switch (sign.on) {
    case "nodeLabel":
      return onNode((node) => node.labels.has(sign.key), `label ${sign.key}`);
    case "nodeAnnotation":
      return onNode((node) => node.annotations.has(sign.key), `annotation ${sign.key}`);
    case "nodeName":
      return onNode((node) => node.name.startsWith(sign.prefix), `name begins with ${sign.prefix}`);
    case "nodeCondition":
      return onNode((node) => node.conditions.some((c) => c.type === sign.type), `condition ${sign.type}`);
    case "osImage":
      return onNode((node) => node.osImage.startsWith(sign.prefix), `OS image ${sign.prefix}`);
    case "workloadName": {
      const workload = [...cluster.workloads.values()].find((w) => w.kind === sign.kind && w.ref.name === sign.name);
      return workload === undefined ? null : `${sign.kind} ${workload.ref.namespace}/${sign.name}`;
    }
    case "objectKind": {
      const object = [...cluster.others.values()].find((o) => groupOf(o.ref.apiVersion) === sign.group);
      return object === undefined ? null : `${object.ref.kind} ${object.ref.name} of ${sign.group}`;
    }
    default:
      return unreachable(sign);
  }
}
