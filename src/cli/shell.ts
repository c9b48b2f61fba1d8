import type { Look } from "../report/columns.ts";

/** The world as commands see it: main.ts gives the real one, tests another. */
export interface Shell {
  readonly environment: ReadonlyMap<string, string>;
  readonly folder: string;
  out(text: string): Promise<void>;
  /** For people: problems, hints, progress. */
  err(text: string): void;
  /** What standard output can show. */
  readonly look: Look;
  /** What standard error can show. */
  readonly errLook: Look;
  /** True: standard error is a terminal, so progress may be drawn. */
  readonly showsProgress: boolean;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** From now on Ctrl-C does not end the program: the signal tells of it instead. */
  interruption(): AbortSignal;
  /** `2026-10-21`, the day on this machine, UTC. */
  today(): string;
}
