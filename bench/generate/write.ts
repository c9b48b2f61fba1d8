import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import { type ClusterSize, clusterObjects } from "./cluster.ts";

/** compact: one object a line. kubectl: a List as `kubectl get -o json` prints it, four spaces a level. */
export type Layout = "compact" | "kubectl";

/** Grows when the generator's objects change, so that files of an older one are not taken for its own. */
const generation = 5;

/** Folder of the cluster's files, one a kind; made once. */
export function writtenCluster(below: string, size: ClusterSize, layout: Layout): string {
  const folder = join(below, `g${generation}-n${size.nodes}-p${size.pods}-s${size.seed}-${layout}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const files = new Map<string, KindFile>();
  for (const object of clusterObjects(size)) {
    const kind = String(object["kind"]).toLowerCase();
    let file = files.get(kind);
    if (file === undefined) {
      file = new KindFile(unfinished, `${kind}s`, layout);
      files.set(kind, file);
    }
    file.add(object);
  }
  for (const file of files.values()) file.close();
  renameSync(unfinished, folder);
  return folder;
}

export function fileBytes(path: string): number {
  return statSync(path).size;
}

class KindFile {
  readonly #descriptor: number;
  readonly #layout: Layout;
  #count = 0;
  #buffered: string[] = [];

  constructor(folder: string, name: string, layout: Layout) {
    this.#layout = layout;
    this.#descriptor = openSync(join(folder, `${name}.${layout === "compact" ? "ndjson" : "json"}`), "w");
    if (layout === "kubectl") this.#write('{\n    "apiVersion": "v1",\n    "items": [\n');
  }

  add(object: JsonObject): void {
    if (this.#layout === "compact") this.#write(`${JSON.stringify(object)}\n`);
    else {
      const text = JSON.stringify(object, null, 4).replace(/^/gm, "        ");
      this.#write(`${this.#count === 0 ? "" : ",\n"}${text}`);
    }
    this.#count += 1;
  }

  close(): void {
    const end = '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';
    if (this.#layout === "kubectl") this.#write(end);
    this.#flush();
    closeSync(this.#descriptor);
  }

  #write(text: string): void {
    this.#buffered.push(text);
    if (this.#buffered.length >= 500) this.#flush();
  }

  #flush(): void {
    writeSync(this.#descriptor, this.#buffered.join(""));
    this.#buffered = [];
  }
}
