import { command } from "../command.ts";
import { endpointFlags, failOnFlag, flag, helpFlag, inputFlags, outputFlags, searchFlags } from "../flags.ts";

export const plan = command({
  name: "plan",
  summary: "writes a runbook for a maintenance that breaks no endpoint",
  usage: "--drain NODE… | -l SELECTOR | --pool NAME [--actor NAME] [flags]",
  description: [
    "Finds an order of drains and the steps between (scale this owner to two and wait until it is ready, drain, wait, step back), plays every step forward under every choice, and writes them down: -o markdown to follow by hand, -o json to run. Where no plan exists it says why, for how long an endpoint would be gone, and the least help that makes a plan possible.",
    "Without --actor the nodes are drained by hand, one after the other; with it, as that actor does it.",
  ],
  examples: [
    { says: "one node, by hand", command: "holdfast plan --drain gpu-1" },
    { says: "a whole pool, as OpenShift updates it", command: "holdfast plan --pool worker --actor openshift-mco" },
    { says: "to be followed by a person", command: "holdfast plan -l pool=gpu -o markdown --output-file tomorrow.md" },
  ],
  operands: { least: 0, most: 0, name: "no arguments" },
  flags: [
    flag("drain", "these nodes", { value: "NODE", many: "list" }),
    flag("selector", "the nodes with these labels", { short: "l", value: "SELECTOR" }),
    flag("pool", "the nodes of this pool", { value: "NAME" }),
    flag("actor", "who maintains the nodes; default: a person, by hand", { value: "NAME" }),
    ...inputFlags,
    ...endpointFlags,
    ...searchFlags,
    failOnFlag,
    ...outputFlags,
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./plan-run.ts")).runPlan(parsed, shell),
});
