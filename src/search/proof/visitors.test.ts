import assert from "node:assert/strict";
import { test } from "node:test";
import { oneByOne } from "../../../test/search/one-by-one.ts";
import { randomPool } from "../../../test/search/random-pools.ts";
import { seededRandom } from "../../base/random.ts";
import type { PodView } from "../../model/view.ts";
import { filledAtMost } from "./filled.ts";
import { Movers } from "./movers.ts";
import { nobody } from "./newcomers.ts";
import { Roster } from "./roster.ts";
import { standingOf } from "./standing.ts";
import { Usable } from "./usable.ts";
import { Visitors } from "./visitors.ts";

test("what is set aside leaves what would be there if it had never been", () => {
  let differing = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seededRandom(seed);
    const { cluster, timing } = randomPool(seed);
    const { view } = standingOf(cluster, timing);
    const usable = new Usable(view);
    const places = view.nodes.filter(() => random.next() < 0.8);
    const worked = view.nodes.flatMap(({ name }) => (random.next() < 0.7 ? name : []));
    const going = new Set([...view.pods].flatMap(({ key }) => (random.next() < 0.1 ? key : [])));
    const rosterOf = (pods: Iterable<PodView>): Roster =>
      new Roster(view, oneByOne(pods), { coming: [], going, newcomers: nobody });
    const roster = rosterOf(view.pods);
    const visitors = new Visitors(places, new Movers(roster, worked), usable);
    for (const { now } of roster.kinds.slice(0, 12)) {
      const aside = new Set([...view.pods].filter(() => random.next() < 0.2));
      const left = [...view.pods].filter((pod) => !aside.has(pod));
      const anew = filledAtMost(now, new Visitors(places, new Movers(rosterOf(left), worked), usable).all);
      assert.equal(filledAtMost(now, visitors.without(aside)), anew, `seed ${seed}`);
      if (anew !== filledAtMost(now, visitors.all)) differing += 1;
    }
  }
  assert.ok(differing >= 20, `only ${differing} differ by what is set aside`);
});
