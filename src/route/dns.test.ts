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

test("Google's kube-dns is called what it is", () => {
  const kubeDns = service("kube-dns", labels, { namespace: "kube-system" });
  const google = workload("kube-dns", { namespace: "kube-system", podLabels: labels });
  assert.deepEqual(hops([google, kubeDns]), ["kube-dns via kube-system/kube-dns"]);
});

test("labelled pods are DNS also where the Service was not read", () => {
  assert.deepEqual(hops([coreDns]), ["CoreDNS via null"]);
});

test("what no pod of the cluster answers is said to be managed, on the nodes or outside, and never missing", () => {
  const told = (things: readonly object[]): string =>
    dnsHops(factsOf(servingCluster(things.map((thing) => ({ ...thing })))))[0]?.outside ?? "";
  const kubeDns = service("kube-dns", labels, { namespace: "kube-system" });
  const node = (nodeLabels: object) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: nodeLabels },
  });
  assert.deepEqual(hops([kubeDns]), ["Cluster DNS via null outside"]);
  assert.match(told([kubeDns]), /managed, or runs on the nodes or outside/);
  assert.match(told([kubeDns, node({ "cloud.google.com/gke-nodepool": "p" })]), /Cloud DNS/);
  assert.match(told([node({ "eks.amazonaws.com/compute-type": "auto" })]), /on every node/);
  assert.match(told([pod("kube-proxy", { namespace: "kube-system" })]), /managed, or runs on the nodes or outside/);
});

test("an input without anything of kube-system says that it has none", () => {
  assert.match(
    dnsHops(factsOf(servingCluster([{ ...pod("other") }])))[0]?.outside ?? "",
    /is not in the input, which has nothing of kube-system/,
  );
});

test("labels elsewhere are no cluster DNS", () => {
  assert.deepEqual(hops([workload("mine", { podLabels: labels })]), ["Cluster DNS via null outside"]);
});

test("OpenShift's is a DaemonSet of its own", () => {
  const selector = { "dns.operator.openshift.io/daemonset-dns": "default" };
  const things = [
    workload("dns-default", { kind: "DaemonSet", namespace: "openshift-dns", podLabels: selector }),
    service("dns-default", selector, { namespace: "openshift-dns" }),
  ];
  assert.deepEqual(hops(things), ["OpenShift DNS via openshift-dns/dns-default"]);
});
