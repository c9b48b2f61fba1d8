import { PodsRead } from "../../sim/pods-read.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";

/** Replicas that are wanted and wait for a place. */
export const noRoomForReplicas = findingRule({
  name: "no-room-for-replicas",
  code: "HF013",
  title: "Replicas that find no place",
  explain: `A replica of the path is Pending: the scheduler finds no node for it. Required anti-affinity or a hard spread with fewer nodes than replicas is the usual reason; the last replica can then never start, and it starts to matter when a node is drained: the floor is reckoned from the replicas that are wanted.

Ask for as many replicas as there are places, add a node (or a zone), or make the rule a wish.

It is an error where a likely maintenance breaks the endpoint through this part, else a warning.`,
  messages: {
    apart: (f: { part: string; pending: number; wanted: number }) => ({
      message: `${waiting(f)} for a node that its own spread or anti-affinity leaves free: there are more replicas than places.`,
      remedy:
        "Lower the replicas to the number of places (nodes, or zones where the rule is over zones), add one, or make the rule a wish; or say how few are enough: holdfast.dev/min-available.",
    }),
    volumes: (f: { part: string; pending: number; wanted: number }) => ({
      message: `${waiting(f)} for a volume: their claims are not bound, or their volumes cannot be reached from any node with room.`,
      remedy: "Look at the claims: their StorageClass must be there, and make volumes where a node has room.",
    }),
    full: (f: { part: string; pending: number; wanted: number }) => ({
      message: `${waiting(f)} for a node: none has room for one more.`,
      remedy: "Add a node, lower the requests, or lower the replicas.",
    }),
  },
  look: ({ stops, cluster }, say) => {
    const read = PodsRead.of(cluster);
    return stops.flatMap((stop) => {
      // One that is bound to a node of which nothing was read waits for none, and for one behind a gate no node was looked for.
      const waiting = stop.pods.filter(
        ({ key, node, template, terminatingSinceMs }) =>
          node === null &&
          terminatingSinceMs === null &&
          template.schedulingGates.length === 0 &&
          (read.find(key)?.nodeName ?? "") === "",
      );
      const [first] = waiting;
      if (first === undefined) return [];
      // The ledger starts without the messages of the cluster it was made from.
      const text = first.unschedulableMessage || read.find(first.key)?.unschedulableMessage || "";
      const id = reasonOf(text);
      const about = { severity: severityOf(stop.shown, "warning", "broke"), evidence: text === "" ? [] : [text] };
      return [say.of(stop, about, id, { part: nameOf(stop), pending: waiting.length, wanted: stop.pods.length })];
    });
  },
});

function waiting(f: { readonly part: string; readonly pending: number; readonly wanted: number }): string {
  return `${f.pending} of ${f.wanted} pods of ${f.part} ${f.pending === 1 ? "waits" : "wait"}`;
}

/** By the scheduler's own words. */
function reasonOf(text: string): "apart" | "volumes" | "full" {
  if (/anti-affinity|topology spread/.test(text)) return "apart";
  return /persistentvolumeclaim|persistent volumes|volume node affinity/i.test(text) ? "volumes" : "full";
}
