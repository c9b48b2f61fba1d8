import { underKey } from "../base/under-key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { isTerminal } from "./pod-state.ts";

/** An endpoint picker that stops releases its lease: the next one is Ready after so long. Measured on llm-d-router v0.10. */
export const handOverMs = 2_000;
/** A picker that is lost with its node keeps its lease until it runs out. Measured on llm-d-router v0.10. */
export const leaseMs = 15_000;

const flag = "--ha-enable-leader-election";

/**
 * The election a pod takes part in, null for none. Endpoint pickers with this flag are Ready only while they lead: standbys
 * run, and are never Ready. One lease a pool: `epp-<namespace>-<pool>`.
 */
export function electionOf(pod: Pick<PodView, "namespace" | "template" | "owner">): string | null {
  const { elects, lease } = electings.get(pod.template) ?? underKey(electings, pod.template, electing);
  return elects ? `${pod.namespace}/${lease ?? pod.owner ?? ""}` : null;
}

/** Asked of every pod that goes or comes. */
const electings = new WeakMap<PodTemplate, Electing>();

interface Electing {
  readonly elects: boolean;
  /** Undefined: named like the owner. */
  readonly lease: string | undefined;
}

function electing({ containers, labels }: PodTemplate): Electing {
  const args = containers.flatMap((container) => [...container.command, ...container.args]);
  const elects = args.some((arg) => arg === flag || arg === `${flag}=true`);
  return { elects, lease: flagValue(args, "--pool-name") ?? labels.get("app") };
}

function flagValue(args: readonly string[], name: string): string | undefined {
  const joined = args.find((arg) => arg.startsWith(`${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 1);
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

/** Whoever leads now: Ready and not on its way out. */
export function leaderOf(view: ClusterView, election: string): PodView | null {
  return candidates(view, election).find((pod) => pod.ready) ?? null;
}

/** Who takes over: the pod that has been running longest. `isStarting`: has not come up yet, or its node is off. */
export function nextLeader(view: ClusterView, election: string, isStarting: (pod: PodView) => boolean): PodView | null {
  const standbys = candidates(view, election).filter((pod) => pod.phase === "Running" && !isStarting(pod));
  return standbys.sort((a, b) => a.createdAtMs - b.createdAtMs || a.uid - b.uid)[0] ?? null;
}

function candidates(view: ClusterView, election: string): PodView[] {
  const namespace = election.slice(0, election.indexOf("/"));
  return view
    .podsIn(namespace)
    .filter(
      (pod) => pod.node !== null && pod.terminatingSinceMs === null && !isTerminal(pod) && electionOf(pod) === election,
    );
}
