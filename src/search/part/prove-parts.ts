import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView } from "../../model/view.ts";
import { Journal } from "../../sim/journal.ts";
import { Ledger } from "../../sim/ledger.ts";
import type { Endpoint } from "../../systems/endpoint.ts";
import { hurtsTimed, judgeUntimed, type Question } from "../judge.ts";
import { mayRefuse } from "../proof/prove.ts";
import { alwaysHasRoom } from "../proof/room.ts";
import { longestStarts, type Rest } from "../rests-on.ts";
import { couplingOf } from "./coupling.ts";
import { type Part, partsOf, podsOfPart } from "./part.ts";
import { type Reduced, reduced, type Whole } from "./reduce.ts";
import { isSettled } from "./settled.ts";

export interface PartsProof {
  /** Empty: safe for every order, placement and start-up. */
  readonly rests: readonly Rest[];
}

/** Plays of a part follow at most so many states. */
const statesMax = 2_000;

/**
 * Endpoints whose every part, played without the rest of the cluster, is hurt in no course: whatever the other pods do, neither
 * is the endpoint. Those that are not in the answer are not proved; that says nothing against them.
 */
export function proveParts(question: Question, endpoints: readonly Endpoint[]): ReadonlyMap<Endpoint, PartsProof> {
  const proved = new Map<Endpoint, PartsProof>();
  const [step] = question.steps;
  if (endpoints.length === 0 || step?.do !== "maintain") return proved;
  const view = new Ledger(question.cluster, new Journal());
  if (view.webhooks.some(mayRefuse)) return proved;
  const whole: Whole = { question, view, coupling: couplingOf(view), settled: isSettled(view) };
  const known = new Map<string, PartsProof | null>();
  const proofOf = (part: Part): PartsProof | null => {
    const key = nameOf(part);
    const before = known.get(key);
    if (before !== undefined) return before;
    const proof = provePart(whole, part);
    known.set(key, proof);
    return proof;
  };
  for (const endpoint of endpoints) {
    const rests: Rest[] = [];
    const parts = partsOf(view, whole.coupling, endpoint);
    const isProved = parts?.every((part) => {
      const proof = proofOf(part);
      if (proof !== null) rests.push(...proof.rests);
      return proof !== null;
    });
    if (isProved === true) proved.set(endpoint, { rests });
  }
  return proved;
}

/** Parts of this name are hurt by the same courses. */
function nameOf({ endpoint, groups }: Part): string {
  const hops = endpoint.hops.map(({ hop, needed, role, desired, pods }) => [
    hop,
    needed,
    role,
    desired,
    pods.by === "owner" ? pods.owners : [pods.namespace, pods.selector],
  ]);
  return JSON.stringify([hops, [...groups], endpoint.minAvailable, endpoint.idle]);
}

function provePart(whole: Whole, part: Part): PartsProof | null {
  if (isDisturbed(whole, part)) return null;
  const play = reduced(whole, part);
  if (play === null) return null;
  const question = { ...play.question, states: Math.min(statesMax, play.question.states) };
  const { broken, exhaustive } = judgeUntimed(question, play.placement);
  if (exhaustive && broken.size === 0) return { rests: [] };
  if (hurtsTimed(question, play.placement)) return null;
  return { rests: restsOfPart({ ...play, question }) };
}

function restsOfPart({ question, placement }: Reduced): readonly Rest[] {
  return question.endpoints.flatMap((endpoint) => longestStarts(question, endpoint, placement));
}

/** Quotas that may refuse its pods, and pods that may find no room and drive out its own. */
function isDisturbed({ view, coupling, question }: Whole, part: Part): boolean {
  const own = podsOfPart(view, coupling, part);
  const namespaces = new Set(own.map(({ namespace }) => namespace));
  if (view.quotas.some(({ ref }) => namespaces.has(ref.namespace))) return true;
  const lowest = own.reduce((least, { template }) => Math.min(least, template.priority), Number.POSITIVE_INFINITY);
  const [step] = question.steps;
  const closed = step?.do === "maintain" ? step.nodes.length : 0;
  return [...strongerOf(view, lowest)].some((template) => !alwaysHasRoom(view, template, closed));
}

function strongerOf(view: ClusterView, priority: number): ReadonlySet<PodTemplate> {
  return new Set(podTemplates(view).filter((template) => template.priority > priority));
}

function podTemplates(view: ClusterView): readonly PodTemplate[] {
  return [...view.pods].flatMap((pod) => {
    const isDaemon = pod.owner !== null && view.workload(pod.owner)?.spec.kind === "DaemonSet";
    return pod.mirror || isDaemon || pod.template.preemptionPolicy === "Never" ? [] : [pod.template];
  });
}
