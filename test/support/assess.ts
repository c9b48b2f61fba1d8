import { join } from "node:path";
import { check, simulate } from "../../src/assess.ts";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import { type CheckOptions, type SimulateOptions, scenarioKinds } from "../../src/report/options.ts";
import type { CheckReport, SimulationReport } from "../../src/report/types.ts";
import type { Scenario } from "../../src/sim/scenario.ts";
import type { Snapshot } from "../../src/wire/snapshot.ts";

export const examplesFolder = join(import.meta.dirname, "..", "..", "examples");

export const defaultCheckOptions: CheckOptions = {
  toolVersion: "0.0.0-test",
  seed: 1,
  version: null,
  timing: noTiming,
  limits: defaultLimits,
  floors: [],
  endpoints: { namespaces: [], selector: "", names: [] },
  actors: [],
  scenarios: [...scenarioKinds],
  ignore: [],
  today: "2026-11-30",
  traces: 100,
};

export const defaultSimulateOptions: SimulateOptions = {
  toolVersion: "0.0.0-test",
  seed: 1,
  version: null,
  timing: noTiming,
  limits: defaultLimits,
  floors: [],
  endpoints: { namespaces: [], selector: "", names: [] },
  actors: [],
};

export function readExample(name: string): Snapshot {
  return loadPaths([join(examplesFolder, name, "cluster")]);
}

export function checkReport(snapshot: Snapshot, options: Partial<CheckOptions> = {}): CheckReport {
  return last(check(snapshot, { ...defaultCheckOptions, ...options }));
}

export function simulationReport(
  snapshot: Snapshot,
  scenario: Scenario,
  options: Partial<SimulateOptions> = {},
): SimulationReport {
  return last(simulate(snapshot, scenario, { ...defaultSimulateOptions, ...options }));
}

function last<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
