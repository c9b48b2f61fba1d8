import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, deployment, type Fields, node, nodes, pod, service } from "../../scripts/recordings/objects.ts";
import { type Items, recording } from "../../scripts/recordings/recording.ts";
import type { Verdict } from "../../src/report/types.ts";
import { checkReport } from "../support/assess.ts";
import { snapshotOf } from "../support/fix.ts";

/** What `check` says of the first endpoint of a small cluster. */
interface Judged {
  readonly name: string;
  readonly cluster: readonly Items[];
  /** Default: whoever the cluster shows. */
  readonly actor?: string;
  readonly verdict: Verdict;
  /** Of errors and warnings, in order. */
  readonly codes: readonly string[];
}

const gpus = nodes("g1 g2 g3", { gpu: 1 });
const engines = (places: string, shape: Fields = {}): readonly Items[] => [
  deployment("m1", places, { gpu: 1, ...shape }),
  service("m1"),
];
const oneAtATime = budget("m1", { max: 1, status: [2, 2] });
const everything = (apiVersion: string): Items => ({ ...budget("all", { max: 1, selector: {} }), apiVersion });
/** Stops for nearly two hours when it is told to. */
const slowToStop: Fields = {
  spec: { terminationGracePeriodSeconds: 7200 },
  container: { lifecycle: { preStop: { exec: { command: ["sleep", "7000"] } } } },
};

const cases: readonly Judged[] = [
  {
    name: "an engine that stops for longer than the actor waits: the upgrade fails at its node",
    cluster: [gpus, engines("g1 g2", slowToStop), oneAtATime],
    actor: "aks-upgrade",
    verdict: "stalls",
    codes: ["HF024"],
  },
  {
    name: "an actor that waits for ever lets it",
    cluster: [gpus, engines("g1 g2", slowToStop), oneAtATime],
    actor: "kubectl-drain-in-turn",
    verdict: "safe",
    codes: [],
  },
  {
    name: "a second engine that nobody owns: its node is refused",
    cluster: [gpus, engines("g1"), pod("extra", "g2", { gpu: 1, labels: { app: "m1" } }), oneAtATime],
    verdict: "stalls",
    codes: ["HF026"],
  },
  {
    name: "an empty selector of the old kind of budget guards nothing",
    cluster: [node("g9", { gpu: 2 }), gpus, engines("g9 g9"), everything("policy/v1beta1")],
    verdict: "unsafe",
    codes: ["HF005", "HF008"],
  },
  {
    name: "and of the new kind everything",
    cluster: [node("g9", { gpu: 2 }), gpus, engines("g9 g9"), everything("policy/v1")],
    verdict: "safe",
    codes: [],
  },
];

for (const { name, cluster, actor, verdict, codes } of cases)
  test(name, () => {
    const objects = JSON.parse(JSON.stringify(recording("", "", cluster, []).cluster));
    const { endpoints, findings } = checkReport(snapshotOf(objects), { actors: actor === undefined ? [] : [actor] });
    const told = findings.filter(({ severity }) => severity !== "note").map(({ code }) => code);
    assert.deepEqual([endpoints[0]?.verdict, told], [verdict, codes]);
  });
