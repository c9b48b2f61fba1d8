import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../../test/support/rows.ts";
import { incoming, message, node, pod, verdicts } from "../../../test/support/scheduling.ts";

// Read from plugins/nodeports/node_ports.go and kube-scheduler framework HostPortInfo, Kubernetes 1.36.3.
const taken = "for now, NodePorts: node(s) didn't have free ports for the requested pod ports";
const port = (hostPort: number, hostIP = "", protocol = "TCP") => ({
  containers: [
    { name: "main", image: "registry.test/main:v1", ports: [{ containerPort: 80, hostPort, hostIP, protocol }] },
  ],
});
const on = (spec: ReturnType<typeof port>) => [node("a"), pod("there", { on: "a", spec })];

rows("NodePorts", verdicts, [
  ["the same port", { objects: [...on(port(80)), incoming({ spec: port(80) })] }, { a: taken }],
  ["another port", { objects: [...on(port(80)), incoming({ spec: port(81) })] }, { a: "pass" }],
  ["another protocol", { objects: [...on(port(80)), incoming({ spec: port(80, "", "UDP") })] }, { a: "pass" }],
  [
    "two addresses do not meet",
    { objects: [...on(port(80, "10.0.0.1")), incoming({ spec: port(80, "10.0.0.2") })] },
    { a: "pass" },
  ],
  [
    "the same address does",
    { objects: [...on(port(80, "10.0.0.1")), incoming({ spec: port(80, "10.0.0.1") })] },
    { a: taken },
  ],
  [
    "0.0.0.0 meets every address, both ways",
    { objects: [...on(port(80, "10.0.0.1")), incoming({ spec: port(80, "0.0.0.0") })] },
    { a: taken },
  ],
  ["no address is 0.0.0.0", { objects: [...on(port(80)), incoming({ spec: port(80, "10.0.0.1") })] }, { a: taken }],
]);

test("NodePorts: a port two pods hold is free once one of them is taken away, as upstream's set has it", () => {
  const low = pod("low", { on: "a", spec: port(80), priority: 1 });
  const high = pod("high", { on: "a", spec: port(80), priority: 9 });
  const other = pod("other", { on: "a", spec: port(81), priority: 9 });
  const asking = (hostPort: number) => incoming({ spec: port(hostPort), priority: 5 });
  // Nothing is said of a node preemption would help.
  assert.ok(message({ objects: [node("a"), low, high, asking(80)] }).endsWith("for the requested pod ports."));
  assert.ok(
    message({ objects: [node("a"), low, other, asking(81)] }).endsWith(
      "preemption: 0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
    ),
  );
});
