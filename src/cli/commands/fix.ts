import { command } from "../command.ts";
import { exit } from "../errors.ts";
import { helpFlag } from "../flags.ts";

export const fix = command({
  name: "fix",
  summary: "(not there yet) changes what makes endpoints unsafe, at its true owner, proved",
  usage: "",
  description: ["Changes are not written yet in this version. `holdfast check` says what to change and why."],
  examples: [],
  operands: { least: 0, most: 1000, name: "" },
  flags: [helpFlag],
  run: async (_parsed, shell) => {
    shell.err("holdfast fix is not there yet; `holdfast check` says what to change and why.\n");
    return exit.usage;
  },
});
