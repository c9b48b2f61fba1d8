import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { buildProgram } from "./bundles.ts";
import { root } from "./sources.ts";

// `npm run build`: dist/ as it is published.

const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
const metafile = await buildProgram(dist);
chmodSync(join(dist, "holdfast.js"), 0o755);
writeFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), licencesOf(packagesIn(metafile)));

const sizes = Object.entries(metafile.outputs).map(([path, { bytes }]) => ({ path, bytes }));
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
console.log(`dist/: ${sizes.length} files, ${Math.round(total / 1024)} KiB`);

/** Folders of the packages whose code is in the bundle, in order. */
function packagesIn({ inputs }: Metafile): readonly string[] {
  const folders = Object.keys(inputs).flatMap((path) => {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
    return found?.[1] === undefined ? [] : [found[1]];
  });
  return [...new Set(folders)].sort();
}

function licencesOf(folders: readonly string[]): string {
  const sections = folders.map((folder) => {
    const { name, version, license }: { name: string; version: string; license?: string } = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8"),
    );
    const file = readdirSync(join(root, folder)).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
    const text =
      file === undefined || !existsSync(join(root, folder, file)) ? "" : readFileSync(join(root, folder, file), "utf8");
    return `${name} ${version} (${license ?? "see below"})\n\n${text.trim()}\n`;
  });
  return `Holdfast's bundle contains code of these packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`;
}
