import type { NodeChoice } from "../../sim/scenario.ts";
import { refuseInVain } from "../asked.ts";
import { exit, UsageError } from "../errors.ts";
import { planExit } from "../exit-code.ts";
import type { Parsed } from "../flags.ts";
import { inputHint, readInput } from "../input.ts";
import { checkActors } from "../known-actors.ts";
import { failOnOf, simulateOptions } from "../options.ts";
import { formatOf, writeReport, writeText } from "../output.ts";
import { played } from "../progress.ts";
import type { Shell } from "../shell.ts";

export async function runPlan(parsed: Parsed, shell: Shell): Promise<number> {
  if (parsed.has("schema")) {
    const { planSchema } = await import("../../report/schema.ts");
    await writeText(`${JSON.stringify(planSchema, null, 2)}\n`, parsed, shell);
    return exit.fine;
  }
  formatOf(parsed);
  const nodes = nodesOf(parsed);
  const options = simulateOptions(parsed, shell);
  const actor = parsed.text("actor");
  if (actor !== "") checkActors([actor]);
  const input = await readInput(parsed, shell, { once: false });
  const { plan } = await import("../../assess-plan.ts");
  const report = await played(plan(input.snapshot, { nodes, actor: actor === "" ? null : actor }, options), shell);
  refuseInVain(report);
  const wrong = report.problems.filter(({ file, path }) => file === "plan" && path.startsWith("spec.nodes"));
  if (wrong.length > 0) throw new UsageError("the plan names what this cluster does not have", wrong);
  await writeReport(report, parsed, shell);
  shell.err(inputHint(report, input));
  return planExit(report, { strict: parsed.has("strict"), failOn: failOnOf(parsed), live: input.live });
}

const ways = ["drain", "selector", "pool"] as const;

function nodesOf(parsed: Parsed): NodeChoice {
  const given = ways.filter((way) => parsed.has(way));
  const [way] = given;
  if (way === undefined || given.length > 1) {
    const said = given.map((name) => `--${name}`).join(" and ");
    throw new UsageError(
      `plan needs exactly one of ${ways.map((name) => `--${name}`).join(", ")}${said === "" ? "" : `, not ${said}`}`,
    );
  }
  switch (way) {
    case "drain":
      return { by: "names", names: parsed.all("drain") };
    case "selector":
      return { by: "selector", selector: parsed.text("selector") };
    case "pool":
      return { by: "pool", pool: parsed.text("pool"), first: [] };
  }
}
