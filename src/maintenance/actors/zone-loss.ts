import type { Actor } from "../actor.ts";
import { nodeFailure } from "./node-failure.ts";

/** Every machine of a zone off at once; name the zone's nodes with --zone. */
export const zoneLoss: Actor = {
  ...nodeFailure,
  name: "zone-loss",
  title: "Zone loss",
  description:
    "All named machines (say them with --zone) are off at once and stay off: a node failure of each. Volumes of the zone are out of reach with it.",
  notModelled: [
    "in a zone that is lost to more than 55 % (at least 3 nodes) taints come at 0.01 nodes a second, in one of 50 nodes or fewer not at all: its pods then stay, and are not made again",
    "when every zone is lost nothing is tainted",
  ],
};
