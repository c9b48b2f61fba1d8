import { run } from "../../src/cli/run.ts";
import type { Shell } from "../../src/cli/shell.ts";

/** One run of the program in this process: what it said and how it ended. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function holdfast(argv: readonly string[], parts: Partial<Shell> = {}): Promise<Run> {
  let out = "";
  let err = "";
  const shell: Shell = {
    environment: new Map(),
    folder: import.meta.dirname,
    look: { colour: false, width: null },
    errLook: { colour: false, width: null },
    showsProgress: false,
    stdin: (async function* () {})(),
    out: async (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    interruption: () => new AbortController().signal,
    today: () => "2026-10-21",
    ...parts,
  };
  const code = await run(argv, shell);
  return { code, out, err };
}
