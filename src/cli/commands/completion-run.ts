import { findingRules } from "../../finding/registry.ts";
import { actors } from "../../maintenance/registry.ts";
import { scenarioKinds } from "../../report/options.ts";
import { systems } from "../../systems/registry.ts";
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

const actorNames = actors.map(({ name }) => name);

/** Words that a command's arguments may be, where they are known. */
const operandWords: ReadonlyMap<string, readonly string[]> = new Map([
  ["actors", actorNames],
  ["completion", ["bash", "zsh", "fish"]],
  ["explain", findingRules.flatMap(({ name, code }) => [name, code])],
  ["systems", systems.map(({ name }) => name)],
]);

/** Values of flags that anything may be given to, and that have names of their own. */
const flagWords = new Map<string, readonly string[]>([
  ["actor", actorNames],
  ["scenarios", scenarioKinds],
]);

function operandsOf({ name }: Command): string {
  return (operandWords.get(name) ?? []).join(" ");
}

function choicesOf(flag: Flag): string {
  return (flag.choices.length > 0 ? flag.choices : (flagWords.get(flag.name) ?? [])).join(" ");
}

function words(command: Command): string {
  return command.flags
    .flatMap(({ name, short }) => (short === "" ? [`--${name}`] : [`--${name}`, `-${short}`]))
    .join(" ");
}

function bash(): string {
  const cases = commands.map((command) => {
    const values = command.flags
      .filter((flag) => choicesOf(flag) !== "")
      .map((flag) => `      ${pattern(flag)}) COMPREPLY=($(compgen -W "${choicesOf(flag)}" -- "$word")); return ;;`);
    const files = command.flags
      .filter((flag) => fileValues.includes(flag.value))
      .map((flag) => `      ${pattern(flag)}) COMPREPLY=($(compgen -f -- "$word")); return ;;`);
    const others = command.flags.filter(({ value }) => value !== "").map(pattern);
    const known = operandsOf(command);
    return [
      `    ${command.name})`,
      '      case "$before" in',
      ...values.map((line) => `  ${line}`),
      ...files.map((line) => `  ${line}`),
      // A value nobody can guess: better nothing than flags.
      ...(others.length === 0 ? [] : [`        ${others.join("|")}) return ;;`]),
      "      esac",
      `      COMPREPLY=($(compgen -W "${known === "" ? "" : `${known} `}${words(command)}" -- "$word")) ;;`,
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
complete -o filenames -F _holdfast holdfast kubectl-holdfast
`;
}

function pattern({ name, short }: Flag): string {
  return short === "" ? `--${name}` : `--${name}|-${short}`;
}

function zsh(): string {
  const listing = commands.map((command) => `    ${quoted(`${command.name}:${command.summary}`)}`);
  const cases = commands.map((command) => {
    const specs = command.flags.flatMap(zshSpecs).map((spec) => `        ${spec}`);
    const known = operandsOf(command);
    const operand = known === "" ? "'*:argument: '" : quoted(`1:${command.operands.name}:(${known})`);
    return [
      `    ${command.name})`,
      "      _arguments -s \\",
      `${[...specs, `        ${operand}`].join(" \\\n")} ;;`,
    ].join("\n");
  });
  return `#compdef holdfast kubectl-holdfast
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
# In a folder of fpath this file is the function's first call; sourced, it only makes it known.
if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast kubectl-holdfast; fi
`;
}

function zshSpecs(flag: Flag): string[] {
  const help = flag.help.replaceAll("[", "(").replaceAll("]", ")").replaceAll(":", "\\:");
  const action =
    flag.value === ""
      ? ""
      : `:${flag.value}:${choicesOf(flag) !== "" ? `(${choicesOf(flag)})` : fileValues.includes(flag.value) ? "_files" : " "}`;
  const star = flag.many === "no" ? "" : "*";
  const names = flag.short === "" ? [`--${flag.name}`] : [`--${flag.name}`, `-${flag.short}`];
  return names.map((name) => quoted(`${star}${name}[${help}]${action}`));
}

function fish(): string {
  const lines = commands.flatMap((command) => [
    `complete -c holdfast -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
    ...(operandsOf(command) === ""
      ? []
      : [`complete -c holdfast -n "__fish_seen_subcommand_from ${command.name}" -f -a "${operandsOf(command)}"`]),
    ...command.flags.map((flag) => {
      const short = flag.short === "" ? "" : ` -s ${flag.short}`;
      const value =
        flag.value === ""
          ? " -f"
          : choicesOf(flag) !== ""
            ? ` -x -a "${choicesOf(flag)}"`
            : fileValues.includes(flag.value)
              ? " -r -F"
              : " -x";
      return `complete -c holdfast -n "__fish_seen_subcommand_from ${command.name}" -l ${flag.name}${short}${value} -d ${quoted(flag.help)}`;
    }),
  ]);
  return `# fish completion for holdfast\n${lines.join("\n")}\ncomplete -c kubectl-holdfast -w holdfast\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
