import type { CheckOptions } from "../report/options.ts";
import type { PlainApart } from "../search/n-minus-one/plain.ts";
import type { Offer } from "../search/tasks.ts";
import type { Saved } from "../wire/snapshot.ts";

/** What a worker hears first: it has read the program by then. */
export interface Start {
  /** The cluster, under no name of a file. */
  readonly saved: Saved;
  readonly options: CheckOptions;
  /** Its number among the threads, from 1. */
  readonly me: number;
}

/** An offer with who does which of its tasks: each thread takes what is free, and asks nobody. */
export interface SharedOffer extends Offer {
  readonly takers: Int32Array;
}

/** What a task came to. */
export interface Told {
  readonly offer: number;
  readonly task: number;
  readonly answer: PlainApart;
}

/** In `takers`; a worker's own is its number. */
export const free = 0;
export const mainThread = -1;

/** The first task that was free, which is the taker's now; -1: there is none. */
export function taken({ tasks, takers }: SharedOffer, taker: number): number {
  return tasks.findIndex((_, at) => isTaken(takers, at, taker));
}

/** Whether it was free; it is the taker's now. */
export function isTaken(takers: Int32Array, at: number, taker: number): boolean {
  return Atomics.compareExchange(takers, at, free, taker) === free;
}
