import type { Actor } from "../actor.ts";
import { kubectlDrain } from "./kubectl-drain.ts";

/** A person with kubectl who takes one node after the other: what is assumed where nothing says who maintains the nodes. */
export const kubectlDrainInTurn: Actor = {
  ...kubectlDrain,
  name: "kubectl-drain-in-turn",
  title: "kubectl drain, one node after the other",
  description:
    "Drains one node (kubectl drain), restarts or mends its machine, opens it again (kubectl uncordon), and only then takes the next. Asks a refused eviction again " +
    "every 5 s, for ever; a drain that kubectl refuses or fails ends the maintenance.",
  closeWhen: "node",
  afterDrain: "reboots",
  onNodeFailure: "stops",
  signals: ["spec.unschedulable on one node at a time; nothing says who drains"],
  changed: [],
  notModelled: [
    "kubectl drain of several nodes in one command, which closes all of them first: kubectl-drain, and the what-if cordon-all",
  ],
  sources: [...kubectlDrain.sources, { mark: "D", from: "that the machine is away for 3 minutes" }],
};
