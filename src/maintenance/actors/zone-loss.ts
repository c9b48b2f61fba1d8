import type { Actor } from "../actor.ts";
import { nodeFailure } from "./node-failure.ts";

/** Every machine of a zone off at once; name the zone's nodes with --zone. */
export const zoneLoss: Actor = {
  ...nodeFailure,
  name: "zone-loss",
  title: "Zone loss",
  description:
    "All named machines (say them with --zone) are off at once and stay off: a node failure of each. Volumes of the zone are out of reach with it. " +
    "Its pods are given up one node in 10 s as long as another zone stands; when nothing stands, none are.",
};
