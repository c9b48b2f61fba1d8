import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";

/**
 * Builds what the rig needs and is not there yet: the control plane of each version, the recorder, KWOK, kubectl, Envoy Gateway,
 * the LeaderWorkerSet controller.
 * `npm run rig`: the plane of 1.36 and the recorder. `-- --all`: every version and KWOK. `-- 1.34`: that one.
 * `-- record NAME...`: makes recordings anew, see rig/record/README.md.
 * Binaries are named by a hash of what they are built from, so nothing is built twice and nothing stale is used.
 */

const root = new URL("..", import.meta.url).pathname;
const cache = join(root, ".cache", "rig");
const recordingsFolder = join(root, "test", "recordings");

interface Target {
  readonly name: string;
  readonly folder: string;
  readonly modFile: string;
  readonly pack: string;
  readonly ldflags: string;
  readonly about: string;
}

const planes: readonly { readonly minor: string; readonly version: string }[] = [
  { minor: "1.36", version: "1.36.3" },
  { minor: "1.34", version: "1.34.4" },
  { minor: "1.37", version: "1.37.2" },
];

const targets: readonly Target[] = [
  {
    name: "record",
    folder: "rig/record",
    modFile: "go.mod",
    pack: ".",
    ldflags: "-s -w",
    about: "about a minute",
  },
  ...planes.map(({ minor, version }) => ({
    name: `plane-${minor}`,
    folder: "rig/plane",
    modFile: minor === "1.36" ? "go.mod" : `go.${minor}.mod`,
    pack: ".",
    ldflags: `-s -w ${versionFlags(version)}`,
    about: "about 7 minutes on 2 cores the first time",
  })),
  {
    name: "kwok",
    folder: "rig/plane/kwok",
    modFile: "go.mod",
    pack: "sigs.k8s.io/kwok/cmd/kwok",
    ldflags: "-s -w",
    about: "about 4 minutes on 2 cores the first time",
  },
  {
    name: "kubectl",
    folder: "rig/kubectl",
    modFile: "go.mod",
    pack: ".",
    ldflags: `-s -w ${versionFlags("1.36.3")}`,
    about: "about a minute after the plane",
  },
  {
    name: "envoy-gateway",
    folder: "rig/envoy-gateway",
    modFile: "go.mod",
    pack: ".",
    ldflags: "-s -w",
    about: "about 10 minutes on 2 cores the first time",
  },
  {
    name: "lws",
    folder: "rig/lws",
    modFile: "go.mod",
    pack: ".",
    ldflags: "-s -w",
    about: "about 3 minutes on 2 cores the first time",
  },
];

/** Where a target's binary is, whether built or not. */
export function binaryOf(name: string): string {
  const target = targets.find((one) => one.name === name);
  if (target === undefined) throw new Error(`no rig target is called ${name}`);
  return join(cache, `${target.name}-${hashOf(target)}`);
}

/** Builds a target unless its binary is there; answers its path, or null when there is no Go. */
export async function build(name: string): Promise<string | null> {
  const binary = binaryOf(name);
  if (existsSync(binary)) return binary;
  const go = findGo();
  if (go === null) return null;
  const target = targets.find((one) => one.name === name);
  if (target === undefined) throw new Error(`no rig target is called ${name}`);
  console.log(`building ${name}: ${target.about}`);
  mkdirSync(cache, { recursive: true });
  const from = Date.now();
  const fresh = `${binary}.part`;
  const flags = ["build", "-buildvcs=false", `-modfile=${target.modFile}`, "-ldflags", target.ldflags];
  const status = await run("nice", ["-n", "10", go, ...flags, "-o", fresh, target.pack], join(root, target.folder));
  if (status !== 0) {
    rmSync(fresh, { force: true });
    throw new Error(`building ${name} failed`);
  }
  renameSync(fresh, binary);
  dropOlder(target, binary);
  console.log(`built ${name} in ${Math.round((Date.now() - from) / 1000)} s`);
  return binary;
}

/** The program, or null: the rig is for those who have Go, everything else works without. */
export function findGo(): string | null {
  for (const folder of [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/go/bin"])
    if (folder !== "" && existsSync(join(folder, "go"))) return join(folder, "go");
  return null;
}

/** Where a module lies that one of the rig's programs is built from. */
export function moduleFolder(program: string, name: string): string {
  const asked = spawnSync(findGo() ?? "go", ["list", "-m", "-f", "{{.Dir}}", name], {
    cwd: join(root, "rig", program),
    encoding: "utf8",
  });
  return asked.stdout.trim();
}

/** A control plane says which version it is by what the linker puts there. */
function versionFlags(version: string): string {
  const [major, minor] = version.split(".");
  return ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"]
    .flatMap((pack) => [
      `-X ${pack}.gitVersion=v${version}`,
      `-X ${pack}.gitMajor=${major}`,
      `-X ${pack}.gitMinor=${minor}`,
      `-X ${pack}.gitTreeState=clean`,
      `-X ${pack}.buildDate=1970-01-01T00:00:00Z`,
    ])
    .join(" ");
}

function hashOf(target: Target): string {
  const folder = join(root, target.folder);
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${target.pack} ${target.ldflags}`);
  const sum = target.modFile.replace(/mod$/, "sum");
  const sources = readdirSync(folder).filter((file) => file.endsWith(".go") && !file.endsWith("_test.go"));
  for (const file of [target.modFile, sum, ...sources.sort()]) {
    if (existsSync(join(folder, file))) hash.update(file).update(readFileSync(join(folder, file)));
  }
  return hash.digest("hex").slice(0, 12);
}

function dropOlder(target: Target, keep: string): void {
  for (const file of readdirSync(cache))
    if (new RegExp(`^${target.name}-[0-9a-f]{12}$`).test(file) && join(cache, file) !== keep) rmSync(join(cache, file));
}

function run(command: string, args: readonly string[], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["pipe", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

async function main(args: readonly string[]): Promise<void> {
  if (findGo() === null) {
    console.log("The rig needs Go 1.26, which is not here. Everything else works without it.");
    return;
  }
  if (args[0] === "record") return recordAgain(args.slice(1));
  const asked = args.filter((arg) => !arg.startsWith("--"));
  const names = args.includes("--all")
    ? targets.map((target) => target.name)
    : asked.length > 0
      ? ["record", ...asked.map((minor) => (minor === "kwok" ? minor : `plane-${minor}`))]
      : ["record", "plane-1.36"];
  for (const name of names) {
    const there = existsSync(binaryOf(name));
    const binary = await build(name);
    if (there) console.log(`${name}: there (${binary})`);
  }
}

async function recordAgain(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      into: { type: "string" },
      version: { type: "string", default: "1.36" },
      all: { type: "boolean", default: false },
      kwok: { type: "boolean", default: false },
    },
  });
  const names = values.all ? recordings() : positionals;
  if (values.kwok && values.into === undefined)
    throw new Error("--kwok needs --into: what is kept is recorded with the stand-in");
  const made = await record(names, { minor: values.version, into: values.into ?? null, kwok: values.kwok });
  if (!made) process.exitCode = 1;
}

/** The names of all recordings. */
export function recordings(): readonly string[] {
  return readdirSync(recordingsFolder)
    .filter((name) => existsSync(join(recordingsFolder, name, "scenario.yaml")))
    .sort();
}

/**
 * Plays recordings on a real control plane, one after the other, and writes their traces: to `into`/<name>.json, or in place
 * of the committed ones when `into` is null. Answers whether all could be made. `kwok`: KWOK is the kubelet, not the stand-in.
 */
export async function record(
  names: readonly string[],
  { minor, into, kwok }: { readonly minor: string; readonly into: string | null; readonly kwok: boolean },
): Promise<boolean> {
  const [recorder, plane] = [await build("record"), await build(`plane-${minor}`)];
  const kubelet = kwok ? await build("kwok") : "";
  if (recorder === null || plane === null || kubelet === null) return false;
  if (into !== null) mkdirSync(into, { recursive: true });
  const target = into === null ? [] : ["--into", into];
  const how = kwok ? ["--kwok", kubelet] : [];
  const args = [
    "--plane",
    plane,
    ...how,
    "--root",
    recordingsFolder,
    "--keep-going",
    "--with-parent",
    ...target,
    ...names,
  ];
  return (await run(recorder, args, root)) === 0;
}

if (import.meta.main) await main(process.argv.slice(2));
