/** A flag of a command. */
export interface Flag {
  /** Long name without the dashes. */
  readonly name: string;
  /** One letter; "" none. */
  readonly short: string;
  /** What stands for the value in help: `PATH`; "" for a flag without value. */
  readonly value: string;
  /** `list`: repeated or comma-separated; `repeat`: repeated only, commas belong to the value. */
  readonly many: "no" | "list" | "repeat";
  /** Empty: anything. */
  readonly choices: readonly string[];
  /** A sentence without its full stop. */
  readonly help: string;
}

/** What was typed, checked against the flags. */
export interface Parsed {
  readonly operands: readonly string[];
  has(flag: string): boolean;
  /** The last one given; "" when not given. */
  text(flag: string): string;
  /** All given, in order. */
  all(flag: string): readonly string[];
}

type Parts = Partial<Omit<Flag, "name" | "help">>;

export function flag(name: string, help: string, parts: Parts = {}): Flag {
  return { name, help, short: "", value: "", many: "no", choices: [], ...parts };
}

export const formats = ["table", "json", "yaml", "markdown", "html", "sarif", "junit"] as const;
export type Format = (typeof formats)[number];

/** Which cluster: the same for every command that reads one. */
export const inputFlags: readonly Flag[] = [
  flag(
    "from",
    "read this instead of a live cluster: a holdfast snapshot, `kubectl get -o yaml|json` output, a `cluster-info dump` folder, a must-gather, or rendered manifests; `-` is standard input",
    {
      short: "f",
      value: "PATH",
      many: "repeat",
    },
  ),
  flag("nodes", "node shapes with counts, for manifests that come without nodes", { value: "FILE" }),
  flag("context", "the kubeconfig context to use", { value: "NAME" }),
  flag("kubeconfig", "the kubeconfig file to use", { value: "FILE" }),
  flag("kubernetes-version", "play this version's rules, whatever the cluster says", {
    value: "MINOR",
    choices: ["1.34", "1.35", "1.36", "1.37"],
  }),
  flag("strict", "any problem in the input is exit code 2"),
];

export const endpointFlags: readonly Flag[] = [
  flag("namespace", "only endpoints of this namespace", { short: "n", value: "NAME", many: "list" }),
  flag("all-namespaces", "endpoints of all namespaces, which is the default", { short: "A" }),
];

export const searchFlags: readonly Flag[] = [
  flag("config", "configuration file; default: holdfast.yaml in this folder, if there is one", { value: "FILE" }),
  flag("seed", "seed of everything that is drawn by chance; same seed, same bytes", { value: "NUMBER" }),
  flag("max-states", "give up, undecided, after this many states; default 1000000", { value: "NUMBER" }),
  flag("horizon", "what has not happened by then never does; default 24h", { value: "DURATION" }),
];

export const outputFlags: readonly Flag[] = [
  flag("output", "what to write", { short: "o", value: "FORMAT", choices: formats }),
  flag("output-file", "write there instead of to standard output", { value: "FILE" }),
  flag("schema", "print the JSON Schema of the JSON output and stop"),
];

export const failOnFlag = flag(
  "fail-on",
  "exit code 1 from findings of this severity on, besides broken verdicts; `never` switches both off",
  {
    value: "SEVERITY",
    choices: ["error", "warning", "note", "never"],
  },
);

export const helpFlag = flag("help", "show this help", { short: "h" });
