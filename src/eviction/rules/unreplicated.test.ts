import { drainRows } from "../../../test/support/drain.ts";
import { pod, replicaSet } from "../../../test/support/tiny.ts";
import { unreplicated } from "./unreplicated.ts";

/** Read from kubectl pkg/drain/filters.go unreplicatedFilter, 0.36.3. */
drainRows(unreplicated, [
  ["no controller", { pod: pod("bare") }, "refuse noController"],
  ["with --force", { pod: pod("bare"), flags: { force: true } }, "pass"],
  ["finished", { pod: pod("bare", { phase: "Succeeded", ready: false }) }, "pass"],
  ["a controller", { pod: pod("web", { owner: replicaSet("web").key }) }, "pass"],
  ["a controller that is gone is one", { pod: pod("web", { owner: "ReplicaSet.apps/ns/gone" }) }, "pass"],
]);
