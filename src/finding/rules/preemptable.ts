import type { ClusterView, PodView } from "../../model/view.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { usableNodes } from "../nodes.ts";
import { severityOf } from "../outcome.ts";
import type { Scene, Stop } from "../scene.ts";

/** System priorities may preempt anything; they are there in every cluster. */
const systemPriority = 1_000_000_000;

/** Pods that may push a part of the path off its node. Mirrors: the scheduler's preemption, which asks budgets last, 1.36. */
export const preemptable = findingRule({
  name: "preemptable",
  code: "HF027",
  title: "Others may push the path aside",
  explain: `Pods of another workload have a higher priority, may preempt, and can run on the same nodes. When a drain takes their room they push this part off its node: preemption prefers victims whose budgets allow it and goes past budgets when there are none. The node that loses the part is then not the one that is drained.

Give the path's parts a priority class at least as high as what shares their nodes.

It is an error where a likely maintenance breaks the endpoint through this part, else a note.`,
  messages: {
    lower: (f: { part: string; priority: number; other: string; theirs: number }) => ({
      message: `${f.part} has priority ${f.priority}; ${f.other} has ${f.theirs}, may preempt, and can run on the same nodes: a drain elsewhere may push this part off its node, past its budget.`,
      remedy: "Give it a priorityClassName at least as high, at the object that owns its pod template.",
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const other = stop.hop.needed ? strongerThan(scene, stop) : null;
      if (other === null) return [];
      const about = { severity: severityOf(stop.shown, "note", "broke") };
      const facts = {
        part: nameOf(stop),
        priority: stop.template?.priority ?? 0,
        other: other.key,
        theirs: other.template.priority,
      };
      return [say.of(stop, about, "lower", facts)];
    }),
});

/** A pod that a drain would make look for room, and that could take this part's. */
function strongerThan({ view }: Scene, { template, pods }: Stop): PodView | null {
  if (template === null || pods.length === 0) return null;
  const own = new Set(pods.flatMap(({ node }) => (node === null ? [] : [node.name])));
  for (const pod of view.pods) {
    const { priority, preemptionPolicy } = pod.template;
    if (priority <= template.priority || priority >= systemPriority || preemptionPolicy === "Never") continue;
    if (isDaemon(view, pod)) continue;
    if (usableNodes(view, pod.template).some(({ name }) => own.has(name))) return pod;
  }
  return null;
}

function isDaemon(view: ClusterView, { owner }: PodView): boolean {
  return owner !== null && view.workload(owner)?.spec.kind === "DaemonSet";
}
