import { rows } from "../../../test/support/rows.ts";
import { incoming, node, pod, verdicts } from "../../../test/support/scheduling.ts";

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
