import { command } from "../command.ts";
import { flag, helpFlag } from "../flags.ts";

export const explain = command({
  name: "explain",
  summary: "says what a finding's rule looks for, why it matters and what to do",
  usage: "[RULE] [flags]",
  description: ["RULE is a name or a code of a finding; without it, all rules are listed."],
  examples: [
    { says: "all rules", command: "holdfast explain" },
    { says: "one of them", command: "holdfast explain HF012" },
  ],
  operands: { least: 0, most: 1, name: "a rule" },
  flags: [
    flag("output", "what to write", { short: "o", value: "FORMAT", choices: ["table", "json", "yaml"] }),
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./explain-run.ts")).runExplain(parsed, shell),
});
