import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { after, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { buildProgram, bundleCore } from "../../scripts/bundles.ts";
import { root } from "../../scripts/sources.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import { sourcesDigest } from "../../src/load/program.ts";
import { buildCluster } from "../../src/model/build.ts";
import { writtenCluster } from "../../src/model/saved-model.ts";
import type { SharedOffer, Start, Told } from "../../src/pool/messages.ts";
import { defaultCheckOptions } from "../support/assess.ts";
import { readLarge } from "../support/large.ts";
import { holdfast } from "./shell.ts";

const dist = mkdtempSync(join(tmpdir(), "holdfast-dist-"));
after(() => rmSync(dist, { recursive: true }));
const metafile = await buildProgram(dist);
const program = join(dist, "holdfast.js");
const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [resolve(root, path), output]));

/** What is read before the program knows its command. */
function eager(path: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const entry of outputs.get(path)?.imports ?? []) {
    if (entry.kind === "import-statement" && entry.external !== true) eager(resolve(root, entry.path), seen);
  }
  return seen;
}

function start(...argv: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...argv], { cwd: root, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

describe("the published program", () => {
  test("runs without packages and says the same as the sources", async () => {
    const input = join(root, "examples", "modelplane-incident", "cluster");
    const { code, out, err } = start("check", "--from", input, "-o", "json");
    assert.equal(err, "");
    assert.equal(code, 1);
    assert.equal(out, (await holdfast(["check", "--from", input, "-o", "json"])).out);
  });

  test("has threads that do tasks of a check", async () => {
    const model = writtenCluster(buildCluster(readLarge("made up, with GPUs")), "");
    const start: Start = { saved: { model, known: null }, options: defaultCheckOptions, me: 1 };
    const thread = new Worker(join(dist, "check-worker.js"));
    thread.postMessage(start);
    const takers = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const offer: SharedOffer = { tasks: [{ scenario: 0, from: 0, to: 12 }], alone: [], takers };
    thread.postMessage(offer);
    const [told] = await once(thread, "message");
    const { task, answer }: Told = told;
    await thread.terminate();
    assert.equal(task, 0);
    assert.ok(answer.played.length > 0);
  });

  test("believes models that its own sources wrote, and no other program's", () => {
    const other = mkdtempSync(join(tmpdir(), "holdfast-other-"));
    after(() => rmSync(other, { recursive: true }));
    cpSync(dist, other, { recursive: true });
    const digest = sourcesDigest();
    for (const file of [...outputs.keys()].map((path) => join(other, relative(dist, path))))
      writeFileSync(file, readFileSync(file, "utf8").replaceAll(digest, "0".repeat(digest.length)));
    const input = join(root, "examples", "modelplane-incident", "cluster");
    const [own, others] = [program, join(other, "holdfast.js")].map((by, at) => {
      const path = join(dist, `${at}.holdfast.gz`);
      assert.equal(spawnSync(process.execPath, [by, "snapshot", "--from", input, "--output-file", path]).status, 0);
      return loadPaths([path]);
    });
    assert.notEqual(own?.saved?.() ?? null, null);
    assert.ok(others !== undefined);
    assert.equal(others.saved?.() ?? null, null);
    assert.equal(buildCluster(others).pods.length, buildCluster(loadPaths([input])).pods.length);
  });

  test("help reads the entry and little more", () => {
    const bytes = [...eager(program)].reduce((sum, path) => sum + (outputs.get(path)?.bytes ?? 0), 0);
    assert.ok(
      bytes < 64 * 1024,
      `${bytes} bytes: ${[...eager(program)].map((path) => relative(dist, path)).join(", ")}`,
    );
    assert.match(start("--help").out, /Usage: holdfast COMMAND/);
  });

  test("ends quietly when its reader goes away, and with 2 on bad usage", () => {
    const { status } = spawnSync("sh", ["-c", `"${process.execPath}" "${program}" check --help | head -1 >/dev/null`]);
    assert.equal(status, 0);
    assert.equal(start("chek").code, 2);
  });

  test("no colour and no progress in a pipe", () => {
    const { out, err } = start("check", "--from", join("examples", "modelplane-incident", "cluster"));
    assert.ok(!out.includes("\u001b") && !err.includes("\u001b"));
  });

  test("package.json names what is built", () => {
    const { bin, files, dependencies }: { bin: Record<string, string>; files: string[]; dependencies?: object } =
      JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    assert.deepEqual(bin, { holdfast: "dist/holdfast.js", "kubectl-holdfast": "dist/holdfast.js" });
    assert.ok(files.includes("dist"));
    assert.equal(dependencies, undefined, "what it needs is in the bundle");
  });
});

test("the core bundles for a browser", async () => {
  assert.ok((await bundleCore()) > 0);
});
