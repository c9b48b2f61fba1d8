import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./sources.ts";

// `npm run new-rule -- filter gpu-headroom`: file, test and registry line, ready to be filled.

interface Kind {
  readonly folder: string;
  readonly registry: string;
  /** The neighbour to copy the shape from. */
  readonly like: string;
  /** The entry of the registry after which the new one goes. */
  readonly after: string;
}

const kinds: ReadonlyMap<string, Kind> = new Map([
  [
    "filter",
    {
      folder: "src/scheduler/filters",
      registry: "src/scheduler/registry.ts",
      like: "node-name.ts",
      after: "interPodAffinity",
    },
  ],
  [
    "score",
    {
      folder: "src/scheduler/scores",
      registry: "src/scheduler/registry.ts",
      like: "least-allocated.ts",
      after: "{ score: imageLocality, weight: 1 }",
    },
  ],
  [
    "drain-rule",
    { folder: "src/eviction/rules", registry: "src/eviction/drain-rules.ts", like: "mirror.ts", after: "unreplicated" },
  ],
  [
    "actor",
    {
      folder: "src/maintenance/actors",
      registry: "src/maintenance/registry.ts",
      like: "kubectl-drain.ts",
      after: "kubectlDrain",
    },
  ],
  [
    "finding",
    {
      folder: "src/finding/rules",
      registry: "src/finding/registry.ts",
      like: "same-zone.ts",
      after: "proxyDrainTimeout",
    },
  ],
  ["system", { folder: "src/systems", registry: "src/systems/registry.ts", like: "trust-manager.ts", after: "ray" }],
]);

const [kindName = "", name = ""] = process.argv.slice(2);
const kind = kinds.get(kindName);
if (kind === undefined || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) {
  fail(`usage: npm run new-rule -- ${[...kinds.keys()].join("|")} name-in-kebab-case`);
}

const path = join(root, kind.folder, `${name}.ts`);
const testPath = join(root, kind.folder, `${name}.test.ts`);
if (existsSync(path)) fail(`${relative(root, path)} is there already`);
const registryPath = join(root, kind.registry);
if (!existsSync(registryPath)) fail(`${kind.registry} is not there yet`);

const exported = camel(name);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, ruleText(kind));
writeFileSync(testPath, testText());
writeFileSync(registryPath, registryText(readFileSync(registryPath, "utf8"), kind));
spawnSync("biome", ["check", "--write", "--log-level=error", path, testPath, registryPath], {
  cwd: root,
  stdio: "inherit",
});
console.log(
  `${relative(root, path)}\n${relative(root, testPath)}\n${kind.registry}: move the line to where it belongs, and say why there`,
);

/** The neighbour under the new name: its shape is right and its content must be replaced, which types and tests insist on. */
function ruleText({ folder, like }: Kind): string {
  if (kindName === "system") return systemText();
  const file = join(root, folder, like);
  if (like === "" || !existsSync(file)) {
    return `/**\n * What it decides, in prose.\n * Mirrors: what, of which version.\n */\nexport const ${exported} = {\n  name: "${name}",\n};\n`;
  }
  const neighbour = like.replace(/\.ts$/, "");
  return readFileSync(file, "utf8")
    .replace(new RegExp(`\\bconst ${camel(neighbour)}\\b`), `const ${exported}`)
    .replace(/\bname: "[^"]*"/, `name: "${name}"`);
}

/** A system to be filled in the order of docs/adding-a-system.md: it compiles, and finds nothing yet. */
function systemText(): string {
  return `import { labelledOwner, ownedPart } from "./part-rules.ts";
import { type Entry, type System } from "./system.ts";
import type { Facts } from "./facts.ts";

const nameLabel = "TODO.example.com/name";
const ownerOf = labelledOwner("TODOService", "TODO.example.com/v1", nameLabel);

/** TODO: what it is. Mirrors: TODO, its source and version. */
export const ${exported}: System = {
  name: "${name}",
  title: "TODO, as its makers write it",
  about: "TODO: how it is recognised, who owns its parts, what is special about it.",
  gateways: [],
  parts: [
    ownedPart({
      hop: "engine",
      component: "Engine",
      match: { kinds: ["Deployment"], labels: { [nameLabel]: "*" } },
      owner: ownerOf,
      replicas: "spec.replicas",
      spread: "spec.template.topologySpreadConstraints",
      overwrites: "TODO: what happens to an edit of the Deployment.",
    }),
  ],
  entries: entriesOf,
};

/** TODO: one for each thing a client calls, with entryOf(object), backends and stages. Nothing on a cluster without the system. */
function entriesOf(_facts: Facts): readonly Entry[] {
  return [];
}
`;
}

function testText(): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { ${exported} } from "./${name}.ts";

test("${name} is written and tested", () => {
  assert.fail(\`rows for \${JSON.stringify(${exported})} are missing\`);
});
`;
}

/** An import after the last one, and an entry after the one that is named. */
function registryText(text: string, { folder, registry, after }: Kind): string {
  const specifier = `./${relative(dirname(registry), join(folder, `${name}.ts`))}`;
  const lastImport = text.lastIndexOf("\nimport ");
  const body = text.indexOf("\n", text.indexOf(";", lastImport)) + 1;
  const imports = `${text.slice(0, body)}import { ${exported} } from "${specifier}";\n`;
  const found = after === "" ? -1 : text.indexOf(after, body);
  if (found < 0) return imports + text.slice(body);
  const end = found + after.length;
  const entry = kindName === "score" ? `{ score: ${exported}, weight: 1 }` : exported;
  return `${imports}${text.slice(body, end)}, ${entry}${text.slice(end)}`;
}

function camel(kebab: string): string {
  return kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
