import { unreachable } from "../../src/base/invariant.ts";
import { budgetSync } from "../../src/eviction/budget-status.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import type { ObjectKey } from "../../src/model/key.ts";
import type { Effect, PodView } from "../../src/model/view.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import type { Controller } from "../../src/workload/controller.ts";
import { collectGarbage, podObjectKey } from "../../src/workload/garbage-collector.ts";
import { controllers } from "../../src/workload/registry.ts";

/**
 * A cluster played by hand, for tests of controllers: every controller is asked until none wants anything; pods are bound,
 * get ready and go only when the test says so. `log` tells what controllers did, one line an effect.
 */
export class Play {
  readonly ledger: Ledger;
  readonly log: string[] = [];
  readonly wakes: { readonly workload: ObjectKey; readonly atMs: number }[] = [];
  readonly #controllers: readonly Controller[];
  /** Everything that was ever removed or began to be deleted. */
  readonly #suspects = new Set<ObjectKey>();

  constructor(cluster: Cluster, only: readonly Controller[] = controllers) {
    this.ledger = new Ledger(cluster, new Journal());
    this.#controllers = only;
  }

  /** Asks garbage collection and all controllers until nobody changes anything. */
  settle(): this {
    for (let round = 0; round < 1000; round++) {
      const before = this.#state();
      for (const effect of collectGarbage(this.ledger, this.#suspects)) this.apply(effect);
      for (const controller of this.#controllers) {
        for (const workload of [...this.ledger.workloads]) {
          if (!controller.kinds.includes(workload.spec.kind) || this.ledger.workload(workload.key) !== workload)
            continue;
          for (const effect of controller.reconcile(this.ledger, workload)) this.apply(effect);
        }
      }
      if (this.#state() === before) return this.#syncBudgets();
    }
    throw new Error(`no rest after 1000 rounds: ${this.log.slice(-10).join("; ")}`);
  }

  /** What the log of controllers' doings says since it was last asked. */
  said(): readonly string[] {
    return this.log.splice(0);
  }

  at(nowMs: number): this {
    this.ledger.setTime(nowMs);
    return this.settle();
  }

  /** Every waiting pod is bound to the node, runs and is Ready at once. */
  startAll(node = "n1"): this {
    for (const pod of [...this.ledger.pods]) if (pod.node === null) this.start(pod.key, node);
    return this.settle();
  }

  bind(pod: string, node = "n1"): this {
    this.ledger.bind(pod, node);
    this.ledger.setPhase(pod, "Running");
    return this;
  }

  start(pod: string, node = "n1"): this {
    this.bind(pod, node).ledger.setReady(pod, true);
    return this;
  }

  /** The deletion of a running pod begins, as after an accepted eviction. */
  delete(pod: string): this {
    this.ledger.markTerminating(pod, false);
    return this.settle();
  }

  /** One terminating pod's processes have stopped. */
  stop(key: string): this {
    const pod = this.ledger.pod(key);
    if (pod !== undefined && !pod.heldByFinalizer) this.#remove(pod);
    return this.settle();
  }

  /** Terminating pods whose processes have stopped: gone, unless a finalizer holds the object. */
  stopAll(): this {
    for (const pod of [...this.ledger.pods]) {
      if (pod.terminatingSinceMs !== null && !pod.heldByFinalizer) this.#remove(pod);
    }
    return this.settle();
  }

  pods(): readonly string[] {
    return [...this.ledger.pods].map(describe);
  }

  apply(effect: Effect): void {
    const { ledger } = this;
    switch (effect.do) {
      case "createPod": {
        const namespace = effect.template.namespace;
        const pod = ledger.createPod({ ...effect, namespace });
        this.log.push(`create ${pod.key}`);
        return;
      }
      case "deletePod": {
        const pod = ledger.pod(effect.pod);
        if (pod === undefined || pod.terminatingSinceMs !== null) return;
        this.log.push(`delete ${effect.pod} by ${effect.by}${effect.foreground ? ", foreground" : ""}`);
        ledger.markTerminating(effect.pod, effect.foreground);
        this.#suspects.add(podObjectKey(pod));
        if (pod.node === null && !effect.foreground) this.#remove(pod);
        return;
      }
      case "setReplicas": {
        const workload = ledger.workload(effect.workload);
        if (workload === undefined || !("replicas" in workload.spec)) return;
        this.log.push(
          `scale ${short(effect.workload)} to ${effect.replicas}${effect.reason === "" ? "" : `: ${effect.reason}`}`,
        );
        ledger.setSpec(effect.workload, { ...workload.spec, replicas: effect.replicas });
        return;
      }
      case "setSpec": {
        const before = ledger.workload(effect.workload)?.spec;
        const { spec } = effect;
        if (before !== undefined && "replicas" in before && "replicas" in spec && before.replicas !== spec.replicas) {
          this.log.push(`scale ${short(effect.workload)} from ${before.replicas} to ${spec.replicas}`);
        }
        ledger.setSpec(effect.workload, spec);
        return;
      }
      case "createWorkload":
        this.log.push(
          `create ${short(effect.spec.key)}${"replicas" in effect.spec ? ` of ${effect.spec.replicas}` : ""}`,
        );
        ledger.createWorkload(effect.spec);
        return;
      case "deleteWorkload":
        if (ledger.workload(effect.workload) === undefined) return;
        if (effect.propagation === "foreground") {
          if (ledger.workload(effect.workload)?.deleting === true) return;
          this.log.push(`delete ${short(effect.workload)} by ${effect.by}, foreground`);
          this.#suspects.add(effect.workload);
          ledger.markWorkloadDeleting(effect.workload, true);
        } else {
          this.log.push(`delete ${short(effect.workload)} by ${effect.by}`);
          this.#suspects.add(effect.workload);
          ledger.removeWorkload(effect.workload);
        }
        return;
      case "releaseFinalizer":
        ledger.releaseFinalizer(effect.pod);
        return;
      case "remember":
        ledger.remember(effect.workload, effect.memory);
        return;
      case "wake":
        this.wakes.push({ workload: effect.workload, atMs: effect.atMs });
        return;
      case "report":
        this.log.push(`${effect.type} ${short(effect.ref)}: ${effect.message}`);
        return;
      case "allocateClaim":
      case "deallocateClaim":
      case "bindVolumeClaim":
        return;
      default:
        unreachable(effect);
    }
  }

  #remove(pod: PodView): void {
    this.#suspects.add(podObjectKey(pod));
    this.ledger.removePod(pod.key);
  }

  #syncBudgets(): this {
    for (const budget of this.ledger.budgets) {
      const { status, disruptedPods } = budgetSync(this.ledger, budget);
      this.ledger.setBudgetStatus(budget.budget.key, status);
      this.ledger.setDisruptedPods(budget.budget.key, disruptedPods);
    }
    return this;
  }

  /** Changes of the cluster, and of what controllers remember. */
  #state(): string {
    const memories = [...this.ledger.workloads].map(({ key, memory }) => `${key}=${JSON.stringify(memory)}`);
    return `${this.ledger.changes}|${memories.join(",")}`;
  }
}

function short(key: string): string {
  return `${key.slice(0, key.indexOf("."))} ${key.slice(key.lastIndexOf("/") + 1)}`;
}

function describe(pod: PodView): string {
  const state = pod.terminatingSinceMs !== null ? "terminating" : pod.ready ? "ready" : pod.phase.toLowerCase();
  return `${pod.name} ${state}`;
}
