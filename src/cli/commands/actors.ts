import { command } from "../command.ts";
import { flag, helpFlag } from "../flags.ts";

export const actors = command({
  name: "actors",
  summary: "lists who maintains nodes, and how each goes about it",
  usage: "[NAME] [flags]",
  description: [],
  examples: [],
  operands: { least: 0, most: 1, name: "a name" },
  flags: [
    flag("output", "what to write", { short: "o", value: "FORMAT", choices: ["table", "json", "yaml"] }),
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./actors-run.ts")).runActors(parsed, shell),
});
