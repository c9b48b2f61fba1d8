import assert from "node:assert/strict";
import { test } from "node:test";
import { oneByOne } from "../../../test/search/one-by-one.ts";
import { randomPool } from "../../../test/search/random-pools.ts";
import { seededRandom } from "../../base/random.ts";
import type { Kind } from "./kinds.ts";
import { Roster } from "./roster.ts";
import { standingOf } from "./standing.ts";

test("pods taken by kinds are where they are when each is looked at", () => {
  let wandering = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seededRandom(seed);
    const { cluster, timing } = randomPool(seed, { isRestless: seed % 2 === 0 });
    const { view, alone, newcomers } = standingOf(cluster, timing);
    assert.ok(newcomers !== null);
    const going = new Set([...view.pods].flatMap(({ key }) => (random.next() < 0.2 ? key : [])));
    const byKinds = new Roster(view, view.kinds(), { ...alone, going, newcomers });
    const singly = new Roster(view, oneByOne(view.pods), { ...alone, going, newcomers });
    assert.deepEqual(byKinds.wandering, singly.wandering, `seed ${seed}`);
    assert.deepEqual(told(byKinds.kinds), told(singly.kinds), `seed ${seed}`);
    for (const { name } of view.nodes) {
      assert.deepEqual(looks(byKinds.stayingOn(name)), looks(singly.stayingOn(name)), `seed ${seed}`);
      assert.deepEqual(looks(byKinds.leavingFrom(name)), looks(singly.leavingFrom(name)), `seed ${seed}`);
    }
    for (const pod of view.pods) assert.equal(look(byKinds.kindOf(pod)), look(singly.kindOf(pod)));
    wandering += byKinds.wandering.size;
  }
  assert.ok(wandering > 60);
});

function told(kinds: readonly Kind[]): readonly string[] {
  return kinds
    .map((kind) => {
      const { count, nodes, pods } = kind;
      assert.equal(count, pods.length);
      return `${look(kind)}: ${[...nodes].sort()} ${pods.map(({ key }) => key)}`;
    })
    .sort();
}

function looks(kinds: readonly Kind[]): readonly string[] {
  return kinds.map(look).sort();
}

function look(kind: Kind | undefined): string {
  if (kind === undefined) return "";
  const { now, next, requests, stays } = kind;
  return JSON.stringify([now.id, next.id, requests, [...requests.scalar], stays]);
}
