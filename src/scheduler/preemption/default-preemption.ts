import { byCodeUnit } from "../../base/ordering.ts";
import type { NodeView } from "../../model/view.ts";
import {
  type Cycle,
  type Failure,
  type PostFilter,
  type PostFilterOutcome,
  type Rejection,
  rejectForGood,
  verdictOn,
} from "../framework.ts";
import { pickNode } from "./pick-node.ts";
import { keysOf, selectVictims, type Victims } from "./victims.ts";

/**
 * Looks for a node where deleting pods of lower priority makes room. Budgets are respected if some node allows it, not
 * otherwise. The victims are deleted, not evicted.
 * Mirrors: plugins/defaultpreemption and framework/preemption, Kubernetes 1.34 to 1.37.
 */
export const defaultPreemption: PostFilter = {
  name: "DefaultPreemption",
  run(cycle, failure) {
    const refused = notEligible(cycle, failure);
    if (refused !== null) return nobody("Unschedulable", refused);
    const potential = cycle.nodes.filter((node) => verdictOn(failure, node.name).code === "Unschedulable");
    const tried = new Map<string, Rejection>();
    const candidates: Victims[] = [];
    const errors: string[] = [];
    for (const node of potential) {
      const selection = failure.run === null ? null : selectVictims(cycle, failure.run, node);
      if (selection === null) continue;
      if (selection.found === "victims") candidates.push(selection.victims);
      else if (selection.found === "none") tried.set(node.name, selection.verdict);
      else errors.push(selection.reasons.join(", "));
    }
    if (candidates.length > 0) {
      const drawn = candidates.some((victims) => victims.drawn);
      return chosen(cycle, possible(cycle, potential, candidates), drawn);
    }
    if (errors.length > 0) return nobody("Error", joined(errors));
    return nobody("Unschedulable", noNodeHelped(cycle, tried));
  },
};

function notEligible({ pod, view }: Cycle, failure: Failure): string | null {
  if (pod.template.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  if (pod.nominatedNode === "") return null;
  if (verdictOn(failure, pod.nominatedNode).code === "UnschedulableAndUnresolvable") return null;
  const leaving = view
    .node(pod.nominatedNode)
    ?.pods.some((other) => other.preempted && other.template.priority < pod.template.priority);
  return leaving === true ? "not eligible due to a terminating pod on the nominated node." : null;
}

/** At least this many candidates are looked for, or this part of the nodes if that is more. */
const candidatesMin = 100;
const candidatesPercentMin = 10;

/**
 * Nodes upstream could choose: it starts at a random node and stops once it has enough candidates, one of them without a
 * violated budget. Up to 100 nodes that means all are compared; beyond, every start is played.
 */
function possible(cycle: Cycle, potential: readonly NodeView[], candidates: readonly Victims[]): readonly Victims[] {
  const percent = Math.floor((potential.length * candidatesPercentMin) / 100);
  const enough = Math.min(potential.length, Math.max(percent, candidatesMin));
  const best = pickNode(cycle, candidates);
  if (enough >= candidates.length) return best;
  const byNode = new Map(candidates.map((victims) => [victims.node, victims]));
  const all = new Set<Victims>(best);
  for (let offset = 0; offset < potential.length; offset += 1) {
    for (const victims of pickNode(cycle, window(potential, byNode, { offset, enough }))) all.add(victims);
  }
  const others = candidates.filter((victims) => all.has(victims) && !best.includes(victims));
  return [...best, ...others];
}

function window(
  potential: readonly NodeView[],
  byNode: ReadonlyMap<string, Victims>,
  { offset, enough }: { readonly offset: number; readonly enough: number },
): readonly Victims[] {
  const seen: Victims[] = [];
  let harmless = false;
  for (let step = 0; step < potential.length; step += 1) {
    const node = potential[(offset + step) % potential.length];
    const victims = node === undefined ? undefined : byNode.get(node.name);
    if (victims === undefined) continue;
    seen.push(victims);
    harmless ||= victims.budgetViolations === 0;
    if (harmless && seen.length >= enough) break;
  }
  return seen;
}

function chosen(cycle: Cycle, nodes: readonly Victims[], drawn: boolean): PostFilterOutcome {
  const [first] = nodes;
  // Says so in its status from 1.37 on, which puts it into the pod's message.
  const says =
    cycle.minor >= 37 && first !== undefined
      ? [
          `preemption: found a potential placement for pod on node ${first.node}, preempting ${first.pods.length} victims`,
        ]
      : [];
  const candidates = nodes.map((victims) => ({ node: victims.node, victims: keysOf(victims), drawn }));
  return { code: "Success", reasons: says, candidates, effects: [] };
}

function nobody(code: "Unschedulable" | "Error", reason: string): PostFilterOutcome {
  return { code, reasons: [`preemption: ${reason}`], candidates: [], effects: [] };
}

/** As the scheduler's own message: how many nodes for which reason, sorted as text. Nodes not tried cannot be helped. */
function noNodeHelped({ nodes }: Cycle, tried: ReadonlyMap<string, Rejection>): string {
  const hopeless = rejectForGood("Preemption is not helpful for scheduling");
  const counts = new Map<string, number>();
  for (const node of nodes) {
    for (const reason of (tried.get(node.name) ?? hopeless).reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort(byCodeUnit);
  const list = parts.length === 0 ? "" : ` ${parts.join(", ")}.`;
  return `0/${nodes.length} nodes are available:${list}`;
}

/** As upstream joins errors: one as it is, several in brackets, each once. */
function joined(errors: readonly string[]): string {
  const once = [...new Set(errors)];
  return once.length === 1 ? (once[0] ?? "") : `[${once.join(", ")}]`;
}
