import type { Source } from "../base/problem.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import { Column, TextColumn } from "./column.ts";
import type { ObjectKey, PodKey } from "./key.ts";
import type { Pod } from "./pod.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { Resources } from "./resources.ts";
import type { TemplateNumbers } from "./template-numbers.ts";

/** What pods that are alike may differ in. */
export interface PodOwn {
  readonly key: PodKey;
  readonly nodeName: string;
  readonly restarts: number;
  readonly createdAtMs: number | null;
  readonly startedAtMs: number | null;
  readonly scheduledAtMs: number | null;
  readonly readyAtMs: number | null;
}

/** What they have in common; the template may name "" in place of each pod's own node. */
export interface PodKin extends Omit<Pod, keyof PodOwn | "name" | "claimNames" | "source"> {}

/** What each of the pods of a cluster has for itself, by place. */
export interface PodTable {
  keyAt(place: number): PodKey;
  nodeNameAt(place: number): string;
  /** Of a pod with so much in common with others. */
  templateAt(place: number, kin: PodKin): PodTemplate;
  sourceAt(place: number): Source;
  claimNamesAt(place: number): Pod["claimNames"];
  /** A number by `measure`; null: none. */
  at(place: number, which: number): number | null;
}

/**
 * The pods of a cluster, by place, each in a few numbers: there are far more of them than of anything else. What they
 * look like to everyone else is `Pod`.
 */
export class PodColumns implements PodTable {
  readonly templates: TemplateNumbers;
  readonly #keys = new TextColumn();
  readonly #nodeNames = new TextColumn();
  #count = 0;
  readonly #files: string[] = [];
  /** Of the few pods that have any. */
  readonly #claimNames = new Map<number, Pod["claimNames"]>();
  /** Kin, file, and the template's number where the kin's is another; -1: it is the kin's. */
  readonly #numbers = Column.ofWhole(3);
  /** Line, restarts and times, by `measure`; NaN: none. */
  readonly #measures = Column.ofAny(6);

  constructor(templates: TemplateNumbers) {
    this.templates = templates;
  }

  get count(): number {
    return this.#count;
  }

  put(place: number, own: PodOwn, kin: number): void {
    this.#count = Math.max(this.#count, place + 1);
    this.#keys.set(place, own.key);
    this.#nodeNames.set(place, own.nodeName);
    this.#numbers.set(place, 0, kin);
    this.#numbers.set(place, 2, -1);
    const measures = this.#measures;
    measures.set(place, measure.restarts, own.restarts);
    measures.set(place, measure.createdAtMs, own.createdAtMs ?? Number.NaN);
    measures.set(place, measure.startedAtMs, own.startedAtMs ?? Number.NaN);
    measures.set(place, measure.scheduledAtMs, own.scheduledAtMs ?? Number.NaN);
    measures.set(place, measure.readyAtMs, own.readyAtMs ?? Number.NaN);
  }

  /** As put, of a pod that differs in these values from the one of `own`; what that one has not, this one has not either. */
  putAlike(place: number, own: PodOwn, values: AlikePod, kin: number): void {
    this.#count = Math.max(this.#count, place + 1);
    this.#keys.set(place, values.key);
    this.#nodeNames.set(place, own.nodeName === "" ? "" : values.nodeName);
    this.#numbers.set(place, 0, kin);
    this.#numbers.set(place, 2, -1);
    const measures = this.#measures;
    measures.set(place, measure.restarts, values.restarts);
    measures.set(place, measure.createdAtMs, own.createdAtMs === null ? Number.NaN : values.createdAtMs);
    measures.set(place, measure.startedAtMs, own.startedAtMs === null ? Number.NaN : values.startedAtMs);
    measures.set(place, measure.scheduledAtMs, own.scheduledAtMs === null ? Number.NaN : values.scheduledAtMs);
    measures.set(place, measure.readyAtMs, own.readyAtMs === null ? Number.NaN : values.readyAtMs);
  }

  putSource(place: number, file: string, line: number | null): void {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    this.#numbers.set(place, 1, this.#files.length - 1);
    this.#measures.set(place, measure.line, line ?? Number.NaN);
  }

  putClaimNames(place: number, claimNames: Pod["claimNames"]): void {
    if (claimNames.size > 0) this.#claimNames.set(place, claimNames);
    else if (this.#claimNames.size > 0) this.#claimNames.delete(place);
  }

  putTemplate(place: number, id: number): void {
    this.#numbers.set(place, 2, id);
  }

  keyAt(place: number): PodKey {
    return this.#keys.get(place);
  }

  nodeNameAt(place: number): string {
    return this.#nodeNames.get(place);
  }

  sourceAt(place: number): Source {
    return { file: this.#files[this.#numbers.get(place, 1)] ?? "", line: this.at(place, measure.line) };
  }

  claimNamesAt(place: number): Pod["claimNames"] {
    return this.#claimNames.get(place) ?? noClaims;
  }

  kinNumberAt(place: number): number {
    return this.#numbers.get(place, 0);
  }

  /** -1: the kin's. */
  templateIdAt(place: number): number {
    return this.#numbers.get(place, 2);
  }

  templateAt(place: number, { template }: PodKin): PodTemplate {
    const id = this.templateIdAt(place);
    return id < 0 ? template : this.templates.at(id);
  }

  at(place: number, which: number): number | null {
    const value = this.#measures.get(place, which);
    return Number.isNaN(value) ? null : value;
  }
}

export const measure = {
  line: 0,
  restarts: 1,
  createdAtMs: 2,
  startedAtMs: 3,
  scheduledAtMs: 4,
  readyAtMs: 5,
} as const;

export const noClaims: Pod["claimNames"] = new Map();

/** A pod as everyone sees it, over its columns. */
export class ColumnPod implements Pod {
  readonly #columns: PodTable;
  readonly #place: number;
  #made: PodKin | ((place: number) => PodKin);

  /** What it has in common with others, or who says so when it is asked for. */
  constructor(columns: PodTable, place: number, kin: PodKin | ((place: number) => PodKin)) {
    this.#columns = columns;
    this.#place = place;
    this.#made = kin;
  }

  get kin(): PodKin {
    if (typeof this.#made === "function") this.#made = this.#made(this.#place);
    return this.#made;
  }

  get key(): PodKey {
    return this.#columns.keyAt(this.#place);
  }
  get namespace(): string {
    return this.kin.namespace;
  }
  get name(): string {
    return this.key.slice(this.kin.namespace.length + 1);
  }
  get template(): PodTemplate {
    return this.#columns.templateAt(this.#place, this.kin);
  }
  get owner(): ObjectKey | null {
    return this.kin.owner;
  }
  get nodeName(): string {
    return this.#columns.nodeNameAt(this.#place);
  }
  get phase(): Pod["phase"] {
    return this.kin.phase;
  }
  get ready(): boolean {
    return this.kin.ready;
  }
  get deleting(): boolean {
    return this.kin.deleting;
  }
  get deletionGraceMs(): number | null {
    return this.kin.deletionGraceMs;
  }
  get preempted(): boolean {
    return this.kin.preempted;
  }
  get nominatedNodeName(): string {
    return this.kin.nominatedNodeName;
  }
  get requests(): Resources {
    return this.kin.requests;
  }
  get nonZeroMilliCpu(): number {
    return this.kin.nonZeroMilliCpu;
  }
  get nonZeroMemoryBytes(): number {
    return this.kin.nonZeroMemoryBytes;
  }
  get restarts(): number {
    return this.#columns.at(this.#place, measure.restarts) ?? 0;
  }
  get createdAtMs(): number | null {
    return this.#columns.at(this.#place, measure.createdAtMs);
  }
  get startedAtMs(): number | null {
    return this.#columns.at(this.#place, measure.startedAtMs);
  }
  get scheduledAtMs(): number | null {
    return this.#columns.at(this.#place, measure.scheduledAtMs);
  }
  get readyAtMs(): number | null {
    return this.#columns.at(this.#place, measure.readyAtMs);
  }
  get mirror(): boolean {
    return this.kin.mirror;
  }
  get finalizers(): readonly string[] {
    return this.kin.finalizers;
  }
  get unschedulableMessage(): string {
    return this.kin.unschedulableMessage;
  }
  get claimNames(): Pod["claimNames"] {
    return this.#columns.claimNamesAt(this.#place);
  }
  get ordinal(): number | null {
    return this.kin.ordinal;
  }
  get revision(): string {
    return this.kin.revision;
  }
  get source(): Source {
    return this.#columns.sourceAt(this.#place);
  }
}

/** What a pod has in common with those that are like it. */
export function kinOf(pod: Pod): PodKin {
  return pod instanceof ColumnPod ? pod.kin : pod;
}
