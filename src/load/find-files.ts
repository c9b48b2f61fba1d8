import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { byCodeUnit } from "../base/ordering.ts";
import type { Door } from "./door.ts";
import type { InputLimits } from "./limits.ts";
import { codeOf } from "./read-bytes.ts";

/** A path that is to be read cannot be: the whole call is wrong, not a part of the input. */
export class MissingInput extends Error {}

const readEndings = [".yaml", ".yml", ".json", ".ndjson", ".jsonl", ".holdfast"];

/** True for names of files that are read inside folders. */
export function isReadName(name: string): boolean {
  const bare = name.endsWith(".gz") ? name.slice(0, -".gz".length) : name;
  return readEndings.some((ending) => bare.endsWith(ending));
}

/** The files of a path named by the user, sorted: itself, or those of the folder and its folders. */
export function findFiles(path: string, door: Door, limits: InputLimits): readonly string[] {
  const kind = kindOf(path);
  if (kind === "file") return [path];
  const files: string[] = [];
  walk({ root: realpathSync(path), folder: path, depth: 0 }, files, door, limits);
  return files;
}

function kindOf(path: string): "file" | "folder" {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return "folder";
    if (stat.isFile() || stat.isFIFO()) return "file";
  } catch (error) {
    throw new MissingInput(
      `${path} cannot be read: ${codeOf(error) === "ENOENT" ? "there is no such file" : codeOf(error)}`,
    );
  }
  throw new MissingInput(`${path} is neither a file, a folder nor a pipe`);
}

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly depth: number;
}

/** What a must-gather keeps objects in; everything else in it is logs and measurements. */
const gatherFolders: ReadonlySet<string> = new Set(["cluster-scoped-resources", "namespaces"]);

/** Only the folders of objects where a folder is one of an OpenShift must-gather (or `oc adm inspect`). */
function entriesToRead(folder: string, door: Door): readonly Dirent[] {
  const entries = entriesOf(folder, door);
  const isGather = entries.some((entry) => entry.name === "cluster-scoped-resources" && entry.isDirectory());
  return isGather ? entries.filter((entry) => gatherFolders.has(entry.name)) : entries;
}

function walk(place: Place, files: string[], door: Door, limits: InputLimits): void {
  if (place.depth > limits.folderDepth) {
    door.problem({ file: place.folder, line: null }, `folders deeper than ${limits.folderDepth} are not read`);
    return;
  }
  for (const entry of entriesToRead(place.folder, door)) {
    // Hidden entries are the business of tools: .git, the generations of a mounted ConfigMap.
    if (entry.name.startsWith(".")) continue;
    if (files.length >= limits.files) {
      door.problem({ file: place.folder, line: null }, `more than ${limits.files} files; the rest is not read`);
      return;
    }
    visit(entry, place, files, door, limits);
  }
}

function entriesOf(folder: string, door: Door): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => byCodeUnit(a.name, b.name));
  } catch (error) {
    door.problem({ file: folder, line: null }, `the folder cannot be read: ${codeOf(error)}`);
    return [];
  }
}

function visit(entry: Dirent, place: Place, files: string[], door: Door, limits: InputLimits): void {
  const path = join(place.folder, entry.name);
  if (entry.isDirectory()) {
    walk({ root: place.root, folder: path, depth: place.depth + 1 }, files, door, limits);
    return;
  }
  if (!isReadName(entry.name)) {
    if (entry.isSymbolicLink() && leadsToFolder(path))
      door.problem(
        { file: path, line: null },
        "this link leads to a folder and is not followed; name the folder itself",
      );
    return;
  }
  if (entry.isSymbolicLink()) {
    const fault = linkFault(path, place.root);
    if (fault === null) files.push(path);
    else door.problem({ file: path, line: null }, fault);
    return;
  }
  if (entry.isFile()) files.push(path);
  else door.problem({ file: path, line: null }, "this is not a regular file and is not read");
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A link may lead to a file inside the folder, nowhere else. */
function linkFault(path: string, root: string): string | null {
  try {
    const target = realpathSync(path);
    const inside = relative(root, target);
    if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`)) {
      return "this link leads out of the folder and is not followed";
    }
    return lstatSync(target).isFile() ? null : "this link leads to no regular file and is not followed";
  } catch (error) {
    return `this link cannot be followed: ${codeOf(error)}`;
  }
}
