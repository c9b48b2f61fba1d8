import assert from "node:assert/strict";
import { test } from "node:test";
import { built } from "../../test/search/built.ts";
import { poolCluster } from "../../test/search/pool-cluster.ts";
import { type Ask, type Places, type Unrest, unrests } from "../../test/search/restless.ts";
import { noTiming } from "../cli/timing-fields.ts";
import { endpointsOf } from "../route/build.ts";
import { timingOf } from "../sim/timing.ts";
import { standingOf } from "./proof/standing.ts";
import { unrestAround } from "./unrest.ts";

const settled = poolCluster(3, {
  nodes: 5,
  endpoints: 1,
  others: 0,
  fill: 0.5,
  free: 1,
  budgets: 1,
  spread: 1,
  alike: true,
  kured: false,
});
const places: Places = ["node-001", "node-002", "node-003"];
const ask: Ask = { milliCpu: 100, priority: 0, nodeSelector: {} };

function told(...more: readonly [name: string, ask: Ask][]): string {
  const objects = more.flatMap(([name, each], index) => {
    const unrest: Unrest | undefined = unrests[name];
    assert.ok(unrest !== undefined, name);
    return unrest(each, places, `x${index}`);
  });
  const cluster = built([...settled, ...objects]);
  const [endpoint] = endpointsOf(cluster).endpoints;
  assert.ok(endpoint !== undefined);
  return unrestAround(standingOf(cluster, timingOf(cluster, noTiming)), endpoint, "pool-maintenance/main");
}

test("nobody is named where all are at rest, or could take no room of its pods", () => {
  assert.equal(told(), "");
  assert.equal(told(["no node takes a pod", ask], ["a pod is not Ready", ask]), "");
});

test("who may take room is named by its owner, with what it lacks and what to do", () => {
  const text = told(
    ["a replica is missing", ask],
    ["a pod waits", { ...ask, priority: 7 }],
    ["a pod is told to stop", ask],
  );
  const [strong, missing, stopping] = ["Deployment elsewhere/x1", "Deployment elsewhere/x0", "Deployment elsewhere/x2"];
  assert.ok(text.includes(`${strong} has 1 pod waiting for a place`), text);
  assert.ok(text.includes(`${missing} may still make 1 pod`), text);
  assert.ok(text.includes(`${stopping} has 1 pod told to stop`), text);
  // The stronger first: it may drive out others.
  assert.ok(text.indexOf(strong) < text.indexOf(missing), text);
  assert.match(text, /^in pool-maintenance\/main its pods may find no room.*scale them down, and ask again\.$/);
});
