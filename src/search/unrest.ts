import { byCodeUnit } from "../base/ordering.ts";
import { underKey } from "../base/under-key.ts";
import { listedAtMost } from "../base/words.ts";
import { type ObjectKey, podOfKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { podsOf } from "../sim/monitor.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { rootOf, templatesOf } from "./owners.ts";
import { mayReach } from "./proof/drivers.ts";
import type { Standing } from "./proof/standing.ts";

/** An owner whose pods are not what it wants, or are not where they will be. */
interface Unrest {
  readonly top: ObjectKey;
  /** It may still make so many. */
  coming: number;
  waiting: number;
  stopping: number;
  readonly templates: Set<PodTemplate>;
}

/**
 * Who is not at rest and could take the room that an endpoint's pods need, or is of the endpoint itself: a sentence that names them and
 * says what to do. "": nobody.
 */
export function unrestAround(standing: Standing, endpoint: Endpoint, scenario: string): string {
  const { view, newcomers } = standing;
  if (newcomers === null)
    return `${scenario} may end in any way: left alone, the cluster does not come to rest within a day. Wait until it does, and ask again.`;
  const pods = endpoint.hops.flatMap((hop) => (hop.outside === "" ? podsOf(view, hop.pods) : []));
  const roots = new Set(pods.map((pod) => rootOf(view, pod)));
  const around = { pods, templates: [...templatesOf(view, pods)] };
  const all = underKey(unrests, standing, unrestOf);
  const own = all.filter(({ top }) => roots.has(top));
  const near = all.filter(({ top, templates }) => !roots.has(top) && mayReach(view, [...templates], around));
  if (own.length > 0)
    return `in ${scenario} what it comes to may hang on its own pods, which are not at rest: ${told(view, own)}. Wait until they are, and ask again.`;
  if (near.length === 0) return "";
  return `in ${scenario} its pods may find no room, as others that could take it are not at rest: ${told(view, near)}. Wait until they are, or scale them down, and ask again.`;
}

const unrests = new WeakMap<Standing, readonly Unrest[]>();

/** The strongest first. */
function unrestOf({ view, newcomers }: Standing): readonly Unrest[] {
  const byTop = new Map<ObjectKey, Unrest>();
  const of = (pod: PodView): Unrest => {
    const top = rootOf(view, pod);
    const unrest = underKey(
      byTop,
      top,
      (): Unrest => ({ top, coming: 0, waiting: 0, stopping: 0, templates: new Set() }),
    );
    unrest.templates.add(pod.template);
    return unrest;
  };
  for (const pod of newcomers?.pods ?? []) of(pod).coming += 1;
  for (const pod of view.waiting) of(pod).waiting += 1;
  for (const pod of view.unready) if (pod.terminatingSinceMs !== null && !isTerminal(pod)) of(pod).stopping += 1;
  return [...byTop.values()].sort((a, b) => strength(b) - strength(a) || byCodeUnit(a.top, b.top));
}

function strength({ templates }: Unrest): number {
  return [...templates].reduce((most, { priority }) => Math.max(most, priority), Number.NEGATIVE_INFINITY);
}

function told(view: ClusterView, unrests: readonly Unrest[]): string {
  return listedAtMost(
    unrests.map(({ top, coming, waiting, stopping }) => {
      const does = [
        ...(coming > 0 ? [`may still make ${podsInWords(coming)}`] : []),
        ...(waiting > 0 ? [`has ${podsInWords(waiting)} waiting for a place`] : []),
        ...(stopping > 0 ? [`has ${podsInWords(stopping)} told to stop`] : []),
      ];
      return `${nameOf(view, top)} ${does.join(" and ")}`;
    }),
    3,
  );
}

function nameOf(view: ClusterView, key: ObjectKey): string {
  const pod = podOfKey(key);
  if (pod !== null) return `pod ${pod}`;
  const ref = view.workload(key)?.spec.ref;
  return ref === undefined ? key : `${ref.kind} ${ref.namespace}/${ref.name}`;
}

function podsInWords(count: number): string {
  return count === 1 ? "1 pod" : `${count} pods`;
}
