import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import { buildCluster } from "../../src/model/build.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { answer, answerTimed } from "../../src/search/answer.ts";
import type { EndpointOutcome } from "../../src/search/judge.ts";
import { mergeOutcome } from "../../src/search/merge.ts";
import { ApartJudge } from "../../src/search/n-minus-one/apart.ts";
import { actorsOfPools, namedScenarios } from "../../src/search/named-scenarios.ts";
import { timingOf } from "../../src/sim/timing.ts";

/** What is argued about, or shown by one course, against every order and choice of the whole cluster. */
const examples = ["modelplane-incident", "modelplane-standby", "openshift-two-replicas", "openshift-no-room"];

for (const example of examples) {
  test(`${example}: single drains, failures and zones are judged as by playing everything`, () => {
    const cluster = buildCluster(loadPaths([join(import.meta.dirname, "../../examples", example, "cluster")]));
    const { endpoints, supporting } = endpointsOf(cluster);
    const timing = timingOf(cluster, noTiming);
    const { states, horizonMs } = defaultLimits;
    const asked = { cluster, endpoints, supporting, timing, states, horizonMs };
    const judge = new ApartJudge(asked);
    const scenarios = namedScenarios(
      cluster,
      ["drain-one-node", "node-failure", "zone-loss"],
      actorsOfPools(cluster, []),
    );
    for (const { name, partOfVerdict, variants } of scenarios) {
      const apart = ended(judge.judge(variants.map(({ steps }) => steps)));
      ApartJudge.merge(apart);
      const whole = new Map<string, EndpointOutcome>();
      for (const { steps } of variants) {
        const question = { ...asked, steps, choices: [] };
        const judgement = partOfVerdict ? answer(question).judgement : answerTimed(question);
        for (const outcome of judgement.endpoints) {
          const known = whole.get(keyOf(outcome));
          if (known === undefined) whole.set(keyOf(outcome), outcome);
          else mergeOutcome(known, outcome);
        }
      }
      assert.deepEqual(apart.judgement.endpoints.map(said), [...whole.values()].map(said), name);
    }
  });
}

function ended<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function keyOf({ endpoint }: EndpointOutcome): string {
  return `${endpoint.namespace}/${endpoint.name}`;
}

function said(outcome: EndpointOutcome): unknown {
  const { now, verdict, minCapacity, downMostMs } = outcome;
  return { endpoint: keyOf(outcome), now, verdict, minCapacity, downMostMs };
}
