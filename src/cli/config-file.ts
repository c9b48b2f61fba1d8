import type { Problem } from "../base/problem.ts";
import { type FloorRule, type IgnoreRule, type ScenarioKind, scenarioKinds } from "../report/options.ts";
import type { ScenarioTiming } from "../sim/scenario.ts";
import { complain, durationOf, type Field, fieldsOf, itemsOf, oneOf, textOf, textsOf } from "./fields.ts";
import { noTiming, timingOf } from "./timing-fields.ts";
import { parseTrees } from "./yaml-tree.ts";

/** `holdfast.yaml`: what a team settles once. Flags overrule it. */
export interface Config {
  readonly actors: readonly string[];
  /** Empty: not set. */
  readonly scenarios: readonly ScenarioKind[];
  readonly floors: readonly FloorRule[];
  readonly timing: ScenarioTiming;
  readonly ignore: readonly IgnoreRule[];
}

export const noConfig: Config = { actors: [], scenarios: [], floors: [], timing: noTiming, ignore: [] };

export function parseConfig(
  text: string,
  file: string,
): { readonly config: Config; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const [tree, second] = parseTrees(text, file, problems);
  if (second !== undefined)
    complain({ tree: second, path: "", file, problems }, "a configuration file holds one document");
  if (tree === undefined) return { config: noConfig, problems };
  const root: Field = { tree, path: "", file, problems };
  const top = fieldsOf(root, ["apiVersion", "kind", "metadata", "spec"]);
  oneOf(top.get("apiVersion"), ["holdfast.dev/v1alpha1"]);
  if (top.get("apiVersion") === undefined) complain(root, "needs apiVersion: holdfast.dev/v1alpha1");
  if (top.get("kind") === undefined) complain(root, "needs kind: Config");
  oneOf(top.get("kind"), ["Config"]);
  const spec = top.get("spec");
  return { config: spec === undefined ? noConfig : configOf(spec), problems };
}

function configOf(spec: Field): Config {
  const fields = fieldsOf(spec, ["actors", "scenarios", "floors", "timing", "ignore"]);
  return {
    actors: textsOf(fields.get("actors")),
    scenarios: itemsOf(fields.get("scenarios"))
      .map((item) => oneOf(item, scenarioKinds))
      .filter((kind) => kind !== null),
    floors: itemsOf(fields.get("floors")).flatMap(floorOf),
    timing: timingOf(fields.get("timing")),
    ignore: itemsOf(fields.get("ignore")).flatMap(ignoreOf),
  };
}

function floorOf(item: Field): readonly FloorRule[] {
  const fields = fieldsOf(item, ["match", "minAvailable", "maxDown"]);
  const match = textOf(fields.get("match"));
  if (fields.get("match") === undefined) complain(item, "needs match: namespace/name, with * for any");
  const minAvailable = fields.get("minAvailable");
  const wanted = textOf(minAvailable) ?? "";
  if (minAvailable !== undefined && wanted !== "" && !/^\d{1,6}%?$/.test(wanted)) {
    complain(minAvailable, `should be a number or a percent of serving units, such as 2 or 75%, not "${wanted}"`);
  }
  return match === null ? [] : [{ match, minAvailable: wanted, maxDownMs: durationOf(fields.get("maxDown")) }];
}

function ignoreOf(item: Field): readonly IgnoreRule[] {
  const fields = fieldsOf(item, ["rule", "match", "reason", "until"]);
  const rule = textOf(fields.get("rule"));
  if (fields.get("rule") === undefined) complain(item, "needs rule: a name or code of `holdfast explain`");
  if (fields.get("reason") === undefined) complain(item, "needs reason: why it may be ignored");
  const until = fields.get("until");
  const day = textOf(until) ?? "";
  if (until !== undefined && day !== "" && !isDay(day))
    complain(until, `should be a day such as 2027-01-31, not "${day}"`);
  const match = fields.has("match") ? textOf(fields.get("match")) : "*";
  if (rule === null || match === null) return [];
  return [{ rule, match, reason: textOf(fields.get("reason")) ?? "", until: day }];
}

/** `2027-01-31`, a day there is. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
