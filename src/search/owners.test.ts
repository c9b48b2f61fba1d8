import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { cluster, labels, pod, statefulSet, template } from "../../test/support/tiny.ts";
import type { StatefulSet } from "../model/workload.ts";
import { statefulPod } from "../workload/stateful-pod.ts";
import { nextOf } from "./owners.ts";

const now = template("m", { annotations: labels({ touched: "1" }) });

function rolling(updateStrategy: StatefulSet["updateStrategy"], oldOnes: readonly number[]): Play {
  const set = statefulSet("m", {
    ...{ replicas: 3, template: now, podManagement: "Parallel", updateStrategy },
    ...{ currentRevision: "r1", updateRevision: "r2" },
  });
  const pods = [0, 1, 2].map((ordinal) => {
    const isOld = oldOnes.includes(ordinal);
    const own = statefulPod(set, isOld ? template("m") : now, ordinal, isOld ? "r1" : "r2");
    return pod(`m-${ordinal}`, { owner: set.key, ordinal, revision: isOld ? "r1" : "r2", template: own });
  });
  return new Play(cluster({ workloads: [set], pods }));
}

const held = { type: "RollingUpdate", partition: 2, maxUnavailable: null } as const;

const cases: readonly (readonly [string, StatefulSet["updateStrategy"], readonly number[], readonly string[]])[] = [
  ["a partition keeps those below it as they were", held, [0, 1], ["m-0", "m-1"]],
  ["also one that is of the new template and stands below it by now", held, [1], ["m-0", "m-1"]],
  ["on deletion all are made of the new template", { type: "OnDelete" }, [0, 1], []],
  ["a rollout that is over has no old template", held, [], []],
];

// newVersionedStatefulSetPod in stateful_set_utils.go, v1.36.3.
for (const [name, strategy, oldOnes, comeOld] of cases) {
  test(`what a set makes of a pod that goes: ${name}`, () => {
    for (const isSettled of [false, true]) {
      const play = rolling(strategy, oldOnes);
      if (isSettled) play.settle();
      const said = [...play.ledger.pods].filter((each) => !nextOf(play.ledger, each).annotations.has("touched"));
      assert.deepEqual(
        said.map((each) => each.name),
        comeOld,
        isSettled ? "settled" : "as it was read",
      );
    }
    const played = rolling(strategy, oldOnes).settle();
    for (const ordinal of [0, 1, 2]) played.delete(`ns/m-${ordinal}`);
    const made = [...played.stopAll().ledger.pods].filter((each) => !each.template.annotations.has("touched"));
    assert.deepEqual(made.map((each) => each.name).toSorted(), comeOld, "played");
  });
}
