import type { Pod } from "../../model/pod.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView } from "../../model/view.ts";
import { isDaemon } from "../../search/owners.ts";
import { PodsRead } from "../../sim/pods-read.ts";
import { isSetUpWell } from "../closing.ts";
import { findingRule, labelOf, namesOf } from "../finding-rule.ts";
import { isUsable } from "../nodes.ts";
import { severityOf } from "../outcome.ts";
import type { Stop } from "../scene.ts";

/** System priorities may preempt anything; they are there in every cluster. */
const systemPriority = 1_000_000_000;

/** Pods that may push a part of the path off its node. Mirrors: the scheduler's preemption, which asks budgets last, 1.36. */
export const preemptable = findingRule({
  name: "preemptable",
  code: "HF027",
  title: "Others may push the path aside",
  explain: `Pods of another workload have a higher priority, may preempt, and can run on the same nodes. When a drain takes their room they push this part off its node: preemption prefers victims whose budgets allow it and goes past budgets when there are none. The node that loses the part is then not the one that is drained.

Give the path's parts a priority class at least as high as what shares their nodes.

It is told once for each such workload, with the parts it may push aside. It is an error where a likely maintenance breaks the endpoint through one of them that is set up well otherwise, else a note.`,
  messages: {
    lower: (f: { parts: string; priority: number; other: string; theirs: number }) => ({
      message: `${f.other} has priority ${f.theirs}, may preempt, and can run on the nodes of what the path has with less (${f.priority}): ${f.parts}. A drain elsewhere may push these off their nodes, past their budgets.`,
      remedy: "Give each a priorityClassName at least as high, at the object that owns its pod template.",
    }),
  },
  look: ({ stops, view }, say) => {
    const rivals = rivalsOf(view, stops);
    const weaker = stops.flatMap((stop) => {
      // A pod of a DaemonSet takes no other with it.
      const asked = stop.hop.needed && stop.workload?.kind !== "DaemonSet";
      const rival = asked ? strongerThan(rivals, stop) : undefined;
      return rival === undefined ? [] : [{ stop, rival }];
    });
    // One rival, one finding: what it may push aside is told together, of the part that broke if one did.
    return [...Map.groupBy(weaker, ({ rival }) => rival)].flatMap(([rival, parts]) => {
      const told = parts.find(({ stop }) => isSetUpWell(stop) && stop.shown.broke.length > 0) ?? parts[0];
      if (told === undefined) return [];
      const about = {
        severity: isSetUpWell(told.stop) ? severityOf(told.stop.shown, "note", "broke") : ("note" as const),
        evidence: parts.map(({ stop }) => `${labelOf(stop)} has priority ${stop.template?.priority ?? 0}`),
      };
      const facts = {
        parts: namesOf(parts.map(({ stop }) => stop)),
        priority: told.stop.template?.priority ?? 0,
        other: rival.key,
        theirs: rival.template.priority,
      };
      return [say.of(told.stop, about, "lower", facts)];
    });
  },
});

/** Pods that a drain would make look for room, and that may take others'; of those alike the first. */
function rivalsOf(view: ClusterView, stops: readonly Stop[]): readonly Pod[] {
  const lowest = Math.min(...stops.map(({ template }) => template?.priority ?? Number.POSITIVE_INFINITY));
  const alike = new Map<PodTemplate, Pod>();
  const read = PodsRead.of(view.cluster);
  for (const { priority, kin, uids } of read.kinds) {
    if (priority <= lowest || priority >= systemPriority || isDaemon(view, kin)) continue;
    if (kin.template.preemptionPolicy === "Never") continue;
    for (const uid of uids) {
      const pod = read.at(uid);
      if (!alike.has(pod.template)) alike.set(pod.template, pod);
    }
  }
  return [...alike.values()];
}

function strongerThan(rivals: readonly Pod[], { template, pods }: Stop): Pod | undefined {
  if (template === null) return undefined;
  const own = pods.flatMap(({ node }) => node ?? []);
  return rivals.find(
    (rival) => rival.template.priority > template.priority && own.some((node) => isUsable(node, rival.template)),
  );
}
