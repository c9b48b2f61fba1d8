import { command } from "../command.ts";
import { endpointFlags, failOnFlag, flag, helpFlag, inputFlags, outputFlags, searchFlags } from "../flags.ts";

export const simulate = command({
  name: "simulate",
  summary: "plays one maintenance and shows what happens, moment by moment",
  usage: "--drain NODE… | -l SELECTOR | --pool NAME | --zone ZONE | --fail NODE… | --scenario FILE [flags]",
  description: [
    "Plays one maintenance, in every order unless --order given, and shows the trace that breaks or stalls something, or one that holds. The scheduler's messages, the eviction API's answers and the drains' outcomes are shown as the real ones would say them.",
    "A scenario file can say more: steps one by one, manifests applied first, how long things take.",
  ],
  examples: [
    {
      says: "two nodes, in any order, as this cluster's own maintenance does it",
      command: "holdfast simulate --drain system-1,system-2",
    },
    {
      says: "as kubectl drain would, in this order",
      command: "holdfast simulate --drain n1,n2 --actor kubectl-drain --order given",
    },
    { says: "a whole pool of a cluster on disk", command: "holdfast simulate -f dump/ --pool system" },
    { says: "a machine that dies", command: "holdfast simulate --fail gpu-3" },
    { says: "steps from a file", command: "holdfast simulate --scenario maintenance.yaml" },
  ],
  operands: { least: 0, most: 0, name: "no arguments" },
  flags: [
    flag("scenario", "a scenario file", { value: "FILE" }),
    flag("drain", "drain these nodes", { value: "NODE", many: "list" }),
    flag("selector", "drain the nodes with these labels", { short: "l", value: "SELECTOR" }),
    flag("pool", "drain the nodes of this pool", { value: "NAME" }),
    flag("zone", "drain the nodes of this zone", { value: "ZONE" }),
    flag("fail", "these nodes lose power and do not come back", { value: "NODE", many: "list" }),
    flag("actor", "who maintains the nodes; default: recognised from the cluster", { value: "NAME" }),
    flag("order", "`given`: only the order given; `any`: all of them, which is the default", {
      value: "ORDER",
      choices: ["any", "given"],
    }),
    ...inputFlags,
    ...endpointFlags,
    ...searchFlags,
    failOnFlag,
    ...outputFlags,
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./simulate-run.ts")).runSimulate(parsed, shell),
});
