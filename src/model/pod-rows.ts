import { invariant } from "../base/invariant.ts";
import { none } from "../base/none.ts";
import type { Source } from "../base/problem.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import type { PodKey } from "./key.ts";
import type { KinDraft, PodDraft } from "./parse-pod.ts";
import { PlaceTable } from "./place-table.ts";
import { noClaims, PodColumns, type PodOwn } from "./pod-columns.ts";
import { ownNodeOf, type TemplateNumbers } from "./template-numbers.ts";

/** A pod after which others are told. */
interface Pattern {
  readonly own: PodOwn;
  readonly kin: number;
  /** Names of its resource claims, in the order of the status. */
  readonly claims: readonly string[];
  readonly hasOwnNode: boolean;
}

/**
 * The pods of an input, in order, until all of it is read. Those that are told as alike share what the first of them was
 * read as: most pods of a large cluster.
 */
export class PodRows {
  readonly columns: PodColumns;
  /** By number; undefined: it was taken. */
  readonly #kins: (KinDraft | undefined)[] = [];
  readonly #places = new PlaceTable((place) => this.columns.keyAt(place));
  #claimed = 0;
  readonly #patterns: Pattern[] = [];
  /** The nodes that templates of pods name in place of their kin's; mostly that on which the pod is. */
  readonly #ownNodes = new Map<number, string>();

  constructor(templates: TemplateNumbers) {
    this.columns = new PodColumns(templates);
  }

  get count(): number {
    return this.columns.count;
  }

  has(key: PodKey): boolean {
    return this.#places.find(key) >= 0;
  }

  /** Where the pod of that name is that is to be added next; `count`, where none of its name was added yet: then it must be. */
  claim(key: PodKey): number {
    this.#claimed = this.#places.claim(key, this.count);
    return this.#claimed;
  }

  /** The node that the pod's template names in place of its kin's; "": as its kin's. */
  ownNodeAt(place: number): string {
    const mark = this.columns.templateIdAt(place);
    return mark === asPlaced ? this.columns.nodeNameAt(place) : (this.#ownNodes.get(place) ?? "");
  }

  /** Lets it go: what becomes of it takes its room. */
  takeKin(number: number): KinDraft {
    const kin = this.#kins[number];
    this.#kins[number] = undefined;
    invariant(kin !== undefined, "what pods have in common is finished once");
    return kin;
  }

  /** The pod that was claimed last: one that comes again takes the place of its first form. */
  add({ own, claimNames, source, kin }: PodDraft): void {
    this.#kins.push(kin);
    const place = this.#claimed;
    this.#ownNodes.delete(place);
    this.columns.put(place, own, this.#kins.length - 1);
    this.columns.putSource(place, source.file, source.line);
    this.columns.putClaimNames(place, claimNames);
  }

  /** The number by which pods like this one, the latest, can be told; -1: such pods differ in more than can be told. */
  patternOf({ own, claimNames, kin }: PodDraft): number {
    // The pods of a StatefulSet carry their own names in labels.
    if (kin.owner === null || kin.owner.kind === "StatefulSet" || kin.reported !== null) return -1;
    const hasOwnNode = ownNodeOf(kin.template.written.spec) !== null;
    this.#patterns.push({
      own,
      kin: this.#kins.length - 1,
      claims: claimNames.size === 0 ? none : [...claimNames.keys()],
      hasOwnNode,
    });
    return this.#patterns.length - 1;
  }

  /** As add, of a pod that is told as alike. */
  addAlike(number: number, values: AlikePod, source: Source): void {
    const pattern = this.#patterns[number];
    if (pattern === undefined) return;
    const { own, kin, claims, hasOwnNode } = pattern;
    const at = this.#claimed;
    if (at < this.count) this.#ownNodes.delete(at);
    this.columns.putAlike(at, own, values, kin);
    this.columns.putSource(at, source.file, source.line);
    this.columns.putClaimNames(at, claims.length === 0 ? noClaims : claimNamesOf(claims, values.claimNames));
    if (!hasOwnNode || values.ownNode === "") return;
    if (values.ownNode === this.columns.nodeNameAt(at)) this.columns.putTemplate(at, asPlaced);
    else this.#ownNodes.set(at, values.ownNode);
  }
}

/** In place of the number of a template that is not made yet: it names the node on which the pod is. */
const asPlaced = -2;

function claimNamesOf(claims: readonly string[], made: readonly string[]): ReadonlyMap<string, string> {
  return new Map(claims.map((claim, index) => [claim, made[index] ?? ""]));
}
