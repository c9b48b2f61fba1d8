import { command } from "../command.ts";
import { exit } from "../errors.ts";
import { helpFlag } from "../flags.ts";

export const plan = command({
  name: "plan",
  summary: "(not there yet) writes a runbook that breaks no endpoint",
  usage: "",
  description: ["Runbooks are not written yet in this version. `holdfast check` says what to change and why."],
  examples: [],
  operands: { least: 0, most: 1000, name: "" },
  flags: [helpFlag],
  run: async (_parsed, shell) => {
    shell.err("holdfast plan is not there yet; `holdfast check` says what to change and why.\n");
    return exit.usage;
  },
});
