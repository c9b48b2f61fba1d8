import type { Problem, Source } from "../base/problem.ts";
import { isJsonList, isJsonObject, isWireObject } from "../wire/fields.ts";
import { deepestNesting, isSecretKind, scrub } from "../wire/scrub.ts";
import type { Json, JsonObject, SnapshotItem, WireObject } from "../wire/snapshot.ts";

/** One value read from an input, with where it stands. */
export interface ReadValue {
  readonly value: Json;
  readonly source: Source;
  /** The line of a field inside the value, by its path. */
  readonly lineOf?: (path: string) => number | null;
  /** What a typed list says of its elements, which then say neither; "" where it says nothing. */
  readonly listKind: string;
  readonly listApiVersion: string;
}

/**
 * Everything that comes in passes here: Secrets are dropped and counted, values that are no Kubernetes objects become
 * problems, and what is never used is taken out.
 */
export class Door {
  readonly #problems: Problem[] = [];
  readonly #problemsMax: number;
  #problemsMore = 0;
  secretsDropped = 0;
  /** What the heads of snapshot files say; the last one's version counts. */
  serverVersion = "";
  readonly notSeen: { readonly resource: string; readonly why: string }[] = [];
  /** Name of a node shape → how many nodes were made of it. */
  readonly shapes = new Map<string, number>();

  /** Problems beyond the limit are counted, not kept: broken input can have one on every line. */
  constructor(problemsMax: number) {
    this.#problemsMax = problemsMax;
  }

  get problems(): readonly Problem[] {
    if (this.#problemsMore === 0) return this.#problems;
    const message = `${this.#problemsMore} more problems are not listed`;
    return [...this.#problems, { file: "", line: null, path: "", message }];
  }

  /** The object to use; null when there is none in it. */
  admit(read: ReadValue): SnapshotItem | null {
    if (!isJsonObject(read.value)) return this.#refuse(read, "this is not a Kubernetes object");
    const kind = textOr(read.value["kind"], read.listKind);
    const apiVersion = textOr(read.value["apiVersion"], read.listApiVersion);
    if (isSecretKind(kind)) {
      this.secretsDropped += 1;
      return null;
    }
    if (isHelmSummary(read.value)) return null;
    if (kind === "" || apiVersion === "") {
      return this.#refuse(read, "this is not a Kubernetes object: apiVersion and kind are missing");
    }
    if (isSnapshotHead(apiVersion, kind)) return this.#readHead(read.value);
    if (isToolConfiguration(apiVersion, kind)) return null;
    const metadata = read.value["metadata"] ?? {};
    if (!isJsonObject(metadata)) return this.#refuse(read, `metadata of this ${kind} is not an object`);
    if (isHook(kind, metadata)) return null;
    if (!scrub(read.value)) {
      return this.#refuse(read, `this ${kind} is nested deeper than ${deepestNesting} levels and is left out`);
    }
    const object = withKind(read.value, { apiVersion, kind, metadata });
    const { source, lineOf } = read;
    return lineOf === undefined ? { object, source } : { object, source, lineOf };
  }

  problem(source: Source, message: string): void {
    if (this.#problems.length < this.#problemsMax) this.#problems.push({ ...source, path: "", message });
    else this.#problemsMore += 1;
  }

  #readHead(head: JsonObject): null {
    this.serverVersion = textOr(head["serverVersion"], this.serverVersion);
    const dropped = head["secretsDropped"];
    if (typeof dropped === "number" && Number.isSafeInteger(dropped) && dropped > 0) this.secretsDropped += dropped;
    const missing = head["notSeen"];
    if (!isJsonList(missing)) return null;
    for (const each of missing) {
      if (!isJsonObject(each)) continue;
      this.notSeen.push({ resource: textOr(each["resource"], ""), why: textOr(each["why"], "") });
    }
    return null;
  }

  #refuse(read: ReadValue, message: string): null {
    this.problem(read.source, message);
    return null;
  }
}

/** Most objects state everything and are used as they are. */
function withKind(value: JsonObject, known: WireObject): WireObject {
  return isWireObject(value) ? value : { ...value, ...known };
}

function textOr(value: Json | undefined, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

/** The first line of a file that `holdfast snapshot` wrote. */
function isSnapshotHead(apiVersion: string, kind: string): boolean {
  return kind === "SnapshotHead" && apiVersion.startsWith("holdfast.dev/");
}

/** What `helm install --dry-run` and `helm status` say before the manifests. */
function isHelmSummary(value: JsonObject): boolean {
  return value["NAME"] !== undefined && value["LAST DEPLOYED"] !== undefined;
}

/**
 * A Pod or Job that Helm or Argo CD runs once beside what it installs (tests, migrations), in rendered manifests: it is no part of what
 * runs. One of a cluster was made at some time, and is.
 */
function isHook(kind: string, metadata: JsonObject): boolean {
  if ((kind !== "Pod" && kind !== "Job") || metadata["creationTimestamp"] != null || metadata["uid"] !== undefined)
    return false;
  const annotations = metadata["annotations"];
  return isJsonObject(annotations) && hookAnnotations.some((annotation) => annotations[annotation] !== undefined);
}

const hookAnnotations = ["helm.sh/hook", "argocd.argoproj.io/hook"] as const;

/** Files of tools that lie beside manifests and are no objects of a cluster. */
function isToolConfiguration(apiVersion: string, kind: string): boolean {
  if (apiVersion.startsWith("kustomize.config.k8s.io/")) return true;
  return apiVersion.startsWith("holdfast.dev/") && (kind === "Config" || kind === "Scenario");
}

/** The elements of a list (`List`, `PodList`, a bare array), or the value itself; empty documents give nothing. */
export function elementsOf(
  value: Json,
): { readonly list: JsonObject | null; readonly elements: readonly Json[] } | null {
  if (Array.isArray(value)) return { list: null, elements: value };
  if (!isJsonObject(value) || !isListKind(value["kind"])) return null;
  const items = value["items"];
  if (items === null || items === undefined) return { list: value, elements: [] };
  return Array.isArray(items) ? { list: value, elements: items } : null;
}

function isListKind(kind: Json | undefined): boolean {
  return typeof kind === "string" && kind.endsWith("List");
}

/** `Pod` for `PodList`; "" for the plain `List`, whose elements say what they are. */
export function elementKind(listKind: string): string {
  return listKind === "List" ? "" : listKind.slice(0, -"List".length);
}
