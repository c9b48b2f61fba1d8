import type { Closing, Drain } from "./actor.ts";

/** What most actors share; each states how it differs. */
export const cordons: Closing = { cordon: true, taints: [], condition: "" };

export const closesNothing: Closing = { cordon: false, taints: [], condition: "" };

/** DaemonSet pods skipped, bare and emptyDir pods evicted: what nearly every actor but a person with kubectl does. */
export const takesAll: readonly string[] = ["--force", "--ignore-daemonsets", "--delete-emptydir-data"];

/** Evicts with each pod's own grace, asks a refused eviction again every 5 s, for ever. */
export const asksForEver: Drain = {
  by: "eviction",
  flags: takesAll,
  daemonSetPods: "as-flags",
  barePods: "as-flags",
  sparesTolerating: false,
  waitsForAnnotations: [],
  inWaves: false,
  volumesOneByOne: false,
  asks: "at-once",
  retryMs: 5_000,
  attempts: null,
  graceMaxMs: null,
  graceSetMs: null,
  holdsForMs: null,
  then: "waits",
  deletesEarly: false,
  deleteGraceMs: null,
  onError: "retries",
  onNotReady: "as-usual",
};

/** Nobody asks the pods: the machine goes at the end of the notice, whatever is on it. */
export const stopsUnasked: Drain = { ...asksForEver, by: "nobody", holdsForMs: 0, then: "stops-machine" };

export const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
