import { zoneOf } from "../../model/node.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { spreadText } from "../knob-text.ts";
import { usableNodes } from "../nodes.ts";
import { severityOf } from "../outcome.ts";
import type { Scene, Stop } from "../scene.ts";
import { sharedClaimText } from "../shared-claim.ts";
import { isWish } from "../spread.ts";

/** Replicas that stand together fall together. */
export const sameNode = findingRule({
  name: "same-node",
  code: "HF008",
  title: "All replicas on one node",
  explain: `Two or more replicas, all on the same node, although others could take them. The node's failure ends them together, and so does a drain that no budget holds; a budget makes the drain wait for a replacement elsewhere, which has nowhere to go while the other nodes are closed too.

Kubernetes moves nothing back: after a maintenance both replicas are often on the node that came back first.

Spread them, and once they stand together restart the Deployment so that the spread takes hold.

It is an error where a likely maintenance breaks or stalls through this part, else a note.`,
  messages: {
    together: (f: { part: string; replicas: number; node: string; remedy: string; claim: string }) => ({
      message: `${f.replicas === 2 ? "Both" : `All ${f.replicas}`} pods of ${f.part} are on node ${f.node}: what takes the node takes all of them.`,
      remedy: `${f.remedy} Then restart it, since running pods are not moved. ${f.claim}`.trimEnd(),
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const nodes = placesOf(stop, (pod) => pod.node?.name ?? "");
      const [node] = nodes;
      if (!isReplicated(scene, stop) || nodes.length !== 1 || node === undefined) return [];
      const facts = {
        part: nameOf(stop),
        replicas: stop.pods.length,
        node,
        remedy: spreadText(stop.hop.knobs.spread),
        claim: sharedClaimText(scene.view, stop),
      };
      const isWished = stop.template !== null && isWish(stop.template);
      const evidence = isWished ? ["its spread is only a wish (ScheduleAnyway or preferred)"] : [];
      const severity = severityOf(stop.shown, "note", "either");
      return [say.of(stop, { severity, evidence, breaks: stop.shown.stalled.length === 0 }, "together", facts)];
    }),
});

/** Several units, and more than one node to put them on. */
export function isReplicated({ view }: Scene, { hop, template, units, pods, workload }: Stop): boolean {
  if (!hop.needed || units < 2 || pods.length < 2 || workload?.kind === "DaemonSet") return false;
  return template !== null && hop.unit.kind === "pod" && usableNodes(view, template).length > 1;
}

/** Where the placed pods are, each place once. */
export function placesOf({ pods }: Stop, place: (pod: Stop["pods"][number]) => string): readonly string[] {
  const placed = pods.filter((pod) => pod.node !== null && pod.terminatingSinceMs === null);
  return placed.length < 2 ? [] : [...new Set(placed.map(place))];
}

/** The zone of a pod's node; "" unplaced or unlabelled. */
export function zoneOfPod({ node }: Stop["pods"][number]): string {
  return node === null ? "" : zoneOf(node.node.labels);
}
