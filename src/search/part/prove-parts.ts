import type { PodTemplate } from "../../model/pod-template.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { isMadeAgain } from "../../workload/limit-range.ts";
import { harmOf, type Question, type Starts } from "../judge.ts";
import { templatesOf } from "../owners.ts";
import { driversAmong, mayReach } from "../proof/drivers.ts";
import type { Kind } from "../proof/kinds.ts";
import { mayRefuse } from "../proof/prove.ts";
import { type Standing, standingOf } from "../proof/standing.ts";
import { longestStarts, type Rest } from "../rests-on.ts";
import { type Part, partsOf, podsOfPart } from "./part.ts";
import { type Reduced, reduced, type Whole } from "./reduce.ts";

/** What no course does to an endpoint, whatever the other pods do. */
export interface PartsProof {
  /** Nothing stalls on it either: it is safe. False: no course breaks it. */
  readonly neverStalls: boolean;
  /** What that leans on, which takes plays of its own to say. Empty: it holds for every order, placement and start-up. */
  rests(): readonly Rest[];
}

export interface PartsProofs {
  readonly proved: ReadonlyMap<Endpoint, PartsProof>;
  /** Hops of each endpoint that could be hurt as far as is known. */
  readonly openHops: ReadonlyMap<Endpoint, readonly Hop[]>;
}

/** Plays of a part follow at most so many states. */
const statesMax = 2_000;

/**
 * Endpoints whose every part, played without the rest of the cluster, breaks in no course: whatever the other pods do, neither
 * does the endpoint. Those that are not in the answer are not proved; that says nothing against them.
 */
export function proveParts(question: Question, endpoints: readonly Endpoint[]): PartsProofs {
  const proved = new Map<Endpoint, PartsProof>();
  const openHops = new Map<Endpoint, readonly Hop[]>(endpoints.map((endpoint) => [endpoint, endpoint.hops]));
  const [step] = question.steps;
  if (endpoints.length === 0 || step?.do !== "maintain") return { proved, openHops };
  const standing = standingOf(question.cluster, question.timing);
  const { view } = standing;
  if (view.webhooks.some(mayRefuse)) return { proved, openHops };
  const whole: Whole = { question, standing };
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
    const parts = partsOf(view, standing.coupling, endpoint);
    const proofs = parts?.map(proofOf) ?? [null];
    const found = proofs.filter((proof) => proof !== null);
    const open = parts?.filter((_, index) => proofs[index]?.neverStalls !== true);
    if (open !== undefined)
      openHops.set(
        endpoint,
        open.flatMap((part) => part.endpoint.hops),
      );
    if (found.length < proofs.length) continue;
    const neverStalls = found.every((proof) => proof.neverStalls);
    proved.set(endpoint, { neverStalls, rests: () => found.flatMap((proof) => proof.rests()) });
  }
  return { proved, openHops };
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
  const { placement } = play;
  const question = { ...play.question, states: Math.min(statesMax, play.question.states) };
  if (isUntouched(whole, part)) {
    // Nothing happens to it: looked at once, as it stands.
    const { breaks } = harmOf({ ...question, steps: [] }, { timed: false, placement, starts: "alike" });
    return breaks ? null : { neverStalls: true, rests: onNothing };
  }
  const untimed = harmOf(question, { timed: false, placement, starts: "alike" });
  if (!untimed.breaks && !untimed.stalls) return { neverStalls: true, rests: onNothing };
  const timed = harmOf(question, { timed: true, placement, starts: "mixed" });
  if (!timed.breaks && !timed.stalls)
    return { neverStalls: true, rests: () => restsOfPart({ ...play, question }, "mixed") };
  if (timed.isOpen) {
    const { breaks, stalls } = harmOf(question, { timed: true, placement, starts: "alike" });
    if (!breaks && !stalls)
      return {
        neverStalls: true,
        rests: () => [{ kind: "starts" }, ...restsOfPart({ ...play, question }, "alike")],
      };
  }
  return timed.breaks && untimed.breaks ? null : { neverStalls: false, rests: onNothing };
}

const onNothing = (): readonly Rest[] => [];

function isUntouched({ standing: { coupling }, question }: Whole, part: Part): boolean {
  const [step] = question.steps;
  const touched = new Set(step?.do === "maintain" ? step.nodes : []);
  return podsOfPart(coupling, part).every(({ node }) => node !== null && !touched.has(node.name));
}

function restsOfPart({ question, placement }: Reduced, starts: Starts): readonly Rest[] {
  return question.endpoints.flatMap((endpoint) =>
    longestStarts(question, endpoint, { placement, evictions: "for-room", starts }),
  );
}

/** Quotas that may refuse its pods, and pods that may find no room where they could drive out its own; or who may come is not known. */
function isDisturbed({ standing, question }: Whole, part: Part): boolean {
  if (standing.newcomers === null) return true;
  const { view, coupling, alone } = standing;
  const own = podsOfPart(coupling, part);
  const namespaces = new Set(own.map(({ namespace }) => namespace));
  if (view.quotas.some(({ ref }) => namespaces.has(ref.namespace))) return true;
  if (!own.every((pod) => isMadeAgain(view, pod))) return true;
  const lowest = own.reduce((least, { template }) => Math.min(least, template.priority), Number.POSITIVE_INFINITY);
  const [step] = question.steps;
  const nodes = step?.do === "maintain" ? step.nodes : [];
  const rooms = standing.roomsAnyhow(nodes);
  if (alone.late.some(({ template }) => template.priority > lowest && !rooms.alwaysFits(template))) return true;
  const drivers = driversAmong(view.cluster, strongerOf(standing, lowest), (template) =>
    rooms.alwaysFinds(template, nodes.length),
  );
  return mayReach(view, drivers, { pods: own, templates: [...templatesOf(view, own)] });
}

/** The templates of pods that may drive others out. */
function strongerOf({ roster }: Standing, priority: number): readonly PodTemplate[] {
  const isStronger = ({ stays, now }: Kind): boolean =>
    !stays && now.preemptionPolicy !== "Never" && now.priority > priority;
  return [...new Set(roster.kinds.filter(isStronger).map(({ now }) => now))];
}
