import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The digest of what the program was built from; the build says it. Run from its sources, nobody does. */
declare const builtFrom: string | undefined;

/** Tells this program from every one that could answer otherwise. From sources it takes a look at each: ask when it is needed. */
export function programDigest(): string {
  return typeof builtFrom === "string" ? builtFrom : sourcesDigest();
}

/** Of all that is no test. */
export function sourcesDigest(): string {
  const root = join(import.meta.dirname, "..");
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .sort();
  const hash = createHash("sha1");
  for (const path of sources) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
