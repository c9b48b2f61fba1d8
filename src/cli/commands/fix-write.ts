import { closeSync, constants, lstatSync, mkdirSync, openSync, readFileSync, realpathSync, writeSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { splicedYaml, withoutObject } from "../../patch/yaml-splice.ts";
import {
  helmFiles,
  kustomizeFiles,
  type NewFile,
  notInCharts,
  objectFile,
  patchFiles,
} from "../../report/fix-formats.ts";
import { counted, visible } from "../../report/text.ts";
import type { Change, FixReport } from "../../report/types.ts";
import { UsageError } from "../errors.ts";
import type { Parsed } from "../flags.ts";
import { writeText } from "../output.ts";
import type { Shell } from "../shell.ts";

/** `--write DIR` and `--format`: files into a folder, or to standard output one after the other. */
export async function writeFix(report: FixReport, parsed: Parsed, shell: Shell): Promise<void> {
  const files = filesOf(report, parsed, shell);
  if (!parsed.has("write")) {
    await writeText(files.map(({ name, text }) => `# ${name}\n${text}`).join("---\n"), parsed, shell);
    return;
  }
  const folder = parsed.text("write");
  const written = writeInto(resolve(shell.folder, folder), files, parsed.has("force"));
  shell.err(`holdfast fix: wrote ${counted(written.length, "file")} into ${visible(folder)}\n`);
}

function filesOf(report: FixReport, parsed: Parsed, shell: Shell): readonly NewFile[] {
  switch (parsed.text("format")) {
    case "patch":
      return patchFiles(report);
    case "kustomize":
      return kustomizeFiles(report);
    case "helm": {
      const left = notInCharts(report);
      if (left.length > 0)
        shell.err(
          `holdfast fix: ${counted(left.length, "change")} ${left.length === 1 ? "is" : "are"} no value of a chart; \`holdfast fix\` shows all\n`,
        );
      return helmFiles(report);
    }
    default:
      return wholeFiles(report.changes, parsed, shell);
  }
}

/** The input's own files with the changes in them, under the same names below the folder; what is new beside them. */
function wholeFiles(changes: readonly Change[], parsed: Parsed, shell: Shell): readonly NewFile[] {
  const texts = new Map<string, string>();
  const files: NewFile[] = [];
  for (const change of changes) {
    const file = change.source?.file ?? "";
    const text = file === "" ? null : (texts.get(file) ?? readText(resolve(shell.folder, file)));
    const spliced =
      text === null
        ? null
        : change.do === "delete"
          ? withoutObject(text, change.target)
          : change.do === "edit"
            ? splicedYaml(text, change.target, change.fields)
            : null;
    if (spliced !== null) texts.set(file, spliced);
    else {
      const made = objectFile(change);
      if (made !== null) files.push(made);
      else if (change.do === "helm") files.push(...helmFiles({ changes: [change] }));
    }
  }
  const roots = parsed.all("from").map((path) => resolve(shell.folder, path));
  for (const [file, text] of texts) files.push({ name: below(resolve(shell.folder, file), roots), text });
  return files;
}

/** A file's name below the folder it was read from. */
function below(file: string, roots: readonly string[]): string {
  const root = roots.find((each) => file.startsWith(each + sep));
  return root === undefined ? basename(file) : relative(root, file);
}

const largestFile = 32 * 1024 * 1024;

/** Null: no plain text (compressed, gone, too large). */
function readText(file: string): string | null {
  try {
    const info = lstatSync(file);
    if (!info.isFile() || info.size > largestFile || file.endsWith(".gz")) return null;
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/** Never outside the folder, never through a link; over what is there only when forced. All names are checked first. */
export function writeInto(folder: string, files: readonly NewFile[], force: boolean): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const root = realpathSync(folder);
  const names = files.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`two files would have the name ${twice}`);
  for (const name of names) {
    const file = resolve(root, name);
    if (!file.startsWith(root + sep)) throw new UsageError(`${name} would lead out of ${folder}`);
    const steps = relative(root, file).split(sep);
    for (let depth = 1; depth <= steps.length; depth += 1) {
      const at = join(root, ...steps.slice(0, depth));
      const info = lstatSync(at, { throwIfNoEntry: false });
      if (info === undefined) continue;
      if (info.isSymbolicLink()) throw new UsageError(`${at} is a link, and links are not followed`);
      if (depth < steps.length && !info.isDirectory()) throw new UsageError(`${at} is no folder`);
      if (depth === steps.length && !info.isFile()) throw new UsageError(`${at} is no file`);
      if (depth === steps.length && !force) throw new UsageError(`${at} is there already; --force overwrites`);
    }
  }
  for (const { name, text } of files) {
    const file = resolve(root, name);
    mkdirSync(resolve(file, ".."), { recursive: true });
    const { O_WRONLY, O_CREAT, O_TRUNC, O_EXCL, O_NOFOLLOW } = constants;
    const handle = openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW | (force ? O_TRUNC : O_EXCL), 0o644);
    try {
      writeSync(handle, text);
    } finally {
      closeSync(handle);
    }
  }
  return names;
}
