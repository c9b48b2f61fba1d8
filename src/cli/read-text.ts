import { readFileSync, statSync } from "node:fs";
import { codeOf } from "../load/read-bytes.ts";
import { UsageError } from "./errors.ts";

const largestFile = 8 * 1024 * 1024;

/** The text of a file that was named to the program, as `what`. Throws UsageError that says why it has none. */
export function readNamedText(file: string, what: string): string {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw new UsageError(`cannot read ${what}: it is a folder`);
    if (stat.size > largestFile) throw new UsageError(`cannot read ${what}: it is larger than ${largestFile} bytes`);
    return readFileSync(file, "utf8");
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`cannot read ${what}: ${whyNot(error)}`);
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "a part of its path is no folder"],
  ["EISDIR", "it is a folder"],
  ["EACCES", "that is not permitted"],
  ["EPERM", "that is not permitted"],
  ["EROFS", "that is not permitted: nothing can be written there"],
  ["ENOSPC", "there is no room left"],
]);

/** Why the system did not do it, for a person. */
export function whyNot(error: unknown): string {
  const code = codeOf(error);
  return reasons.get(code) ?? code;
}
