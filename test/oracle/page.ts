import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Figures } from "./figures.ts";

/** Makes docs/reference/fidelity.md from the saved figures. With --check it only says whether the page is up to date. */
const path = join(import.meta.dirname, "../../docs/reference/fidelity.md");
const folder = join(import.meta.dirname, "figures");

export function pageOf(all: readonly Figures[]): string {
  return `${[
    "<!-- Made by `node test/oracle/page.ts` from test/oracle/figures. Do not edit. -->",
    "# Agreement with the real scheduler",
    "",
    "The real kube-scheduler, linked as a library, and ours were asked about the same drawn clusters: for each pending pod the verdict",
    "of each filter on each node with its reasons, each score on each node that fits, the best nodes, the sentence in the pod's",
    "condition, and whom preemption displaces. Of two minds: the real scheduler, asked again, answers otherwise",
    "(some of its loops walk over maps), and ours differs only about such pods. `npm run conformance` makes these figures afresh.",
    "",
    ...summary(all),
    ...all.flatMap(details),
    ...mutationTable(),
  ].join("\n")}\n`;
}

function summary(all: readonly Figures[]): string[] {
  return [
    "| Kubernetes | clusters | nodes | pods | pod × node decisions | searches that sampled | preemptions | clusters that differ | of two minds |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...all.map(
      (f) =>
        `| ${f.version} | ${f.clusters} | ${f.nodesMin} to ${f.nodesMax} | ${f.pods} | ${f.decisions} | ${f.sampled} | ${f.preemptions} | ${f.clustersDiffering} | ${f.clustersUndecided} |`,
    ),
    "",
  ];
}

function details(figures: Figures): string[] {
  return [
    `## Kubernetes ${figures.version}`,
    "",
    `Seeds ${figures.seedFirst} to ${figures.seedLast}.`,
    "",
    "| filter | let through | turned down | clusters that differ |",
    "| --- | ---: | ---: | ---: |",
    ...figures.filters.map((f) => `| ${f.name} | ${f.passed} | ${f.rejected} | ${f.differences} |`),
    "",
    "| score | different scores | before normalizing | clusters that differ |",
    "| --- | ---: | ---: | ---: |",
    ...figures.scores.map((s) => `| ${s.name} | ${s.values} | ${s.rawValues} | ${s.differences} |`),
    "",
    "<details><summary>Reasons and how often they were given</summary>",
    "",
    "| reason | times |",
    "| --- | ---: |",
    ...figures.reasons.map((r) => `| ${r.text.replaceAll("|", "\\|")} | ${r.times} |`),
    "",
    "</details>",
    "",
  ];
}

function mutationTable(): string[] {
  const path = join(folder, "mutations.json");
  if (!existsSync(path)) return [];
  const rows = JSON.parse(readFileSync(path, "utf8")) as readonly {
    readonly file: string;
    readonly from: string;
    readonly to: string;
    readonly clusters: number;
    readonly kind: string | null;
  }[];
  const code = (text: string): string => (text === "" ? "(nothing)" : `\`${text.replaceAll("|", "\\|")}\``);
  return [
    "## Rules broken on purpose",
    "",
    "Each line made wrong on its own, and after how many clusters the comparison noticed (1.36, at most 2000).",
    "",
    "| file | line | made | noticed after | by |",
    "| --- | --- | --- | ---: | --- |",
    ...rows.map(
      (r) =>
        `| ${r.file} | ${code(r.from)} | ${code(r.to)} | ${r.kind === null ? "never" : r.clusters} | ${r.kind ?? ""} |`,
    ),
    "",
  ];
}

if (import.meta.main) {
  const files = readdirSync(folder).filter((name) => /^\d+\.\d+\.json$/.test(name));
  const page = pageOf(files.sort().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Figures));
  if (process.argv.includes("--check")) {
    if (!existsSync(path) || readFileSync(path, "utf8") !== page) {
      console.error("docs/reference/fidelity.md is not what test/oracle/figures say: run node test/oracle/page.ts");
      process.exitCode = 1;
    }
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, page);
  }
}
