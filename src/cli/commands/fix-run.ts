import { refuseInVain } from "../asked.ts";
import { exit, UsageError } from "../errors.ts";
import { fixExit } from "../exit-code.ts";
import type { Parsed } from "../flags.ts";
import { inputHint, readInput } from "../input.ts";
import { checkActors } from "../known-actors.ts";
import { checkOptions, failOnOf } from "../options.ts";
import { formatOf, writeReport, writeText } from "../output.ts";
import { played } from "../progress.ts";
import type { Shell } from "../shell.ts";

export async function runFix(parsed: Parsed, shell: Shell): Promise<number> {
  if (parsed.has("schema")) {
    const { fixSchema } = await import("../../report/schema.ts");
    await writeText(`${JSON.stringify(fixSchema, null, 2)}\n`, parsed, shell);
    return exit.fine;
  }
  formatOf(parsed);
  checkFlags(parsed);
  const options = checkOptions(parsed, shell);
  checkActors(options.actors);
  const input = await readInput(parsed, shell, { once: false });
  const { fix } = await import("../../assess-fix.ts");
  const report = await played(fix(input.snapshot, options), shell);
  refuseInVain(report);
  const rules = { strict: parsed.has("strict"), failOn: failOnOf(parsed), live: input.live };
  if (parsed.has("apply")) {
    const { applyChanges } = await import("./fix-apply.ts");
    return applyChanges(report, parsed, shell, fixExit(report, rules));
  }
  const format = parsed.text("format");
  if (parsed.has("write") || (format !== "" && format !== "diff")) {
    const { writeFix } = await import("./fix-write.ts");
    await writeFix(report, parsed, shell);
  } else await writeReport(report, parsed, shell);
  shell.err(inputHint(report, input));
  return fixExit(report, rules);
}

function checkFlags(parsed: Parsed): void {
  if (parsed.has("apply") && parsed.has("from"))
    throw new UsageError("--apply does not go with --from: there is no API server to apply to");
  if (parsed.has("apply") && parsed.has("write")) throw new UsageError("--apply does not go with --write");
  for (const flag of ["dry-run", "yes"]) {
    if (parsed.has(flag) && !parsed.has("apply")) throw new UsageError(`--${flag} goes with --apply`);
  }
  if (parsed.has("force") && !parsed.has("write")) throw new UsageError("--force goes with --write");
}
