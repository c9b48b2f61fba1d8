import { byCodeUnit } from "../base/ordering.ts";
import type { Failure, Rejection } from "./framework.ts";

/**
 * The scheduler's text for a pod that fits nowhere: how many nodes have which reason, sorted as text, so that "10 …" comes
 * before "2 …"; then what the post filters say.
 * Mirrors: framework/types.go FitError.Error, Kubernetes 1.34 to 1.37.
 */
export function fitError(nodesTotal: number, failure: Failure, postFilterMessage: string): string {
  const { verdicts, absent, preFilterMessage } = failure;
  if (preFilterMessage !== "") return text(nodesTotal, preFilterMessage, postFilterMessage);
  const nodes = new Map<Rejection, number>();
  for (const rejection of verdicts.values()) nodes.set(rejection, (nodes.get(rejection) ?? 0) + 1);
  if (verdicts.size < nodesTotal) nodes.set(absent, (nodes.get(absent) ?? 0) + nodesTotal - verdicts.size);
  return fitErrorOf(nodesTotal, nodes, postFilterMessage);
}

/** The same text where it is known how many nodes reject the pod, by why. */
export function fitErrorOf(
  nodesTotal: number,
  nodes: ReadonlyMap<Pick<Rejection, "reasons">, number>,
  postFilterMessage: string,
): string {
  const counts = new Map<string, number>();
  for (const [{ reasons }, number] of nodes) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + number);
  }
  const filtered = [...counts]
    .map(([reason, number]) => `${number} ${reason}`)
    .sort(byCodeUnit)
    .join(", ");
  return text(nodesTotal, filtered, postFilterMessage);
}

function text(nodesTotal: number, filtered: string, postFilterMessage: string): string {
  const parts = [`0/${nodesTotal} nodes are available:`];
  if (filtered !== "") parts.push(`${filtered}.`);
  if (postFilterMessage !== "") parts.push(postFilterMessage);
  return parts.join(" ");
}
