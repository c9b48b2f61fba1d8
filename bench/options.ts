import { defaultLimits } from "../src/cli/scenario-file.ts";
import { noTiming } from "../src/cli/timing-fields.ts";
import { type CheckOptions, scenarioKinds } from "../src/report/options.ts";

/** What `holdfast check` asks when nothing is said. */
export function optionsOfCheck(): CheckOptions {
  return {
    toolVersion: "0.0.0-bench",
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
}
