import type { Actor } from "../maintenance/actor.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import type { Severity } from "./finding.ts";

/** What one scenario showed, over every order and choice that was tried: findings take their severity from it. */
export interface ScenarioOutcome {
  /** `pool-maintenance/system` */
  readonly name: string;
  /** False: a what-if, which makes no finding worse than a note. */
  readonly partOfVerdict: boolean;
  readonly verdicts: ReadonlyMap<Endpoint, "unsafe" | "stalls" | "undecided" | "safe">;
  readonly hops: ReadonlyMap<Hop, HopOutcome>;
  /** Nodes that are all closed at once in it, none of which opens again before the last is drained. Mostly empty. */
  readonly closedForGood: ReadonlySet<string>;
}

export interface HopOutcome {
  /** In some course it had no ready unit for a time. */
  readonly wasDown: boolean;
  /** In some course a drain waited for one of its pods to the end. */
  readonly stalled: boolean;
}

/** Names of the scenarios that showed it of one part; of those that make the verdict, and apart, of what-ifs. */
export interface Shown {
  /** The endpoint broke, and this part was why. */
  readonly broke: readonly string[];
  /** The maintenance did not complete because of it. */
  readonly stalled: readonly string[];
  /** The same, where every node it may use was closed for good: that says nothing about how the part is set up. */
  readonly closedOut: readonly string[];
  readonly brokeWhatIf: readonly string[];
}

export const nothingShown: Shown = { broke: [], stalled: [], closedOut: [], brokeWhatIf: [] };

/** What the scenarios showed of a part that stands on these endpoints' paths as these hops, and may be on these nodes. */
export function shownOf(
  outcomes: readonly ScenarioOutcome[],
  places: readonly { readonly endpoint: Endpoint; readonly hop: Hop }[],
  nodes: readonly { readonly name: string }[],
): Shown {
  const broke = (outcome: ScenarioOutcome): boolean =>
    places.some(({ endpoint, hop }) => isCause(outcome, endpoint, hop));
  // Undecided although a drain waited: it did so for what is not modelled, and may not in truth.
  const stalled = ({ hops, verdicts }: ScenarioOutcome): boolean =>
    places.some(({ endpoint, hop }) => hops.get(hop)?.stalled === true && verdicts.get(endpoint) !== "undecided");
  const hasNowhere = ({ closedForGood }: ScenarioOutcome): boolean =>
    nodes.length > 0 && nodes.every(({ name }) => closedForGood.has(name));
  const names = (list: readonly ScenarioOutcome[]): readonly string[] => list.map(({ name }) => name);
  const judged = outcomes.filter(({ partOfVerdict }) => partOfVerdict);
  return {
    broke: names(judged.filter(broke)),
    stalled: names(judged.filter((outcome) => stalled(outcome) && !hasNowhere(outcome))),
    closedOut: names(judged.filter((outcome) => stalled(outcome) && hasNowhere(outcome))),
    brokeWhatIf: names(outcomes.filter((outcome) => !outcome.partOfVerdict && broke(outcome))),
  };
}

/** By the time it drains the last node of a pool it has closed all of them, and none is open again. */
export function closesForGood({ surge, afterDrain }: Actor): boolean {
  return surge === null && afterDrain !== "opens" && afterDrain !== "reboots" && afterDrain !== "replaced";
}

/** A needed part that was down; or the engines, where the endpoint broke with nothing down: too few were left. */
function isCause(outcome: ScenarioOutcome, endpoint: Endpoint, hop: Hop): boolean {
  if (outcome.verdicts.get(endpoint) !== "unsafe" || !hop.needed || !hop.onPath) return false;
  const wasDown = (one: Hop): boolean => one.needed && outcome.hops.get(one)?.wasDown === true;
  if (wasDown(hop)) return true;
  return hop.hop === "engine" && !endpoint.hops.some(wasDown);
}

/** `error` when the verdict rests on it: where it broke an endpoint, or (unless told otherwise) stalled the maintenance. */
export function severityOf(shown: Shown, otherwise: Severity, counts: "broke" | "stalled" | "either"): Severity {
  const broke = counts !== "stalled" && shown.broke.length > 0;
  const stalled = counts !== "broke" && shown.stalled.length > 0;
  return broke || stalled ? "error" : otherwise;
}

/** The scenarios as evidence. */
export function shownLines({ broke, stalled }: Shown): readonly string[] {
  return [
    ...(broke.length > 0 ? [`breaks in ${broke.join(", ")}`] : []),
    ...(stalled.length > 0 ? [`holds the maintenance in ${stalled.join(", ")}`] : []),
  ];
}

/** Where it breaks; of what-ifs only where nothing likelier breaks it. */
export function breaksLines({ broke, brokeWhatIf }: Shown): readonly string[] {
  if (broke.length > 0) return [`breaks in ${broke.join(", ")}`];
  return brokeWhatIf.length > 0 ? [`would break in ${brokeWhatIf.join(", ")}`] : [];
}
