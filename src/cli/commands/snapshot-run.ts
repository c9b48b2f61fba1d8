import { lstatSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { counted } from "../../report/text.ts";
import { exit, UsageError } from "../errors.ts";
import type { Parsed } from "../flags.ts";
import { readInput } from "../input.ts";
import type { Shell } from "../shell.ts";
import { version } from "../version.ts";

export async function runSnapshot(parsed: Parsed, shell: Shell): Promise<number> {
  const { snapshot } = await readInput(parsed, shell, { once: false });
  const { writeSnapshotFile } = await import("../../load/snapshot-file.ts");
  const file = parsed.text("output-file") === "" ? defaultName(snapshot.source) : parsed.text("output-file");
  const path = resolve(shell.folder, file);
  makeWay(path, file, parsed.has("force"));
  try {
    await writeSnapshotFile(path, snapshot, { anonymize: parsed.has("anonymize"), toolVersion: version });
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${error instanceof Error ? error.message : "unknown reason"}`);
  }
  const { problems, notSeen, secretsDropped } = snapshot;
  await shell.out(`${file}\n`);
  if (secretsDropped > 0) shell.err(`${counted(secretsDropped, "Secret")} left out.\n`);
  if (notSeen.length > 0) shell.err(`Not seen: ${notSeen.map(({ resource }) => resource).join(", ")}.\n`);
  if (problems.length > 0) shell.err(`${counted(problems.length, "object")} could not be read and left out.\n`);
  return parsed.has("strict") && problems.length > 0 ? exit.usage : exit.fine;
}

/** A link is replaced, never followed. */
function makeWay(path: string, shown: string, force: boolean): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isDirectory()) throw new UsageError(`${shown} is a folder`);
  if (!force) throw new UsageError(`${shown} is there already; --force overwrites it`);
  rmSync(path);
}

/** `prod-eu.holdfast.gz` of the context `prod/eu`. */
function defaultName(source: string): string {
  const name = source.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  return `${name === "" ? "cluster" : name.slice(0, 80)}.holdfast.gz`;
}
