import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { cluster, daemonSet, otherOwner, type Parts, pod, replicaSet, template } from "../../test/support/tiny.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { mayRefuse, planDrain } from "./drain.ts";
import { bareDrainFlags, type DrainFlags, parseDrainFlags } from "./drain-flags.ts";

/** Texts read from kubectl pkg/drain/filters.go, 0.36.3. */

const owned = replicaSet("web").key;
const agents = daemonSet("agent");
const agent = pod("agent-x", { owner: agents.key });
const scratch = template("web", { volumes: [{ kind: "emptyDir", volume: "tmp" }] });
const web = pod("web-x", { owner: owned });

interface Drain {
  readonly parts: Parts;
  readonly flags?: readonly string[];
}

interface Outcome {
  readonly evict: readonly string[];
  readonly skipped: readonly string[];
  readonly refusals: readonly string[];
}

function plan({ parts, flags = [] }: Drain): Outcome {
  const parsed = parseDrainFlags(flags);
  const read: DrainFlags = parsed.ok ? parsed.flags : bareDrainFlags;
  const ledger = new Ledger(cluster(parts), new Journal());
  const { evict, skipped, refusals } = planDrain(ledger, "n1", read);
  const refusing = ledger.podsOn("n1").filter((one) => mayRefuse(ledger, one, read));
  assert.ok(refusals.length === 0 || refusing.length > 0, "a refusal is foreseen");
  return {
    evict: evict.map((evicted) => evicted.name),
    skipped: skipped.map(({ pod: { name }, rule }) => `${name} ${rule}`),
    refusals,
  };
}

const evicts = (...names: readonly string[]): Outcome => ({ evict: names, skipped: [], refusals: [] });
const refuses = (...refusals: readonly string[]): Outcome => ({ evict: [], skipped: [], refusals });

const daemonSetPods = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ns/agent-x";
const localStorage = "cannot delete Pods with local storage (use --delete-emptydir-data to override): ns/db";
const noController = "cannot delete Pods that declare no controller (use --force to override): ns/bare";

rows<Drain, Outcome>("drain", plan, [
  [
    "pods of the node only",
    { parts: { pods: [web, pod("web-y", { owner: owned, nodeName: "n2" })] } },
    evicts("web-x"),
  ],
  [
    "in the order of their names",
    { parts: { pods: [pod("b", { owner: owned }), pod("a", { owner: owned })] } },
    evicts("a", "b"),
  ],
  ["a DaemonSet pod refuses", { parts: { workloads: [agents], pods: [agent, web] } }, refuses(daemonSetPods)],
  [
    "or is skipped",
    { parts: { workloads: [agents], pods: [agent, web] }, flags: ["--ignore-daemonsets"] },
    { ...evicts("web-x"), skipped: ["agent-x daemon-set"] },
  ],
  [
    "a finished DaemonSet pod goes",
    { parts: { workloads: [agents], pods: [{ ...agent, phase: "Failed", ready: false }] } },
    evicts("agent-x"),
  ],
  [
    "a DaemonSet that is gone refuses even with the flag",
    { parts: { pods: [agent] }, flags: ["--ignore-daemonsets"] },
    refuses('cannot delete daemonsets.apps "agent" not found: ns/agent-x'),
  ],
  ["unless forced", { parts: { pods: [agent] }, flags: ["--force"] }, evicts("agent-x")],
  [
    "an owner that was not read is gone, for the drain",
    {
      parts: { workloads: [otherOwner("apps/v1", "DaemonSet", "agent", { present: false })], pods: [agent] },
      flags: ["--force"],
    },
    evicts("agent-x"),
  ],
  [
    "a mirror pod is skipped",
    { parts: { pods: [pod("static", { mirror: true, owner: "Node.//n1" })] } },
    { ...evicts(), skipped: ["static mirror"] },
  ],
  [
    "an emptyDir refuses",
    { parts: { pods: [pod("db", { owner: owned, template: scratch }), web] } },
    refuses(localStorage),
  ],
  [
    "or goes with the flag",
    { parts: { pods: [pod("db", { owner: owned, template: scratch })] }, flags: ["--delete-emptydir-data"] },
    evicts("db"),
  ],
  [
    "a finished one goes",
    { parts: { pods: [pod("db", { owner: owned, template: scratch, phase: "Succeeded", ready: false })] } },
    evicts("db"),
  ],
  ["a bare pod refuses", { parts: { pods: [pod("bare"), web] } }, refuses(noController)],
  ["or goes with the flag", { parts: { pods: [pod("bare")] }, flags: ["--force"] }, evicts("bare")],
  [
    "a finished bare pod goes",
    { parts: { pods: [pod("bare", { phase: "Succeeded", ready: false })] } },
    evicts("bare"),
  ],
  [
    "all reasons are said",
    { parts: { workloads: [agents], pods: [agent, pod("bare"), pod("db", { owner: owned, template: scratch })] } },
    refuses(daemonSetPods, localStorage, noController),
  ],
  ["a reason lists its pods", { parts: { pods: [pod("bare"), pod("bare2")] } }, refuses(`${noController}, ns/bare2`)],
  ["a terminating pod is waited for", { parts: { pods: [{ ...web, deleting: true }] } }, evicts("web-x")],
  [
    "only selected pods",
    {
      parts: { pods: [pod("bare"), pod("llm", { owner: owned, template: template("llm") })] },
      flags: ["--pod-selector=app=llm"],
    },
    evicts("llm"),
  ],
]);

rows<number, Outcome>(
  "drain with --skip-wait-for-delete-timeout=5",
  (nowMs) => {
    const ledger = new Ledger(cluster({ pods: [web] }), new Journal());
    ledger.markTerminating("ns/web-x", false);
    ledger.setTime(nowMs);
    const { evict, skipped } = planDrain(ledger, "n1", { ...bareDrainFlags, skipWaitForDeleteSeconds: 5 });
    return { evict: evict.map(({ name }) => name), skipped: skipped.map(({ rule }) => rule), refusals: [] };
  },
  [
    ["5 s after the grace is not yet more than 5", 35_999, evicts("web-x")],
    ["6 s is", 36_000, { ...evicts(), skipped: ["already-deleted"] }],
  ],
);

test("which pods may be refused is known beforehand", () => {
  const pods = [agent, web, pod("bare"), pod("done", { phase: "Succeeded" })];
  const ledger = new Ledger(cluster({ workloads: [agents], pods }), new Journal());
  const refused = (flags: Partial<DrainFlags>) =>
    [...ledger.pods].filter((one) => mayRefuse(ledger, one, { ...bareDrainFlags, ...flags })).map(({ name }) => name);
  assert.deepEqual(refused({}), ["agent-x", "bare"]);
  assert.deepEqual(refused({ ignoreDaemonsets: true }), ["bare"]);
  assert.deepEqual(refused({ ignoreDaemonsets: true, force: true }), []);
});
