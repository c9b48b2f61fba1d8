import { unreachable } from "../base/invariant.ts";
import type { Actor, Unavailable } from "../maintenance/actor.ts";
import type { Node } from "../model/node.ts";
import type { Taint } from "../model/pod-template.ts";
import type { NodeView } from "../model/view.ts";
import type { World } from "./world.ts";

/** The actor closes a node: cordon, taints, a condition, whatever it does. */
export function closeNode(world: World, node: string, { name, close }: Actor): void {
  if (world.ledger.node(node) === undefined) return;
  if (close.cordon) world.cordon(node, name);
  for (const taint of close.taints) putTaint(world, node, taint, name);
  if (close.condition !== "") setCondition(world, node, close.condition, name);
}

/** And opens it again; its soft marks go too. */
export function openNode(world: World, node: string, { name, close, marks }: Actor): void {
  if (world.ledger.node(node) === undefined) return;
  if (close.cordon) world.uncordon(node, name);
  for (const taint of [...close.taints, ...marks]) takeTaint(world, node, taint, name);
  if (close.condition !== "") setCondition(world, node, "", name, close.condition);
}

export function markNode(world: World, node: string, { name, marks }: Actor): void {
  for (const taint of marks) putTaint(world, node, taint, name);
}

/** The node controllers' sync carries it over to what the scheduler sees. */
function putTaint(world: World, name: string, taint: Taint, by: string): void {
  const node = world.ledger.node(name)?.node;
  if (node === undefined || node.taints.some((other) => isSame(other, taint))) return;
  world.ledger.setNode(name, { ...node, taints: [...node.taints, taint] });
  world.tell({ type: "node-tainted", node: name, taint: taintText(taint), by });
}

function takeTaint(world: World, name: string, taint: Taint, by: string): void {
  const node = world.ledger.node(name)?.node;
  if (node === undefined || !node.taints.some((other) => isSame(other, taint))) return;
  world.ledger.setNode(name, { ...node, taints: node.taints.filter((other) => !isSame(other, taint)) });
  world.tell({ type: "node-tainted", node: name, taint: `${taintText(taint)}-`, by });
}

/** Sets one condition to True, or takes it away. */
function setCondition(world: World, name: string, type: string, by: string, gone = ""): void {
  const node = world.ledger.node(name)?.node;
  if (node === undefined) return;
  const rest = node.conditions.filter((condition) => condition.type !== type && condition.type !== gone);
  const added = type === "" ? [] : [{ type, status: "True", reason: "", message: "" }];
  world.ledger.setNode(name, { ...node, conditions: [...rest, ...added] });
  world.tell({ type: "node-tainted", node: name, taint: `${type === "" ? gone : type}${type === "" ? "-" : ""}`, by });
}

export function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === "" ? "" : `=${value}`}:${effect}`;
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** In the sense of an actor that counts such nodes as being under work already. */
export function isUnavailable(view: NodeView, counts: readonly Unavailable[]): boolean {
  return counts.some((what) => {
    switch (what) {
      case "cordoned":
        return view.unschedulable;
      case "not-ready":
        return !view.ready;
      case "pressure":
        return view.node.conditions.some(({ type, status }) => status === "True" && badConditions.has(type));
      default:
        return unreachable(what);
    }
  });
}

const badConditions: ReadonlySet<string> = new Set(["DiskPressure", "NetworkUnavailable"]);

/** A node of the same shape under another name: fresh, open, with nothing on its disk. */
export function freshNode(old: Node, name: string, actor: Actor): Node {
  const labels = new Map([...old.labels].map(([key, value]) => [key, value === old.name ? name : value]));
  const others = [...actor.close.taints, ...actor.marks];
  const taints = old.taints.filter(
    (taint) => !taint.key.startsWith("node.kubernetes.io/") && !others.some((other) => isSame(other, taint)),
  );
  return {
    ...old,
    name,
    labels,
    annotations: new Map(),
    taints,
    unschedulable: false,
    ready: true,
    conditions: old.conditions.filter(({ type }) => type === "Ready").map((ready) => ({ ...ready, status: "True" })),
    images: new Map(),
    providerId: "",
    createdAtMs: null,
  };
}
