import type { SimMs } from "../base/units.ts";
import type { ControllerMemory, Effect, WorkloadView } from "../model/view.ts";
import { allParts, type Rollout, sum } from "./deployment-parts.ts";

/** What the Progressing condition and the status counts would tell the next sync. Kept while a rollout is under way. */
interface RolloutProgress extends ControllerMemory {
  readonly kind: "rollout";
  readonly updated: number;
  readonly old: number;
  readonly ready: number;
  readonly available: number;
  readonly progressedAtMs: SimMs;
  readonly stalled: boolean;
}

/** Validation allows no larger deadline; this value means none. */
const noDeadlineMs = 2_147_483_647_000;

/**
 * Watches a rollout: any gain of updated, ready or available pods, or loss of old ones, is progress; none for the
 * deadline is reported once, with the condition's message. A finished rollout is not watched, whatever its pods do.
 * Mirrors: pkg/controller/deployment/progress.go syncRolloutStatus, requeueStuckDeployment (one second late), 1.36.
 */
export function rolloutProgress(rollout: Rollout): readonly Effect[] {
  const { deployment, current, cluster, workload } = rollout;
  const { progressDeadlineMs, replicas } = deployment;
  if (progressDeadlineMs >= noDeadlineMs) return [];
  const all = allParts(rollout);
  const existing = sum(all, (part) => part.existing);
  const updated = current?.existing ?? 0;
  const before = isProgress(workload.memory) ? workload.memory : null;
  // Not watched, and every pod is of the current template.
  if (before === null && existing === updated) return [];
  const ready = sum(all, (part) => part.ready);
  const available = sum(all, (part) => part.available);
  const complete = updated === replicas && existing === replicas && available === replicas;
  if (complete) return before === null ? [] : [forget(workload)];
  const old = existing - updated;
  const progressed =
    before === null ||
    updated > before.updated ||
    old < before.old ||
    ready > before.ready ||
    available > before.available;
  const progressedAtMs = progressed ? cluster.nowMs : before.progressedAtMs;
  const dueAtMs = progressedAtMs + progressDeadlineMs + 1000;
  const stalled = !progressed && (before.stalled || dueAtMs <= cluster.nowMs);
  const memory: RolloutProgress = { kind: "rollout", updated, old, ready, available, progressedAtMs, stalled };
  const effects: Effect[] = [];
  if (before === null || !same(before, memory)) effects.push({ do: "remember", workload: workload.key, memory });
  if (stalled && before?.stalled !== true) effects.push(report(rollout));
  if (!stalled) effects.push({ do: "wake", workload: workload.key, atMs: dueAtMs });
  return effects;
}

/** A new ReplicaSet is progress, and begins the watch. */
export function rolloutStarted(rollout: Rollout): Effect {
  const all = allParts(rollout);
  const memory: RolloutProgress = {
    kind: "rollout",
    updated: 0,
    old: sum(all, (part) => part.existing),
    ready: sum(all, (part) => part.ready),
    available: sum(all, (part) => part.available),
    progressedAtMs: rollout.cluster.nowMs,
    stalled: false,
  };
  return { do: "remember", workload: rollout.workload.key, memory };
}

function isProgress(memory: ControllerMemory | null): memory is RolloutProgress {
  return memory?.kind === "rollout";
}

function forget({ key }: WorkloadView): Effect {
  return { do: "remember", workload: key, memory: null };
}

function report({ deployment, current, workload: { key } }: Rollout): Effect {
  const subject =
    current === null
      ? `Deployment ${JSON.stringify(deployment.ref.name)}`
      : `ReplicaSet ${JSON.stringify(current.spec.ref.name)}`;
  return { do: "report", type: "rollout-stalled", ref: key, message: `${subject} has timed out progressing.` };
}

function same(a: RolloutProgress, b: RolloutProgress): boolean {
  return (
    a.updated === b.updated &&
    a.old === b.old &&
    a.ready === b.ready &&
    a.available === b.available &&
    a.progressedAtMs === b.progressedAtMs &&
    a.stalled === b.stalled
  );
}
