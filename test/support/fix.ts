import { fix } from "../../src/assess-fix.ts";
import { type PlanAsked, plan } from "../../src/assess-plan.ts";
import type { CheckOptions } from "../../src/report/options.ts";
import type { FixReport, Plan } from "../../src/report/types.ts";
import type { Snapshot, WireObject } from "../../src/wire/snapshot.ts";
import { defaultCheckOptions, defaultSimulateOptions } from "./assess.ts";

export function fixReport(snapshot: Snapshot, options: Partial<CheckOptions> = {}): FixReport {
  return last(fix(snapshot, { ...defaultCheckOptions, scenarios: ["drain-one-node", "pool-maintenance"], ...options }));
}

export function planReport(snapshot: Snapshot, asked: PlanAsked): Plan {
  return last(plan(snapshot, asked, defaultSimulateOptions));
}

/** Objects as a snapshot that can be read again and again. */
export function snapshotOf(objects: readonly WireObject[]): Snapshot {
  return {
    source: "test",
    serverVersion: "v1.36.3",
    problems: [],
    notSeen: [],
    secretsDropped: 0,
    *[Symbol.iterator]() {
      for (const object of objects) yield { object, source: { file: "", line: null } };
    },
  };
}

function last<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
