import assert from "node:assert/strict";
import { test } from "node:test";
import { built } from "../../../test/search/built.ts";
import { settledPool } from "../../../test/search/kured-pool.ts";
import { type Places, unrests } from "../../../test/search/restless.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import { timingOf } from "../../sim/timing.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { comesAs } from "./drivers.ts";
import { standingOf } from "./standing.ts";

const places: Places = ["node-001", "node-002", "node-003"];

/** A pod waits for a node as large as none is. */
const tooLarge = unrests["no node is large enough for a pod"]?.(
  { milliCpu: 100, priority: 0, nodeSelector: {} },
  places,
  "x",
);

/** What each pod that waits may come as, by its CPU, and how many of them are counted among those that may take room. */
function waitingIn(objects: readonly WireObject[]): {
  readonly come: readonly (number | undefined)[];
  readonly counted: number;
} {
  const cluster = built(objects);
  const { view, roster } = standingOf(cluster, timingOf(cluster, noTiming));
  const waiting = [...view.pods].filter(({ node }) => node === null);
  return {
    come: waiting.map((pod) => comesAs(view, pod)?.requests.milliCpu),
    counted: waiting.filter((pod) => roster.kindOf(pod) !== undefined).length,
  };
}

test("a pod that no node is large enough for takes no room, unless its owner makes smaller ones by now", () => {
  assert.ok(tooLarge !== undefined);
  assert.deepEqual(waitingIn([...settledPool, ...tooLarge]), { come: [undefined], counted: 0 });
  const smaller = tooLarge.map((object) =>
    object.kind === "Pod" ? object : JSON.parse(JSON.stringify(object).replaceAll("4000000m", "100m")),
  );
  assert.deepEqual(waitingIn([...settledPool, ...smaller]), { come: [100], counted: 1 });
});
