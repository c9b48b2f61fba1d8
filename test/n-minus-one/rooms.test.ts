import assert from "node:assert/strict";
import { test } from "node:test";
import { deployment, type Item, node } from "../../scripts/recordings/objects.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import type { PodView } from "../../src/model/view.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { anyStart, schedule } from "../../src/scheduler/schedule.ts";
import { type Ground, groundOf } from "../../src/search/n-minus-one/ground.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { nextOf } from "../../src/search/owners.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import { built } from "../search/built.ts";

const ways = 6;
const zones = ["east", "west", "north"];

test("a pod that is said to find a place finds one wherever the others go, and one that is said to find none finds none", () => {
  const counts = { always: 0, spread: 0, tight: 0, never: 0, open: 0 };
  for (let seed = 1; seed <= 120; seed += 1) {
    const random = seededRandom(seed);
    const ground = groundFor(clusterOf(random));
    const { standing, rooms } = ground;
    for (const { name } of [...standing.view.nodes]) {
      const { cluster } = standing.view;
      const loss = lossOf(standing, [
        maintenanceOf(
          cluster,
          kubectlDrain,
          cluster.nodes.filter((one) => one.name === name),
          "any",
        ),
      ]);
      assert.ok(loss !== null);
      for (const pod of loss.movers()) {
        const next = nextOf(standing.view, pod);
        const always = rooms.alwaysFinds(next, loss);
        const never = rooms.neverFinds(next, loss);
        assert.ok(!(always && never));
        counts.open += always || never ? 0 : 1;
        if (!always && !never) continue;
        let least = Number.POSITIVE_INFINITY;
        for (let way = 0; way < ways; way += 1) {
          const found = placesLeft(ground, random, {
            closed: name,
            pod,
            others: loss.movers().filter((other) => other !== pod),
          });
          assert.equal(found > 0, always, `seed ${seed}, ${pod.key} of ${name}: ${found} places`);
          least = Math.min(least, found);
        }
        counts.never += never ? 1 : 0;
        counts.always += always ? 1 : 0;
        counts.spread += always && next.topologySpread.length > 0 ? 1 : 0;
        counts.tight += always && least === 1 ? 1 : 0;
      }
    }
  }
  assert.ok(
    counts.always >= 150 && counts.spread >= 20 && counts.tight >= 40 && counts.never >= 150,
    JSON.stringify(counts),
  );
  assert.ok(counts.open <= 500, JSON.stringify(counts));
});

test("a spread takes a pod back where its domain had no more than is allowed, and not where it had one more", () => {
  const zoned = { topologyKey: "topology.kubernetes.io/zone", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" };
  const labelSelector = { matchLabels: { app: "m" } };
  const finds = (places: string): boolean => {
    const { standing, rooms } = groundFor([
      ...["e1", "e2", "e3"].map((name) => node(name, { zone: "east" })),
      node("w1", { zone: "west", cpu: "2" }),
      ...deployment("m", places, { spec: { topologySpreadConstraints: [{ ...zoned, labelSelector }] } }),
    ]);
    const loss = lossOf(standing, [{ do: "fail", node: "e1" }]);
    const [pod] = loss?.movers() ?? [];
    assert.ok(loss !== null && pod !== undefined);
    return rooms.alwaysFinds(nextOf(standing.view, pod), loss);
  };
  assert.equal(finds("e1 e2 e3 w1 w1"), true);
  assert.equal(finds("e1 e2 e2 e3 w1 w1"), false);
});

/** How many nodes take the next pod, once some of the others have left and found places by chance. */
function placesLeft(
  { standing: { view } }: Ground,
  random: Random,
  { closed, pod, others }: { readonly closed: string; readonly pod: PodView; readonly others: readonly PodView[] },
): number {
  const { journal } = view;
  const mark = journal.mark();
  view.setUnschedulable(closed, true);
  const place = (old: PodView): readonly string[] => {
    view.removePod(old.key);
    const made = view.createPod({ ...old, template: nextOf(view, old), name: null });
    const result = schedule(view, made, anyStart);
    const nodes = result.outcome === "bind" ? result.feasible : [];
    if (nodes.length > 0) view.bind(made.key, nodes[random.below(nodes.length)] ?? "");
    return nodes;
  };
  const waiting = [...others];
  while (waiting.length > 0) {
    const [other] = waiting.splice(random.below(waiting.length), 1);
    // Some are still there: a budget may hold them.
    if (other !== undefined && random.next() < 0.8) place(other);
  }
  const found = place(pod).length;
  journal.undoTo(mark);
  return found;
}

function groundFor(objects: readonly Item[]): Ground {
  const cluster = built(JSON.parse(JSON.stringify(objects)) as WireObject[]);
  const { states, horizonMs } = defaultLimits;
  return groundOf({ cluster, ...endpointsOf(cluster), timing: timingOf(cluster, noTiming), states, horizonMs });
}

/** Nodes in a few zones, nearly full of pods that are spread, kept apart, or ask for devices. */
function clusterOf(random: Random): readonly Item[] {
  const nodes = Array.from({ length: 4 + random.below(5) }, (_, index) => ({
    name: `n${index}`,
    zone: random.pick(zones),
    free: { cpu: 4 + random.below(5), gpu: random.pick([0, 2, 4]) },
  }));
  const objects: Item[] = nodes.map(({ name, zone, free }) =>
    node(name, { cpu: String(free.cpu), gpu: free.gpu, zone }),
  );
  for (let index = 0; index < 1.5 * nodes.length; index += 1) {
    const app = `app-${index}`;
    const asks = { cpu: 1 + random.below(3), gpu: random.pick([0, 0, 1, 2]) };
    const [isSpread, isApart] = [random.next() < 0.5, random.next() < 0.4];
    const places: string[] = [];
    for (let replica = 0; replica < 1 + random.below(3); replica += 1) {
      const fits = nodes.filter(
        ({ name, free }) => free.cpu >= asks.cpu && free.gpu >= asks.gpu && !(isApart && places.includes(name)),
      );
      if (fits.length === 0) break;
      const at = random.pick(fits);
      at.free.cpu -= asks.cpu;
      at.free.gpu -= asks.gpu;
      places.push(at.name);
    }
    if (places.length === 0) continue;
    const labels = { tier: random.pick(["a", "b"]) };
    const labelSelector = { matchLabels: random.next() < 0.5 ? { app } : labels };
    const spread = {
      topologyKey: "topology.kubernetes.io/zone",
      maxSkew: random.pick([1, 1, 2]),
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector,
      ...(random.next() < 0.2 ? { minDomains: 4 } : {}),
    };
    const apart = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "kubernetes.io/hostname", labelSelector }],
      },
    };
    const spec = {
      ...(isSpread ? { topologySpreadConstraints: [spread] } : {}),
      ...(isApart ? { affinity: apart } : {}),
    };
    objects.push(
      ...deployment(app, places.join(" "), { cpu: String(asks.cpu), memory: "1Mi", gpu: asks.gpu, labels, spec }),
    );
  }
  return objects;
}
