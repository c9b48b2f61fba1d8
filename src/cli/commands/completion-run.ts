import type { Command } from "../command.ts";
import { exit, UsageError } from "../errors.ts";
import type { Flag, Parsed } from "../flags.ts";
import { commands } from "../registry.ts";
import type { Shell } from "../shell.ts";

export async function runCompletion(parsed: Parsed, shell: Shell): Promise<number> {
  const [name = ""] = parsed.operands;
  const script = scripts.get(name);
  if (script === undefined) throw new UsageError(`completion knows bash, zsh and fish, not "${name}"`);
  await shell.out(script());
  return exit.fine;
}

const scripts: ReadonlyMap<string, () => string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);

/** Flags whose values are files. */
const fileValues: readonly string[] = ["PATH", "FILE"];

function words(command: Command): string {
  return command.flags
    .flatMap(({ name, short }) => (short === "" ? [`--${name}`] : [`--${name}`, `-${short}`]))
    .join(" ");
}

function bash(): string {
  const cases = commands.map((command) => {
    const values = command.flags
      .filter((flag) => flag.choices.length > 0)
      .map(
        (flag) => `      ${pattern(flag)}) COMPREPLY=($(compgen -W "${flag.choices.join(" ")}" -- "$word")); return ;;`,
      );
    const files = command.flags
      .filter((flag) => fileValues.includes(flag.value))
      .map((flag) => `      ${pattern(flag)}) COMPREPLY=($(compgen -f -- "$word")); return ;;`);
    const operands = command.name === "completion" ? "bash zsh fish " : "";
    return [
      `    ${command.name})`,
      '      case "$before" in',
      ...values.map((line) => `  ${line}`),
      ...files.map((line) => `  ${line}`),
      "      esac",
      `      COMPREPLY=($(compgen -W "${operands}${words(command)}" -- "$word")) ;;`,
    ].join("\n");
  });
  return `# bash completion for holdfast
_holdfast() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map((command) => command.name).join(" ")} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
}
complete -o filenames -F _holdfast holdfast
`;
}

function pattern({ name, short }: Flag): string {
  return short === "" ? `--${name}` : `--${name}|-${short}`;
}

function zsh(): string {
  const listing = commands.map((command) => `    ${quoted(`${command.name}:${command.summary}`)}`);
  const cases = commands.map((command) => {
    const specs = command.flags.flatMap(zshSpecs).map((spec) => `        ${spec}`);
    const operand = command.name === "completion" ? "'1:shell:(bash zsh fish)'" : "'*:argument:_default'";
    return [
      `    ${command.name})`,
      "      _arguments -s \\",
      `${[...specs, `        ${operand}`].join(" \\\n")} ;;`,
    ].join("\n");
  });
  return `#compdef holdfast
_holdfast() {
  local -a commands=(
${listing.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
compdef _holdfast holdfast
`;
}

function zshSpecs(flag: Flag): string[] {
  const help = flag.help.replaceAll("[", "(").replaceAll("]", ")").replaceAll(":", "\\:");
  const action =
    flag.value === ""
      ? ""
      : `:${flag.value}:${flag.choices.length > 0 ? `(${flag.choices.join(" ")})` : fileValues.includes(flag.value) ? "_files" : " "}`;
  const star = flag.many === "no" ? "" : "*";
  const names = flag.short === "" ? [`--${flag.name}`] : [`--${flag.name}`, `-${flag.short}`];
  return names.map((name) => quoted(`${star}${name}[${help}]${action}`));
}

function fish(): string {
  const lines = commands.flatMap((command) => [
    `complete -c holdfast -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
    ...(command.name === "completion"
      ? ['complete -c holdfast -n "__fish_seen_subcommand_from completion" -f -a "bash zsh fish"']
      : []),
    ...command.flags.map((flag) => {
      const short = flag.short === "" ? "" : ` -s ${flag.short}`;
      const value =
        flag.value === ""
          ? " -f"
          : flag.choices.length > 0
            ? ` -x -a "${flag.choices.join(" ")}"`
            : fileValues.includes(flag.value)
              ? " -r -F"
              : " -x";
      return `complete -c holdfast -n "__fish_seen_subcommand_from ${command.name}" -l ${flag.name}${short}${value} -d ${quoted(flag.help)}`;
    }),
  ]);
  return `# fish completion for holdfast\n${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
