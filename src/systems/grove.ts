import { createBudget } from "./knobs.ts";
import { helmPart, labelledOwner, ownedPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/** Gangs of pods. Mirrors: Grove's API as of 2026-08. Its controllers are not modelled. */
export const grove: System = {
  name: "grove",
  title: "Grove",
  about:
    "Pods labelled grove.io/podclique, owned by PodCliques of a PodCliqueSet (label app.kubernetes.io/part-of). Set replicas at the " +
    "PodCliqueSet or what owns it; no budget is made. Engines that Grove runs are part of the endpoint their Service or " +
    "system declares; how its controllers replace pods is not modelled.",
  gateways: [],
  entries: noEntries,
  parts: [
    ownedPart({
      hop: "engine",
      component: "Engine",
      match: { labels: { "grove.io/podclique": "*" } },
      owner: labelledOwner("PodCliqueSet", "grove.io/v1alpha1", "app.kubernetes.io/part-of"),
      replicas: "spec.replicas",
      spread: null,
      budget: createBudget("An integer minAvailable: its owners' scales do not add up to pods."),
      overwrites: "Grove puts its pods back as the PodCliqueSet says.",
    }),
    helmPart({
      hop: "controller",
      component: "Grove operator",
      whileGone: "Gangs are not re-created.",
      match: { kinds: ["Deployment"], labels: { "app.kubernetes.io/name": "grove-operator" } },
      values: { replicas: "grove.replicaCount", budget: null, spread: null },
    }),
  ],
};
