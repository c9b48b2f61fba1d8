import type { Command } from "./command.ts";
import type { Flag } from "./flags.ts";

/** `holdfast --help` */
export function overview(commands: readonly Command[]): string {
  const widest = Math.max(...commands.map((command) => command.name.length));
  return [
    "Will node maintenance take a model offline? Holdfast plays Kubernetes' own rules forward and says.",
    "",
    "Usage: holdfast COMMAND [flags]",
    "",
    ...commands.map((command) => `  ${command.name.padEnd(widest)}  ${command.summary}`),
    "",
    "  holdfast check                          the cluster of the current kubeconfig context",
    "  holdfast check -f dump/                 a cluster on disk, or rendered manifests",
    "  holdfast simulate --drain node-1,node-2 one maintenance",
    "",
    "`holdfast COMMAND --help` says more about a command; `holdfast --version` prints the version.",
    "Exit codes: 0 fine, 1 a verdict or finding, 2 usage or input, 3 cluster not reachable, 4 undecided.",
    "",
  ].join("\n");
}

/** `holdfast COMMAND --help` */
export function helpOf(command: Command): string {
  return [
    ...filled(`holdfast ${command.name} ${command.summary}.`, 92),
    "",
    ...filled(`Usage: holdfast ${command.name} ${command.usage}`.trimEnd(), 92),
    ...command.description.flatMap((text) => ["", ...filled(text, 92)]),
    ...(command.examples.length === 0 ? [] : ["", "Examples:"]),
    ...command.examples.flatMap(({ says, command: line }) => [`  # ${says}`, `  ${line}`]),
    ...(command.flags.length === 0 ? [] : ["", "Flags:", ...flagLines(command.flags)]),
    "",
  ].join("\n");
}

function flagLines(flags: readonly Flag[]): string[] {
  const heads = flags.map(flagHead);
  const widest = Math.max(...heads.map((head) => head.length));
  return flags.flatMap((flag, index) => {
    const [first = "", ...rest] = filled(flagHelp(flag), 92 - widest);
    return [`  ${(heads[index] ?? "").padEnd(widest)}  ${first}`, ...rest.map((line) => " ".repeat(widest + 4) + line)];
  });
}

/** `-o, --output FORMAT` */
export function flagHead({ short, name, value }: Flag): string {
  return `${short === "" ? "    " : `-${short}, `}--${name}${value === "" ? "" : ` ${value}`}`;
}

export function flagHelp(flag: Flag): string {
  const choices = flag.choices.length === 0 ? "" : `: ${flag.choices.join(", ")}`;
  const many = flag.many === "no" ? "" : flag.many === "list" ? " (comma-separated or repeated)" : " (may be repeated)";
  return `${flag.help}${choices}${many}`;
}

function filled(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
