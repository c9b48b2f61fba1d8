import type { Cluster, OtherObject } from "../../model/cluster.ts";
import type { Actor, NodeCount } from "../actor.ts";
import type { Pool } from "../pool.ts";

/** How an actor goes about one pool, as far as the cluster's own objects say it. */
export interface Setting {
  readonly actor: Actor;
  /** What was read where, for the report. */
  readonly said: readonly string[];
  /** Why it takes no node of this pool; "" when it does. */
  readonly held: string;
}

/** Null: the cluster says nothing. Setting twice is setting once. */
export type SettingReader = (cluster: Cluster, pool: Pool, actor: Actor) => Setting | null;

export function objectsOf(cluster: Cluster, kind: string, group: string): readonly OtherObject[] {
  return [...cluster.others.values()].filter(({ key }) => key.startsWith(`${kind}.${group}/`));
}

/** `2` or `20%`, as a number or a text on the wire; null when it is neither. */
export function intOrPercent(
  value: unknown,
  { rounds, least }: { readonly rounds: "up" | "down"; readonly least: number },
): NodeCount | null {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return Math.max(least, value);
  if (typeof value !== "string") return null;
  const found = /^(\d{1,6})(%?)$/.exec(value.trim());
  if (found === null) return null;
  const number = Number(found[1]);
  return found[2] === "%" ? { percent: number, rounds, least } : Math.max(least, number);
}

/** A duration as Go writes it (`1h30m`, `90s`), ms; null when it is none. `Never` and 0 are none. */
export function goDurationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return null;
  const units: ReadonlyMap<string, number> = new Map([
    ["ms", 1],
    ["s", 1_000],
    ["m", 60_000],
    ["h", 3_600_000],
  ]);
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(amount) * (units.get(unit ?? "") ?? 0);
  }
  return sum === 0 ? null : Math.trunc(sum);
}
