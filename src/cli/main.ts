#!/usr/bin/env node
import { exit } from "./errors.ts";
import { mistakeInWords } from "./mistake.ts";
import { run } from "./run.ts";
import type { Shell } from "./shell.ts";

// The only reader of argv and environment.

/** As package.json says; npm only warns of it, and what is missing would end in a stack trace. */
const oldest = { major: 22, minor: 19 };
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
  process.stderr.write(
    `holdfast needs Node ${oldest.major}.${oldest.minor} or later; this is Node ${process.versions.node}.\n`,
  );
  process.exit(2);
}

function lookOf(stream: NodeJS.WriteStream): Shell["look"] {
  const isTerminal = stream.isTTY === true;
  const colour = isTerminal && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  return { colour, width: isTerminal ? Math.max(40, stream.columns) : null };
}

function environmentOf(): ReadonlyMap<string, string> {
  const set = new Map<string, string>();
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) set.set(name, value);
  return set;
}

const shell: Shell = {
  environment: environmentOf(),
  folder: process.cwd(),
  look: lookOf(process.stdout),
  errLook: lookOf(process.stderr),
  showsProgress: process.stderr.isTTY === true && process.env["TERM"] !== "dumb",
  stdin: process.stdin,
  out: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
  err: (text) => void process.stderr.write(text),
  interruption: () => {
    const asked = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => asked.abort());
    return asked.signal;
  },
  today: () => new Date().toISOString().slice(0, 10),
};

// A reader that goes away early (`| head`) is no failure of ours; a full disk is told like any output that cannot be written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`holdfast: cannot write to standard output: ${error.message}\n`);
  process.exit(2);
});

try {
  process.exitCode = await run(process.argv.slice(2), shell);
} catch (error) {
  // Not 1, as Node would have it: that is a verdict.
  process.stderr.write(mistakeInWords(error));
  process.exitCode = exit.usage;
}
// A credential plugin that never ends must not keep a finished run waiting.
setTimeout(() => process.exit(), 2000).unref();
