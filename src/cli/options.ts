import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { closest } from "../base/closest.ts";
import { parseDuration } from "../base/duration.ts";
import type { Minor } from "../model/cluster.ts";
import {
  type CheckOptions,
  type CommonOptions,
  type ScenarioKind,
  type SimulateOptions,
  scenarioKinds,
} from "../report/options.ts";
import { type Config, isDay, noConfig, parseConfig } from "./config-file.ts";
import { UsageError } from "./errors.ts";
import type { FailOn } from "./exit-code.ts";
import type { Parsed } from "./flags.ts";
import { readNamedText } from "./read-text.ts";
import { defaultLimits } from "./scenario-file.ts";
import type { Shell } from "./shell.ts";
import { version } from "./version.ts";

/** Flags, then configuration, then defaults: what reaches the core is complete. All of these throw UsageError. */
export function checkOptions(parsed: Parsed, shell: Shell): CheckOptions {
  const config = configOf(parsed, shell);
  return {
    ...commonOptions(parsed, config),
    endpoints: { namespaces: namespacesOf(parsed), selector: parsed.text("selector"), names: parsed.operands },
    actors: actorsOf(parsed, config),
    scenarios: scenariosOf(parsed, config),
    ignore: config.ignore,
    today: todayOf(parsed, shell),
    traces: numberOf(parsed, "traces", tracesUsual, 0),
  };
}

/** Each may have hundreds of events: of a thousand endpoints nobody reads them all. */
const tracesUsual = 100;

/** Each has a model of its own in memory. */
const workersMax = 64;

/** Null: as many as pay. */
export function workersOf(parsed: Parsed): number | null {
  if (!parsed.has("workers")) return null;
  const workers = numberOf(parsed, "workers", 0, 0);
  if (workers > workersMax) throw new UsageError(`--workers should be at most ${workersMax}, not ${workers}`);
  return workers;
}

export function simulateOptions(parsed: Parsed, shell: Shell): SimulateOptions {
  const config = configOf(parsed, shell);
  return {
    ...commonOptions(parsed, config),
    endpoints: { namespaces: namespacesOf(parsed), selector: "", names: [] },
    actors: actorsOf(parsed, config),
  };
}

function namespacesOf(parsed: Parsed): readonly string[] {
  return parsed.has("all-namespaces") ? [] : parsed.all("namespace");
}

export function failOnOf(parsed: Parsed): FailOn {
  const text = parsed.text("fail-on");
  return text === "warning" || text === "note" || text === "never" ? text : "error";
}

function commonOptions(parsed: Parsed, config: Config): Omit<CommonOptions, "endpoints"> {
  return {
    toolVersion: version,
    seed: numberOf(parsed, "seed", 1, 0),
    version: minorOf(parsed.text("kubernetes-version")),
    timing: config.timing,
    limits: {
      states: numberOf(parsed, "max-states", defaultLimits.states, 1),
      horizonMs: horizonOf(parsed),
    },
    floors: config.floors,
  };
}

function configOf(parsed: Parsed, shell: Shell): Config {
  const named = parsed.text("config");
  const file = resolve(shell.folder, named === "" ? "holdfast.yaml" : named);
  if (named === "" && !existsSync(file)) return noConfig;
  const shown = named === "" ? "holdfast.yaml" : named;
  const read = parseConfig(readNamedText(file, `the configuration file ${shown}`), shown);
  if (read.problems.length > 0) {
    throw new UsageError(`the configuration file ${shown} cannot be used`, read.problems);
  }
  return read.config;
}

function actorsOf(parsed: Parsed, config: Config): readonly string[] {
  return parsed.all("actor").length > 0 ? parsed.all("actor") : config.actors;
}

function scenariosOf(parsed: Parsed, config: Config): readonly ScenarioKind[] {
  const named = parsed.all("scenarios");
  const kinds = named.map((name) => {
    const kind = scenarioKinds.find((candidate) => candidate === name);
    if (kind !== undefined) return kind;
    const near = closest(name, scenarioKinds);
    throw new UsageError(
      `--scenarios knows ${scenarioKinds.join(", ")}, not "${name}"${near === null ? "" : `; did you mean ${near}?`}`,
    );
  });
  const chosen = kinds.length > 0 ? kinds : config.scenarios;
  return chosen.length === 0 ? scenarioKinds : scenarioKinds.filter((kind) => chosen.includes(kind));
}

function todayOf(parsed: Parsed, shell: Shell): string {
  const said = parsed.text("today");
  if (said !== "" && !isDay(said)) throw new UsageError(`--today should be a day such as 2027-01-31, not "${said}"`);
  return said === "" ? shell.today() : said;
}

function numberOf(parsed: Parsed, name: string, otherwise: number, least: number): number {
  const text = parsed.text(name);
  if (text === "") return otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least) {
    throw new UsageError(`--${name} should be a whole number, at least ${least}, not "${text}"`);
  }
  return number;
}

function horizonOf(parsed: Parsed): number {
  const text = parsed.text("horizon");
  if (text === "") return defaultLimits.horizonMs;
  const ms = parseDuration(text);
  if (ms === null || ms === 0) throw new UsageError(`--horizon should be a length of time such as 24h, not "${text}"`);
  return ms;
}

function minorOf(text: string): Minor | null {
  switch (text) {
    case "1.34":
      return 34;
    case "1.35":
      return 35;
    case "1.36":
      return 36;
    case "1.37":
      return 37;
    default:
      return null;
  }
}
