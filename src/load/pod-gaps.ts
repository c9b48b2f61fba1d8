import { kindOf, Tape } from "../wire/tape.ts";

/**
 * What may differ between pods that are alike. Strings unless said otherwise; the bytes between quotes, plain ASCII
 * without escapes, are the gap.
 */
export const gap = {
  /** Never looked at. */
  unread: 0,
  /** Never looked at, and may have escapes: values of annotations. */
  unreadText: 1,
  /** A whole number that is never looked at. */
  unreadNumber: 2,
  name: 3,
  uid: 4,
  version: 5,
  createdAt: 6,
  startedAt: 7,
  readyAt: 8,
  scheduledAt: 9,
  nodeName: 10,
  ownNode: 11,
  /** A whole number. */
  restarts: 12,
  claimName: 13,
} as const;

export type GapKind = (typeof gap)[keyof typeof gap];

/** One place of an object's bytes where alike pods differ, from `start` to before `end`. */
export interface Gap {
  readonly kind: GapKind;
  readonly start: number;
  readonly end: number;
}

/**
 * The gaps of a pod on a tape, in order. Null: it is written in a way that leaves a doubt which value counts (two times of
 * being ready, a name with escapes), so it is no pattern for others.
 */
export function podGaps(tape: Tape, isFleeting: (annotation: string) => boolean): readonly Gap[] | null {
  const walk = new PodWalk(tape);
  walk.metadata(isFleeting);
  walk.spec();
  walk.status();
  return walk.odd ? null : walk.gaps.sort((a, b) => a.start - b.start);
}

class PodWalk {
  readonly gaps: Gap[] = [];
  odd = false;
  readonly #tape: Tape;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  metadata(isFleeting: (annotation: string) => boolean): void {
    const metadata = this.#field(Tape.root, "metadata");
    this.#gap(metadata, "name", gap.name);
    this.#gap(metadata, "uid", gap.uid);
    this.#gap(metadata, "resourceVersion", gap.version);
    this.#gap(metadata, "creationTimestamp", gap.createdAt);
    this.#gap(metadata, "deletionTimestamp", gap.unread);
    this.#gap(metadata, "selfLink", gap.unread);
    for (const annotation of this.#within(metadata, "annotations", kindOf.object)) {
      if (isFleeting(this.#tape.name(annotation))) this.#gapAt(annotation, gap.unreadText);
    }
    for (const managed of this.#elements(metadata, "managedFields")) this.#gap(managed, "time", gap.unread);
  }

  spec(): void {
    const spec = this.#field(Tape.root, "spec");
    // A field without a value is as if it were not there: then a pod that has one is another kind of pod.
    const nodeName = this.#field(spec, "nodeName");
    if (this.#tape.text(nodeName) !== "") this.#gapAt(nodeName, gap.nodeName);
    for (const list of ["containers", "initContainers", "ephemeralContainers"]) {
      for (const container of this.#elements(spec, list)) this.#mounts(container);
    }
    for (const volume of this.#elements(spec, "volumes")) this.#volume(volume);
    this.#affinity(spec);
  }

  status(): void {
    const status = this.#field(Tape.root, "status");
    for (const address of ["hostIP", "podIP"]) this.#gap(status, address, gap.unread);
    for (const list of ["hostIPs", "podIPs"]) {
      for (const address of this.#elements(status, list)) this.#gap(address, "ip", gap.unread);
    }
    this.#gap(status, "startTime", gap.startedAt);
    for (const condition of this.#elements(status, "conditions")) this.#condition(condition);
    for (const each of this.#elements(status, "containerStatuses")) this.#containerStatus(each, gap.restarts);
    for (const list of ["initContainerStatuses", "ephemeralContainerStatuses"]) {
      for (const each of this.#elements(status, list)) this.#containerStatus(each, gap.unreadNumber);
    }
    for (const claim of this.#elements(status, "resourceClaimStatuses")) {
      this.#gap(claim, "resourceClaimName", gap.claimName);
    }
  }

  /** The names of mounts are never read; that of the token's volume is another one in every pod. */
  #mounts(container: number): void {
    for (const mount of this.#elements(container, "volumeMounts")) this.#tokenVolume(mount);
  }

  /** A volume's name is read where the volume matters: one that is projected and nothing else does not. */
  #volume(volume: number): void {
    const isProjected = this.#field(volume, "projected") >= 0;
    if (isProjected && [...this.#children(volume)].length === 2) this.#tokenVolume(volume);
  }

  #tokenVolume(object: number): void {
    const name = this.#field(object, "name");
    if (this.#tape.begins(name, "kube-api-access")) this.#gapAt(name, gap.unread);
  }

  /** Only where it is plain which requirement it is. */
  #affinity(spec: number): void {
    const node = this.#field(this.#field(spec, "affinity"), "nodeAffinity");
    const required = this.#field(node, "requiredDuringSchedulingIgnoredDuringExecution");
    const terms = [...this.#elements(required, "nodeSelectorTerms")];
    const [term] = terms;
    if (term === undefined || terms.length > 1) return;
    const named = [...this.#elements(term, "matchFields")]
      .map((each) => this.#namedNode(each))
      .filter((cell) => cell >= 0);
    const [name] = named;
    if (name !== undefined && named.length === 1) this.#gapAt(name, gap.ownNode);
  }

  /** The only value of a requirement on the node's name; -1: it is another one. */
  #namedNode(requirement: number): number {
    const values = [...this.#within(requirement, "values", kindOf.list)];
    const [value] = values;
    const isName = this.#tape.says(this.#field(requirement, "key"), "metadata.name");
    return isName && value !== undefined && values.length === 1 ? value : -1;
  }

  #condition(condition: number): void {
    this.#gap(condition, "lastProbeTime", gap.unread);
    this.#gap(condition, "lastTransitionTime", this.#sinceKind(condition));
  }

  #sinceKind(condition: number): GapKind {
    const type = this.#field(condition, "type");
    if (!this.#tape.says(this.#field(condition, "status"), "True")) return gap.unread;
    if (this.#tape.says(type, "Ready")) return gap.readyAt;
    return this.#tape.says(type, "PodScheduled") ? gap.scheduledAt : gap.unread;
  }

  #containerStatus(container: number, restarts: GapKind): void {
    for (const name of ["containerID", "imageID"]) this.#gap(container, name, gap.unread);
    const count = this.#field(container, "restartCount");
    if (this.#tape.kind(count) === kindOf.number) {
      this.gaps.push({ kind: restarts, start: this.#tape.start(count), end: this.#tape.end(count) });
    }
    this.#mounts(container);
    for (const state of ["state", "lastState"]) {
      for (const moment of this.#within(container, state, kindOf.object)) {
        for (const name of ["startedAt", "finishedAt", "containerID"]) this.#gap(moment, name, gap.unread);
      }
    }
  }

  /** -1: there is none. */
  #field(object: number, name: string): number {
    return this.#tape.kind(object) === kindOf.object ? this.#tape.find(object, name) : -1;
  }

  #elements(object: number, name: string): Iterable<number> {
    return this.#within(object, name, kindOf.list);
  }

  /** What is in a field of that kind. */
  #within(object: number, name: string, kind: number): Iterable<number> {
    const field = this.#field(object, name);
    return this.#tape.kind(field) === kind ? this.#children(field) : [];
  }

  *#children(parent: number): Generator<number> {
    const tape = this.#tape;
    for (let cell = tape.first(parent); cell < tape.next(parent); cell = tape.next(cell)) yield cell;
  }

  #gap(object: number, name: string, kind: GapKind): void {
    this.#gapAt(this.#field(object, name), kind);
  }

  /** Only texts are gaps; what is no text is as it is in every pod that is alike. */
  #gapAt(cell: number, kind: GapKind): void {
    if (!this.#tape.isText(cell)) return;
    const isPlain = this.#tape.kind(cell) === kindOf.text;
    if (!isPlain && kind !== gap.unreadText) {
      if (kind >= gap.name) this.odd = true;
      return;
    }
    if (kind >= gap.name && kind !== gap.claimName && this.gaps.some((other) => other.kind === kind)) this.odd = true;
    this.gaps.push({ kind, start: this.#tape.start(cell) + 1, end: this.#tape.end(cell) - 1 });
  }
}
