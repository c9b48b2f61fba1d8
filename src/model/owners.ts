import type { Problem, Source } from "../base/problem.ts";
import { groupOf, type ObjectKey, type ObjectRef, objectKey } from "./key.ts";
import type { OwnerReference } from "./parse-meta.ts";
import type { Repeats, SeenObject } from "./repeats.ts";

/** What is known of an owner: of one in the input, or of one that objects name and the input does not have. */
export interface KnownOwner {
  readonly ref: ObjectRef;
  readonly uid: number;
  /** Its own place in the input; of an absent one, that of the first object that names it. */
  readonly source: Source;
  readonly present: boolean;
}

/** The object that names an owner. `label` is what a message calls it. */
export interface OwnedObject {
  readonly namespace: string;
  readonly label: string;
  readonly source: Source;
}

/**
 * Finds the object a controller reference means: the one of that kind and name where its uid agrees, else that of the uid where
 * the input has it, else by kind and name. Owners are in the namespace of what they own or in none. To be asked when the whole
 * input is read.
 */
export class Owners {
  readonly #seen: Pick<Repeats, "objects" | "get">;
  readonly #absent = new Map<ObjectKey, KnownOwner>();
  /** By the number of its uid; of uids such as no server writes, whose numbers are below zero, among the others. */
  readonly #numbered: (SeenObject | undefined)[];
  readonly #others = new Map<number, SeenObject>();
  readonly #hasPod: (key: ObjectKey) => boolean;
  readonly #problems: Problem[];

  /** Pods are many and own next to nothing (the leader of a group its workers' set): they are known by name only. */
  constructor(seen: Pick<Repeats, "objects" | "get">, problems: Problem[], hasPod: (key: ObjectKey) => boolean) {
    this.#seen = seen;
    const { objects } = seen;
    const last = objects.reduce((most, { uid }) => Math.max(most, uid), 0);
    this.#numbered = new Array<undefined>(last + 1).fill(undefined);
    for (const object of objects) {
      if (object.uid > 0) this.#numbered[object.uid] = object;
      else if (object.uid < 0) this.#others.set(object.uid, object);
    }
    this.#problems = problems;
    this.#hasPod = hasPod;
  }

  get(key: ObjectKey): KnownOwner | undefined {
    const seen = this.#seen.get(key);
    if (seen === undefined) return this.#absent.get(key);
    return { ref: seen.ref, uid: seen.uid, source: seen.source, present: true };
  }

  #byUid(uid: number): SeenObject | undefined {
    return uid < 0 ? this.#others.get(uid) : this.#numbered[uid];
  }

  #isKnown(key: ObjectKey): boolean {
    return this.#seen.get(key) !== undefined || this.#absent.has(key);
  }

  /** The key of the owner, in the input or not; null: no owner is named. */
  find(owner: OwnerReference | null, namespace: string): ObjectKey | null {
    if (owner === null) return null;
    const plain = this.#plain(owner, namespace);
    if (plain !== undefined) return plain.key;
    const inNamespace = objectKey({ ...owner, namespace });
    const named = this.#seen.get(inNamespace);
    if (named !== undefined && named.uid === owner.uid) return inNamespace;
    const byUid = this.#byUid(owner.uid);
    if (byUid !== undefined) return byUid.key;
    const inNone = objectKey({ ...owner, namespace: "" });
    if (isNode(owner)) return inNone;
    return !this.#isKnown(inNamespace) && this.#isKnown(inNone) ? inNone : inNamespace;
  }

  /** The object of the uid where it is the one that is named too, as nearly always: no key need be made to find it. */
  #plain({ uid, apiVersion, kind, name }: OwnerReference, namespace: string): SeenObject | undefined {
    const seen = this.#byUid(uid);
    if (seen === undefined) return undefined;
    const { ref } = seen;
    const isNamed = ref.name === name && ref.namespace === namespace && ref.kind === kind;
    return isNamed && groupOf(ref.apiVersion) === groupOf(apiVersion) ? seen : undefined;
  }

  /** As find, for an owner whose absence matters: then it is remembered as absent and said to be so, once. */
  resolve(owner: OwnerReference | null, owned: OwnedObject): ObjectKey | null {
    if (owner === null) return null;
    const plain = this.#plain(owner, owned.namespace);
    if (plain !== undefined) return plain.key;
    const key = this.find(owner, owned.namespace);
    if (key === null) return null;
    if (this.#hasPod(key)) return key;
    if (!this.#isKnown(key)) this.#addAbsent(owner, key, owned);
    else if (this.isForeign(owner, key)) this.#complainOfUid(owner, owned);
    return key;
  }

  /** True when the input's object of that key is another one than the reference means: everyone who has it complains. */
  isForeign(owner: OwnerReference, key: ObjectKey): boolean {
    if (this.#byUid(owner.uid)?.key === key) return false;
    const uid = this.#hasPod(key) ? 0 : ((this.#seen.get(key) ?? this.#absent.get(key))?.uid ?? 0);
    return uid !== 0 && owner.uid !== 0 && uid !== owner.uid;
  }

  #addAbsent(owner: OwnerReference, key: ObjectKey, owned: OwnedObject): void {
    const namespace = isNode(owner) ? "" : owned.namespace;
    const ref: ObjectRef = { apiVersion: owner.apiVersion, kind: owner.kind, namespace, name: owner.name };
    this.#absent.set(key, { ref, uid: owner.uid, source: owned.source, present: false });
    if (isNode(owner)) return;
    this.#problems.push({
      ...owned.source,
      path: "metadata.ownerReferences",
      message:
        `${owned.label} is owned by ${owner.kind} ${owner.name}, which is not in the input: ` +
        "what would replace or scale it is not known",
    });
  }

  #complainOfUid(owner: OwnerReference, owned: OwnedObject): void {
    this.#problems.push({
      ...owned.source,
      path: "metadata.ownerReferences",
      message:
        `${owned.label} is owned by ${owner.kind} ${owner.name} of another uid than the one in the input; ` +
        "it is taken as the same",
    });
  }
}

/** The mirror of a static pod names its node; an input without nodes is not broken by that. */
function isNode(owner: OwnerReference): boolean {
  return owner.kind === "Node" && groupOf(owner.apiVersion) === "";
}
