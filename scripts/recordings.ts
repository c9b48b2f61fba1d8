import { mkdirSync, writeFileSync } from "node:fs";
import { corners } from "./recordings/corners.ts";
import { drains } from "./recordings/drain.ts";
import { drawn } from "./recordings/drawn.ts";
import { evictions } from "./recordings/eviction.ts";
import { incidents } from "./recordings/incidents.ts";
import { kinds } from "./recordings/kinds.ts";
import { losses } from "./recordings/nodes.ts";
import type { Recording } from "./recordings/recording.ts";
import { clusterText, scenarioText } from "./recordings/recording.ts";
import { reported } from "./recordings/reported.ts";
import { rollouts } from "./recordings/rollout.ts";
import { placements } from "./recordings/scheduling.ts";
import { named } from "./recordings/stateful.ts";

/** Every recording, by theme. */
export const recordings: readonly Recording[] = [
  ...evictions,
  ...drains,
  ...rollouts,
  ...named,
  ...placements,
  ...losses,
  ...incidents,
  ...reported,
  ...kinds,
  ...corners,
  ...drawn,
];

/** Writes cluster.yaml and scenario.yaml of every recording anew. The traces come from a real control plane. */
function writeAll(): void {
  for (const made of recordings) {
    const folder = new URL(`../test/recordings/${made.name}/`, import.meta.url).pathname;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}cluster.yaml`, clusterText(made));
    writeFileSync(`${folder}scenario.yaml`, scenarioText(made));
  }
  console.log(`${recordings.length} recordings`);
}

if (import.meta.main) writeAll();
