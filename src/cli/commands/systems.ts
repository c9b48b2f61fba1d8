import { command } from "../command.ts";
import { flag, helpFlag } from "../flags.ts";

export const systems = command({
  name: "systems",
  summary: "lists the serving systems whose request paths are known",
  usage: "[NAME] [flags]",
  description: [],
  examples: [],
  operands: { least: 0, most: 1, name: "a name" },
  flags: [
    flag("output", "what to write", { short: "o", value: "FORMAT", choices: ["table", "json", "yaml"] }),
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./systems-run.ts")).runSystems(parsed, shell),
});
