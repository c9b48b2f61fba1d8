import assert from "node:assert/strict";
import { test } from "node:test";
import { pod, service, servingCluster, workload } from "../../test/support/serving.ts";
import { factsOf } from "../systems/facts.ts";
import { dnsHops } from "./dns.ts";

const hops = (things: readonly object[]): readonly string[] =>
  dnsHops(factsOf(servingCluster(things.map((thing) => ({ ...thing }))))).map(
    ({ component, service: via, outside }) => `${component} via ${via}${outside === "" ? "" : " outside"}`,
  );
const labels = { "k8s-app": "kube-dns" };
const coreDns = workload("coredns", { namespace: "kube-system", podLabels: labels });

test("the Service pods ask, whatever it selects", () => {
  const kubeDns = service("kube-dns", labels, { namespace: "kube-system" });
  assert.deepEqual(hops([coreDns, kubeDns]), ["CoreDNS via kube-system/kube-dns"]);
});

test("labelled pods are DNS also where the Service was not read", () => {
  assert.deepEqual(hops([coreDns]), ["CoreDNS via null"]);
});

test("a Service without pods, or no sign of DNS at all, is outside", () => {
  assert.deepEqual(hops([service("kube-dns", labels, { namespace: "kube-system" })]), ["Cluster DNS via null outside"]);
  assert.deepEqual(hops([pod("other")]), ["Cluster DNS via null outside"]);
});

test("OpenShift's is a DaemonSet of its own", () => {
  const selector = { "dns.operator.openshift.io/daemonset-dns": "default" };
  const things = [
    workload("dns-default", { kind: "DaemonSet", namespace: "openshift-dns", podLabels: selector }),
    service("dns-default", selector, { namespace: "openshift-dns" }),
  ];
  assert.deepEqual(hops(things), ["OpenShift DNS via openshift-dns/dns-default"]);
});
