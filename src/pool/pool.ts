import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { savedFormOf } from "../model/build.ts";
import type { Cluster } from "../model/cluster.ts";
import { writtenCluster } from "../model/saved-model.ts";
import type { CheckOptions } from "../report/options.ts";
import type { PlainApart } from "../search/n-minus-one/plain.ts";
import type { Helpers, Offer, Task } from "../search/tasks.ts";
import type { Saved, Written } from "../wire/snapshot.ts";
import { free, isTaken, mainThread, type SharedOffer, type Start, type Told, taken } from "./messages.ts";

/** Below so many pods a check is over before another thread has read them. */
const podsMin = 30_000;
/** Each has a model of its own, and what it plays on. */
const bytesPerPod = 8_000;
const workersMax = 7;
/** The main thread's own, and one that collecting garbage and compiling keep busy. */
const coresKept = 2;
/** Most of what a task makes is soon of no use: with more room for it less is moved, and the whole takes no more. */
const youngMegabytes = 96;

const worker = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "../check-worker.js", import.meta.url);

/**
 * Threads that do tasks of a check while the main one does others. A thread that dies leaves its task to the others: what is
 * not told is done again, and nothing else depends on who did it.
 */
export class Pool implements Helpers {
  readonly #options: CheckOptions;
  /** Null: as many as it pays to start. */
  readonly #wanted: number | null;
  readonly #workers = new Map<number, Worker>();
  readonly #offers: SharedOffer[] = [];
  readonly #places = new Map<Task, { readonly offer: SharedOffer; readonly at: number }>();
  readonly #answers = new Map<Task, PlainApart>();
  #waits = false;
  #wake: () => void = () => {};

  constructor(options: CheckOptions, wanted: number | null) {
    this.#options = options;
    this.#wanted = wanted;
  }

  /** Those that live. */
  get threads(): readonly Worker[] {
    return [...this.#workers.values()];
  }

  begin(read: Cluster): boolean {
    const count = this.#wanted ?? this.#paying(read);
    for (let me = 1; me <= count; me += 1) this.#start(me);
    if (this.#workers.size === 0) return false;
    // Meanwhile they read the program.
    const { model, known } = savedFormOf(read) ?? { model: writtenCluster(read, ""), known: null };
    const saved: Saved = { model: shared(model), known: known === null ? null : shared(known) };
    for (const [me, thread] of this.#workers) {
      const start: Start = { saved, options: this.#options, me };
      thread.postMessage(start);
    }
    return true;
  }

  offer({ tasks, alone }: Offer): void {
    const takers = new Int32Array(new SharedArrayBuffer(tasks.length * Int32Array.BYTES_PER_ELEMENT));
    const offer: SharedOffer = { tasks, alone, takers };
    this.#offers.push(offer);
    for (const [at, task] of tasks.entries()) this.#places.set(task, { offer, at });
    for (const thread of this.threads) thread.postMessage(offer);
  }

  ask(task: Task): PlainApart | "mine" | "theirs" {
    const place = this.#places.get(task);
    if (place === undefined) return "mine";
    const { offer, at } = place;
    const answer = this.#answers.get(task);
    if (answer === undefined) return isTaken(offer.takers, at, mainThread) ? "mine" : "theirs";
    this.#answers.delete(task);
    Atomics.store(offer.takers, at, mainThread);
    return answer;
  }

  another(): Task | null {
    for (const offer of this.#offers.toReversed()) {
      const task = offer.tasks[taken(offer, mainThread)];
      if (task !== undefined) return task;
    }
    return null;
  }

  wait(): void {
    this.#waits = true;
  }

  /** Hears what the threads have told; where the check waits for them, comes back when one has. */
  async turn(): Promise<void> {
    if (this.#offers.length === 0) return;
    const isPassing = !this.#waits;
    this.#waits = false;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (isPassing) setImmediate(resolve);
    });
  }

  /** Threads end at once, whatever they do. */
  async end(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }

  /** As many as there is room for. A question about some endpoints is soon answered, however large the cluster. */
  #paying({ pods }: Cluster): number {
    const { namespaces, selector, names } = this.#options.endpoints;
    if (pods.length < podsMin || namespaces.length > 0 || selector !== "" || names.length > 0) return 0;
    const roomFor = Math.floor(process.availableMemory() / (bytesPerPod * pods.length));
    return Math.max(0, Math.min(workersMax, availableParallelism() - coresKept, roomFor));
  }

  #start(me: number): void {
    const thread = started();
    if (thread === null) return;
    this.#workers.set(me, thread);
    thread.on("message", ({ offer, task, answer }: Told) => {
      const told = this.#offers[offer]?.tasks[task];
      if (told !== undefined) this.#answers.set(told, answer);
      this.#wake();
    });
    // Out of memory, say. If the fault is a task's, it shows again where that is done in its place.
    thread.on("error", () => {});
    // What it told cannot be read, and it will not tell it again.
    thread.on("messageerror", () => thread.terminate());
    thread.on("exit", () => this.#leave(me));
  }

  /** What it had taken and not told is free again. */
  #leave(me: number): void {
    this.#workers.delete(me);
    for (const { takers, tasks } of this.#offers) {
      for (const [at, task] of tasks.entries()) {
        if (!this.#answers.has(task)) Atomics.compareExchange(takers, at, me, free);
      }
    }
    this.#wake();
  }
}

/** Null: the system allows no more threads, or the user none. */
function started(): Worker | null {
  try {
    return new Worker(worker, {
      name: "holdfast check",
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    });
  } catch {
    return null;
  }
}

/** The same in memory that is not copied to those who are sent it. */
function shared({ text, starts, numbers, records, columns }: Written): Written {
  return {
    text,
    starts: inShared(Int32Array, starts),
    numbers: inShared(Uint8Array, numbers),
    records: inShared(Int32Array, records),
    columns: columns.map((column) =>
      column instanceof Int32Array ? inShared(Int32Array, column) : inShared(Float64Array, column),
    ),
  };
}

type Column = Uint8Array | Int32Array | Float64Array;

function inShared<T extends Column>(
  kind: { readonly BYTES_PER_ELEMENT: number; new (buffer: SharedArrayBuffer): T },
  values: ArrayLike<number>,
): T {
  const kept = new kind(new SharedArrayBuffer(values.length * kind.BYTES_PER_ELEMENT));
  kept.set(values);
  return kept;
}
