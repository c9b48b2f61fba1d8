import { rows } from "../../test/support/rows.ts";
import { nodesToFind } from "./sampling.ts";

// Read from schedule_one.go numFeasibleNodesToFind, Kubernetes 1.36.3.
rows("nodes to find", ([nodes, percentage]: readonly [number, number]) => nodesToFind(nodes, percentage), [
  ["all of 99", [99, 0], 99],
  ["100 of 100", [100, 0], 100],
  ["never less than 100", [150, 0], 100],
  ["46 % of 500", [500, 0], 230],
  ["42 % of 1000", [1000, 0], 420],
  ["the share has a floor of 5 %", [6000, 0], 300],
  ["a configured share", [1000, 70], 700],
  ["a configured share is cut off, and never less than 100", [1001, 3], 100],
]);
