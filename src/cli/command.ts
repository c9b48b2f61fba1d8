import type { Flag, Parsed } from "./flags.ts";
import type { Shell } from "./shell.ts";

/** A command: help, completion and reference pages are made from this object, so it is the only place that names its flags. */
export interface Command {
  readonly name: string;
  /** One line, no full stop, begins with a verb: `plays the maintenance …`. */
  readonly summary: string;
  /** What stands after the name: `[ENDPOINT…] [flags]`. */
  readonly usage: string;
  /** Paragraphs. */
  readonly description: readonly string[];
  readonly examples: readonly { readonly says: string; readonly command: string }[];
  readonly flags: readonly Flag[];
  /** Positional arguments allowed. */
  readonly operands: { readonly least: number; readonly most: number; readonly name: string };
  /** Heavy imports happen in here, so that help stays fast. */
  run(parsed: Parsed, shell: Shell): Promise<number>;
}

/** A command with its fields checked and nothing added: lets a file say `export const check = command({…})`. */
export function command(definition: Command): Command {
  return definition;
}
