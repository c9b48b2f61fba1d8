import type { Actor } from "../actor.ts";
import { eksAuto } from "./eks-auto.ts";
import { karpenterExpiry } from "./karpenter-expiry.ts";

/** Expiry in EKS Auto Mode: two weeks for the built-in pools, three at most, and a drain of 24 hours. */
export const eksAutoExpiry: Actor = {
  ...karpenterExpiry,
  name: "eks-auto-expiry",
  title: "EKS Auto Mode, expiry",
  description:
    "Drains a node that is as old as its pool allows (336 h in the built-in pools, 21 days at most): no replacement first, no disruption budget. Pods are deleted early " +
    "enough for their grace to end within 24 hours, whatever budgets and do-not-disrupt say.",
  drain: eksAuto.drain,
  levers: ["a PodDisruptionBudget or karpenter.sh/do-not-disrupt on a pod, for 24 hours"],
  sources: eksAuto.sources,
};
