import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { root, type Source, sourceOf, sourcesBelow } from "../scripts/sources.ts";

// The house rules a compiler does not know. Each check lists every offence, so that one run is enough.

const sources = sourcesBelow("src");
const isTest = ({ path }: Source): boolean => path.endsWith(".test.ts");
const shipped = sources.filter((source) => !isTest(source));

/** Rooms that may be imported, the lower first; those of one row do not import each other. */
const core: readonly (readonly string[])[] = [
  ["base"],
  ["wire"],
  ["model"],
  ["systems"],
  ["route", "scheduler", "eviction", "workload", "maintenance"],
  ["sim"],
  ["search"],
  ["finding"],
  ["patch"],
  ["plan"],
  ["report"],
  ["assess.ts"],
  ["assess-fix.ts", "assess-plan.ts"],
];
const shell: readonly (readonly string[])[] = [
  ["pool", "api"],
  ["load"],
  ["operator", "drill", "function", "server"],
  ["cli"],
];

function roomOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function levelOf(room: string, rows: readonly (readonly string[])[]): number {
  return rows.findIndex((row) => row.includes(room));
}

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  const [fromCore, toCore] = [levelOf(from, core), levelOf(to, core)];
  if (fromCore >= 0) return toCore >= 0 && toCore < fromCore;
  if (toCore >= 0) return true;
  return levelOf(to, shell) < levelOf(from, shell);
}

const isCore = ({ path }: Source): boolean => levelOf(roomOf(path), core) >= 0;

describe("imports", () => {
  test("every file stands in a room", () => {
    const homeless = sources.filter(({ path }) => levelOf(roomOf(path), core) < 0 && levelOf(roomOf(path), shell) < 0);
    assert.deepEqual(
      homeless.map(({ path }) => path),
      [],
    );
  });

  test("go one way", () => {
    const wrong = shipped.flatMap(({ path, imports }) =>
      imports
        .filter((entry) => entry.path.startsWith("src/") && !mayImport(roomOf(path), roomOf(entry.path)))
        .map((entry) => `${path} imports ${entry.path}`),
    );
    assert.deepEqual(wrong, []);
  });

  test("stay inside src, by their full name", () => {
    const wrong = shipped.flatMap(({ path, imports }) =>
      imports
        .filter((entry) => entry.path !== "" && (!entry.path.startsWith("src/") || !/\.(?:ts|json)$/.test(entry.path)))
        .map((entry) => `${path} imports ${entry.specifier}`),
    );
    assert.deepEqual(wrong, []);
  });

  /** Package → rooms that may import it. */
  const packages: ReadonlyMap<string, readonly string[]> = new Map([
    ["yaml", ["patch", "load", "cli"]],
    ["@kubernetes/client-node", ["api", "operator"]],
  ]);

  test("the core imports nothing but itself, the shell only packages that are known", () => {
    const wrong = shipped.flatMap((source) =>
      source.imports
        .filter((entry) => entry.path === "")
        .filter(({ specifier, typeOnly }) => {
          if (specifier.startsWith("node:")) return isCore(source);
          if (source.path === "src/wire/conformance.ts" && typeOnly) return false;
          return packages.get(specifier)?.includes(roomOf(source.path)) !== true;
        })
        .map(({ specifier }) => `${source.path} imports ${specifier}`),
    );
    assert.deepEqual(wrong, []);
  });

  test("client-node is loaded only when a live cluster is read", () => {
    const wrong = shipped.filter(({ imports }) =>
      imports.some(({ specifier, lazy, typeOnly }) => specifier === "@kubernetes/client-node" && !lazy && !typeOnly),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  test("make no circle", () => {
    assert.deepEqual(circlesIn(shipped), []);
  });

  test("nothing is re-exported", () => {
    const barrels = shipped.filter(({ code }) =>
      /^\s*export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*(?:as\s+\w+\s+)?from\b/m.test(code),
    );
    assert.deepEqual(
      barrels.map(({ path }) => path),
      [],
    );
  });
});

describe("the core", () => {
  const banned: readonly (readonly [string, RegExp])[] = [
    ["a clock", /(?<![.\w$])(?:Date|performance)\b(?!\s*[?]?:)/],
    ["chance", /\bMath\.random\b/],
    ["the process", /(?<![.\w$])(?:process|console|globalThis|Buffer|require)\b(?!\s*[?]?:)/],
    ["a timer", /(?<![.\w$])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/],
    ["the network", /(?<![.\w$])(?:fetch|XMLHttpRequest|WebSocket)\b(?!\s*[?]?:)/],
    ["the machine's language", /(?<![.\w$])Intl\b|\.(?:localeCompare|toLocale\w+)\b/],
  ];
  for (const [what, pattern] of banned) {
    test(`names nothing of ${what}`, () => {
      const wrong = shipped.filter((source) => isCore(source) && pattern.test(source.code)).map(({ path }) => path);
      assert.deepEqual(wrong, []);
    });
  }

  test("throws nothing but broken invariants, and catches nothing", () => {
    const wrong = shipped.filter(
      (source) => isCore(source) && /(?<![.#\w$])(?:try\s*\{|catch\s*[({])/.test(source.code),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  test("trusts its types; so does the shell", () => {
    /** Units, guards and the helpers that make rules. */
    const excused = (path: string): boolean =>
      path === "src/base/units.ts" ||
      path === "src/sim/ledger.ts" ||
      path.startsWith("src/wire/") ||
      /-rule\.ts$|\/framework\.ts$/.test(path);
    const wrong = shipped.flatMap((source) => {
      if (excused(source.path)) return [];
      const body = source.code.replace(/^\s*import\b[^;]*;/gm, "");
      return [...body.matchAll(/(?<=[\w)\]}>])\s+as\s+(?!const\b)\w+/g)].map(
        (hit) => `${source.path}: ${hit[0].trim()}`,
      );
    });
    assert.deepEqual(wrong, []);
  });
});

describe("rules", () => {
  /** Folder of rules → the registry that orders them. */
  const registries: readonly (readonly [string, string])[] = [
    ["src/scheduler/filters", "src/scheduler/registry.ts"],
    ["src/scheduler/scores", "src/scheduler/registry.ts"],
    ["src/eviction/rules", "src/eviction/drain-rules.ts"],
    ["src/maintenance/actors", "src/maintenance/registry.ts"],
    ["src/finding/rules", "src/finding/registry.ts"],
    ["src/patch/remedies", "src/patch/registry.ts"],
  ];
  const byPath = new Map(sources.map((source) => [source.path, source]));

  for (const [folder, registryPath] of registries) {
    const files = shipped.filter(({ path }) => path.startsWith(`${folder}/`));
    if (files.length === 0) continue;
    const registry = byPath.get(registryPath);
    const rules = (registry?.imports ?? []).map((entry) => entry.path).filter((path) => path.startsWith(`${folder}/`));

    test(`each file of ${folder} is in ${registryPath}, or helps one that is`, () => {
      const used = reachable(rules, byPath);
      assert.deepEqual(
        files.map(({ path }) => path).filter((path) => !used.has(path)),
        [],
      );
    });

    test(`each rule of ${folder} has its test beside it, or one in the room that imports it`, () => {
      const tests = sources.filter((source) => isTest(source) && roomOf(source.path) === roomOf(folder));
      const isTested = (path: string): boolean =>
        existsSync(join(root, path.replace(/\.ts$/, ".test.ts"))) ||
        tests.some(({ imports }) => imports.some((entry) => entry.path === path));
      assert.deepEqual(
        rules.filter((path) => !isTested(path)),
        [],
      );
    });

    test(`each rule of ${folder} is called like its file`, () => {
      const wrong = rules.filter((path) => {
        const name = basename(path, ".ts").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
        return !new RegExp(`\\bexport (?:const|function) ${name}(?:Score)?\\b`).test(byPath.get(path)?.code ?? "");
      });
      assert.deepEqual(wrong, []);
    });

    test(`each message of ${folder} is named in a test`, async () => {
      const missing: string[] = [];
      for (const path of rules) {
        const exported: { readonly [name: string]: unknown } = await import(join(root, path));
        const tests = sources.filter((source) => isTest(source) && dirname(source.path).startsWith(dirname(path)));
        for (const [id, words] of Object.values(exported).flatMap(messagesOf)) {
          if (!tests.some(({ text }) => words.some((word) => text.includes(word)))) missing.push(`${path}: ${id}`);
        }
      }
      assert.deepEqual(missing, []);
    });
  }
});

/** Each message's id, and how a test may name it: by the id, or by its words where they are fixed. */
function messagesOf(rule: unknown): readonly (readonly [string, readonly string[]])[] {
  if (rule === null || typeof rule !== "object" || !("messages" in rule)) return [];
  if (rule.messages === null || typeof rule.messages !== "object") return [];
  return Object.entries(rule.messages).map(([id, words]) => [id, typeof words === "string" ? [id, words] : [id]]);
}

function reachable(from: readonly string[], byPath: ReadonlyMap<string, Source>): ReadonlySet<string> {
  const seen = new Set(from);
  for (const path of seen)
    for (const entry of byPath.get(path)?.imports ?? []) if (entry.path !== "") seen.add(entry.path);
  return seen;
}

/** Each circle once, as `a > b > a`. */
function circlesIn(files: readonly Source[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      circles.push([...trail.slice(start), path].join(" > "));
      return;
    }
    if (done.has(path)) return;
    // Loading later breaks a circle: a command may print what the registry of all commands says.
    for (const entry of byPath.get(path)?.imports ?? []) if (!entry.lazy) visit(entry.path, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return circles;
}

describe("the tidy test itself", () => {
  const file = (text: string): Source => sourceOf("src/sim/example.ts", text);

  test("sees imports of every form", () => {
    const { imports } = file(
      'import { a } from "./a.ts";\nimport type {\n  B,\n} from "../base/b.ts";\nimport "node:fs";\nconst c = await import("./c.ts");\n// import "no";\nconst d = "import x from \'no\'";\n',
    );
    assert.deepEqual(
      imports.map((entry) => [entry.specifier, entry.typeOnly, entry.lazy]),
      [
        ["./a.ts", false, false],
        ["../base/b.ts", true, false],
        ["node:fs", false, false],
        ["./c.ts", false, true],
      ],
    );
    assert.equal(imports[1]?.path, "src/base/b.ts");
  });

  test("looks at code, not at comments, strings and patterns", () => {
    const { code } = file(
      'const a = "Date"; /* Date */ // Date\nconst b = /"Date/; const c = `Date ${new Date()} Date`; const d = {};',
    );
    assert.equal(code.match(/Date/g)?.length, 1);
    assert.match(code, /const d = \{\};/);
  });

  test("knows up from down", () => {
    assert.ok(mayImport("sim", "model"));
    assert.ok(!mayImport("model", "sim"));
    assert.ok(!mayImport("route", "scheduler"));
    assert.ok(mayImport("cli", "assess.ts"));
    assert.ok(!mayImport("report", "cli"));
    assert.ok(!mayImport("api", "pool"));
  });

  test("sees circles", () => {
    const a = sourceOf("src/sim/a.ts", 'import "./b.ts";');
    const b = sourceOf("src/sim/b.ts", 'import "./a.ts";');
    assert.deepEqual(circlesIn([a, b]), ["src/sim/a.ts > src/sim/b.ts > src/sim/a.ts"]);
  });
});
