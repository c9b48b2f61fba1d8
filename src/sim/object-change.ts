import { unreachable } from "../base/invariant.ts";
import type { ObjectKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { AdmissionWebhook, Autoscaler, Budget, Quota, Service } from "../model/policy.ts";
import type { ControllerMemory } from "../model/view.ts";
import type { OtherOwner, Workload } from "../model/workload.ts";
import type { World } from "./world.ts";

/** One object put in place, changed or taken away by a scenario; null: taken away. */
export type ObjectChange =
  | {
      readonly what: "workload";
      readonly key: ObjectKey;
      readonly spec: Workload | null;
      readonly keepReplicas: boolean;
    }
  /** What an owner that keeps pods or sets itself wants from now on; it is made where it is not there. */
  | { readonly what: "kept"; readonly spec: OtherOwner; readonly memory: ControllerMemory | null }
  | { readonly what: "budget"; readonly key: ObjectKey; readonly budget: Budget | null }
  | { readonly what: "node"; readonly name: string; readonly node: Node | null }
  | {
      readonly what: "pod";
      readonly namespace: string;
      readonly name: string;
      /** Null: deleted. */
      readonly template: PodTemplate | null;
    }
  | { readonly what: "services"; readonly services: readonly Service[] }
  | { readonly what: "autoscalers"; readonly autoscalers: readonly Autoscaler[] }
  | { readonly what: "quotas"; readonly quotas: readonly Quota[] }
  | { readonly what: "webhooks"; readonly webhooks: readonly AdmissionWebhook[] };

export function applyChange(world: World, change: ObjectChange): void {
  const { ledger } = world;
  switch (change.what) {
    case "workload": {
      const known = ledger.workload(change.key);
      if (change.spec === null) {
        if (known !== undefined) {
          world.perform({ do: "deleteWorkload", workload: change.key, by: "scenario", propagation: "background" });
        }
      } else if (known === undefined) ledger.createWorkload(change.spec);
      else ledger.setSpec(change.key, change.keepReplicas ? withReplicas(change.spec, known.spec) : change.spec);
      return;
    }
    case "kept":
      if (ledger.workload(change.spec.key) === undefined) ledger.createWorkload(change.spec);
      ledger.remember(change.spec.key, change.memory);
      return;
    case "budget":
      if (change.budget !== null) ledger.putBudget(change.budget);
      else if (ledger.budgets.some((b) => b.budget.key === change.key)) ledger.removeBudget(change.key);
      return;
    case "node":
      if (change.node === null) world.removeNode(change.name, "scenario");
      else if (ledger.node(change.name) === undefined) world.addNode(change.node, "scenario");
      else {
        ledger.setNode(change.name, change.node);
        ledger.setUnschedulable(change.name, change.node.unschedulable);
        // Its labels decide which DaemonSets run there.
        for (const { key, spec } of ledger.workloads) if (spec.kind === "DaemonSet") ledger.dirtyWorkloads.add(key);
      }
      return;
    case "pod": {
      const key = `${change.namespace}/${change.name}`;
      if (change.template === null) world.deletePod(key, "scenario", null);
      else if (ledger.pod(key) !== undefined) ledger.setTemplate(key, change.template);
      else {
        ledger.createPod({
          owner: null,
          namespace: change.namespace,
          name: change.name,
          template: change.template,
          ordinal: null,
          revision: "",
        });
        world.tell({ type: "pod-created", pod: key, owner: "", labels: change.template.labels });
      }
      return;
    }
    case "services":
      ledger.setServices(change.services);
      return;
    case "autoscalers":
      ledger.setAutoscalers(change.autoscalers);
      return;
    case "quotas":
      ledger.setQuotas(change.quotas);
      return;
    case "webhooks":
      ledger.setWebhooks(change.webhooks);
      return;
    default:
      unreachable(change);
  }
}

/** A patch that says nothing of replicas leaves them as they are now. */
function withReplicas(spec: Workload, live: Workload): Workload {
  if ("replicas" in spec && "replicas" in live && spec.kind === live.kind) {
    return { ...spec, replicas: live.replicas };
  }
  return spec;
}
