import { command } from "../command.ts";
import { endpointFlags, failOnFlag, flag, helpFlag, inputFlags, outputFlags, searchFlags } from "../flags.ts";

export const check = command({
  name: "check",
  summary: "says for every model endpoint whether maintenance takes it down",
  usage: "[ENDPOINT…] [flags]",
  description: [
    "Finds the request path of every model endpoint (DNS, gateway, picker, engines), plays the maintenance that is likely on this cluster in every order, and prints a verdict, the parts, the story of the worst case and findings. Reads only; never reads Secrets.",
    "Verdicts: safe, no order and no placement breaks it; unsafe, a concrete trace breaks it; stalls, it stays up but the maintenance does not complete because of it; undecided, a limit was reached or something is not modelled or not seen.",
  ],
  examples: [
    { says: "the cluster of the current kubeconfig context", command: "holdfast check" },
    { says: "one endpoint of a cluster on disk", command: "holdfast check -f dump/ ml-team/llama" },
    {
      says: "in a pipeline, on rendered manifests",
      command: "helm template . | holdfast check -f - --nodes nodes.yaml -o junit",
    },
    { says: "only what-ifs of a lost machine or zone", command: "holdfast check --scenarios node-failure,zone-loss" },
  ],
  operands: { least: 0, most: 1000, name: "endpoints" },
  flags: [
    ...inputFlags,
    ...endpointFlags,
    flag("selector", "only endpoints with these labels", { short: "l", value: "SELECTOR" }),
    flag("actor", "who maintains the nodes; default: recognised from the cluster", { value: "NAME", many: "list" }),
    flag(
      "scenarios",
      "what is played: drain-one-node and pool-maintenance make the verdict; cordon-all, other-actors, node-failure and zone-loss are what-ifs",
      { value: "NAME", many: "list" },
    ),
    ...searchFlags,
    flag("today", "the day `until` of ignored rules is compared with; default: today", { value: "DAY" }),
    flag("traces", "tell of so many endpoints, the worst first, what happens to them; default 100", {
      value: "NUMBER",
    }),
    flag(
      "workers",
      "threads that help the main one, 0 none; default: as many as pay on this machine for a cluster of this size",
      {
        value: "NUMBER",
      },
    ),
    failOnFlag,
    ...outputFlags,
    helpFlag,
  ],
  run: async (parsed, shell) => (await import("./check-run.ts")).runCheck(parsed, shell),
});
