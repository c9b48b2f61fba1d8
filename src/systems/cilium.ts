import type { Facts, Part } from "./facts.ts";
import { isOf } from "./ingress-kind.ts";
import { type Match, partsLike } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { failOpenUnknown, noEntries, type System } from "./system.ts";

/** A DaemonSet of its own since 1.16, before that within the agent. */
const envoy: Match = { kinds: ["DaemonSet"], labels: { "k8s-app": "cilium-envoy" } };
const agent: Match = { kinds: ["DaemonSet"], labels: { "k8s-app": "cilium" }, namespace: "kube-system" };

/** Gateways and Ingresses that Cilium serves on every node. Mirrors: Cilium 1.18, its chart. */
export const cilium: System = {
  name: "cilium",
  title: "Cilium",
  about:
    "Gateways of class cilium and Ingresses of class cilium are served by the Envoy DaemonSet on every node (labelled k8s-app cilium-envoy, " +
    "else within the agents): no drain takes it from a node before the node itself goes. FailOpen: not known.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["io.cilium/gateway-controller"],
      classes: /^cilium/,
      outside: "",
      proxies: (_gateway, facts) => proxies(facts),
      honoursFailOpen: failOpenUnknown("Cilium"),
    },
  ],
  ingresses: [
    {
      serves: (ingressClass) =>
        isOf({ controllers: ["cilium.io/ingress-controller"], classes: /^cilium$/ }, ingressClass),
      outside: "",
      proxies: (_class, facts) => proxies(facts),
    },
  ],
  parts: [envoy, agent].map((match) =>
    helmPart({
      hop: "gateway",
      component: "Cilium",
      match,
      values: { replicas: null, budget: null, spread: null },
    }),
  ),
};

function proxies(facts: Facts): readonly Part[] {
  const own = partsLike(facts, envoy);
  return own.length > 0 ? own : partsLike(facts, agent);
}
