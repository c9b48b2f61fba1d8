/** Below this many nodes all are looked at, and at least as many that fit are always looked for. */
const nodesMin = 100;
const percentMin = 5;

/**
 * How many nodes that fit end the search. `percentage` 0: the scheduler's own, 50 % less one for each 125 nodes, at least 5 %.
 * Mirrors: schedule_one.go numFeasibleNodesToFind, Kubernetes 1.34 to 1.37.
 */
export function nodesToFind(nodes: number, percentage: number): number {
  if (nodes < nodesMin) return nodes;
  const share = percentage === 0 ? Math.max(percentMin, 50 - Math.trunc(nodes / 125)) : percentage;
  return Math.max(nodesMin, Math.trunc((nodes * share) / 100));
}
