import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Answer, Question } from "./decision.ts";

const root = join(import.meta.dirname, "../..");
const source = join(root, "rig/oracle");

export type Version = "1.34" | "1.36" | "1.37";

const builds: {
  readonly [version in Version]: { readonly patch: string; readonly modfile: string; readonly tags: string };
} = {
  "1.34": { patch: "1.34.4", modfile: "go.1.34.mod", tags: "k134" },
  "1.36": { patch: "1.36.3", modfile: "go.mod", tags: "" },
  "1.37": { patch: "1.37.2", modfile: "go.1.37.mod", tags: "k137" },
};

export function isVersion(text: string): text is Version {
  return Object.hasOwn(builds, text);
}

export function minorOf(version: Version): number {
  return Number(version.slice(2));
}

/** True when a Go toolchain answers. */
export function hasGo(): boolean {
  return spawnSync("go", ["version"]).status === 0;
}

/** The program's path; it is built when the cache holds none for these sources. */
export function buildOracle(version: Version, say: (text: string) => void): string {
  const build = builds[version];
  const hash = createHash("sha256").update(build.patch);
  for (const file of readdirSync(source).sort()) {
    if (file.endsWith(".go") || file === build.modfile || file === build.modfile.replace(/mod$/, "sum")) {
      hash.update(file).update(readFileSync(join(source, file)));
    }
  }
  const folder = join(root, ".cache/rig");
  const path = join(folder, `oracle-${version}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  say(`building the scheduler oracle for ${build.patch}: some 4 minutes on two cores with nothing cached`);
  const unfinished = `${path}.${process.pid}`;
  const result = spawnSync(
    "nice",
    [
      ...["-n", "10", "go", "build", `-modfile=${build.modfile}`, `-tags=${build.tags}`],
      ...["-ldflags", `-X k8s.io/component-base/version.gitVersion=v${build.patch}`, "-o", unfinished, "."],
    ],
    { cwd: source, stdio: ["ignore", "ignore", "inherit"] },
  );
  if (result.status !== 0) throw new Error(`the oracle for ${build.patch} does not build`);
  renameSync(unfinished, path);
  for (const file of readdirSync(folder)) {
    const older = file.startsWith(`oracle-${version}-`) && join(folder, file) !== path;
    if (older) rmSync(join(folder, file));
  }
  return path;
}

export interface Oracle {
  /** Answers come in the order of the questions; many may be asked at once. */
  ask(question: Question): Promise<Answer>;
  stop(): void;
}

export function startOracle(path: string): Oracle {
  const child = spawn(path, [], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => {
    waiting.shift()?.resolve(JSON.parse(line) as Answer);
  });
  child.on("exit", (code) => {
    for (const one of waiting.splice(0)) one.reject(new Error(`the oracle stopped with code ${code}`));
  });
  return {
    ask(question) {
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        const { id, objects, pods, options } = question;
        child.stdin.write(`${JSON.stringify({ id, objects, pods, options })}\n`);
      });
    },
    stop() {
      child.stdin.end();
    },
  };
}
