import { readdirSync } from "node:fs";
import { join } from "node:path";
import { check } from "../src/assess.ts";
import { loadPaths } from "../src/load/from-files.ts";
import { buildCluster } from "../src/model/build.ts";
import { parseItems, parseLines } from "./json-parse.ts";
import { optionsOfCheck } from "./options.ts";

/** What a stage found, so that a run that did nothing is seen. */
export type Counts = Readonly<Record<string, number | string>>;

export interface Stage {
  readonly name: string;
  readonly about: string;
  readonly layouts: readonly ("compact" | "kubectl")[];
  run(folder: string): Counts;
}

/** In the order they are run. */
export const stages: readonly Stage[] = [
  {
    name: "json-parse",
    about: "`JSON.parse` of every object, cut by line or by item, and nothing else",
    layouts: ["compact", "kubectl"],
    run: (folder) => {
      let objects = 0;
      for (const file of readdirSync(folder).sort()) {
        const path = join(folder, file);
        objects += file.endsWith(".ndjson") ? parseLines(path) : parseItems(path);
      }
      return { objects };
    },
  },
  {
    name: "read",
    about: "files to wire objects",
    layouts: ["compact", "kubectl"],
    run: (folder) => {
      let objects = 0;
      for (const _ of loadPaths([folder])) objects += 1;
      return { objects };
    },
  },
  {
    name: "model",
    about: "files to the model",
    layouts: ["compact", "kubectl"],
    run: (folder) => {
      const cluster = buildCluster(loadPaths([folder]));
      return { pods: cluster.pods.length, nodes: cluster.nodes.length, problems: cluster.problems.length };
    },
  },
  {
    name: "check",
    about: "files to every endpoint's verdict, as `holdfast check` does it",
    layouts: ["compact", "kubectl"],
    run: (folder) => {
      const run = check(loadPaths([folder]), optionsOfCheck());
      let next = run.next();
      while (next.done !== true) next = run.next();
      const { endpoints, findings } = next.value;
      const of = (verdict: string): number => endpoints.filter((each) => each.verdict === verdict).length;
      return {
        endpoints: endpoints.length,
        safe: of("safe"),
        unsafe: of("unsafe"),
        stalls: of("stalls"),
        undecided: of("undecided"),
        findings: findings.length,
      };
    },
  },
];
