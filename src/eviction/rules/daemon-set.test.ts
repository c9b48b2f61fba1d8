import { drainRows } from "../../../test/support/drain.ts";
import { daemonSet as agents, otherOwner, pod, replicaSet } from "../../../test/support/tiny.ts";
import { daemonSet } from "./daemon-set.ts";

/** Read from kubectl pkg/drain/filters.go daemonSetFilter, 0.36.3. */

const set = agents("agent");
const agent = pod("agent-x", { owner: set.key });
const there = { workloads: [set] };
const unread = { workloads: [otherOwner("apps/v1", "DaemonSet", "agent", { present: false })] };

drainRows(daemonSet, [
  ["a pod of something else", { pod: pod("web", { owner: replicaSet("web").key }) }, "pass"],
  ["a bare pod", { pod: pod("web") }, "pass"],
  ["without the flag", { pod: agent, parts: there }, "refuse daemonSetPods"],
  ["with it", { pod: agent, parts: there, flags: { ignoreDaemonsets: true } }, "skip ignored"],
  ["--force does not evict it", { pod: agent, parts: there, flags: { force: true } }, "refuse daemonSetPods"],
  ["finished", { pod: { ...agent, phase: "Succeeded", ready: false }, parts: there }, "pass"],
  ["its DaemonSet is gone", { pod: agent, flags: { ignoreDaemonsets: true } }, "refuse daemonSetGone"],
  ["its DaemonSet was not read", { pod: agent, parts: unread }, "refuse daemonSetGone"],
  ["gone, with --force", { pod: agent, flags: { force: true } }, "pass"],
  [
    "an owner called DaemonSet in another group",
    { pod: pod("x", { owner: "DaemonSet.apps.kruise.io/ns/agent" }) },
    "pass",
  ],
]);
