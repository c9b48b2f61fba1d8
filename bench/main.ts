import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildBench } from "../scripts/bundles.ts";
import type { ClusterSize } from "./generate/cluster.ts";
import { fileBytes, type Layout, writtenCluster } from "./generate/write.ts";
import type { Measured } from "./measure.ts";
import { performancePage } from "./page.ts";
import { root } from "./root.ts";
import { runStage } from "./stage.ts";
import { type Stage, stages } from "./stages.ts";
import { figuresTable } from "./table.ts";

/**
 * `npm run bench -- --nodes N --pods M [--growth] [--oracle] [--json] [--write]`: what each step costs on a made-up cluster of that size, and on one of a
 * tenth, for the growth. Every stage runs the program as it is published, built anew, in a process of its own, so that its memory is
 * its own too; `--stage NAME --folder FOLDER` alone runs one from the sources, for a profiler. The ratios are to
 * `JSON.parse` of the same files in the same run, because seconds on a shared machine say little. With `--oracle` the scheduler's
 * own code is asked too, where there is Go to build it: at 5,000 nodes that takes a minute of CPU and 5 GB.
 */
export interface Figure {
  readonly stage: string;
  readonly about: string;
  readonly layout: Layout;
  readonly nodes: number;
  readonly pods: number;
  readonly megabytes: number;
  /** CPU seconds of the main thread, the least of all repetitions. */
  readonly cpuSeconds: number;
  /** With the helpers of the garbage collector, and all other threads. */
  readonly processCpuSeconds: number;
  /** As the clock on the wall has it, of the same repetition. Only one run on a quiet machine says anything by it. */
  readonly wallSeconds: number;
  readonly peakMegabytes: number;
  /** Main thread against `json-parse` of the same layout and size; null: that was not run. */
  readonly ofJsonParse: number | null;
  /** By how much it grows with the pods: 1 is in step. Null: one size only. */
  readonly growth: number | null;
  readonly counts: Measured["counts"];
}

export interface Figures {
  readonly node: string;
  readonly processor: string;
  readonly seed: number;
  readonly repetitions: number;
  readonly figures: readonly Figure[];
}

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "500" },
    pods: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    repeat: { type: "string", default: "1" },
    stages: { type: "string", default: "" },
    layouts: { type: "string", default: "compact,kubectl" },
    growth: { type: "boolean", default: false },
    oracle: { type: "boolean", default: false },
    folder: { type: "string", default: join(tmpdir(), "holdfast-bench") },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    stage: { type: "string" },
  },
});

if (values.stage !== undefined) await runStage(["--stage", values.stage, "--folder", values.folder]);
else await report();

async function report(): Promise<void> {
  const built = mkdtempSync(join(tmpdir(), "holdfast-bench-program-"));
  try {
    await buildBench(built);
    const figures = runAll(join(built, "bench", "stage.js"));
    process.stdout.write(values.json ? `${JSON.stringify(figures, null, 2)}\n` : figuresTable(figures));
    if (values.write) writeFileSync(join(root, "docs/performance.md"), performancePage(figures));
  } finally {
    rmSync(built, { recursive: true });
  }
}

/** `built`: the program that runs stages. */
function runAll(built: string): Figures {
  const nodes = Number(values.nodes);
  const pods = values.pods === "" ? nodes * 30 : Number(values.pods);
  const seed = Number(values.seed);
  const sizes: ClusterSize[] = [{ nodes, pods, seed }];
  if (values.growth) sizes.unshift({ nodes: Math.round(nodes / 10), pods: Math.round(pods / 10), seed });
  const figures: Figure[] = [];
  for (const size of sizes) {
    for (const layout of ["compact", "kubectl"] as const) {
      if (values.layouts.split(",").includes(layout)) figures.push(...figuresOf(built, size, layout, figures));
    }
  }
  return {
    node: process.version,
    processor: cpus()[0]?.model ?? "",
    seed,
    repetitions: Number(values.repeat),
    figures,
  };
}

function figuresOf(built: string, size: ClusterSize, layout: Layout, earlier: readonly Figure[]): readonly Figure[] {
  const folder = writtenCluster(values.folder, size, layout);
  const bytes = readdirSync(folder).reduce((sum, file) => sum + fileBytes(join(folder, file)), 0);
  const wanted = values.stages === "" ? null : values.stages.split(",");
  const figures: Figure[] = [];
  for (const stage of stages) {
    if (!stage.layouts.includes(layout) || (wanted !== null && !wanted.includes(stage.name))) continue;
    if (stage.ownInput && earlier.some((figure) => figure.stage === stage.name)) continue;
    if (stage.asked !== undefined) {
      if (!values.oracle && wanted === null) continue;
      const missing = stage.asked();
      if (missing !== null) {
        process.stderr.write(`${stage.name} is left out: ${missing}\n`);
        continue;
      }
    }
    process.stderr.write(`${stage.name} of ${size.nodes} nodes, ${layout}\n`);
    if (stage.prepare !== undefined) started(built, stage, folder, "--prepare");
    const runs = Array.from(
      { length: Number(values.repeat) },
      (): Measured => JSON.parse(started(built, stage, folder)),
    );
    const least = runs.reduce((best, run) => (run.threadCpuMs < best.threadCpuMs ? run : best));
    const parsed = stage.ownInput ? undefined : figures.find((figure) => figure.stage === "json-parse");
    const smaller = earlier.find(
      (figure) => figure.stage === stage.name && figure.layout === layout && figure.pods < size.pods,
    );
    const cpuSeconds = least.threadCpuMs / 1000;
    figures.push({
      stage: stage.name,
      about: stage.about,
      layout,
      nodes: size.nodes,
      pods: size.pods,
      megabytes: Math.round(bytes / 1e6),
      cpuSeconds: rounded(cpuSeconds),
      processCpuSeconds: rounded(least.processCpuMs / 1000),
      wallSeconds: rounded(least.wallMs / 1000),
      peakMegabytes: Math.round(Math.max(...runs.map((run) => run.peakBytes)) / (1 << 20)),
      ofJsonParse: parsed === undefined ? null : rounded(cpuSeconds / parsed.cpuSeconds),
      growth:
        smaller === undefined
          ? null
          : rounded(Math.log(cpuSeconds / smaller.cpuSeconds) / Math.log(size.pods / smaller.pods)),
      counts: least.counts,
    });
  }
  return figures;
}

/** Runs one stage in a process of its own. One that measures another program finds it beside the sources. */
function started(built: string, stage: Stage, folder: string, ...more: readonly string[]): string {
  const program = stage.elsewhere === undefined ? built : join(root, "bench", "stage.ts");
  return execFileSync(process.execPath, [program, "--stage", stage.name, "--folder", folder, ...more], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26,
  });
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
