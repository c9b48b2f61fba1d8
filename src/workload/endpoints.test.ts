import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { cluster, pod, service } from "../../test/support/tiny.ts";
import type { Pod } from "../model/pod.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { endpointsOf, readyEndpoints, servedByTerminating } from "./endpoints.ts";

/** Conditions read from k8s.io/endpointslice utils.go v0.36.3; the fallback from pkg/proxy/topology.go v1.36.3. */

function states(pods: readonly Pod[], notReadyToo = false): readonly string[] {
  const web = service("web", { publishNotReadyAddresses: notReadyToo });
  return endpointsOf(new Ledger(cluster({ pods, services: [web] }), new Journal()), web).map(
    ({ ready, serving, terminating }) =>
      [ready && "ready", serving && "serving", terminating && "terminating"]
        .filter((state) => state !== false)
        .join(" "),
  );
}

rows<readonly Pod[], readonly string[]>("endpoints", (pods) => states(pods), [
  ["a ready pod", [pod("a")], ["ready serving"]],
  ["an unready pod is listed and not used", [pod("a", { ready: false })], [""]],
  ["a terminating pod serves on and gets nothing new", [pod("a", { deleting: true })], ["serving terminating"]],
  ["a terminating pod that is unready", [pod("a", { deleting: true, ready: false })], ["terminating"]],
  ["a pod that waits for a node", [pod("a", { nodeName: "", phase: "Pending", ready: false })], []],
  ["a pod that pulls its image", [pod("a", { phase: "Pending", ready: false })], []],
  ["a finished pod", [pod("a", { phase: "Succeeded", ready: false })], []],
  ["a pod with other labels", [pod("a", { template: { ...pod("a").template, labels: new Map([["app", "x"]]) } })], []],
]);

test("endpoints: publishNotReadyAddresses makes unready and terminating pods ready", () => {
  assert.deepEqual(states([pod("a", { ready: false }), pod("b", { deleting: true })], true), [
    "ready",
    "ready serving terminating",
  ]);
});

test("endpoints: ready ones are counted by namespace and name", () => {
  const pods = [pod("a"), pod("b", { ready: false })];
  const ledger = new Ledger(
    cluster({ pods, services: [service("web"), service("bare", { selector: null })] }),
    new Journal(),
  );
  assert.deepEqual(
    ["ns/web", "ns/bare", "ns/none"].map((name) => readyEndpoints(ledger, name)),
    [1, 0, 0],
  );
});

test("endpoints: terminating pods serve only while none is ready", () => {
  const served = (pods: readonly Pod[]): boolean => {
    const web = service("web");
    return servedByTerminating(endpointsOf(new Ledger(cluster({ pods, services: [web] }), new Journal()), web));
  };
  assert.deepEqual(
    [served([pod("a", { deleting: true })]), served([pod("a", { deleting: true }), pod("b")]), served([])],
    [true, false, false],
  );
});
