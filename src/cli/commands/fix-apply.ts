import type { FixReport } from "../../report/types.ts";
import { UsageError } from "../errors.ts";
import type { Parsed } from "../flags.ts";
import type { Shell } from "../shell.ts";

export async function applyChanges(_report: FixReport, _parsed: Parsed, _shell: Shell, _exit: number): Promise<number> {
  throw new UsageError("--apply is not there yet");
}
