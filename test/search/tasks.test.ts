import assert from "node:assert/strict";
import { test } from "node:test";
import { check, helperOf } from "../../src/assess.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { writtenCluster } from "../../src/model/saved-model.ts";
import { savedSnapshot } from "../../src/pool/saved-snapshot.ts";
import type { CheckReport } from "../../src/report/types.ts";
import type { PlainApart } from "../../src/search/n-minus-one/plain.ts";
import type { Helper, Helpers, Offer, Task } from "../../src/search/tasks.ts";
import { defaultCheckOptions } from "../support/assess.ts";
import { largeClusters } from "../support/large.ts";

const options = { ...defaultCheckOptions, traces: 10_000 };

/** Does some of the tasks, in any order, on a cluster that it was sent, and is slow to tell of some. */
class Shuffled implements Helpers {
  readonly counts = { theirs: 0, mine: 0, waits: 0, others: 0 };
  readonly #random: Random;
  #helper: Helper | null = null;
  #open: Task[] = [];
  readonly #done = new Map<Task, PlainApart>();
  readonly #late = new Set<Task>();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  begin(cluster: Cluster): boolean {
    const saved = structuredClone({ model: writtenCluster(cluster, ""), known: null });
    this.#helper = helperOf(savedSnapshot(saved), options);
    return true;
  }

  offer(offer: Offer): void {
    const { alone } = structuredClone(offer);
    this.#helper?.know(alone);
    this.#open.push(...offer.tasks);
    for (let left = Math.ceil(this.#open.length / 2); left > 0; left -= 1) {
      const task = this.another();
      if (task === null || this.#helper === null) return;
      this.counts.others -= 1;
      this.#done.set(task, structuredClone(this.#helper.do(structuredClone(task))));
      if (this.#random.below(2) === 0) this.#late.add(task);
    }
  }

  ask(task: Task): PlainApart | "mine" | "theirs" {
    if (this.#late.delete(task)) return "theirs";
    const done = this.#done.get(task);
    this.counts[done === undefined ? "mine" : "theirs"] += 1;
    this.#open = this.#open.filter((other) => other !== task);
    return done ?? "mine";
  }

  another(): Task | null {
    const [task] = this.#open.splice(this.#random.below(this.#open.length), 1);
    if (task === undefined) return null;
    this.counts.others += 1;
    return task;
  }

  wait(): void {
    this.counts.waits += 1;
  }
}

for (const [name, read] of largeClusters) {
  test(`${name}: a check comes to the same whoever does which of its tasks, and when`, () => {
    const alone = JSON.stringify(ended(check(read(), options)));
    for (let seed = 1; seed <= 2; seed += 1) {
      const helpers = new Shuffled(seed);
      assert.equal(JSON.stringify(ended(check(read(), options, helpers))), alone, `seed ${seed}`);
      const { theirs, mine, others } = helpers.counts;
      assert.ok(theirs > 0 && mine + others > 0, JSON.stringify(helpers.counts));
    }
  });
}

function ended(steps: Generator<unknown, CheckReport>): CheckReport {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
