import { command } from "../command.ts";
import { flag, helpFlag, inputFlags } from "../flags.ts";

export const snapshot = command({
  name: "snapshot",
  summary: "writes the objects check reads to one compressed file",
  usage: "[--output-file FILE] [flags]",
  description: [
    "Secrets are never read; values of environment variables and payload annotations are dropped. `holdfast check -f FILE` reads it anywhere.",
  ],
  examples: [
    { says: "the current cluster", command: "holdfast snapshot --output-file cluster.holdfast.gz" },
    {
      says: "with every name replaced, to show to others",
      command: "holdfast snapshot --anonymize --output-file cluster.holdfast.gz",
    },
  ],
  operands: { least: 0, most: 0, name: "no arguments" },
  flags: [
    flag("output-file", "where to; default: CONTEXT.holdfast.gz in this folder", { value: "FILE" }),
    flag("anonymize", "replace names, images and label values by neutral ones, the same for the same"),
    flag("force", "overwrite the file"),
    ...inputFlags.filter((one) => ["from", "context", "kubeconfig", "strict"].includes(one.name)),
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./snapshot-run.ts")).runSnapshot(parsed, shell),
});
