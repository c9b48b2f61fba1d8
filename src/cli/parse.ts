import { closest } from "../base/closest.ts";
import { UsageError } from "./errors.ts";
import type { Flag, Parsed } from "./flags.ts";

/** Flags anywhere, `--name value`, `--name=value`, `-n value`, `-nvalue`, `-Af x`; `--` ends them. Throws UsageError. */
export function parseArguments(argv: readonly string[], flags: readonly Flag[]): Parsed {
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  const waiting = [...argv];
  for (let argument = waiting.shift(); argument !== undefined; argument = waiting.shift()) {
    if (argument === "--") {
      operands.push(...waiting.splice(0));
    } else if (argument.startsWith("--")) {
      takeLong(argument, flags, waiting, given);
    } else if (argument.startsWith("-") && argument.length > 1) {
      takeShort(argument, flags, waiting, given);
    } else {
      operands.push(argument);
    }
  }
  return {
    operands,
    has: (name) => given.has(name),
    text: (name) => given.get(name)?.at(-1) ?? "",
    all: (name) => given.get(name) ?? [],
  };
}

type Given = Map<string, string[]>;

function takeLong(argument: string, flags: readonly Flag[], waiting: string[], given: Given): void {
  const equals = argument.indexOf("=");
  const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
  const found = flags.find((candidate) => candidate.name === name);
  if (found === undefined) {
    const near = closest(
      name,
      flags.map((candidate) => candidate.name),
    );
    throw new UsageError(`unknown flag --${name}${near === null ? "" : `; did you mean --${near}?`}`);
  }
  if (found.value === "") {
    const said = equals < 0 ? "true" : argument.slice(equals + 1);
    if (said !== "true" && said !== "false") throw new UsageError(`--${name} takes no value`);
    if (said === "true") record(found, "true", given);
    return;
  }
  record(found, equals < 0 ? nextValue(found, waiting) : argument.slice(equals + 1), given);
}

function takeShort(argument: string, flags: readonly Flag[], waiting: string[], given: Given): void {
  for (let index = 1; index < argument.length; index += 1) {
    const letter = argument.charAt(index);
    const found = flags.find((candidate) => candidate.short === letter);
    if (found === undefined) throw new UsageError(`unknown flag -${letter}`);
    if (found.value === "") {
      record(found, "true", given);
      continue;
    }
    const rest = argument.slice(index + 1).replace(/^=/, "");
    record(found, rest === "" ? nextValue(found, waiting) : rest, given);
    return;
  }
}

function nextValue(flag: Flag, waiting: string[]): string {
  const value = waiting.shift();
  if (value === undefined || (value.startsWith("--") && value.length > 2)) {
    throw new UsageError(`--${flag.name} needs a value: --${flag.name} ${flag.value}`);
  }
  return value;
}

function record(flag: Flag, value: string, given: Given): void {
  const values = flag.many === "list" ? value.split(",").map((part) => part.trim()) : [value];
  for (const one of values) {
    if (flag.value !== "" && one === "") throw new UsageError(`--${flag.name} must not be empty`);
    if (flag.choices.length > 0 && !flag.choices.includes(one)) {
      const near = closest(one, flag.choices);
      const hint = near === null ? "" : ` Did you mean ${near}?`;
      throw new UsageError(`--${flag.name} is one of ${flag.choices.join(", ")}, not "${one}".${hint}`);
    }
  }
  if (flag.value !== "" && flag.many === "no" && given.has(flag.name))
    throw new UsageError(`--${flag.name} is given twice`);
  given.set(flag.name, [...(given.get(flag.name) ?? []), ...values]);
}
