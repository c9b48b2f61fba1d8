import { modelplane } from "./examples/modelplane.ts";
import type { World } from "./examples/world.ts";

/** Writes examples/<name>/cluster anew. The READMEs are written by hand. */
const nebius = {
  system: ["computeinstance-e00c4m8q1w7zk2d5t1", "computeinstance-e00c4m8q1w7zk2d5t2"],
  gpu: ["computeinstance-e00r9h3x6v0pn8b4g1", "computeinstance-e00r9h3x6v0pn8b4g2"],
} as const;
const [one, two] = nebius.system;

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
};

for (const [name, build] of Object.entries(examples))
  build().write(new URL(`../examples/${name}/cluster/`, import.meta.url).pathname);
