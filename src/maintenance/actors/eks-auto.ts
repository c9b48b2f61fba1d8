import type { Actor } from "../actor.ts";
import { hourMs } from "../usual.ts";
import { karpenter } from "./karpenter.ts";

/** EKS Auto Mode: Karpenter run by AWS, its built-in pools with 24 h of terminationGracePeriod. */
export const eksAuto: Actor = {
  ...karpenter,
  name: "eks-auto",
  title: "EKS Auto Mode",
  description:
    "Karpenter run by AWS: taints a node instead of cordoning it, brings a replacement first, evicts in waves. Its built-in pools give a drain 24 hours; pods " +
    "are deleted early enough for their grace to end by then, whatever budgets and do-not-disrupt say. Nodes live 21 days at most.",
  // With a limit, drift goes ahead behind a budget or a mark that holds a pod.
  passesOver: karpenter.passesOver.filter(({ on }) => on !== "budget" && on !== "podAnnotation"),
  drain: {
    ...karpenter.drain,
    holdsForMs: 24 * hourMs,
    then: "deletes",
    deletesEarly: true,
  },
  signs: [{ on: "nodeLabel", key: "eks.amazonaws.com/compute-type", value: "auto" }],
  sources: [
    ...karpenter.sources,
    {
      mark: "B",
      from: "EKS user guide, Auto Mode: limits of the built-in node pools (expireAfter 336h, terminationGracePeriod 24h, 10 %)",
    },
  ],
};
