import type { LabelSelector } from "../model/labels.ts";
import { parseSelectorText } from "../model/selector-text.ts";

/** `kubectl drain`'s flags, resolved. */
export interface DrainFlags {
  readonly force: boolean;
  readonly ignoreDaemonsets: boolean;
  readonly deleteEmptydirData: boolean;
  /** Null: each pod's own. 0: at once. */
  readonly gracePeriodMs: number | null;
  /** Per node, not for the whole command. Null: no limit. */
  readonly timeoutMs: number | null;
  /** 0: off. */
  readonly skipWaitForDeleteSeconds: number;
  /** Plain DELETE: budgets are not asked. */
  readonly disableEviction: boolean;
  /** Null: every pod. */
  readonly podSelector: LabelSelector | null;
}

export type ParsedDrainFlags =
  | { readonly ok: true; readonly flags: DrainFlags }
  | { readonly ok: false; readonly errors: readonly string[] };

/** kubectl's bare behaviour: it refuses DaemonSet, emptyDir and bare pods. */
export const bareDrainFlags: DrainFlags = {
  force: false,
  ignoreDaemonsets: false,
  deleteEmptydirData: false,
  gracePeriodMs: null,
  timeoutMs: null,
  skipWaitForDeleteSeconds: 0,
  disableEviction: false,
  podSelector: null,
};

/** What people type, and what is meant where no flags are given. */
export const usualDrainFlags: readonly string[] = ["--ignore-daemonsets", "--delete-emptydir-data"];

/**
 * Reads flags as pflag does: `--name`, `--name=value`, or `--name` with the value in the next string for flags that take
 * one. All errors at once; an unknown flag names the ones there are.
 * Mirrors: kubectl pkg/cmd/drain/drain.go NewCmdDrain, 0.36.3.
 */
export function parseDrainFlags(args: readonly string[]): ParsedDrainFlags {
  const errors: string[] = [];
  let flags = bareDrainFlags;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const equals = arg.indexOf("=");
    const name = equals < 0 ? arg : arg.slice(0, equals);
    const reader = readers.get(name);
    if (reader === undefined) {
      errors.push(`unknown drain flag ${JSON.stringify(arg)}: use one of ${[...readers.keys()].join(", ")}`);
      continue;
    }
    let value = equals < 0 ? null : arg.slice(equals + 1);
    if (value === null && reader.takesValue) {
      at += 1;
      value = args[at] ?? null;
    }
    const read = value === null && reader.takesValue ? `flag needs an argument: ${name}` : reader.read(value ?? "true");
    if (typeof read === "string") errors.push(read);
    else flags = { ...flags, ...read };
  }
  return errors.length === 0 ? { ok: true, flags } : { ok: false, errors };
}

interface Reader {
  readonly takesValue: boolean;
  /** The fields it sets, or what is wrong with the value. */
  read(value: string): Partial<DrainFlags> | string;
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["--force", switchReader("--force", (force) => ({ force }))],
  ["--ignore-daemonsets", switchReader("--ignore-daemonsets", (ignoreDaemonsets) => ({ ignoreDaemonsets }))],
  ["--delete-emptydir-data", switchReader("--delete-emptydir-data", (deleteEmptydirData) => ({ deleteEmptydirData }))],
  ["--disable-eviction", switchReader("--disable-eviction", (disableEviction) => ({ disableEviction }))],
  [
    "--grace-period",
    integerReader("--grace-period", (seconds) => ({ gracePeriodMs: seconds < 0 ? null : seconds * 1000 })),
  ],
  [
    "--skip-wait-for-delete-timeout",
    integerReader("--skip-wait-for-delete-timeout", (skipWaitForDeleteSeconds) => ({ skipWaitForDeleteSeconds })),
  ],
  ["--timeout", { takesValue: true, read: readTimeout }],
  ["--pod-selector", { takesValue: true, read: readPodSelector }],
  ["--chunk-size", integerReader("--chunk-size", () => ({}))],
]);

function switchReader(name: string, set: (on: boolean) => Partial<DrainFlags>): Reader {
  return {
    takesValue: false,
    read(value) {
      if (["1", "t", "T", "TRUE", "true", "True"].includes(value)) return set(true);
      if (["0", "f", "F", "FALSE", "false", "False"].includes(value)) return set(false);
      return `invalid argument ${JSON.stringify(value)} for ${name}: it is true or false`;
    },
  };
}

function integerReader(name: string, set: (value: number) => Partial<DrainFlags>): Reader {
  return {
    takesValue: true,
    read(value) {
      if (!/^[+-]?\d{1,9}$/.test(value))
        return `invalid argument ${JSON.stringify(value)} for ${name}: it is a whole number`;
      return set(Number(value));
    },
  };
}

function readTimeout(value: string): Partial<DrainFlags> | string {
  const ms = durationMs(value);
  if (ms === null) return `invalid argument ${JSON.stringify(value)} for --timeout: it is a duration like 90s or 1h30m`;
  return { timeoutMs: ms === 0 ? null : ms };
}

function readPodSelector(value: string): Partial<DrainFlags> | string {
  const parsed = parseSelectorText(value);
  if (!parsed.ok) return `--pod-selector=<pod_selector> must be a valid label selector: ${parsed.message}`;
  return { podSelector: parsed.selector.requirements.length === 0 ? null : parsed.selector };
}

/** Go's duration text; null: not one. Parts of a millisecond are dropped. */
function durationMs(text: string): number | null {
  if (text === "0") return 0;
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return null;
  const units: ReadonlyMap<string, number> = new Map([
    ["ns", 1e-6],
    ["us", 1e-3],
    ["µs", 1e-3],
    ["ms", 1],
    ["s", 1000],
    ["m", 60_000],
    ["h", 3_600_000],
  ]);
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    sum += Number(amount) * (units.get(unit ?? "") ?? 0);
  }
  return Math.trunc(sum);
}
