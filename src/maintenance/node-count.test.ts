import { rows } from "../../test/support/rows.ts";
import type { NodeCount } from "./actor.ts";
import { nodeCount } from "./node-count.ts";

const pool = (zones: readonly string[]) =>
  zones.map((zone) => ({ labels: new Map([["topology.kubernetes.io/zone", zone]]) }));
const nine = pool(["a", "b", "c", "a", "b", "c", "a", "b", "c"]);

rows("nodes", (count: NodeCount) => nodeCount(count, nine), [
  ["a number", 3, 3],
  ["every one", "all", 9],
  ["a share rounds up", { percent: 10, rounds: "up", least: 0 }, 1],
  ["a share rounds down, at least one", { percent: 10, rounds: "down", least: 1 }, 1],
  ["a share rounds down", { percent: 50, rounds: "down", least: 1 }, 4],
  ["none", { percent: 0, rounds: "up", least: 0 }, 0],
  ["two for each zone", { perZone: 2, least: 1 }, 6],
]);
