import type { Source } from "../base/problem.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import type { PodKey } from "./key.ts";
import type { PodDraft, PodInMaking } from "./parse-pod.ts";
import { ownNodeOf } from "./template-pool.ts";

/** A pod after which others are told. */
interface Pattern {
  readonly draft: PodDraft;
  /** Names of its resource claims, in the order of the status. */
  readonly claims: readonly string[];
  readonly hasOwnNode: boolean;
}

/** A pod of the input, with what the rest of the input has to say about it. */
export interface PodRow {
  readonly pod: PodInMaking;
  /** Of the pod itself, or of the one it is like. */
  readonly draft: Omit<PodDraft, "pod">;
  /** The node that its template names in place of the draft's; "": as in the draft. */
  readonly ownNode: string;
}

/**
 * The pods of an input, in order. Those that are told as alike are made here after the first: most pods of a large
 * cluster.
 */
export class PodRows {
  readonly #places = new Map<PodKey, number>();
  readonly #pods: PodInMaking[] = [];
  readonly #drafts: Omit<PodDraft, "pod">[] = [];
  readonly #ownNodes: string[] = [];
  readonly #patterns: Pattern[] = [];

  get count(): number {
    return this.#pods.length;
  }

  row(place: number): PodRow | null {
    const pod = this.#pods[place];
    const draft = this.#drafts[place];
    return pod === undefined || draft === undefined ? null : { pod, draft, ownNode: this.#ownNodes[place] ?? "" };
  }

  has(key: PodKey): boolean {
    return this.#places.has(key);
  }

  /** -1: it is not there. */
  placeOf(key: PodKey): number {
    return this.#places.get(key) ?? -1;
  }

  /** A pod that comes again takes the place of its first form. */
  add(draft: PodDraft): void {
    this.#put(draft.pod, draft, "");
  }

  /** The number by which pods like this one can be told; -1: such pods differ in more than can be told. */
  patternOf(key: PodKey): number {
    const place = this.#places.get(key);
    const row = place === undefined ? null : this.row(place);
    // The pods of a StatefulSet carry their own names in labels.
    if (row === null || row.draft.owner === null || row.draft.owner.kind === "StatefulSet") return -1;
    if (row.draft.reported !== null) return -1;
    this.#patterns.push({
      draft: { pod: row.pod, ...row.draft },
      claims: [...row.pod.claimNames.keys()],
      hasOwnNode: ownNodeOf(row.draft.template.written) !== null,
    });
    return this.#patterns.length - 1;
  }

  addAlike(number: number, values: AlikePod, source: Source): void {
    const pattern = this.#patterns[number];
    if (pattern === undefined) return;
    const { pod } = pattern.draft;
    const made: PodInMaking = {
      key: values.key,
      namespace: pod.namespace,
      name: values.key.slice(pod.namespace.length + 1),
      template: null,
      owner: null,
      nodeName: pod.nodeName === "" ? "" : values.nodeName,
      phase: pod.phase,
      ready: pod.ready,
      deleting: pod.deleting,
      deletionGraceMs: pod.deletionGraceMs,
      preempted: pod.preempted,
      nominatedNodeName: pod.nominatedNodeName,
      requests: null,
      nonZeroMilliCpu: 0,
      nonZeroMemoryBytes: 0,
      restarts: values.restarts,
      createdAtMs: pod.createdAtMs === null ? null : values.createdAtMs,
      startedAtMs: pod.startedAtMs === null ? null : values.startedAtMs,
      scheduledAtMs: pod.scheduledAtMs === null ? null : values.scheduledAtMs,
      readyAtMs: pod.readyAtMs === null ? null : values.readyAtMs,
      mirror: pod.mirror,
      finalizers: pod.finalizers,
      unschedulableMessage: pod.unschedulableMessage,
      claimNames: pattern.claims.length === 0 ? pod.claimNames : claimNamesOf(pattern.claims, values.claimNames),
      ordinal: pod.ordinal,
      revision: pod.revision,
      source,
    };
    this.#put(made, pattern.draft, pattern.hasOwnNode ? values.ownNode : "");
  }

  #put(pod: PodInMaking, draft: Omit<PodDraft, "pod">, ownNode: string): void {
    let place = this.#places.get(pod.key);
    if (place === undefined) {
      place = this.#pods.length;
      this.#places.set(pod.key, place);
    }
    this.#pods[place] = pod;
    this.#drafts[place] = draft;
    this.#ownNodes[place] = ownNode;
  }
}

function claimNamesOf(claims: readonly string[], made: readonly string[]): ReadonlyMap<string, string> {
  return new Map(claims.map((claim, index) => [claim, made[index] ?? ""]));
}
