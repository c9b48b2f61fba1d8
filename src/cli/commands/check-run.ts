import type { CheckReport } from "../../report/types.ts";
import { refuseInVain } from "../asked.ts";
import { exit } from "../errors.ts";
import { checkExit } from "../exit-code.ts";
import type { Parsed } from "../flags.ts";
import { inputHint, readInput } from "../input.ts";
import { checkActors } from "../known-actors.ts";
import { checkOptions, failOnOf, workersOf } from "../options.ts";
import { formatOf, writeReport, writeText } from "../output.ts";
import { played } from "../progress.ts";
import type { Shell } from "../shell.ts";

export async function runCheck(parsed: Parsed, shell: Shell): Promise<number> {
  if (parsed.has("schema")) {
    const { checkSchema } = await import("../../report/schema.ts");
    await writeText(`${JSON.stringify(checkSchema, null, 2)}\n`, parsed, shell);
    return exit.fine;
  }
  formatOf(parsed);
  const options = checkOptions(parsed, shell);
  const workers = workersOf(parsed);
  checkActors(options.actors);
  const input = await readInput(parsed, shell, { once: true });
  const { check } = await import("../../assess.ts");
  const { Pool } = await import("../../pool/pool.ts");
  const pool = new Pool(options, workers);
  let report: CheckReport;
  try {
    report = await played(check(input.snapshot, options, pool), shell, () => pool.turn());
  } finally {
    await pool.end();
  }
  refuseInVain(report);
  await writeReport(report, parsed, shell);
  shell.err(inputHint(report, input));
  return checkExit(report, { strict: parsed.has("strict"), failOn: failOnOf(parsed), live: input.live });
}
