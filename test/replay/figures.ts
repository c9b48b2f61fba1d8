import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { differencesIn, readTrace, recordingNames, recordingsFolder } from "./replay.ts";
import type { TraceEvent } from "./trace.ts";

// `node test/replay/figures.ts`: which part of the control plane did how much in the recordings, and whether the model does the same;
// kept for docs/reference/fidelity.md. `--version 1.34 --from FOLDER`: of traces made on another version's plane.

export interface ScenarioFigures {
  /** As the server says it, `v1.36.3`. */
  readonly kubernetes: string;
  readonly recordings: number;
  readonly differing: readonly string[];
  readonly parts: readonly {
    readonly name: string;
    /** Recordings in which it does something after the start. */
    readonly recordings: number;
    readonly acts: number;
    /** Of those recordings, the ones that differ in anything. */
    readonly differing: number;
  }[];
}

export const scenarioFiguresPath = join(import.meta.dirname, "../oracle/figures/scenarios.json");

type Acts = (event: TraceEvent & { readonly [field: string]: unknown }) => boolean;

const made =
  (kind: string, by: readonly string[]): Acts =>
  (event) =>
    (event.type === "pod-created" && String(event["owner"]).startsWith(`${kind} `)) ||
    (event.type === "pod-deleted" && by.includes(event.by));
const told =
  (...types: readonly string[]): Acts =>
  ({ type }) =>
    types.includes(type);

const parts: readonly (readonly [string, Acts])[] = [
  ["API server: evictions", told("eviction")],
  ["kubectl drain", told("drain-started")],
  [
    "kube-scheduler",
    (event) =>
      told("pod-bound", "pod-unschedulable", "pod-nominated")(event) ||
      (event.type === "pod-deleted" && event.by === "kube-scheduler"),
  ],
  ["disruption controller", told("budget")],
  ["EndpointSlice controller", told("endpoints")],
  [
    "Deployment controller",
    (event) =>
      told("replicaset-created", "deployment-condition")(event) ||
      (event.type === "scaled" && event.ref.startsWith("ReplicaSet ")),
  ],
  ["ReplicaSet controller", made("ReplicaSet", ["replicaset-controller"])],
  ["ReplicationController", made("ReplicationController", ["replication-controller"])],
  ["StatefulSet controller", made("StatefulSet", ["statefulset-controller"])],
  ["DaemonSet controller", made("DaemonSet", ["daemon-set-controller"])],
  ["Job controller", (event) => made("Job", ["job-controller"])(event) || told("job-counted", "job-condition")(event)],
  ["horizontal pod autoscaler", told("autoscaler-condition")],
  [
    "node lifecycle, eviction by taint",
    (event) => event.type === "pod-deleted" && ["node-controller", "taint-eviction-controller"].includes(event.by),
  ],
  [
    "garbage collectors",
    (event) =>
      event.type === "pod-deleted" &&
      ["pod-garbage-collector", "podgc", "generic-garbage-collector"].includes(event.by),
  ],
  ["quota and other admission", told("pod-rejected")],
  ["volume binding", told("volume-claim")],
  ["resource claim controller", told("device-claim")],
];

function figuresOf(files: readonly (readonly [name: string, file: string])[]): ScenarioFigures {
  const differing = new Set(files.filter(([name, file]) => differencesIn(name, file).length > 0).map(([name]) => name));
  const traces = files.map(([name, file]) => ({ name, trace: readTrace(file) }));
  return {
    kubernetes: traces[0]?.trace.kubernetes ?? "",
    recordings: files.length,
    differing: [...differing].sort(),
    parts: parts.map(([name, acts]) => {
      const counted = traces.map((one) => ({
        name: one.name,
        acts: one.trace.events.filter((event) => event.step >= 0 && acts(event as Parameters<Acts>[0])).length,
      }));
      const active = counted.filter((one) => one.acts > 0);
      return {
        name,
        recordings: active.length,
        acts: active.reduce((sum, one) => sum + one.acts, 0),
        differing: active.filter((one) => differing.has(one.name)).length,
      };
    }),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { version: { type: "string", default: "1.36" }, from: { type: "string", default: "" } },
  });
  const files: readonly (readonly [string, string])[] =
    values.from === ""
      ? recordingNames().map((name) => [name, join(recordingsFolder, name, "trace.json")])
      : readdirSync(values.from)
          .filter((file) => file.endsWith(".json"))
          .sort()
          .map((file) => [basename(file, ".json"), join(values.from, file)]);
  const before: { readonly [version: string]: ScenarioFigures } = existsSync(scenarioFiguresPath)
    ? JSON.parse(readFileSync(scenarioFiguresPath, "utf8"))
    : {};
  const figures = figuresOf(files);
  mkdirSync(dirname(scenarioFiguresPath), { recursive: true });
  writeFileSync(scenarioFiguresPath, `${JSON.stringify({ ...before, [values.version]: figures }, null, 1)}\n`);
  console.log(`${figures.kubernetes}: ${figures.recordings} recordings, ${figures.differing.length} differ`);
  for (const name of figures.differing) console.log(`  ${name}`);
}
