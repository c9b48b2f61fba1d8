import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { defaultLimits } from "../src/cli/scenario-file.ts";
import { noTiming } from "../src/cli/timing-fields.ts";
import type { CheckEndpoint, CheckReport, TimelineEvent } from "../src/report/types.ts";
import type { Scenario } from "../src/sim/scenario.ts";
import { checkReport, examplesFolder, readExample, simulationReport } from "./support/assess.ts";

const noPlace =
  "0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 node(s) were unschedulable. no new claims to " +
  "deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.";

const systemNodes = ["computeinstance-e00c4m8q1w7zk2d5t1", "computeinstance-e00c4m8q1w7zk2d5t2"] as const;

/** What each example's README promises. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "modelplane-incident": { "mp-ml-team-5f2a9c/chat-0": "unsafe" },
  "modelplane-fixed": { "mp-ml-team-5f2a9c/chat-0": "safe" },
  "modelplane-standby": { "mp-ml-team-5f2a9c/chat-0": "stalls" },
  "openshift-one-replica": { "demo-models/chat": "stalls", "demo-models/rank": "stalls" },
  "openshift-two-replicas": { "demo-models/chat": "safe", "demo-models/rank": "safe" },
  "openshift-as-written": { "demo-models/chat": "unsafe", "demo-models/rank": "unsafe" },
};

for (const [name, verdicts] of Object.entries(expected)) {
  test(`${name}: the verdict its README promises`, () => {
    const report = checkReport(readExample(name));
    assert.deepEqual(
      Object.fromEntries(report.endpoints.map((e) => [`${e.namespace}/${e.name}`, e.verdict])),
      verdicts,
    );
    assert.deepEqual(report.problems, []);
  });
}

test("every example is asserted here", () => {
  assert.deepEqual(readdirSync(examplesFolder).sort(), [...Object.keys(expected), "openshift-no-room"].sort());
});

test("modelplane-incident: the seed's story, told the day before", () => {
  const endpoint = only(checkReport(readExample("modelplane-incident")));
  assert.deepEqual(
    endpoint.path.map((part) => [part.component, part.desired, part.budgets.length > 0, part.spread.node]),
    [
      ["CoreDNS", 2, true, "none"],
      ["Cluster gateway proxy", 1, false, "none"],
      ["Endpoint picker", 1, false, "none"],
      ["Engine", 2, true, "none"],
    ],
  );
  const { worst } = endpoint;
  assert.ok(worst);
  assert.equal(worst.name, "pool-maintenance/system");
  const [down] = worst.down;
  assert.ok(down?.toSeconds);
  // Down from the first eviction until the node is back (3.5 min) and the last part has started.
  assert.equal(down.fromSeconds, 0);
  assert.ok(down.toSeconds > 210 && down.toSeconds < 300, `down for about four minutes, not ${down.toSeconds} s`);
  assert.ok(messagesOf(worst.timeline, "chat-0-epp").includes(noPlace));
  const engines = endpoint.path.find((part) => part.hop === "engine");
  assert.equal(engines?.survives.drainOneNode, "yes");
});

test("modelplane-incident: the other order is held by CoreDNS' own budget for the full hour", () => {
  const [first, second] = systemNodes;
  const report = simulationReport(readExample("modelplane-incident"), nebiusOver([second, first], "given"));
  const drain = report.drains.find(({ node }) => node === second);
  assert.equal(drain?.outcome, "forced");
  assert.equal(drain.toSeconds, 3600);
  assert.match(drain.blockedBy[0]?.pod ?? "", /^kube-system\/coredns-/);
  assert.equal(report.verdict, "unsafe");
});

test("modelplane-incident: any order is searched whole, and the counterexample replays", () => {
  const report = simulationReport(readExample("modelplane-incident"), nebiusOver(systemNodes, "any"));
  assert.equal(report.exhaustive, true);
  assert.ok(report.counterexample);
  const again = simulationReport(readExample("modelplane-incident"), {
    ...nebiusOver(report.counterexample.order, "given"),
    choices: report.counterexample.choices,
  });
  assert.deepEqual(again.timeline, report.timeline);
});

test("modelplane-fixed: safe, and says what it rests on", () => {
  const endpoint = only(checkReport(readExample("modelplane-fixed")));
  const rests = endpoint.restsOn.filter((rest) => rest.kind === "time");
  assert.ok(rests.length > 0);
  for (const rest of rests) assert.ok((rest.atMostSeconds ?? 0) > 1800, `${rest.text}: more than half an hour`);
});

test("modelplane-standby: it is the leader's node that stalls", () => {
  const endpoint = only(checkReport(readExample("modelplane-standby")));
  assert.equal(endpoint.worst?.name, "drain-one-node/system");
  assert.deepEqual(
    endpoint.worst?.drains.map(({ node, outcome }) => [node, outcome]),
    [["system-1", "stalled"]],
  );
});

test("openshift-no-room: one replica more than GPU nodes waits, in the scheduler's words", () => {
  const report = simulationReport(readExample("openshift-no-room"), stepsOnly());
  const messages = report.pending.map(({ message }) => message);
  assert.equal(messages.length, 2);
  for (const message of messages) assert.match(message, /2 node\(s\) didn't match pod anti-affinity rules/);
});

function only(report: CheckReport): CheckEndpoint {
  const [endpoint, ...others] = report.endpoints;
  assert.ok(endpoint);
  assert.equal(others.length, 0);
  return endpoint;
}

function messagesOf(timeline: readonly TimelineEvent[], part: string): readonly string[] {
  return timeline.flatMap((event) =>
    event.type === "pod-unschedulable" && event.pod.includes(part) ? [event.message] : [],
  );
}

function nebiusOver(names: readonly string[], order: "any" | "given"): Scenario {
  return {
    name: "system pool",
    changes: [],
    body: { kind: "actor", actor: "nebius", nodes: { by: "names", names }, order },
    timing: noTiming,
    limits: defaultLimits,
    choices: [],
  };
}

function stepsOnly(): Scenario {
  return {
    name: "nothing happens",
    changes: [],
    body: { kind: "steps", steps: [{ do: "wait", forMs: 1000 }] },
    timing: noTiming,
    limits: defaultLimits,
    choices: [],
  };
}
