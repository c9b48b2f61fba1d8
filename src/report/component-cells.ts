import { listed } from "../base/words.ts";
import type { Tone } from "./columns.ts";
import { counted } from "./text.ts";
import type { Component, PathBudget, Survival } from "./types.ts";

/** The cells of the component table in words, the same in every format. */
export const componentHeads = [
  "Component",
  "On the path",
  "Replicas",
  "Budget",
  "Spread",
  "One drain",
  "All cordoned",
  "Zone loss",
] as const;

/** With its role, where its name does not say it already. */
export function partNameOf({ component, role }: Component): string {
  const said = component.toLowerCase().includes(role.toLowerCase());
  return said ? component : `${component} (${role})`;
}

export function onPathOf(part: Component): string {
  if (part.onPath) return part.needed ? "yes" : "yes, not needed";
  return isShort(part) ? `no (${sentenceInside(part.neededBecause)})` : "no";
}

/** What the table has no room for: a line each under it. */
export function notesOf(parts: readonly Component[]): readonly string[] {
  return parts.flatMap((part) => {
    const why = withStop(part.neededBecause);
    const outside = part.outside === "" ? [] : [`${part.component} is not judged: ${withStop(part.outside)}`];
    if (why === "" || isShort(part)) return outside;
    return [...outside, part.onPath ? `${part.component}: ${why}` : `While ${part.component} is gone: ${why}`];
  });
}

function isShort({ onPath, neededBecause }: Component): boolean {
  return !onPath && neededBecause !== "" && neededBecause.length <= 20;
}

/** `Metrics have gaps.` → `metrics have gaps` */
function sentenceInside(sentence: string): string {
  const bare = sentence.replace(/\.$/, "");
  return /^[A-Z][a-z]/.test(bare) ? bare.charAt(0).toLowerCase() + bare.slice(1) : bare;
}

function withStop(sentence: string): string {
  return sentence === "" || sentence.endsWith(".") ? sentence : `${sentence}.`;
}

/** `1`, `2, both on one node`, `1 of 2 ready`, `outside`. */
export function replicasOf(part: Component): string {
  if (part.outside !== "") return "outside";
  const wanted = part.desired ?? part.ready;
  const count = part.ready === wanted ? `${wanted}` : `${part.ready} of ${wanted} ready`;
  if (wanted < 2 || part.ready < 2) return count;
  if (part.nodes.length === 1) return `${count}, ${wanted === 2 ? "both" : "all"} on one node`;
  return part.zones.length === 1 ? `${count}, in one zone` : count;
}

export function budgetsOf(part: Pick<Component, "budgets" | "outside">): string {
  const [only] = part.budgets;
  if (only === undefined) return part.outside === "" ? "none" : "-";
  if (part.budgets.length > 1) {
    return `${counted(part.budgets.length, "budget")}: ${listed(part.budgets.map((budget) => budget.name))}`;
  }
  return `${budgetInWords(only)}${only.disruptionsAllowed === 0 ? ", allows 0" : ""}`;
}

/** One that states neither is no default of one: it wants none healthy, expects no pods, and so lets none go. */
function budgetInWords({ minAvailable, maxUnavailable }: PathBudget): string {
  if (maxUnavailable !== null) return `maxUnavailable ${maxUnavailable}`;
  return minAvailable === null ? "states nothing" : `minAvailable ${minAvailable}`;
}

export function spreadOf({ spread, outside }: Component): string {
  if (outside !== "") return "-";
  const parts = [
    spread.node === "none" ? "" : `nodes ${spread.node}`,
    spread.zone === "none" ? "" : `zones ${spread.zone}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "none" : parts.join(", ");
}

const survivalTones: Readonly<Record<Survival, Tone>> = { yes: "good", no: "bad", stalls: "warn", unknown: "warn" };

/** Only what a request needs is worth a colour. */
export function survivalToneOf(survival: Survival, part: Component): Tone {
  return part.onPath && part.needed && part.outside === "" ? survivalTones[survival] : "dim";
}

export function survivalOf(survival: Survival, part: Component): string {
  if (part.outside !== "") return "-";
  return survival === "unknown" ? "?" : survival;
}
