import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ScenarioFigures, scenarioFiguresPath } from "../replay/figures.ts";
import type { Figures } from "./figures.ts";
import { outOfReach } from "./requirements.ts";

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
    ...scenarios(),
    ...all.flatMap(details),
    ...mutationTable(),
  ].join("\n")}\n`;
}

function summary(all: readonly Figures[]): string[] {
  return [
    "| Kubernetes | clusters | nodes | pods | pod × node decisions | searches that sampled | preemptions | clusters that differ | of two minds | coverage |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ...all.map(
      (f) =>
        `| ${f.version} | ${f.clusters} | ${f.nodesMin} to ${f.nodesMax} | ${f.pods} | ${f.decisions} | ${f.sampled} | ${f.preemptions} | ${f.clustersDiffering} | ${f.clustersUndecided} | ${coverageCell(f)} |`,
    ),
    "",
    "Coverage is met when each filter has let through and turned down 1,000 nodes, each sentence was said 50 times, each score gave",
    "three values in the first 500 clusters, and clusters had 3 to 150 nodes. Out of reach of the default profile, and so not asked for:",
    "",
    ...outOfReach.map(({ message, why }) => `- ${message}: ${why}`),
    "",
  ];
}

function coverageCell({ lacking }: Figures): string {
  if (lacking === null) return "not judged";
  return lacking.length === 0 ? "met" : `lacks ${lacking.join("; ")}`;
}

/** What whole scenarios on a control plane show, by the part of it that acts. */
function scenarios(): string[] {
  if (!existsSync(scenarioFiguresPath)) return [];
  const all: { readonly [version: string]: ScenarioFigures } = JSON.parse(readFileSync(scenarioFiguresPath, "utf8"));
  const versions = Object.keys(all).sort();
  const names = all["1.36"]?.parts.map(({ name }) => name) ?? [];
  const cell = (version: string, name: string): string => {
    const part = all[version]?.parts.find((one) => one.name === name);
    return part === undefined ? "" : `${part.acts} in ${part.recordings} | ${part.differing}`;
  };
  return [
    "## Whole scenarios",
    "",
    "Scenarios played on a real control plane and by the model: answers to evictions with code, sentence and cause, ends of drains,",
    "deletions and by whom, refusals, places, sentences of pods that wait, ready endpoints at the least and at the end, how often there were none for a while, budgets.",
    "",
    "| Kubernetes | scenarios | that differ |",
    "| --- | ---: | ---: |",
    ...versions.map(
      (version) => `| ${all[version]?.kubernetes} | ${all[version]?.recordings} | ${all[version]?.differing.length} |`,
    ),
    "",
    "What each part of the control plane did in how many of them, and how many of those differ:",
    "",
    `| | ${versions.map((version) => `${version} | differ`).join(" | ")} |`,
    `| --- |${versions.map(() => " ---: | ---: |").join("")}`,
    ...names.map((name) => `| ${name} | ${versions.map((version) => cell(version, name)).join(" | ")} |`),
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
