import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { sourcesDigest } from "../src/load/program.ts";
import { root } from "./sources.ts";

/** The oldest Node the package runs on. */
const target = "node22.19";

/**
 * The program as it is published: no types to strip, no packages to install. Commands, renderers and the Kubernetes
 * client are chunks of their own, so that `--help` reads a few kilobytes.
 */
export async function buildProgram(outdir: string): Promise<Metafile> {
  const { metafile } = await build({ ...published({ holdfast: "src/cli/main.ts" }), outdir, metafile: true });
  return metafile;
}

/** What `npm run bench` runs its stages with: built as the program is, under `bench/stage.js`. */
export async function buildBench(outdir: string): Promise<void> {
  const options = published({ "bench/stage": "bench/stage.ts" });
  const define = { ...options.define, benchRoot: JSON.stringify(root) };
  await build({ ...options, outdir, define });
  // As the package says of its own files.
  writeFileSync(join(outdir, "package.json"), JSON.stringify({ type: "module" }));
}

function published(entryPoints: Readonly<Record<string, string>>): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: { ...entryPoints, "check-worker": "src/pool/worker.ts" },
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    platform: "node",
    target,
    define: { builtFrom: JSON.stringify(sourcesDigest()) },
    minifySyntax: true,
    minifyWhitespace: true,
    // Names stay as they are: a stack trace in a bug report should say something.
    minifyIdentifiers: false,
    legalComments: "none",
    logLevel: "warning",
    // Packages in CommonJS ask for Node's own modules with require.
    banner: {
      js: 'import { createRequire as holdfastRequire } from "node:module"; const require = holdfastRequire(import.meta.url);',
    },
  };
}

/** The core for a browser: fails on any import of Node or of a package it may not have. */
export async function bundleCore(): Promise<number> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join("src", "assess.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    minify: true,
    logLevel: "warning",
  });
  return outputFiles.reduce((sum, file) => sum + file.contents.byteLength, 0);
}
