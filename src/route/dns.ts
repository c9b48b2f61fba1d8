import type { ObjectRef } from "../model/key.ts";
import type { Hop } from "../systems/endpoint.ts";
import type { Facts } from "../systems/facts.ts";
import { isNeeded } from "../systems/system.ts";
import { outsideHop, partHop } from "./part-hop.ts";

const dnsServices = [
  ["kube-system", "kube-dns"],
  ["kube-system", "coredns"],
  ["openshift-dns", "dns-default"],
  ["kube-system", "rke2-coredns-rke2-coredns"],
] as const;

/**
 * Cluster DNS, on every path: clients find the gateway by name, the gateway its picker and backends. The Service is the
 * one pods are told to ask; its pods are whatever it selects. Where none of this cluster's pods answer, it is said who
 * does: that is no gap in the input.
 */
export function dnsHops(facts: Facts): readonly Hop[] {
  for (const [namespace, name] of dnsServices) {
    const service = facts.service(namespace, name);
    if (service === undefined) continue;
    const parts = facts.selectedBy(service);
    const place = { hop: "dns", role: "", need: isNeeded, service: `${namespace}/${name}` };
    if (parts.length > 0) return parts.map((part) => partHop(facts, part, place));
    return [outside(service.ref, whoAnswers(facts))];
  }
  const labelled = facts.partsIn("kube-system").filter(({ labels }) => labels.get("k8s-app") === "kube-dns");
  if (labelled.length > 0)
    return labelled.map((part) => partHop(facts, part, { hop: "dns", role: "", need: isNeeded, service: null }));
  const ref: ObjectRef = { apiVersion: "v1", kind: "Service", namespace: "kube-system", name: "kube-dns" };
  return [outside(ref, whoAnswers(facts))];
}

/**
 * By the nodes' labels, where a cloud is known to answer itself. Mirrors: GKE with Cloud DNS; EKS Auto Mode, which runs
 * CoreDNS on every node outside of pods; both as their guides describe them.
 */
function whoAnswers(facts: Facts): string {
  let answer = answers.get(facts);
  if (answer === undefined) {
    answer = toldBy(facts);
    answers.set(facts, answer);
  }
  return answer;
}

/** Asked for every endpoint. */
const answers = new WeakMap<Facts, string>();

function toldBy(facts: Facts): string {
  const labelled = (label: string, value?: string): boolean =>
    facts.cluster.nodes.some(({ labels }) => (value === undefined ? labels.has(label) : labels.get(label) === value));
  if (labelled("cloud.google.com/gke-nodepool"))
    return "is Google's Cloud DNS: it answers from outside the cluster, no drain touches it";
  if (labelled("eks.amazonaws.com/compute-type", "auto"))
    return "runs on every node outside of pods (EKS Auto Mode): no drain touches it";
  const seen = facts.partsIn("kube-system").length > 0 || facts.services.some(inKubeSystem);
  return seen
    ? "has no pods here: it is managed, or runs on the nodes or outside the cluster, and no drain touches it"
    : "is not in the input, which has nothing of kube-system; taken as always there";
}

function inKubeSystem({ ref }: Facts["services"][number]): boolean {
  return ref.namespace === "kube-system";
}

function outside(ref: ObjectRef, where: string): Hop {
  return outsideHop({ hop: "dns", component: "Cluster DNS", ref, outside: `Cluster DNS ${where}.`, service: null });
}
