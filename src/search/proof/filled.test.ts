import assert from "node:assert/strict";
import { test } from "node:test";
import { randomPool } from "../../../test/search/random-pools.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import { type Amount, amountsAsked, limiting } from "./amounts.ts";
import { filledAtMost } from "./filled.ts";
import { type Group, type Place, Present } from "./present.ts";
import { Sizes } from "./sizes.ts";

// Columns of amounts are held to a count pod by pod.

test("columns say of as many places that they can be filled as a count pod by pod does", () => {
  const said = new Set<number>();
  const { cluster } = randomPool(1);
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = seededRandom(seed);
    const sizes = new Sizes();
    const requests = Array.from({ length: 1 + random.below(6) }, () => randomRequests(random));
    for (const each of requests) sizes.numberOf(each);
    const free = Int32Array.from({ length: sizes.count }, () => random.pick([0, 1, 2, 7, 40]));
    const some = (most: number): readonly number[] =>
      Array.from({ length: random.below(most) }, () => random.below(sizes.count));
    const groups = Array.from({ length: 1 + random.below(3) }, (_, index): Group => {
      const members = cluster.nodes.slice(0, 1 + random.below(5)).map((node): Place => {
        const allocatable = { ...randomRequests(random), milliCpu: 100 * random.below(40) };
        const own = { ...node, allocatable, podsMax: 2 + random.below(9) };
        const most = limiting.map((limit) => limit.of(own) + random.pick([0, 0, 1]));
        return { node: own, count: random.pick([1, 1, 2, 30]), standing: some(5), most };
      });
      return { members, shared: index === 0 ? [] : some(6) };
    });
    const present = new Present(sizes, free, groups);
    for (const { template } of cluster.pods.slice(0, 2)) {
      const asking = { ...template, requests: random.pick([randomRequests(random), ...requests]) };
      const filled = filledAtMost(asking, present);
      assert.equal(filled, countedOneByOne(asking, present, requests), `seed ${seed}`);
      said.add(filled);
    }
  }
  assert.ok(said.size >= 30, `only ${said.size} different numbers`);
});

function randomRequests(random: Random): Resources {
  return {
    milliCpu: 50 * random.below(20),
    memoryBytes: random.pick([0, 3, 1_000, 137_438_953_472]) * random.below(9),
    ephemeralStorageBytes: random.pick([0, 0, 5]),
    scalar: new Map(random.next() < 0.4 ? [["nvidia.com/gpu", random.below(5)]] : []),
  };
}

function countedOneByOne(template: PodTemplate, { sizes, free, groups }: Present, asked: readonly Resources[]): number {
  const ofSize = (size: number): Resources => asked.find((each) => sizes.numberOf(each) === size) ?? assert.fail();
  const everywhere = [...free].flatMap((count, size) => Array.from({ length: count }, () => ofSize(size)));
  const amounts = amountsAsked(template);
  const costs = groups.map(({ members, shared }) =>
    members.map((place) => {
      const own = place.standing.map(ofSize);
      const pods = [...own, ...shared.map(ofSize), ...everywhere];
      return amounts.map((amount) => {
        const wanted = amount.of(place.node) - amount.read(template.requests) + 1;
        const canGather = limiting.every(
          (limit, index) =>
            limit.name === amount.name || gathers(pods, amount, limit, place.most[index] ?? 0) >= wanted,
        );
        return canGather
          ? Math.max(0, wanted - own.reduce((sum, pod) => sum + amount.read(pod), 0))
          : Number.POSITIVE_INFINITY;
      });
    }),
  );
  const whole = amounts.map((_, index) =>
    Math.max(1, ...costs.flat().flatMap((cost) => (Number.isFinite(cost[index]) ? (cost[index] ?? 0) : []))),
  );
  const filledBy = (indexes: readonly number[]): number => {
    const worth = (pod: Resources): number =>
      Math.min(1, Math.max(...indexes.map((index) => (amounts[index]?.read(pod) ?? 0) / (whole[index] ?? 1))));
    const sum = (pods: readonly Resources[]): number => pods.reduce((total, pod) => total + worth(pod), 0);
    const steps = groups.flatMap(({ members, shared }, group) => {
      const each = members.flatMap(({ count }, at) => {
        const cost = Math.min(...indexes.map((index) => (costs[group]?.[at]?.[index] ?? 0) / (whole[index] ?? 1)));
        return Number.isFinite(cost) ? Array.from({ length: count }, () => cost) : [];
      });
      let own = sum(shared.map(ofSize));
      return each
        .sort((a, b) => a - b)
        .map((cost) => {
          const byOwn = Math.min(own, cost);
          own -= byOwn;
          return cost - byOwn;
        });
    });
    let left = sum(everywhere) + 1e-6;
    return steps
      .sort((a, b) => a - b)
      .filter((step) => {
        const isPaid = step <= left;
        left = isPaid ? left - step : -1;
        return isPaid;
      }).length;
  };
  const singly = amounts.reduce((sum, _, index) => sum + filledBy([index]), 0);
  return Math.min(singly, filledBy([...amounts.keys()]));
}

/** How much these bring of an amount, those first that take least of the other for it, and the last one cut. */
function gathers(pods: readonly Resources[], amount: Amount, limit: Amount, most: number): number {
  let [left, sum] = [most, 0];
  const worth = (pod: Resources): number => amount.read(pod) / limit.read(pod);
  for (const pod of pods.filter((each) => amount.read(each) > 0).sort((a, b) => (worth(b) > worth(a) ? 1 : -1))) {
    const part = Math.min(1, left / limit.read(pod));
    if (part < 1) return Math.ceil(sum + part * amount.read(pod) + 1);
    left -= limit.read(pod);
    sum += amount.read(pod);
  }
  return sum;
}
