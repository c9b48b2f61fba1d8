import { exit } from "../errors.ts";
import type { Parsed } from "../flags.ts";
import type { Shell } from "../shell.ts";

export function runSnapshot(_parsed: Parsed, shell: Shell): Promise<number> {
  shell.err("holdfast snapshot is not there yet; `kubectl get ... -A -o yaml` output works with --from.\n");
  return Promise.resolve(exit.usage);
}
