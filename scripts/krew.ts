import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { version } from "../src/cli/version.ts";
import { root } from "./sources.ts";

// `npm run krew -- https://…/releases/download`: the archive and the manifest by which `kubectl krew install holdfast` works.
// Run after `npm run build`. The plugin needs Node 22.19 on the path, which its caveats say.

const [base = ""] = process.argv.slice(2);
if (!/^https:\/\/[^\s]+$/.test(base)) {
  console.error("usage: npm run krew -- https://HOST/OWNER/holdfast/releases/download");
  process.exit(2);
}

if (!existsSync(join(root, "dist", "holdfast.js"))) {
  console.error("there is no dist: npm run build comes first");
  process.exit(2);
}

const folder = join(root, ".cache", "release");
const archive = join(folder, "holdfast.tar.gz");
mkdirSync(folder, { recursive: true });
// The same bytes for the same sources: no times, no owners, sorted.
const { status, stdout } = spawnSync(
  "tar",
  [
    "--sort=name",
    "--mtime=@0",
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "-cf",
    "-",
    "dist",
    "LICENSE",
    "README.md",
  ],
  { cwd: root, stdio: ["ignore", "pipe", "inherit"], maxBuffer: 256 * 1024 * 1024 },
);
if (status !== 0) process.exit(2);
const packed = gzipSync(stdout, { level: 9 });
writeFileSync(archive, packed);
const sha256 = createHash("sha256").update(packed).digest("hex");
writeFileSync(join(folder, "holdfast.yaml"), manifest());
console.log(`${archive}\n${join(folder, "holdfast.yaml")}`);

function manifest(): string {
  const platforms = ["linux", "darwin"].flatMap((os) => ["amd64", "arm64"].map((arch) => ({ os, arch })));
  return `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: holdfast
spec:
  version: v${version}
  homepage: ${base.replace(/\/releases\/download$/, "")}
  shortDescription: Says whether node maintenance takes LLM endpoints offline
  description: |
    Reads a cluster, finds the request path of every model endpoint (DNS, gateway,
    picker, engines), plays the maintenance forward by Kubernetes' own rules in
    every order, and says which endpoint goes down, when, for how long, and why.
    Only reads, but for what fix --apply shows and is told to write; never reads Secrets.
  caveats: |
    Needs Node 22.19 or later on the path.
  platforms:
${platforms.map(platform).join("")}`;
}

function platform({ os, arch }: { readonly os: string; readonly arch: string }): string {
  return `    - selector: { matchLabels: { os: ${os}, arch: ${arch} } }
      uri: ${base}/v${version}/holdfast.tar.gz
      sha256: ${sha256}
      bin: dist/holdfast.js
`;
}
