import { isFleeting } from "../model/template-pool.ts";
import { kindOf, Names, Tape } from "../wire/tape.ts";

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
 * The gaps of a pod on a tape, in order. Null: it is written in a way that leaves a doubt which value counts (two fields of
 * one name, two times of being ready, a name with escapes), so it is no pattern for others.
 */
export function podGaps(tape: Tape): readonly Gap[] | null {
  const walk = new PodWalk(tape);
  pod(walk, Tape.root);
  return walk.odd ? null : walk.gaps;
}

/** Looks for gaps in a value. What is no text, object or list where there should be one is as it is in every pod that is alike. */
type Look = (walk: PodWalk, cell: number) => void;

class PodWalk {
  readonly tape: Tape;
  readonly gaps: Gap[] = [];
  odd = false;
  /** A bit for each kind there is. */
  #kinds = 0;

  constructor(tape: Tape) {
    this.tape = tape;
  }

  text(cell: number, kind: GapKind): void {
    const { tape } = this;
    if (!tape.isText(cell)) return;
    const isPlain = tape.kind(cell) === kindOf.text;
    if (!isPlain && kind !== gap.unreadText) {
      if (kind >= gap.name) this.odd = true;
      return;
    }
    if (kind >= gap.name && kind !== gap.claimName && (this.#kinds & (1 << kind)) !== 0) this.odd = true;
    this.#kinds |= 1 << kind;
    this.gaps.push({ kind, start: tape.start(cell) + 1, end: tape.end(cell) - 1 });
  }

  number(cell: number, kind: GapKind): void {
    const { tape } = this;
    if (tape.kind(cell) !== kindOf.number) return;
    this.gaps.push({ kind, start: tape.start(cell), end: tape.end(cell) });
  }

  /** At most 31 fields. */
  fields(object: number, names: Names, looks: readonly Look[]): void {
    const { tape } = this;
    if (tape.kind(object) !== kindOf.object) return;
    let seen = 0;
    for (let cell = tape.first(object), end = tape.next(object); cell < end; cell = tape.next(cell)) {
      const which = tape.which(cell, names);
      if (which < 0) continue;
      if ((seen & (1 << which)) !== 0) this.odd = true;
      seen |= 1 << which;
      looks[which]?.(this, cell);
    }
  }

  /** Looks at all that is in a value of that kind. */
  each(cell: number, kind: number, look: Look): void {
    const { tape } = this;
    if (tape.kind(cell) !== kind) return;
    for (let at = tape.first(cell), end = tape.next(cell); at < end; at = tape.next(at)) look(this, at);
  }

  /** The cells in a value of that kind. */
  within(cell: number, kind: number): readonly number[] {
    const cells: number[] = [];
    this.each(cell, kind, (_, at) => cells.push(at));
    return cells;
  }

  /** Of an object; -1: it has none. */
  field(object: number, name: string): number {
    return this.tape.kind(object) === kindOf.object ? this.tape.find(object, name) : -1;
  }
}

const text =
  (kind: GapKind): Look =>
  (walk, cell) =>
    walk.text(cell, kind);

const number =
  (kind: GapKind): Look =>
  (walk, cell) =>
    walk.number(cell, kind);

function fields(looks: Readonly<Record<string, Look>>): Look {
  const names = new Names(Object.keys(looks));
  const inOrder = Object.values(looks);
  return (walk, cell) => walk.fields(cell, names, inOrder);
}

const elements =
  (look: Look): Look =>
  (walk, list) =>
    walk.each(list, kindOf.list, look);

/** The values of an object, whatever their names. */
const values =
  (look: Look): Look =>
  (walk, object) =>
    walk.each(object, kindOf.object, look);

const unread = text(gap.unread);

const annotation: Look = (walk, cell) => {
  if (isFleeting(walk.tape.name(cell))) walk.text(cell, gap.unreadText);
};

const metadata = fields({
  name: text(gap.name),
  uid: text(gap.uid),
  resourceVersion: text(gap.version),
  creationTimestamp: text(gap.createdAt),
  deletionTimestamp: unread,
  selfLink: unread,
  annotations: values(annotation),
  managedFields: elements(fields({ time: unread })),
});

/** A field without a value is as if it were not there: then a pod that has one is another kind of pod. */
const nodeName: Look = (walk, cell) => {
  if (!walk.tape.says(cell, "")) walk.text(cell, gap.nodeName);
};

/** The names of mounts are never read; that of the token's volume is another one in every pod. */
const tokenName: Look = (walk, cell) => {
  if (walk.tape.begins(cell, "kube-api-access")) walk.text(cell, gap.unread);
};

const named = fields({ name: tokenName });
const mounts = elements(named);
const containers = elements(fields({ volumeMounts: mounts }));

/** A volume's name is read where the volume matters: one that is projected and nothing else does not. */
const volume: Look = (walk, cell) => {
  const isProjected = walk.field(cell, "projected") >= 0;
  if (isProjected && walk.within(cell, kindOf.object).length === 2) named(walk, cell);
};

/** The node that the only term names, where it is plain which requirement it is. */
const terms: Look = (walk, list) => {
  const [term, more] = walk.within(list, kindOf.list);
  if (term === undefined || more !== undefined) return;
  const requirements = walk.within(walk.field(term, "matchFields"), kindOf.list);
  const [name, other] = requirements.map((each) => namedNode(walk, each)).filter((cell) => cell >= 0);
  if (name !== undefined && other === undefined) walk.text(name, gap.ownNode);
};

/** The only value of a requirement on the node's name; -1: it is another one. */
function namedNode(walk: PodWalk, requirement: number): number {
  const [value, other] = walk.within(walk.field(requirement, "values"), kindOf.list);
  const isName = walk.tape.says(walk.field(requirement, "key"), "metadata.name");
  return isName && value !== undefined && other === undefined ? value : -1;
}

const required = fields({ requiredDuringSchedulingIgnoredDuringExecution: fields({ nodeSelectorTerms: terms }) });

const spec = fields({
  nodeName,
  containers,
  initContainers: containers,
  ephemeralContainers: containers,
  volumes: elements(volume),
  affinity: fields({ nodeAffinity: required }),
});

const conditionSince = (kind: GapKind): Look => fields({ lastProbeTime: unread, lastTransitionTime: text(kind) });
const readyCondition = conditionSince(gap.readyAt);
const scheduledCondition = conditionSince(gap.scheduledAt);
const otherCondition = conditionSince(gap.unread);

const condition: Look = (walk, cell) => {
  const { tape } = walk;
  const type = walk.field(cell, "type");
  const isTrue = tape.says(walk.field(cell, "status"), "True");
  if (isTrue && tape.says(type, "Ready")) readyCondition(walk, cell);
  else if (isTrue && tape.says(type, "PodScheduled")) scheduledCondition(walk, cell);
  else otherCondition(walk, cell);
};

const state = values(fields({ startedAt: unread, finishedAt: unread, containerID: unread }));

const containerStatuses = (restarts: GapKind): Look =>
  elements(
    fields({
      containerID: unread,
      imageID: unread,
      restartCount: number(restarts),
      volumeMounts: mounts,
      state,
      lastState: state,
    }),
  );

const addresses = elements(fields({ ip: unread }));

const status = fields({
  hostIP: unread,
  podIP: unread,
  hostIPs: addresses,
  podIPs: addresses,
  startTime: text(gap.startedAt),
  conditions: elements(condition),
  containerStatuses: containerStatuses(gap.restarts),
  initContainerStatuses: containerStatuses(gap.unreadNumber),
  ephemeralContainerStatuses: containerStatuses(gap.unreadNumber),
  resourceClaimStatuses: elements(fields({ resourceClaimName: text(gap.claimName) })),
});

const pod = fields({ metadata, spec, status });
