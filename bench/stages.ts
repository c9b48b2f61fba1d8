import { deepEqual } from "node:assert/strict";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { check } from "../src/assess.ts";
import { fix } from "../src/assess-fix.ts";
import { loadPaths } from "../src/load/from-files.ts";
import { defaultLimits } from "../src/load/limits.ts";
import { savedFileAt } from "../src/load/saved-file.ts";
import { writeSnapshotFile } from "../src/load/snapshot-file.ts";
import { buildCluster } from "../src/model/build.ts";
import { Pool } from "../src/pool/pool.ts";
import type { CheckOptions } from "../src/report/options.ts";
import type { CheckReport } from "../src/report/types.ts";
import { type Move, NMinusOne } from "../src/search/n-minus-one/n-minus-one.ts";
import { Journal } from "../src/sim/journal.ts";
import { Ledger } from "../src/sim/ledger.ts";
import { Tape } from "../src/wire/tape.ts";
import { referenceOf, saidOf } from "../test/support/n-minus-one.ts";
import { parseItems, parseLines } from "./json-parse.ts";
import { optionsOfCheck } from "./options.ts";
import { type Asked, askOracle, oracleMissing } from "./oracle.ts";
import { root } from "./root.ts";
import { answered, type SearchedPool, searchedPools } from "./search-pools.ts";

/** What a stage found, so that a run that did nothing is seen. */
export type Counts = Readonly<Record<string, number | string>>;

export interface Stage {
  readonly name: string;
  readonly about: string;
  readonly layouts: readonly ("compact" | "kubectl")[];
  /** What has to be there before and is not measured. */
  readonly prepare?: (folder: string) => void;
  /** Run when it is asked for only. Says why it cannot be run here, null when it can. */
  readonly asked?: () => string | null;
  /** Its input is its own, whatever size is asked for: run once, and no share of reading the cluster. */
  readonly ownInput?: true;
  /** In the same process, not measured. */
  before?(folder: string): void;
  run(folder: string): Counts | Promise<Counts>;
  /** What it cost, when that is another process's. */
  elsewhere?(): { readonly cpuMs: number; readonly peakBytes: number };
}

/** Threads beside the main one. */
const helpers = Math.max(1, availableParallelism() - 1);

/** Where the snapshot file of a cluster's folder is. */
const snapshotOf = (folder: string): string => `${folder}.holdfast.gz`;

/** Once, and again when the program has changed, which does not believe the model then. */
function save(folder: string): void {
  const path = snapshotOf(folder);
  if (existsSync(path) && savedFileAt(path, defaultLimits)?.saved != null) return;
  const unfinished = `${snapshotOf(folder)}.${process.pid}`;
  writeSnapshotFile(unfinished, loadPaths([folder]), { anonymize: false, toolVersion: "0.0.0-bench" });
  renameSync(unfinished, snapshotOf(folder));
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
    about: "files to objects, pods that are like earlier ones told as such",
    layouts: ["compact", "kubectl"],
    run: (folder) => {
      const counts = { objects: 0, alike: 0 };
      let patterns = 0;
      loadPaths([folder]).tell?.({
        item({ object }) {
          counts.objects += 1;
          if (object.kind !== "Pod") return -1;
          patterns += 1;
          return patterns;
        },
        onTape(tape) {
          counts.objects += 1;
          if (tape.text(tape.find(Tape.root, "kind")) !== "Pod") return -1;
          patterns += 1;
          return patterns;
        },
        alike() {
          counts.alike += 1;
        },
      });
      return counts;
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
    name: "snapshot",
    about: "files to a snapshot file, packed, with the model in it",
    layouts: ["compact"],
    run: (folder) => {
      rmSync(snapshotOf(folder), { force: true });
      save(folder);
      return { megabytes: Math.round(statSync(snapshotOf(folder)).size / 1e6) };
    },
  },
  {
    name: "saved",
    about: "a snapshot file to the model",
    layouts: ["compact"],
    prepare: save,
    run: (folder) => {
      const cluster = buildCluster(loadPaths([snapshotOf(folder)]));
      return { pods: cluster.pods.length, nodes: cluster.nodes.length };
    },
  },
  {
    name: "what-if",
    about: "one node of the model closed and emptied: where its pods go, with all that is kept for that made anew",
    layouts: ["compact"],
    before: stand,
    run: () => movesOf([0]),
  },
  {
    name: "n-minus-one",
    about: "the same for every node by itself",
    layouts: ["compact"],
    before: stand,
    run: () => movesOf(null),
  },
  {
    name: "n-minus-one-readable",
    about: "for a few of the nodes, by the readable scheduler that it is held against: every answer is equal",
    layouts: ["compact"],
    before: standInColumns,
    run: () => readableMoves(sampledNodes),
  },
  {
    name: "n-minus-one-scheduler",
    about:
      "for some of the nodes, by the scheduler's own code in a process of its own, one thread: every answer is equal. Reading the files is not counted",
    layouts: ["compact"],
    asked: oracleMissing,
    before: standInColumns,
    run: (folder) => {
      const known = made(columns);
      asked = askOracle(folder, { ledger: made(standing), columns: known }, spread(oracleNodes, known.nodes.length));
      const { cpuMs, peakBytes, ...counts } = asked;
      return counts;
    },
    elsewhere: () => asked ?? { cpuMs: 0, peakBytes: 0 },
  },
  {
    name: "zones",
    about: "the model, and every zone of it lost: every endpoint's verdict",
    layouts: ["compact"],
    prepare: save,
    run: (folder) => checked(snapshotOf(folder), { scenarios: ["zone-loss"] }),
  },
  {
    name: "drains",
    about: "the model, and every node of it drained by itself: every endpoint's verdict",
    layouts: ["compact"],
    prepare: save,
    run: (folder) => checked(snapshotOf(folder), { scenarios: ["drain-one-node"] }),
  },
  {
    name: "check",
    about: "files to every endpoint's verdict, as `holdfast check` does it",
    layouts: ["compact", "kubectl"],
    run: (folder) => checked(folder, {}),
  },
  {
    name: "check-workers",
    about: `the same with ${helpers} more ${helpers === 1 ? "thread" : "threads"}: as many as this machine runs at once`,
    layouts: ["compact"],
    run: (folder) => checkedTogether(folder),
  },
  {
    name: "check-saved",
    about: "`check` from a snapshot file",
    layouts: ["compact"],
    prepare: save,
    run: (folder) => checked(snapshotOf(folder), {}),
  },
  {
    name: "check-one",
    about: "the same for the endpoints of one namespace",
    layouts: ["compact"],
    prepare: save,
    run: (folder) => checked(snapshotOf(folder), { endpoints: { namespaces: ["team-0"], selector: "", names: [] } }),
  },
  {
    name: "fix",
    about: "the incident in `examples/`: files to the changes that mend it, and the proof that they do",
    layouts: ["compact"],
    ownInput: true,
    run: () => ({ changes: ended(fix(loadPaths([incident]), optionsOfCheck())).changes.length }),
  },
  {
    name: "search",
    about:
      "the incident and the made-up pools of `npm run bench:search`, their clusters read before: every order and choice",
    layouts: ["compact"],
    ownInput: true,
    before: () => {
      pools = searchedPools("");
    },
    run: () => {
      const found = pools.map(({ question, known }) => answered(question, known));
      return {
        pools: found.length,
        wrong: found.reduce((sum, { wrong }) => sum + wrong, 0),
        open: found.filter(({ judgement }) => !judgement.exhaustive).length,
        most: Math.max(...found.map(({ cpuSeconds }) => cpuSeconds)).toFixed(1),
      };
    },
  },
];

/** What a run that may wait for others comes to. */
async function checkedTogether(folder: string): Promise<Counts> {
  const options = optionsOfCheck();
  const pool = new Pool(options, helpers);
  const steps = check(loadPaths([folder]), options, pool);
  let next = steps.next();
  for (; next.done !== true; next = steps.next()) await pool.turn();
  await pool.end();
  return counted(next.value);
}

const incident = join(root, "examples/modelplane-incident/cluster");

/** What a run that tells its progress comes to. */
function ended<T>(run: Generator<unknown, T>): T {
  let next = run.next();
  while (next.done !== true) next = run.next();
  return next.value;
}

function checked(path: string, asked: Partial<CheckOptions>): Counts {
  return counted(ended(check(loadPaths([path]), { ...optionsOfCheck(), ...asked })));
}

function counted({ endpoints, findings }: CheckReport): Counts {
  const of = (verdict: string): number => endpoints.filter((each) => each.verdict === verdict).length;
  return {
    endpoints: endpoints.length,
    safe: of("safe"),
    unsafe: of("unsafe"),
    stalls: of("stalls"),
    undecided: of("undecided"),
    findings: findings.length,
  };
}

let pools: readonly SearchedPool[] = [];

/** What the stages over a model that is there already are asked about. */
let standing: Ledger | null = null;
let columns: NMinusOne | null = null;

function stand(folder: string): Ledger {
  standing = new Ledger(buildCluster(loadPaths([folder])), new Journal());
  return standing;
}

function standInColumns(folder: string): void {
  columns = new NMinusOne(stand(folder));
}

function made<T>(value: T | null): T {
  if (value === null) throw new RangeError("the model is made first");
  return value;
}

/** One with GPUs, say, and one without. */
const sampledNodes = 2;
/** As many kinds of nodes as in the whole. */
const oracleNodes = 10;
let asked: Asked | null = null;

/** Null: every node. */
function movesOf(chosen: readonly number[] | null): Counts {
  const anew = new NMinusOne(made(standing));
  const counts = { nodes: 0, placed: 0, nowhere: 0, "not-told": 0, drawn: 0 };
  for (const at of chosen ?? anew.nodes.keys()) {
    counts.nodes += 1;
    for (const move of anew.without(at)) {
      counts[move.outcome] += 1;
      if (move.outcome === "placed" && move.equals.length > 1) counts.drawn += 1;
    }
  }
  return counts;
}

/** So many numbers below another, far from each other. */
function spread(sampled: number, below: number): readonly number[] {
  return Array.from({ length: sampled }, (_, at) => Math.floor(((at + 0.8) * below) / sampled));
}

/** Asked of so many nodes. */
function readableMoves(sampled: number): Counts {
  const [ledger, known] = [made(standing), made(columns)];
  let pods = 0;
  for (const at of spread(sampled, known.nodes.length)) {
    const moves: readonly Move[] = known.without(at);
    pods += moves.length;
    deepEqual(saidOf(ledger, moves), referenceOf(ledger, at, moves), known.nodes[at] ?? "");
  }
  return { nodes: sampled, pods };
}
