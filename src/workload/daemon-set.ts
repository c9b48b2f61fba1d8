import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import type { ObjectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, Effect, NodeView, PodView, WorkloadView } from "../model/view.ts";
import type { DaemonSet } from "../model/workload.ts";
import { holdsOff, refused } from "./back-off.ts";
import type { Controller } from "./controller.ts";
import { daemonPod, judgeNode, targetOf } from "./daemon-nodes.ts";
import { daemonRollout, daemonRoom } from "./daemon-rollout.ts";
import {
  type DaemonPlace,
  type DaemonState,
  daemonState,
  isDaemonAvailable,
  withCurrentTemplate,
} from "./daemon-state.ts";
import { admitPod, doubtsAbout } from "./pod-admission.ts";
import { isTerminal, nextAvailableAtMs } from "./pod-state.ts";

const daemonSetControllerName = "daemonset-controller";

/**
 * DaemonSets: one pod on every node that the template's affinity takes and whose taints its pods tolerate; they tolerate
 * cordons and pressure, and stay on lost nodes. A pod is bound to its node by affinity, and made again there once the old
 * one is gone; one that no longer belongs is deleted, unless only a NoSchedule taint speaks against it.
 * Mirrors: pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode, updateDaemonSet, 1.36.
 */
export const daemonSet: Controller = {
  name: daemonSetControllerName,
  kinds: ["DaemonSet"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "DaemonSet" || workload.deleting) return [];
    const memory = withCurrentTemplate(view, workload, spec);
    if (memory.revision !== null && memory !== workload.memory) {
      return [{ do: "remember", workload: workload.key, memory }];
    }
    if (
      memory.revision === null &&
      memory.backOff === null &&
      spec.minReadyMs === 0 &&
      isAsWanted(view, workload, spec)
    )
      return [];
    const state = daemonState(view, workload, spec, memory);
    const steps = [...keep(state), ...create(state, missing(state))];
    if (steps.length > 0) return steps;
    const { remove, add } = daemonRollout(state);
    const rollout = [...remove.map(deletion), ...create(state, add)];
    return rollout.length > 0 ? rollout : [...forgiven(state, add), ...availabilityWake(state)];
  },
};

/** One pod on every node that wants one, and none elsewhere: with no rollout under way there is nothing to do. */
function isAsWanted(view: ClusterView, { key }: WorkloadView, { template }: DaemonSet): boolean {
  const wanted = underKey(asWanted, view, () => new Map<ObjectKey, Wanted>());
  const asRead = underKey(asWantedAsRead, view.cluster, () => new Map<ObjectKey, Wanted>());
  const before = wanted.get(key) ?? asRead.get(key);
  const { touches } = view;
  const touched = before?.template === template ? view.touchedSince(before.touches) : null;
  // One that waits for its node touches none.
  if (view.podCounts(key).unbound > 0) {
    wanted.delete(key);
    const hosts = ownHosts(view, view.podsOwnedBy(key));
    return hosts !== null && isOneEach(view, hosts, template);
  }
  // What was done to a node may have been taken back.
  const isAsRead = ({ generation }: NodeView): boolean => generation === 0 && asRead.get(key)?.template === template;
  const changed = touched?.filter((node) => view.node(node.name) === node && !isAsRead(node));
  // A look at a node is one at all its pods: of many it is less to look at the set's own.
  const isKnown =
    changed !== undefined &&
    changed.length <= changedMax &&
    changed.every((node) => isAsWantedOn(view, node, { key, template }));
  // All that stay are on nodes.
  const hosts = isKnown ? null : view.hostsOf(key);
  if (!isKnown && (hosts === null || !isOneEach(view, hosts, template))) return false;
  wanted.set(key, { template, touches });
  if (!isKnown && view.touchedSince(0)?.length === 0) asRead.set(key, { template, touches: 0 });
  return true;
}

const changedMax = 100;

/** When a DaemonSet was last found as it should be, each pod on its node: from then on only nodes that were touched can want anything. */
interface Wanted {
  readonly template: PodTemplate;
  readonly touches: number;
}

const asWanted = new WeakMap<ClusterView, Map<ObjectKey, Wanted>>();
/** In a cluster before anything of it was touched: so it is for all who play it. */
const asWantedAsRead = new WeakMap<Cluster, Map<ObjectKey, Wanted>>();

function isAsWantedOn(
  view: ClusterView,
  node: NodeView,
  { key, template }: { readonly key: ObjectKey; readonly template: PodTemplate },
): boolean {
  const own = view.podsOn(node.name).filter(({ owner }) => owner === key);
  if (own.length > 1 || own.some((pod) => isTerminal(pod) || !isStaying(pod))) return false;
  const verdict = judgeNode(node, template);
  return verdict === "stay" || own.length > 0 === (verdict === "run");
}

/** The nodes that pods are on or meant for; null: some have finished, leave, or are meant for none that is there. */
function ownHosts(view: ClusterView, pods: readonly PodView[]): readonly string[] | null {
  const isOdd = (pod: PodView): boolean =>
    isTerminal(pod) || !isStaying(pod) || (pod.node === null && view.node(targetOf(pod)) === undefined);
  return pods.some(isOdd) ? null : pods.map(targetOf);
}

function isOneEach(view: ClusterView, hosts: readonly string[], template: PodTemplate): boolean {
  const names = new Set(hosts);
  if (names.size < hosts.length) return false;
  return view.nodes.every((node) => {
    const verdict = judgeNode(node, template);
    return verdict === "stay" || names.has(node.name) === (verdict === "run");
  });
}

/** Deletions that keep at most one pod a node, two while surging. */
function keep(state: DaemonState): readonly Effect[] {
  const effects: Effect[] = [];
  for (const place of state.places) {
    const { verdict, pods, running } = place;
    // As it should be, as on most nodes.
    if (verdict !== "never" && pods.length <= 1 && running.length === pods.length) continue;
    const unwanted =
      verdict === "never"
        ? pods.filter(isStaying)
        : [...pods.filter((pod) => isTerminal(pod) && isStaying(pod)), ...surplus(state, place)];
    for (const pod of unwanted) effects.push(deletion(pod));
  }
  const unbound = state.view.podsOwnedBy(state.workload.key).filter((pod) => pod.node === null && isStaying(pod));
  const nodes = new Set(unbound.length === 0 ? [] : state.places.map(({ node }) => node.name));
  for (const pod of unbound) if (!nodes.has(targetOf(pod))) effects.push(deletion(pod));
  return effects;
}

function isStaying(pod: PodView): boolean {
  return pod.terminatingSinceMs === null;
}

/** While surging, an old pod may stand beside a new one until the new one is available, or the old one is not ready. */
function surplus(state: DaemonState, { running, fresh, old }: DaemonPlace): readonly PodView[] {
  if (daemonRoom(state).maxSurge === 0) return running.slice(1);
  const [freshPod] = fresh;
  const [oldPod] = old;
  const extra = [...fresh.slice(1), ...old.slice(1)];
  if (freshPod === undefined || oldPod === undefined) return extra;
  return !oldPod.ready || isDaemonAvailable(state, freshPod) ? [...extra, oldPod] : extra;
}

/** Nodes without a pod; while surging, one whose only pod is on its way out does not wait for it. */
function missing(state: DaemonState): readonly NodeView[] {
  const surges = daemonRoom(state).maxSurge > 0;
  return state.places
    .filter(
      ({ verdict, pods, running }) => verdict === "run" && (pods.length === 0 || (surges && running.length === 0)),
    )
    .map(({ node }) => node);
}

function create(state: DaemonState, nodes: readonly NodeView[]): readonly Effect[] {
  const { view, workload, spec, memory } = state;
  const [first] = nodes;
  if (first === undefined) return [];
  const seen = nodes.map(({ name }) => name).join(",");
  if (holdsOff(memory.backOff, seen, view.nowMs)) return [];
  const revision = memory.revision?.name ?? readRevision(state);
  const template = daemonPod(spec.template, first.name, revision);
  const admission = admitPod(view, { name: `${spec.ref.name}-`, exact: false }, template);
  if (!admission.admitted) {
    if (admission.silent) return [];
    const message = `Error creating: ${admission.message}`;
    const failed = refused({ workload: workload.key, before: memory.backOff, seen, message, nowMs: view.nowMs });
    return [
      ...failed.effects,
      { do: "remember", workload: workload.key, memory: { ...memory, backOff: failed.backOff } },
    ];
  }
  const atOnce = view.quotas.some(({ ref }) => ref.namespace === spec.ref.namespace) ? [first] : nodes;
  const created = atOnce.map(
    ({ name }): Effect => ({
      do: "createPod",
      owner: workload.key,
      name: null,
      template: name === first.name ? template : daemonPod(spec.template, name, revision),
      ordinal: null,
      revision,
    }),
  );
  return [...doubtsAbout(workload.key, admission.undecided), ...created];
}

/** The revision the input's pods carry; "" when none does. */
function readRevision({ view, workload }: DaemonState): string {
  return view.podsOwnedBy(workload.key).find((pod) => pod.revision !== "")?.revision ?? "";
}

function forgiven({ workload, memory, places }: DaemonState, wanted: readonly NodeView[]): readonly Effect[] {
  const waiting = wanted.length > 0 || places.some(({ verdict, pods }) => verdict === "run" && pods.length === 0);
  if (memory.backOff === null || waiting) return [];
  return [
    { do: "remember", workload: workload.key, memory: memory.revision === null ? null : { ...memory, backOff: null } },
  ];
}

function availabilityWake({ view, workload, spec, places }: DaemonState): readonly Effect[] {
  if (spec.minReadyMs === 0) return [];
  const atMs = nextAvailableAtMs(
    places.flatMap(({ fresh }) => [...fresh]),
    spec.minReadyMs,
    view.nowMs,
  );
  return atMs === null ? [] : [{ do: "wake", workload: workload.key, atMs }];
}

function deletion(pod: PodView): Effect {
  return {
    do: "deletePod",
    pod: pod.key,
    by: daemonSetControllerName,
    graceMs: null,
    foreground: false,
    reason: "",
  };
}
