import { zoneOf } from "../../model/node.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { usableNodes } from "../nodes.ts";
import { isReplicated, placesOf, zoneOfPod } from "./same-node.ts";

/** All replicas in one zone, where others have nodes for them. */
export const sameZone = findingRule({
  name: "same-zone",
  code: "HF009",
  title: "All replicas in one zone",
  explain: `Two or more replicas in one zone, although nodes of other zones could take them. Losing the zone, or a maintenance that goes zone by zone, takes all of them.

Where the part can only run in one zone (GPU capacity, a zonal volume) nothing is said.

Losing a zone is a what-if here and never makes a verdict, so this is a note.`,
  messages: {
    oneZone: (f: { part: string; zone: string; others: string }) => ({
      message: `All pods of ${f.part} are in zone ${f.zone}, although ${f.others} could take them: losing that zone takes all of them.`,
      remedy: "Add a topology spread over topology.kubernetes.io/zone beside the one over nodes.",
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      if (!isReplicated(scene, stop) || stop.template === null) return [];
      const [zone, second] = placesOf(stop, zoneOfPod);
      if (zone === undefined || zone === "" || second !== undefined) return [];
      const zones = new Set(usableNodes(scene.view, stop.template).map(({ node }) => zoneOf(node.labels)));
      zones.delete(zone);
      zones.delete("");
      if (zones.size === 0) return [];
      const facts = { part: nameOf(stop), zone, others: [...zones].sort().join(", ") };
      const apart = placesOf(stop, (pod) => pod.node?.name ?? "").length > 1;
      // Pods on one node are told of by that already.
      return apart ? [say.of(stop, { severity: "note", breaks: true }, "oneZone", facts)] : [];
    }),
});
