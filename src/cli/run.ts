import { closest } from "../base/closest.ts";
import { visible } from "../report/text.ts";
import type { Command } from "./command.ts";
import { ClusterError, exit, UsageError } from "./errors.ts";
import { helpOf, overview } from "./help.ts";
import { parseArguments } from "./parse.ts";
import { commands } from "./registry.ts";
import type { Shell } from "./shell.ts";
import { version } from "./version.ts";

/** One run of the program: what was typed in, an exit code out. Never throws for anything a user can cause. */
export async function run(argv: readonly string[], shell: Shell): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") return help(rest, shell);
  if (first === "--version" || first === "version") {
    await shell.out(`holdfast ${version}\n`);
    return exit.fine;
  }
  const command = commands.find((candidate) => candidate.name === first);
  if (command === undefined) {
    const near = closest(
      first,
      commands.map((candidate) => candidate.name),
    );
    shell.err(
      `holdfast: unknown command "${visible(first)}"${near === null ? "" : `; did you mean ${near}?`} \`holdfast --help\` lists them.\n`,
    );
    return exit.usage;
  }
  return runCommand(command, rest, shell);
}

async function help(rest: readonly string[], shell: Shell): Promise<number> {
  const command = commands.find((candidate) => candidate.name === rest[0]);
  await shell.out(command === undefined ? overview(commands) : helpOf(command));
  return exit.fine;
}

async function runCommand(command: Command, argv: readonly string[], shell: Shell): Promise<number> {
  try {
    const end = argv.indexOf("--");
    const typed = end < 0 ? argv : argv.slice(0, end);
    if (typed.includes("--help") || typed.includes("-h")) {
      await shell.out(helpOf(command));
      return exit.fine;
    }
    const parsed = parseArguments(argv, command.flags);
    checkOperands(command, parsed.operands);
    return await command.run(parsed, shell);
  } catch (error) {
    return failed(error, command, shell);
  }
}

function checkOperands({ operands, name }: Command, given: readonly string[]): void {
  if (given.length < operands.least) throw new UsageError(`${name} needs ${operands.name}`);
  const extra = given[operands.most];
  if (extra !== undefined) throw new UsageError(`${name} takes no argument "${extra}"`);
}

function failed(error: unknown, command: Command, shell: Shell): number {
  if (error instanceof UsageError) {
    shell.err(`holdfast ${command.name}: ${visible(error.message)}\n`);
    for (const { file, line, path, message } of error.problems) {
      const place = line === null ? file : `${file}:${line}`;
      shell.err(`  ${visible(`${place}: ${path === "" ? "" : `${path} `}${message}`)}\n`);
    }
    if (error.problems.length === 0) shell.err(`\`holdfast ${command.name} --help\` shows what it takes.\n`);
    return exit.usage;
  }
  if (!(error instanceof ClusterError)) throw error;
  shell.err(`holdfast ${command.name}: ${visible(error.message)}\n`);
  return exit.unreachable;
}
