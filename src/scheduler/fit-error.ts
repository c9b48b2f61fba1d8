import { byCodeUnit } from "../base/ordering.ts";
import type { Failure } from "./framework.ts";

/**
 * The scheduler's text for a pod that fits nowhere: how many nodes have which reason, sorted as text, so that "10 …" comes
 * before "2 …"; then what the post filters say.
 * Mirrors: framework/types.go FitError.Error, Kubernetes 1.34 to 1.37.
 */
export function fitError(nodesTotal: number, failure: Failure, postFilterMessage: string): string {
  const parts = [`0/${nodesTotal} nodes are available:`];
  const filtered = failure.preFilterMessage === "" ? histogram(nodesTotal, failure) : failure.preFilterMessage;
  if (filtered !== "") parts.push(`${filtered}.`);
  if (postFilterMessage !== "") parts.push(postFilterMessage);
  return parts.join(" ");
}

function histogram(nodesTotal: number, { verdicts, absent }: Failure): string {
  const counts = new Map<string, number>();
  const count = (reasons: readonly string[], nodes: number): void => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
  };
  for (const { reasons } of verdicts.values()) count(reasons, 1);
  if (verdicts.size < nodesTotal) count(absent.reasons, nodesTotal - verdicts.size);
  return [...counts]
    .map(([reason, nodes]) => `${nodes} ${reason}`)
    .sort(byCodeUnit)
    .join(", ");
}
