import { type ModelplaneOptions, modelplane } from "./examples/modelplane.ts";
import { gpuNodes, noRoom, openShift } from "./examples/openshift.ts";
import type { World } from "./examples/world.ts";

/** Writes examples/<name>/cluster anew. The READMEs are written by hand. */
const nebius = {
  system: ["computeinstance-e00c4m8q1w7zk2d5t1", "computeinstance-e00c4m8q1w7zk2d5t2"],
  gpu: ["computeinstance-e00r9h3x6v0pn8b4g1", "computeinstance-e00r9h3x6v0pn8b4g2"],
} as const;
const [one, two] = nebius.system;
/** The same cluster where no cloud's sign says who maintains it. */
const plain = { system: ["system-1", "system-2"], gpu: ["gpu-1", "gpu-2"] } as const;
const [gpuOne, gpuTwo] = gpuNodes;

/** Two of everything on the path, one a node, under budgets. */
const fixed = {
  nodes: nebius,
  nebius: true,
  pickers: [{ node: one }, { node: two }],
  pickerArgs: [],
  proxies: [{ node: one }, { node: two }],
  dns: [{ node: one }, { node: two }],
  spread: true,
  pathBudgets: true,
} satisfies ModelplaneOptions;

const examples: Record<string, () => World> = {
  "modelplane-incident": () =>
    modelplane({
      nodes: nebius,
      nebius: true,
      pickers: [{ node: one }],
      pickerArgs: [],
      proxies: [{ node: one }],
      dns: [{ node: two }, { node: two }],
      spread: false,
      pathBudgets: false,
    }),
  "modelplane-fixed": () => modelplane(fixed),
  // Standbys are never Ready: Recreate, because a rolling update waits for one for ever.
  "modelplane-standby": () =>
    modelplane({
      ...fixed,
      nodes: plain,
      nebius: false,
      pickers: [{ node: "system-1" }, { node: "system-2", ready: false }],
      pickerArgs: ["--ha-enable-leader-election"],
      pickerStrategy: { type: "Recreate" },
      proxies: [{ node: "system-1" }, { node: "system-2" }],
      dns: [{ node: "system-1" }, { node: "system-2" }],
    }),
  "openshift-one-replica": () =>
    openShift({
      engines: 1,
      chat: [{ node: gpuOne }],
      rank: [{ node: gpuTwo }],
      antiAffinity: "none",
      budgets: "right",
    }),
  "openshift-two-replicas": () =>
    openShift({
      engines: 2,
      chat: [{ node: gpuOne }, { node: gpuTwo }],
      rank: [{ node: gpuOne }, { node: gpuTwo }],
      antiAffinity: "right",
      budgets: "right",
    }),
  "openshift-as-written": () =>
    openShift({
      engines: 2,
      chat: [{ node: gpuOne }, { node: gpuOne }],
      rank: [{ node: gpuOne }, { node: gpuTwo }],
      antiAffinity: "written",
      budgets: "written",
    }),
  "openshift-no-room": () =>
    openShift({
      engines: 3,
      chat: [{ node: gpuOne }, { node: gpuTwo }, { node: null, message: noRoom }],
      rank: [{ node: gpuOne }, { node: gpuTwo }, { node: null, message: noRoom }],
      antiAffinity: "right",
      budgets: "right",
    }),
};

for (const [name, build] of Object.entries(examples))
  build().write(new URL(`../examples/${name}/cluster/`, import.meta.url).pathname);
