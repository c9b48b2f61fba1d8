import { findingRule, nameOf } from "../finding-rule.ts";
import { hasRoom, usableNodes } from "../nodes.ts";

/** The one engine cannot be started a second time anywhere. */
export const noSpareAccelerator = findingRule({
  name: "no-spare-accelerator",
  code: "HF022",
  title: "No accelerator to start a second engine on",
  explain: `The model has one engine, and no node it may use has the accelerators free for another: there is no way to start a second one before the first is moved, by hand or by the operator. Any maintenance of its node is then an outage as long as the node is away and the engine loads, or a stall under a budget.

Free a node's worth of accelerators for the time of the maintenance (scale something less important down), or plan the gap.

It is a warning where the endpoint breaks or stalls in a likely maintenance, else a note.`,
  messages: {
    none: (f: { part: string; what: string }) => ({
      message: `${f.part} is alone, and no node it may use has ${f.what} free: a second one cannot be started before the first is moved.`,
      remedy:
        "Free the accelerators of one engine for the maintenance, or accept the gap: holdfast.dev/max-down says how long.",
    }),
  },
  look: ({ stops, view }, say) =>
    stops.flatMap((stop) => {
      const { hop, template, units, shown } = stop;
      const wants = template === null ? [] : [...template.requests.scalar];
      if (hop.hop !== "engine" || hop.unit.kind !== "pod" || units !== 1 || template === null || wants.length === 0)
        return [];
      if (usableNodes(view, template).some((node) => !node.unschedulable && hasRoom(node, template))) return [];
      const hurts = shown.broke.length + shown.stalled.length > 0;
      const what = wants.map(([name, amount]) => `${amount} ${name}`).join(", ");
      return [say.of(stop, { severity: hurts ? "warning" : "note" }, "none", { part: nameOf(stop), what })];
    }),
});
