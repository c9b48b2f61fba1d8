import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Play } from "../../test/support/play.ts";
import {
  budget,
  cluster,
  deployment,
  int,
  labels,
  percent,
  podsOf,
  replicaSetOf,
  selects,
  statefulSet,
  template,
} from "../../test/support/tiny.ts";
import { evict } from "../eviction/evict.ts";
import type { PodView } from "../model/view.ts";
import type { IntOrPercent } from "../model/workload.ts";
import { rolloutRoom } from "./deployment-sizes.ts";
import { isActive } from "./pod-state.ts";

/** What must hold whatever starts and stops when. A failure prints its seed and path: give them to fc.assert to replay. */

const size: fc.Arbitrary<IntOrPercent> = fc.oneof(
  fc.integer({ min: 0, max: 4 }).map(int),
  fc.integer({ min: 0, max: 100 }).map(percent),
);
/** Which of the pods that wait or stop does so next, as a share of how many there are. */
const course = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 80,
  maxLength: 80,
});

/** One pod gets ready, or one that stops is gone; false: nothing is under way. */
function happen(play: Play, share: number): boolean {
  const moving = [...play.ledger.pods].filter((pod) => pod.terminatingSinceMs !== null || pod.node === null);
  const pod = moving[Math.floor(share * moving.length)];
  if (pod === undefined) return false;
  if (pod.terminatingSinceMs !== null) play.stop(pod.key);
  else play.start(pod.key).settle();
  return true;
}

const available = (play: Play): number => [...play.ledger.pods].filter((pod) => pod.ready && isActive(pod)).length;
const active = (play: Play): readonly PodView[] => [...play.ledger.pods].filter(isActive);

test("law: a rolling update stays within its room and ends with new pods only", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), size, size, course, (replicas, maxSurge, maxUnavailable, shares) => {
      const web = deployment("web", { replicas, strategy: { type: "RollingUpdate", maxSurge, maxUnavailable } });
      const set = replicaSetOf(web, "h1");
      const play = new Play(
        cluster({ workloads: [web, set], pods: podsOf(set, replicas, { nodeName: "n1" }) }),
      ).settle();
      const room = rolloutRoom(web);
      play.ledger.setSpec(web.key, { ...web, template: template("web", { annotations: labels({ touched: "1" }) }) });
      play.settle();
      for (const share of shares) {
        assert.ok(available(play) >= replicas - room.maxUnavailable, `${available(play)} of ${replicas} available`);
        assert.ok(active(play).length <= replicas + room.maxSurge, `${active(play).length} for ${replicas}`);
        if (!happen(play, share)) break;
      }
      assert.deepEqual(
        active(play).map((pod) => pod.template.annotations.get("touched")),
        Array.from({ length: replicas }, () => "1"),
      );
    }),
    { numRuns: 150 },
  );
});

test("law: under a budget, evictions in any order never leave fewer healthy pods than it wants", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), size, fc.boolean(), course, (replicas, amount, isMin, shares) => {
      const web = deployment("web", { replicas });
      const set = replicaSetOf(web, "h1");
      const limits = isMin ? { minAvailable: amount } : { maxUnavailable: amount };
      const guard = budget("b", { selector: selects({ app: "web" }), ...limits });
      const pods = podsOf(set, replicas, { nodeName: "n1" });
      const play = new Play(cluster({ workloads: [web, set], pods, budgets: [guard] })).settle();
      const wanted = Math.min(replicas, play.ledger.budgets[0]?.status.desiredHealthy ?? 0);
      for (const share of shares) {
        const all = [...play.ledger.pods];
        const target = all[Math.floor(share * all.length)];
        if (share < 0.6 && target?.ready === true && target.terminatingSinceMs === null) {
          if (evict(play.ledger, target.key).code === 201) play.delete(target.key);
        } else happen(play, share);
        assert.ok(available(play) >= wanted, `${available(play)} healthy, ${wanted} wanted`);
      }
    }),
    { numRuns: 150 },
  );
});

test("law: a StatefulSet never has two pods of a name, and comes to rest complete", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.boolean(), course, (replicas, isParallel, shares) => {
      const set = statefulSet("m", { replicas, podManagement: isParallel ? "Parallel" : "OrderedReady" });
      const play = new Play(cluster({ workloads: [set] })).settle();
      for (const [at, share] of shares.entries()) {
        const running = [...play.ledger.pods].filter((pod) => pod.ready && pod.terminatingSinceMs === null);
        const victim = running[Math.floor(share * running.length)];
        if (at < 40 && at % 4 === 0 && victim !== undefined) play.delete(victim.key);
        else if (!happen(play, share) && at >= 40) break;
        const names = [...play.ledger.pods].map(({ name }) => name);
        assert.equal(new Set(names).size, names.length);
      }
      assert.deepEqual(
        active(play)
          .map(({ name }) => name)
          .toSorted(),
        Array.from({ length: replicas }, (_, at) => `m-${at}`),
      );
    }),
    { numRuns: 100 },
  );
});
