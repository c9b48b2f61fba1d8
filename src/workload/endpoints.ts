import { namespacedName } from "../model/key.ts";
import { hasLabels } from "../model/labels.ts";
import type { Service } from "../model/policy.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { isTerminal } from "./pod-state.ts";

/** The conditions an EndpointSlice states for one pod. */
export interface ServiceEndpoint {
  readonly pod: PodView;
  /** New requests go here. */
  readonly ready: boolean;
  /** The pod is Ready, terminating or not. */
  readonly serving: boolean;
  readonly terminating: boolean;
}

/**
 * The endpoints of a Service, in order of the pods' creation. Finished pods and pods without an address (not bound, or
 * still Pending) are left out, and pods whose Node object is gone; a Service without a selector has none of ours.
 * Mirrors: k8s.io/endpointslice utils.go podToEndpoint, ShouldPodBeInEndpoints, reconciler.go desiredEndpoints, v0.36.3.
 */
export function endpointsOf(view: ClusterView, service: Service): readonly ServiceEndpoint[] {
  const { selector } = service;
  if (selector === null) return [];
  const endpoints: ServiceEndpoint[] = [];
  for (const pod of view.podsIn(service.ref.namespace)) {
    if (pod.node === null || pod.phase === "Pending" || isTerminal(pod)) continue;
    if (!hasLabels(pod.template.labels, selector)) continue;
    if (view.node(pod.node.name) === undefined && !service.publishNotReadyAddresses) continue;
    const serving = pod.ready;
    const terminating = pod.terminatingSinceMs !== null;
    endpoints.push({
      pod,
      serving,
      terminating,
      ready: service.publishNotReadyAddresses || (serving && !terminating),
    });
  }
  return endpoints;
}

/** How many ready endpoints a Service (`namespace/name`) has; an unknown Service has none. */
export function readyEndpoints(view: ClusterView, service: string): number {
  const found = view.services.find(({ ref }) => namespacedName(ref.namespace, ref.name) === service);
  if (found === undefined) return 0;
  return endpointsOf(view, found).filter((endpoint) => endpoint.ready).length;
}

/**
 * Whether kube-proxy would still send requests to pods that stop: only while no endpoint is ready.
 * Mirrors: pkg/proxy/topology.go CategorizeEndpoints, 1.36.
 */
export function servedByTerminating(endpoints: readonly ServiceEndpoint[]): boolean {
  if (endpoints.some((endpoint) => endpoint.ready)) return false;
  return endpoints.some((endpoint) => endpoint.serving && endpoint.terminating);
}
