import { command } from "../command.ts";
import { endpointFlags, failOnFlag, flag, helpFlag, inputFlags, outputFlags, searchFlags } from "../flags.ts";

export const fix = command({
  name: "fix",
  summary: "changes what makes endpoints unsafe, at its true owner, proved",
  usage: "[ENDPOINT…] [--diff | --write DIR | --format FORMAT | --apply] [flags]",
  description: [
    "Finds the smallest set of changes that makes every endpoint safe, at the object a person or a controller owns, and plays it forward: its own rollout from the cluster as it is, the scenarios of `holdfast check`, and two maintenances in a row. Shows the verdict before, after the live changes alone, and after all.",
    "Each change says where it holds: live, at the owner now; upstream, in a chart or repository the owner is made from; composition, in a control plane's own functions. A change that a controller would put back is never applied, only shown.",
  ],
  examples: [
    { says: "what would be changed, as diffs", command: "holdfast fix" },
    { says: "only one endpoint, of a cluster on disk", command: "holdfast fix -f dump/ ml-team/llama" },
    { says: "changed files, comments and order kept", command: "holdfast fix -f manifests/ --write fixed/" },
    { says: "a Kustomize component", command: "holdfast fix --format kustomize --write component/" },
    { says: "applied by server-side apply, after a dry run and a question", command: "holdfast fix --apply" },
  ],
  operands: { least: 0, most: 1000, name: "endpoints" },
  flags: [
    flag("diff", "show unified diffs, which is the default"),
    flag("write", "write whole files into this folder, comments and order kept where the input was a file", {
      value: "DIR",
    }),
    flag("force", "let --write overwrite files"),
    flag("format", "write patches, a Kustomize component, or Helm values instead of diffs", {
      value: "FORMAT",
      choices: ["diff", "patch", "kustomize", "helm"],
    }),
    flag("apply", "apply the live changes by server-side apply as field manager holdfast"),
    flag("dry-run", "`server`: with --apply, stop after the server's dry run", { value: "HOW", choices: ["server"] }),
    flag("yes", "do not ask before applying"),
    ...inputFlags,
    ...endpointFlags,
    flag("selector", "only endpoints with these labels", { short: "l", value: "SELECTOR" }),
    flag("actor", "who maintains the nodes; default: recognised from the cluster", { value: "NAME", many: "list" }),
    ...searchFlags,
    failOnFlag,
    ...outputFlags,
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./fix-run.ts")).runFix(parsed, shell),
});
