import type { Actor } from "../actor.ts";
import { nebius } from "./nebius.ts";

/** The same maintenance event as its documentation has it: by batches within a node group, max_unavailable nodes each. */
export const nebiusByBatch: Actor = {
  ...nebius,
  name: "nebius-by-batch",
  title: "Nebius maintenance event, by batches",
  description:
    "As its documentation has it: takes the nodes of a node group in batches of max_unavailable (at least 1), cordons a batch when its turn comes, " +
    "drains each node for at most one hour, stops the machine whatever is left on it, starts it again and uncordons it.",
  closeWhen: "batch",
  pools: "independent",
  signs: [],
  notModelled: [
    "the wait for workloads before the deadline (documented for jobs; whether it applies to services is not stated)",
    "whether the drain uses the Eviction API is not stated; it does elsewhere in that API",
    "max_unavailable of the node group, where the cluster does not show it: taken as 1",
  ],
};
