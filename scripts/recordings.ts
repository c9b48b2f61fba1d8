import { mkdirSync, writeFileSync } from "node:fs";
import { drains } from "./recordings/drain.ts";
import { evictions } from "./recordings/eviction.ts";
import { incidents } from "./recordings/incidents.ts";
import { losses } from "./recordings/nodes.ts";
import { clusterText, scenarioText } from "./recordings/recording.ts";
import { reported } from "./recordings/reported.ts";
import { rollouts } from "./recordings/rollout.ts";
import { placements } from "./recordings/scheduling.ts";
import { named } from "./recordings/stateful.ts";

/** Writes cluster.yaml and scenario.yaml of every recording anew. The traces come from a real control plane. */
const root = new URL("../test/recordings/", import.meta.url).pathname;
const all = [...evictions, ...drains, ...rollouts, ...named, ...placements, ...losses, ...incidents, ...reported];
const names = new Set<string>();
for (const made of all) {
  if (names.has(made.name)) throw new Error(`two recordings are called ${made.name}`);
  names.add(made.name);
  const folder = `${root}${made.name}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/cluster.yaml`, clusterText(made));
  writeFileSync(`${folder}/scenario.yaml`, scenarioText(made));
}
console.log(`${all.length} recordings`);
