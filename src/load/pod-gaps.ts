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
  kind: GapKind;
  readonly start: number;
  readonly end: number;
}

/**
 * The gaps of a pod, in order. The bytes must be one valid JSON object. Null: it is written in a way that leaves a doubt
 * which value counts (a field twice, a name with escapes), so it is no pattern for others.
 */
export function podGaps(bytes: Uint8Array, start: number, isFleeting: (annotation: string) => boolean): Gap[] | null {
  const walk = new PodWalk(bytes, start, isFleeting);
  walk.pod();
  return walk.odd ? null : walk.gaps;
}

const quote = 0x22;
const backslash = 0x5c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;
const comma = 0x2c;

/** Field names, told apart without making texts of them. */
class Names {
  readonly #byLength: (readonly { readonly index: number; readonly name: Uint8Array }[] | undefined)[] = [];

  constructor(...names: readonly string[]) {
    const byLength = Map.groupBy(names.entries(), ([, name]) => name.length);
    for (const [length, entries] of byLength) {
      this.#byLength[length] = entries.map(([index, name]) => ({ index, name: new TextEncoder().encode(name) }));
    }
  }

  /** The place among the names; -1: none of them. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const candidates = this.#byLength[end - start];
    if (candidates === undefined) return -1;
    for (let at = 0; at < candidates.length; at += 1) {
      const candidate = candidates[at];
      if (candidate !== undefined && startsWith(bytes, start, candidate.name)) return candidate.index;
    }
    return -1;
  }
}

function startsWith(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text[at]) return false;
  return true;
}

const names = {
  root: new Names("metadata", "spec", "status"),
  metadata: new Names(
    "name",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "selfLink",
    "annotations",
    "managedFields",
  ),
  managed: new Names("time"),
  spec: new Names("nodeName", "containers", "initContainers", "ephemeralContainers", "volumes", "affinity"),
  container: new Names("volumeMounts"),
  named: new Names("name"),
  volume: new Names("name", "projected"),
  affinity: new Names("nodeAffinity"),
  nodeAffinity: new Names("requiredDuringSchedulingIgnoredDuringExecution"),
  selector: new Names("nodeSelectorTerms"),
  term: new Names("matchFields"),
  requirement: new Names("key", "values"),
  status: new Names(
    "hostIP",
    "podIP",
    "hostIPs",
    "podIPs",
    "startTime",
    "conditions",
    "containerStatuses",
    "initContainerStatuses",
    "ephemeralContainerStatuses",
    "resourceClaimStatuses",
  ),
  address: new Names("ip"),
  condition: new Names("lastTransitionTime", "lastProbeTime", "type", "status"),
  containerStatus: new Names("containerID", "restartCount", "state", "lastState", "volumeMounts", "imageID"),
  state: new Names("running", "terminated", "waiting"),
  moment: new Names("startedAt", "finishedAt", "containerID"),
  claimStatus: new Names("resourceClaimName"),
};

const text = {
  tokenVolume: new TextEncoder().encode("kube-api-access"),
  metadataName: new TextEncoder().encode('metadata.name"'),
  ready: new TextEncoder().encode('Ready"'),
  scheduled: new TextEncoder().encode('PodScheduled"'),
  yes: new TextEncoder().encode('True"'),
};

class PodWalk {
  readonly gaps: Gap[] = [];
  odd = false;
  readonly #bytes: Uint8Array;
  readonly #isFleeting: (annotation: string) => boolean;
  #at: number;
  #escaped = false;

  constructor(bytes: Uint8Array, start: number, isFleeting: (annotation: string) => boolean) {
    this.#bytes = bytes;
    this.#at = start;
    this.#isFleeting = isFleeting;
  }

  pod(): void {
    this.#object(names.root, (field) => {
      if (field === 0) this.#metadata();
      else if (field === 1) this.#spec();
      else this.#status();
    });
  }

  #metadata(): void {
    this.#object(names.metadata, (field) => {
      if (field === 0) this.#gap(gap.name);
      else if (field === 1) this.#gap(gap.uid);
      else if (field === 2) this.#gap(gap.version);
      else if (field === 3) this.#gap(gap.createdAt);
      else if (field <= 5) this.#gap(gap.unread);
      else if (field === 6) this.#annotations();
      else this.#list(() => this.#object(names.managed, () => this.#gap(gap.unread)));
    });
  }

  #annotations(): void {
    this.#fields((start, end) => {
      const name = String.fromCharCode(...this.#bytes.subarray(start, end));
      if (this.#isFleeting(name)) this.#gap(gap.unreadText);
      else this.#skip();
    });
  }

  #spec(): void {
    this.#object(names.spec, (field) => {
      if (field === 0) this.#gap(gap.nodeName);
      else if (field <= 3) this.#list(() => this.#object(names.container, () => this.#mounts()));
      else if (field === 4) this.#list(() => this.#volume());
      else this.#affinity();
    });
  }

  /** The names of mounts are never read; that of the token's volume is another one in every pod. */
  #mounts(): void {
    this.#list(() => this.#object(names.named, () => this.#tokenVolume()));
  }

  /** A volume's name is read where the volume matters: one that is projected and nothing else does not. */
  #volume(): void {
    const before = this.gaps.length;
    let fields = 0;
    let isProjected = false;
    this.#fields((start, end) => {
      fields += 1;
      const field = names.volume.find(this.#bytes, start, end);
      if (field === 0) {
        this.#tokenVolume();
        return;
      }
      if (field === 1) isProjected = true;
      this.#skip();
    });
    if (this.gaps.length > before && !(isProjected && fields === 2)) this.gaps.length = before;
  }

  #tokenVolume(): void {
    if (this.#bytes[this.#at] === quote && startsWith(this.#bytes, this.#at + 1, text.tokenVolume)) {
      this.#gap(gap.unread);
    } else this.#skip();
  }

  #affinity(): void {
    let terms = 0;
    const before = this.gaps.length;
    const requirements = (): void => this.#list(() => this.#requirement());
    const term = (): void => {
      terms += 1;
      this.#object(names.term, requirements);
    };
    this.#object(names.affinity, () =>
      this.#object(names.nodeAffinity, () => this.#object(names.selector, () => this.#list(term))),
    );
    // Only where it is plain which requirement it is.
    if (terms !== 1 || this.gaps.length !== before + 1) this.gaps.length = before;
  }

  #requirement(): void {
    const before = this.gaps.length;
    let isName = false;
    let values = 0;
    this.#object(names.requirement, (field) => {
      if (field === 0) {
        isName = startsWith(this.#bytes, this.#at + 1, text.metadataName);
        this.#skip();
        return;
      }
      this.#list(() => {
        values += 1;
        this.#gap(gap.ownNode);
      });
    });
    // Two requirements must stay two for the caller to see them.
    if (!isName || values !== 1) this.gaps.length = before;
  }

  #status(): void {
    this.#object(names.status, (field) => {
      if (field <= 1) this.#gap(gap.unread);
      else if (field <= 3) this.#list(() => this.#object(names.address, () => this.#gap(gap.unread)));
      else if (field === 4) this.#gap(gap.startedAt);
      else if (field === 5) this.#list(() => this.#condition());
      else if (field <= 8) this.#list(() => this.#containerStatus(field === 6 ? gap.restarts : gap.unreadNumber));
      else this.#list(() => this.#object(names.claimStatus, () => this.#gap(gap.claimName)));
    });
  }

  #condition(): void {
    let since: Gap | undefined;
    let type: GapKind = gap.unread;
    let holds = false;
    this.#object(names.condition, (field) => {
      if (field <= 1) {
        const before = this.gaps.length;
        this.#gap(gap.unread);
        if (field === 0) since = this.gaps[before];
        return;
      }
      if (field === 3) holds = startsWith(this.#bytes, this.#at + 1, text.yes);
      else if (startsWith(this.#bytes, this.#at + 1, text.ready)) type = gap.readyAt;
      else if (startsWith(this.#bytes, this.#at + 1, text.scheduled)) type = gap.scheduledAt;
      this.#skip();
    });
    if (!holds || type === gap.unread || since === undefined) return;
    since.kind = type;
    if (this.gaps.some((other) => other !== since && other.kind === type)) this.odd = true;
  }

  #containerStatus(restarts: GapKind): void {
    this.#object(names.containerStatus, (field) => {
      if (field === 0 || field === 5) this.#gap(gap.unread);
      else if (field === 1) this.#number(restarts);
      else if (field === 4) this.#mounts();
      else this.#object(names.state, () => this.#object(names.moment, () => this.#gap(gap.unread)));
    });
  }

  /** Calls back with each of these fields, standing at its value; the others are skipped. */
  #object(known: Names, on: (field: number) => void): void {
    let seen = 0;
    this.#fields((start, end) => {
      const field = known.find(this.#bytes, start, end);
      if (field < 0) {
        this.#skip();
        return;
      }
      if ((seen & (1 << field)) !== 0) this.odd = true;
      seen |= 1 << field;
      on(field);
    });
  }

  /** Calls back with each field's name, standing at its value, which the callback must pass. */
  #fields(on: (nameStart: number, nameEnd: number) => void): void {
    if (this.#bytes[this.#at] !== openObject) {
      this.#skip();
      return;
    }
    this.#at += 1;
    this.#space();
    while (this.#bytes[this.#at] === quote) {
      const start = this.#at + 1;
      this.#text();
      if (this.#escaped) this.odd = true;
      const end = this.#at - 1;
      this.#space();
      this.#at += 1;
      this.#space();
      on(start, end);
      this.#space();
      if (this.#bytes[this.#at] === comma) this.#at += 1;
      this.#space();
    }
    this.#at += 1;
  }

  /** Calls back standing at each element, which the callback must pass. */
  #list(on: () => void): void {
    if (this.#bytes[this.#at] !== openList) {
      this.#skip();
      return;
    }
    this.#at += 1;
    this.#space();
    while (this.#at < this.#bytes.length && this.#bytes[this.#at] !== closeList) {
      on();
      this.#space();
      if (this.#bytes[this.#at] === comma) this.#at += 1;
      this.#space();
    }
    this.#at += 1;
  }

  #gap(kind: GapKind): void {
    if (this.#bytes[this.#at] !== quote) {
      this.#skip();
      return;
    }
    const start = this.#at + 1;
    this.#text();
    if (this.#escaped && kind !== gap.unreadText) {
      if (kind >= gap.name) this.odd = true;
      return;
    }
    // A field without a value is as if it were not there: then a pod that has one is another kind of pod.
    if (kind === gap.nodeName && this.#at - 1 === start) return;
    if (kind >= gap.name && kind !== gap.claimName && this.gaps.some((other) => other.kind === kind)) this.odd = true;
    this.gaps.push({ kind, start, end: this.#at - 1 });
  }

  #number(kind: GapKind): void {
    const start = this.#at;
    this.#skip();
    this.gaps.push({ kind, start, end: this.#at });
  }

  #space(): void {
    while ((this.#bytes[this.#at] ?? quote) <= 0x20) this.#at += 1;
  }

  /** Passes a text; says whether it has escapes. */
  #text(): void {
    this.#escaped = false;
    const bytes = this.#bytes;
    let at = this.#at + 1;
    for (; at < bytes.length && bytes[at] !== quote; at += 1) {
      if (bytes[at] !== backslash) continue;
      this.#escaped = true;
      at += 1;
    }
    this.#at = at + 1;
  }

  /** Passes any value. */
  #skip(): void {
    const bytes = this.#bytes;
    const first = bytes[this.#at];
    if (first === quote) {
      this.#text();
      return;
    }
    if (first !== openObject && first !== openList) {
      while (isOfScalar(bytes[this.#at])) this.#at += 1;
      return;
    }
    let depth = 0;
    for (let at = this.#at; at < bytes.length; at += 1) {
      const kind = kinds[bytes[at] ?? 0];
      if (kind === 0) continue;
      if (kind === startsText) {
        at += 1;
        for (let byte = bytes[at]; byte !== quote && at < bytes.length; byte = bytes[at]) {
          at += byte === backslash ? 2 : 1;
        }
      } else if (kind === opens) depth += 1;
      else {
        depth -= 1;
        if (depth > 0) continue;
        this.#at = at + 1;
        return;
      }
    }
    this.#at = bytes.length;
  }
}

/** What a byte outside of texts is to whom passes a value. */
const [startsText, opens, closes] = [1, 2, 3];
const kinds = new Uint8Array(256);
kinds[quote] = startsText;
kinds[openObject] = opens;
kinds[openList] = opens;
kinds[closeObject] = closes;
kinds[closeList] = closes;

/** A letter, digit, sign or point: what numbers, true, false and null are made of. */
function isOfScalar(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte !== comma && byte !== closeObject && byte !== closeList;
}
