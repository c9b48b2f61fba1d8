import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { root } from "../../scripts/sources.ts";
import { check } from "../../src/cli/commands/check.ts";
import { checkOptions } from "../../src/cli/options.ts";
import { parseArguments } from "../../src/cli/parse.ts";
import { commands } from "../../src/cli/registry.ts";
import { version } from "../../src/cli/version.ts";
import { holdfast } from "./shell.ts";

const incident = join(root, "examples/modelplane-incident/cluster");
const folder = mkdtempSync(join(tmpdir(), "holdfast-usage-"));
after(() => rmSync(folder, { recursive: true }));

function hasBash(): boolean {
  try {
    execFileSync("bash", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe("help", () => {
  test("lists every command and the exit codes", async () => {
    const { code, out, err } = await holdfast(["--help"]);
    assert.equal(code, 0);
    assert.equal(err, "");
    for (const command of commands) assert.match(out, new RegExp(`^  ${command.name} `, "m"));
    assert.match(out, /Exit codes: 0 .* 1 .* 2 .* 3 .* 4 /);
  });

  for (const command of commands) {
    test(`of ${command.name} names every flag, and fits a terminal`, async () => {
      const { code, out } = await holdfast([command.name, "--help"]);
      assert.equal(code, 0);
      for (const flag of command.flags) assert.ok(out.includes(`--${flag.name}`), flag.name);
      assert.deepEqual(
        out.split("\n").filter((line) => line.length > 120),
        [],
      );
    });
    test(`no two flags of ${command.name} share a name`, () => {
      const names = command.flags.flatMap(({ name, short }) => (short === "" ? [name] : [name, short]));
      assert.deepEqual(names, [...new Set(names)]);
    });
  }

  test("the version is the package's", async () => {
    const { out } = await holdfast(["--version"]);
    const { version: packaged }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    assert.equal(version, packaged);
    assert.equal(out, `holdfast ${packaged}\n`);
  });
});

describe("bad usage is exit 2, with a hint", () => {
  const rows: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["unknown command", ["chek"], /unknown command "chek"; did you mean check\?/],
    ["control characters in a command", ["a\u001b[31m"], /unknown command "a\\x1b\[31m"/],
    ["unknown flag", ["check", "--form", "x"], /unknown flag --form; did you mean --from\?/],
    ["unknown short flag", ["check", "-z"], /unknown flag -z/],
    ["flag without its value", ["check", "--from"], /--from needs a value/],
    ["flag followed by a flag", ["check", "--from", "--strict"], /--from needs a value/],
    ["value for a switch", ["check", "--strict=maybe"], /--strict takes no value/],
    ["unknown format", ["check", "-o", "jsn"], /one of table, json.* Did you mean json\?/],
    ["given twice", ["check", "-o", "json", "-o", "yaml"], /--output is given twice/],
    ["empty value", ["check", "--from="], /--from must not be empty/],
    [
      "unknown actor",
      ["check", "-f", "x", "--actor", "kubctl-drain"],
      /no actor "kubctl-drain"; did you mean kubectl-drain\?/,
    ],
    ["unknown scenario", ["check", "-f", "x", "--scenarios", "zone-los"], /did you mean zone-loss\?/],
    ["no number", ["check", "-f", "x", "--seed", "abc"], /--seed should be a whole number/],
    ["negative states", ["check", "-f", "x", "--max-states", "0"], /--max-states should be a whole number, at least 1/],
    ["no duration", ["check", "-f", "x", "--horizon", "soon"], /--horizon should be a length of time/],
    ["no day", ["check", "-f", "x", "--today", "2026-02-30"], /--today should be a day/],
    ["missing input", ["check", "-f", "/nowhere/at/all"], /\/nowhere\/at\/all/],
    ["context with files", ["check", "-f", "x", "--context", "prod"], /--context does not go with --from/],
    [
      "missing configuration",
      ["check", "-f", "x", "--config", "no.yaml"],
      /cannot read the configuration file no\.yaml: there is no such file/,
    ],
    ["a folder as configuration", ["check", "-f", "x", "--config", folder], /configuration file .*: it is a folder/],
    ["a folder as scenario", ["simulate", "-f", "x", "--scenario", folder], /scenario file .*: it is a folder/],
    ["a folder to write to", ["check", "-f", incident, "--output-file", folder], /cannot write .*: it is a folder\n/],
    [
      "a folder that is not there to write to",
      ["check", "-f", incident, "--output-file", join(folder, "none/report.txt")],
      /cannot write .*: there is no such file/,
    ],
    ["nothing to simulate", ["simulate", "-f", "x"], /needs exactly one of --scenario, --drain/],
    ["two ways", ["simulate", "-f", "x", "--drain", "a", "--pool", "b"], /not --drain and --pool/],
    [
      "order of a failure",
      ["simulate", "-f", "x", "--fail", "a", "--order", "given"],
      /--order does not go with --fail/,
    ],
    [
      "missing scenario",
      ["simulate", "-f", "x", "--scenario", "no.yaml"],
      /cannot read the scenario file no\.yaml: there is no such file/,
    ],
    ["sarif of a simulation later", ["simulate", "x"], /takes no argument "x"/],
    ["fix", ["fix", "-f", "x", "--apply"], /--apply does not go with --from/],
    ["fix", ["fix", "-f", "x", "--yes"], /--yes goes with --apply/],
    ["plan", ["plan", "-f", "x"], /exactly one of --drain, --selector, --pool/],
    ["plan", ["plan", "--help-me"], /unknown flag/],
    [
      "a namespace that is not there",
      ["check", "-f", incident, "-n", "mp-ml-tem-5f2a9c"],
      /no namespace mp-ml-tem-5f2a9c; did you mean mp-ml-team-5f2a9c\?/,
    ],
    [
      "an endpoint that is not there",
      ["check", "-f", incident, "chat-1"],
      /no model endpoint chat-1; did you mean chat-0\?/,
    ],
    ["labels nothing has", ["check", "-f", incident, "-l", "team=none"], /no model endpoint has the labels team=none/],
    ["no selector", ["check", "-f", incident, "-l", "a=b=c"], /unable to read "a=b=c"/],
    ["a namespace to fix", ["fix", "-f", incident, "-n", "nope"], /no namespace nope/],
    ["a namespace to simulate", ["simulate", "-f", incident, "--pool", "system", "-n", "nope"], /no namespace nope/],
    ["completion without shell", ["completion"], /needs a shell/],
    ["completion for another shell", ["completion", "tcsh"], /bash, zsh and fish/],
    ["unknown system", ["systems", "modelplan"], /did you mean modelplane\?/],
  ];
  for (const [name, argv, says] of rows) {
    test(name, async () => {
      const { code, out, err } = await holdfast(argv);
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, says);
    });
  }

  test("a configuration with mistakes shows each with its line", async () => {
    const config = file(
      "bad.yaml",
      [
        "apiVersion: holdfast.dev/v1alpha1",
        "kind: Config",
        "spec:",
        "  scenarios: [drain-one-nod]",
        "  floors:",
        "    - { match: ml/*, minAvailable: most }",
        "  timings: {}",
        "  ignore:",
        "    - { rule: HF001, until: 2026-13-01 }",
        "",
      ].join("\n"),
    );
    const { code, err } = await holdfast(["check", "-f", "x", "--config", config]);
    assert.equal(code, 2);
    assert.match(err, /bad\.yaml:4: spec\.scenarios\[0\] should be one of .*did you mean drain-one-node\?/);
    assert.match(err, /bad\.yaml:6: spec\.floors\[0\]\.minAvailable should be a number or a percent/);
    assert.match(err, /bad\.yaml:7: spec\.timings is no field here; did you mean timing\?/);
    assert.match(err, /bad\.yaml:9: spec\.ignore\[0\] needs reason/);
    assert.match(err, /bad\.yaml:9: spec\.ignore\[0\]\.until should be a day/);
  });
});

describe("a cluster that is not there", () => {
  const kubeconfig = file(
    "kubeconfig.yaml",
    [
      "apiVersion: v1",
      "kind: Config",
      'clusters: [{ name: c, cluster: { server: "https://127.0.0.1:9" } }]',
      "contexts: [{ name: c, context: { cluster: c, user: u } }]",
      "users: [{ name: u, user: {} }]",
      "current-context: c",
      "",
    ].join("\n"),
  );

  test("is exit 3", async () => {
    const { code, out, err } = await holdfast(["check", "--kubeconfig", kubeconfig]);
    assert.equal(code, 3);
    assert.equal(out, "");
    assert.match(err, /the cluster at https:\/\/127\.0\.0\.1:9 cannot be reached/);
  });

  test("a context that is not there is exit 2, and so is no kubeconfig", async () => {
    const other = await holdfast(["check", "--kubeconfig", kubeconfig, "--context", "prod"]);
    assert.equal(other.code, 2);
    assert.match(other.err, /no context prod; it has: c/);
    assert.equal((await holdfast(["check", "--kubeconfig", join(folder, "none.yaml")])).code, 2);
  });
});

describe("arguments", () => {
  const parse = (...argv: readonly string[]) => parseArguments(argv, check.flags);

  test("kubectl's short flags", () => {
    const parsed = parse("-Af", "a", "-fb", "-n", "ml,dev", "-n=x", "-ojson", "llama", "--", "-odd");
    assert.ok(parsed.has("all-namespaces"));
    assert.deepEqual(parsed.all("from"), ["a", "b"]);
    assert.deepEqual(parsed.all("namespace"), ["ml", "dev", "x"]);
    assert.equal(parsed.text("output"), "json");
    assert.deepEqual(parsed.operands, ["llama", "-odd"]);
  });

  test("commas belong to selectors, dashes alone to operands", () => {
    assert.equal(parse("-l", "a=b,c!=d").text("selector"), "a=b,c!=d");
    assert.deepEqual(parse("-f", "-").all("from"), ["-"]);
  });

  test("switches may be said to be true or false", () => {
    assert.ok(parse("--strict=true").has("strict"));
    assert.ok(!parse("--strict=false").has("strict"));
  });

  test("flags overrule configuration, configuration defaults", async () => {
    const config = file(
      "good.yaml",
      [
        "apiVersion: holdfast.dev/v1alpha1",
        "kind: Config",
        "spec:",
        "  actors: [nebius]",
        "  scenarios: [zone-loss, drain-one-node]",
        '  floors: [{ match: "ml/*", minAvailable: 75%, maxDown: 30s }]',
        "  timing: { nodeDown: 20s..90s, podStart: { '*': 5m } }",
        "  ignore: [{ rule: HF001, reason: known, until: 2026-12-31 }]",
        "",
      ].join("\n"),
    );
    let seen = checkOptions(parse("--config", config), await shellOf());
    assert.deepEqual(seen.actors, ["nebius"]);
    assert.deepEqual(seen.scenarios, ["drain-one-node", "zone-loss"]);
    assert.deepEqual(seen.floors, [{ match: "ml/*", minAvailable: "75%", maxDownMs: 30_000 }]);
    assert.deepEqual(seen.timing.nodeDown, { leastMs: 20_000, mostMs: 90_000 });
    assert.deepEqual(seen.timing.podStart, [{ pattern: "*", span: { leastMs: 300_000, mostMs: 300_000 } }]);
    assert.deepEqual(seen.ignore, [{ rule: "HF001", match: "*", reason: "known", until: "2026-12-31" }]);
    assert.equal(seen.today, "2026-10-21");
    assert.deepEqual(seen.limits, { states: 1_000_000, horizonMs: 86_400_000 });
    seen = checkOptions(
      parse(
        "--config",
        config,
        "--actor",
        "kubectl-drain",
        "--scenarios",
        "cordon-all",
        "--max-states",
        "7",
        "--horizon=1h30m",
      ),
      await shellOf(),
    );
    assert.deepEqual(seen.actors, ["kubectl-drain"]);
    assert.deepEqual(seen.scenarios, ["cordon-all"]);
    assert.deepEqual(seen.limits, { states: 7, horizonMs: 5_400_000 });
  });

  async function shellOf() {
    return {
      environment: new Map<string, string>(),
      folder,
      look: { colour: false, width: null },
      errLook: { colour: false, width: null },
      showsProgress: false,
      stdin: (async function* () {})(),
      out: async () => {},
      err: () => {},
      interruption: () => new AbortController().signal,
      today: () => "2026-10-21",
    };
  }
});

describe("reference in the terminal", () => {
  test("actors, one actor, and as JSON", async () => {
    const all = await holdfast(["actors"]);
    assert.equal(all.code, 0);
    assert.match(all.out, /^kubectl-drain /m);
    const one = await holdfast(["actors", "nebius"]);
    assert.match(one.out, /stops the machine/);
    const json: readonly { name: string }[] = JSON.parse((await holdfast(["actors", "-o", "json"])).out);
    assert.ok(json.some((entry) => entry.name === "openshift-mco"));
  });

  test("systems", async () => {
    assert.match((await holdfast(["systems"])).out, /^modelplane /m);
  });

  for (const shell of ["bash", "zsh", "fish"]) {
    test(`completion for ${shell} knows commands and flags`, async () => {
      const { code, out } = await holdfast(["completion", shell]);
      assert.equal(code, 0);
      assert.match(out, /simulate/);
      assert.match(out, /kubernetes-version/);
    });
  }

  const asBash = (...typed: readonly string[]): string => {
    const words = typed.map((word) => `'${word}'`).join(" ");
    const script = `source "$1"; COMP_WORDS=(holdfast ${words}); COMP_CWORD=${typed.length}; _holdfast; echo "\${COMPREPLY[*]}"`;
    return execFileSync("bash", ["-c", script, "bash", join(folder, "completion.bash")], { encoding: "utf8" }).trim();
  };

  test("bash completes with it", { skip: hasBash() ? false : "needs bash" }, async () => {
    file("completion.bash", (await holdfast(["completion", "bash"])).out);
    const rows: readonly (readonly [readonly string[], string])[] = [
      [["che"], "check"],
      [["check", "--output-"], "--output-file"],
      [["check", "-o", "ju"], "junit"],
      [["explain", "HF00"], "HF001 HF002 HF003 HF004 HF005 HF006 HF007 HF008 HF009"],
      [["actors", "openshift"], "openshift-mco"],
      [["simulate", "--actor", "kubectl"], "kubectl-drain kubectl-drain-in-turn"],
      [["check", "--seed", ""], ""],
    ];
    for (const [typed, words] of rows) assert.equal(asBash(...typed), words, typed.join(" "));
  });

  for (const command of ["check", "simulate"]) {
    test(`${command} --schema is JSON Schema`, async () => {
      const { code, out } = await holdfast([command, "--schema"]);
      assert.equal(code, 0);
      const schema: { $schema: string } = JSON.parse(out);
      assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
    });
  }
});
