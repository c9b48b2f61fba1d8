import type { Actor } from "../actor.ts";
import { asksForEver, cordons, hourMs, secondMs } from "../usual.ts";

/** Gardener's machine-controller-manager rolling a worker pool. Mirrors gardener/machine-controller-manager, 2026-08-19. */
export const gardener: Actor = {
  name: "gardener",
  title: "Gardener worker rollout",
  description:
    "A new machine joins first (maxSurge 1, maxUnavailable 0), then an old one is cordoned and drained for up to two hours, pods with volumes one by one. What is " +
    "left then is deleted without any grace; a node that is not Ready is emptied that way at once.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [{ key: "deployment.machine.sapcloud.io/prefer-no-schedule", value: "True", effect: "PreferNoSchedule" }],
  nodesAtOnce: 1,
  surge: { nodes: 1, when: "before-each", joinMs: 300_000, atEnd: "stay" },
  pools: "independent",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: {
    ...asksForEver,
    volumesOneByOne: true,
    retryMs: 20 * secondMs,
    holdsForMs: 2 * hourMs,
    then: "deletes",
    deleteGraceMs: 0,
    onNotReady: "deletes",
  },
  afterDrain: "replaced",
  nodeDownMs: 300_000,
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "worker.gardener.cloud/pool", value: null }],
  signals: ["a PreferNoSchedule taint on old nodes; node condition Terminating; spec.unschedulable"],
  levers: ["the shoot's maintenance window (30 min to 6 h); a started rollout may overrun", "a budget, for two hours"],
  changed: [],
  notModelled: [
    "the surge is split by zone",
    "a limit on retries (10 by Gardener's documentation, 360 in the source): the time counts here",
    "strategies that update in place",
  ],
  sources: [
    { mark: "A", from: "gardener/machine-controller-manager pkg/util/provider/{drain,machinecontroller}, 2026-08-19" },
    { mark: "B", from: "gardener/gardener docs" },
  ],
};
