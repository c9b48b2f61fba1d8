import { resolve } from "node:path";
import type { SimulateOptions } from "../../report/options.ts";
import type { NodeChoice, Scenario } from "../../sim/scenario.ts";
import { refuseInVain } from "../asked.ts";
import { exit, UsageError } from "../errors.ts";
import { simulationExit } from "../exit-code.ts";
import type { Parsed } from "../flags.ts";
import { inputHint, readInput } from "../input.ts";
import { checkActors } from "../known-actors.ts";
import { failOnOf, simulateOptions } from "../options.ts";
import { formatOf, writeReport, writeText } from "../output.ts";
import { played } from "../progress.ts";
import { readScenarioFile } from "../scenario-file.ts";
import type { Shell } from "../shell.ts";
import { noTiming } from "../timing-fields.ts";

export async function runSimulate(parsed: Parsed, shell: Shell): Promise<number> {
  if (parsed.has("schema")) {
    const { simulationSchema } = await import("../../report/schema.ts");
    await writeText(`${JSON.stringify(simulationSchema, null, 2)}\n`, parsed, shell);
    return exit.fine;
  }
  formatOf(parsed);
  const options = simulateOptions(parsed, shell);
  const scenario = scenarioOf(parsed, options, shell);
  checkActors(options.actors);
  if (scenario.body.kind === "actor" && scenario.body.actor !== null) checkActors([scenario.body.actor]);
  const input = await readInput(parsed, shell, { once: false });
  const { simulate } = await import("../../assess.ts");
  const report = await played(simulate(input.snapshot, scenario, options), shell);
  refuseInVain(report);
  const wrong = report.problems.filter(({ file, path }) => file === scenario.name && path.startsWith("spec"));
  if (wrong.length > 0) throw new UsageError("the scenario names what this cluster does not have", wrong);
  await writeReport(report, parsed, shell);
  shell.err(inputHint(report, input));
  return simulationExit(report, { strict: parsed.has("strict"), failOn: failOnOf(parsed), live: input.live });
}

const ways = ["scenario", "drain", "selector", "pool", "zone", "fail"] as const;

function scenarioOf(parsed: Parsed, options: SimulateOptions, shell: Shell): Scenario {
  const given = ways.filter((way) => parsed.has(way));
  const [way] = given;
  if (way === undefined || given.length > 1) {
    const said = given.map((name) => `--${name}`).join(" and ");
    throw new UsageError(
      `simulate needs exactly one of ${ways.map((name) => `--${name}`).join(", ")}${said === "" ? "" : `, not ${said}`}`,
    );
  }
  if (way === "scenario") return fromFile(parsed, options, shell);
  return {
    name: nameOf(way, parsed),
    changes: [],
    body: bodyOf(way, parsed),
    timing: noTiming,
    limits: options.limits,
    choices: [],
  };
}

function nameOf(way: string, parsed: Parsed): string {
  return `${way === "selector" ? "drain" : way} ${parsed.all(way).join(",")}`;
}

function bodyOf(way: "drain" | "selector" | "pool" | "zone" | "fail", parsed: Parsed): Scenario["body"] {
  if (way === "fail") {
    for (const flag of ["actor", "order"]) {
      if (parsed.has(flag)) throw new UsageError(`--${flag} does not go with --fail: nobody drains the node`);
    }
    return { kind: "steps", steps: parsed.all("fail").map((node) => ({ do: "fail", node })) };
  }
  return {
    kind: "actor",
    actor: parsed.text("actor") === "" ? null : parsed.text("actor"),
    nodes: nodesOf(way, parsed),
    order: parsed.text("order") === "given" ? "given" : "any",
  };
}

function nodesOf(way: "drain" | "selector" | "pool" | "zone", parsed: Parsed): NodeChoice {
  switch (way) {
    case "drain":
      return { by: "names", names: parsed.all("drain") };
    case "selector":
      return { by: "selector", selector: parsed.text("selector") };
    case "pool":
      return { by: "pool", pool: parsed.text("pool"), first: [] };
    default:
      return { by: "zone", zone: parsed.text("zone") };
  }
}

/** Flags overrule the file where both speak. */
function fromFile(parsed: Parsed, options: SimulateOptions, shell: Shell): Scenario {
  const file = resolve(shell.folder, parsed.text("scenario"));
  const shown = parsed.text("scenario");
  const { scenario, problems } = readScenarioFile(file, shown);
  if (scenario === null) {
    const named = problems.map((problem) => (problem.file === file ? { ...problem, file: shown } : problem));
    throw new UsageError(`the scenario file ${shown} cannot be used`, named);
  }
  const { body } = scenario;
  if (body.kind === "steps" && (parsed.has("actor") || parsed.has("order"))) {
    throw new UsageError("--actor and --order do not go with a scenario of steps");
  }
  return {
    ...scenario,
    body:
      body.kind === "steps"
        ? body
        : {
            ...body,
            actor: parsed.has("actor") ? parsed.text("actor") : body.actor,
            order: parsed.has("order") ? (parsed.text("order") === "given" ? "given" : "any") : body.order,
          },
    limits: {
      states: parsed.has("max-states") ? options.limits.states : scenario.limits.states,
      horizonMs: parsed.has("horizon") ? options.limits.horizonMs : scenario.limits.horizonMs,
    },
  };
}
