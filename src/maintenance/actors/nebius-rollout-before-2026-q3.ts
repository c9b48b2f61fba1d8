import type { Actor } from "../actor.ts";
import { asksForEver } from "../usual.ts";
import { nebiusRollout } from "./nebius-rollout.ts";

/** A rollout of a Nebius node group with the defaults until Q3 2026: new node first, and no limit on the drain. */
export const nebiusRolloutBefore2026Q3: Actor = {
  ...nebiusRollout,
  name: "nebius-rollout-before-2026-q3",
  title: "Nebius node-group rollout, old defaults",
  description:
    "Upgrade or template change of a node group with the defaults that held until Q3 2026: a new node joins first (max_surge 1, max_unavailable 0), then " +
    "an old one is cordoned and drained for as long as it takes, and removed.",
  surge: { nodes: 1, when: "before-each", joinMs: 210_000, atEnd: "stay" },
  drain: asksForEver,
};
