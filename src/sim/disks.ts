import type { SimMs } from "../base/units.ts";
import type { PodView } from "../model/view.ts";
import { claimsOfOneMachine, diskHolder } from "../workload/attached-disks.ts";
import type { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";

/** How long a disk stays with a machine that does not answer once nobody there wants it any more. */
const forcedDetachMs = 360_000;

/**
 * Pods that are on their node and wait for a disk that another node has. Taken from a dead machine by force a disk is late; how
 * long a machine that lives takes to let it go is not counted.
 * Mirrors: pkg/controller/volume/attachdetach/reconciler/reconciler.go, 1.36.
 */
export class Disks {
  readonly #ledger: Ledger;
  readonly #journal: Journal;
  readonly #isDead: (node: string) => boolean;
  /** By uid. */
  readonly #waiting = new Map<number, true>();
  /** Claim → when its disk is taken from the dead machine it was on. */
  readonly #freeAtMs = new Map<string, SimMs>();

  constructor(ledger: Ledger, journal: Journal, isDead: (node: string) => boolean) {
    this.#ledger = ledger;
    this.#journal = journal;
    this.#isDead = isDead;
  }

  /** False: it waits until others are gone. */
  mayStart(pod: PodView): boolean {
    const isKept = diskHolder(this.#ledger, pod, ({ uid }) => !this.#waiting.has(uid)) !== null;
    if (isKept) this.#journal.mapSet(this.#waiting, pod.uid, true);
    else this.forget(pod.uid);
    return !isKept;
  }

  /** How long it still waits for disks that no pod uses any more. */
  lateMs(pod: PodView): number {
    if (this.#freeAtMs.size === 0) return 0;
    const freeAtMs = claimsOfOneMachine(this.#ledger, pod).map((claim) => this.#freeAtMs.get(claim) ?? 0);
    return Math.max(0, ...freeAtMs.map((atMs) => atMs - this.#ledger.nowMs));
  }

  /** It starts, is told to stop, or its machine is off: it waits for nothing. */
  forget(uid: number): void {
    if (this.#waiting.has(uid)) this.#journal.mapDelete(this.#waiting, uid);
  }

  /** A pod is gone, or has ended; answers those that waited and may look again, the oldest first. */
  gone(pod: PodView): readonly PodView[] {
    if (pod.node === null || pod.template.volumes.length === 0) return [];
    if (this.#isDead(pod.node.name) && !isOutOfService(pod)) {
      for (const claim of claimsOfOneMachine(this.#ledger, pod))
        this.#journal.mapSet(this.#freeAtMs, claim, this.#ledger.nowMs + forcedDetachMs);
    }
    return [...this.#waiting.keys()].sort((a, b) => a - b).flatMap((uid) => this.#ledger.podByUid(uid) ?? []);
  }

  /** Claim → ms until its disk is taken from a dead machine, of those that are still there. */
  get late(): ReadonlyMap<string, number> {
    const left = [...this.#freeAtMs].map(([claim, atMs]) => [claim, atMs - this.#ledger.nowMs] as const);
    return new Map(left.filter(([, inMs]) => inMs > 0));
  }
}

function isOutOfService({ node }: PodView): boolean {
  return node?.taints.some(({ key }) => key === "node.kubernetes.io/out-of-service") ?? false;
}
