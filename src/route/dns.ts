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
 * one pods are told to ask; its pods are whatever it selects.
 */
export function dnsHops(facts: Facts): readonly Hop[] {
  for (const [namespace, name] of dnsServices) {
    const service = facts.service(namespace, name);
    if (service === undefined) continue;
    const parts = facts.selectedBy(service);
    const place = { hop: "dns", role: "", need: isNeeded, service: `${namespace}/${name}` };
    if (parts.length > 0) return parts.map((part) => partHop(facts, part, place));
    return [outside(service.ref, "answers from outside the pods of this cluster (managed, or on the nodes)")];
  }
  const labelled = facts.parts.filter(({ labels }) => labels.get("k8s-app") === "kube-dns");
  if (labelled.length > 0)
    return labelled.map((part) => partHop(facts, part, { hop: "dns", role: "", need: isNeeded, service: null }));
  const ref: ObjectRef = { apiVersion: "v1", kind: "Service", namespace: "kube-system", name: "kube-dns" };
  return [outside(ref, "is not in the input: managed by the cloud, on the nodes, or not read")];
}

function outside(ref: ObjectRef, where: string): Hop {
  return outsideHop({ hop: "dns", component: "Cluster DNS", ref, outside: `Cluster DNS ${where}.`, service: null });
}
