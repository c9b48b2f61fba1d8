import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import { type Plane, pause } from "../confirm/plane.ts";

export async function cordon(plane: Plane, node: string, closed: boolean): Promise<void> {
  const spec = { unschedulable: closed ? true : null };
  await plane.call("PATCH", `/api/v1/nodes/${node}`, { spec }, "application/merge-patch+json");
}

/** Opens every node that is there again. */
export async function openAll(plane: Plane): Promise<void> {
  for (const { metadata } of await plane.list("/api/v1/nodes"))
    if (isJsonObject(metadata)) await cordon(plane, String(metadata["name"]), false);
}

export async function nodeNow(plane: Plane, name: string): Promise<JsonObject> {
  return (await plane.call("GET", `/api/v1/nodes/${name}`)).body;
}

/** The machine and its object are gone. */
export async function removeNode(plane: Plane, name: string): Promise<void> {
  await plane.call("DELETE", `/api/v1/nodes/${name}`);
}

/** A new node of the old one's shape registers, and is Ready once its node controller says so; answers its name. */
export async function joinLike(plane: Plane, old: JsonObject): Promise<string> {
  const { metadata, spec, status } = old;
  if (!isJsonObject(metadata) || !isJsonObject(status)) throw new Error("there is no node to make another like");
  const was = String(metadata["name"]);
  for (let number = 1; ; number += 1) {
    const name = `${was.replace(/-new\d+$/, "")}-new${number}`;
    const labels = Object.entries(isJsonObject(metadata["labels"]) ? metadata["labels"] : {});
    const made = await plane.call("POST", "/api/v1/nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: Object.fromEntries(labels.map(([key, value]) => [key, value === was ? name : value])) },
      spec: { taints: ownTaints(spec) },
    });
    if (made.status === 409) continue;
    if (made.status >= 300) throw new Error(`${name}: ${JSON.stringify(made.body).slice(0, 300)}`);
    const { allocatable, capacity, nodeInfo } = status;
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", lastTransitionTime: now }];
    const told = {
      status: { allocatable: allocatable ?? {}, capacity: capacity ?? {}, nodeInfo: nodeInfo ?? {}, conditions },
    };
    await plane.call("PATCH", `/api/v1/nodes/${name}/status`, told, "application/merge-patch+json");
    for (const until = Date.now() + 30_000; Date.now() < until; await pause(150))
      if (!JSON.stringify((await nodeNow(plane, name))["spec"] ?? {}).includes("node.kubernetes.io/not-ready")) break;
    return name;
  }
}

/** Taints that do not come from what the node is in just now. */
function ownTaints(spec: JsonObject[string] | undefined): readonly JsonObject[] {
  const taints = isJsonObject(spec) && Array.isArray(spec["taints"]) ? spec["taints"].filter(isJsonObject) : [];
  return taints.filter(({ key }) => !String(key).startsWith("node.kubernetes.io/"));
}
