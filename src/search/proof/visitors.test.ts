import assert from "node:assert/strict";
import { test } from "node:test";
import { randomPool } from "../../../test/search/random-pools.ts";
import { seededRandom } from "../../base/random.ts";
import type { PodView } from "../../model/view.ts";
import { filledAtMost } from "./filled.ts";
import { type Kind, keptIn, kindsOf } from "./kinds.ts";
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
    const kinds = keptIn(kindsOf(view, []), () => random.next() < 0.7);
    const kindOf = (pod: PodView): Kind | undefined => kinds.find(({ pods }) => pods.includes(pod));
    const visitors = new Visitors(places, kinds, usable);
    for (const { now } of kinds.slice(0, 12)) {
      const aside = new Set([...view.pods].filter(() => random.next() < 0.2));
      const left = kinds.flatMap((kind): Kind | [] => {
        const pods = kind.pods.filter((pod) => !aside.has(pod));
        return pods.length === 0 ? [] : { ...kind, pods };
      });
      const anew = filledAtMost(
        now,
        new Visitors(places, left, usable).without(new Set(), () => undefined),
      );
      assert.equal(filledAtMost(now, visitors.without(aside, kindOf)), anew, `seed ${seed}`);
      if (anew !== filledAtMost(now, visitors.without(new Set(), kindOf))) differing += 1;
    }
  }
  assert.ok(differing >= 20, `only ${differing} differ by what is set aside`);
});
