import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Run by npm before it packs this folder. Installed from a checkout as a program (pre-commit, `npm install -g`), nobody
// has built `dist`, nor installed what building takes. Plain JavaScript, so that any Node can begin it.

if (process.env.npm_config_global === "true") {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const options = { cwd: root, env, stdio: "inherit", shell: process.platform === "win32" };
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], options);
  execFileSync(join(root, "node_modules", ".bin", "node"), [join("scripts", "build.ts")], options);
}
