import { helmPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/**
 * Adds model routing to Envoy Gateway: an external processor injected into the proxies, and an extension server.
 * Mirrors: Envoy AI Gateway v1.1, chart ai-gateway-helm and its admission webhook.
 */
export const envoyAiGateway: System = {
  name: "envoy-ai-gateway",
  title: "Envoy AI Gateway",
  about:
    "Deployment ai-gateway-controller. Its mutating webhook (failurePolicy Fail) sees every new proxy pod: running proxies " +
    "serve on while it is gone, but an evicted one cannot be re-created until it is back. Its filters do not honour " +
    "failureMode FailOpen of an InferencePool: without a picker requests fail.",
  gateways: [],
  entries: noEntries,
  parts: [
    helmPart({
      hop: "controller",
      component: "AI Gateway controller",
      whileGone: "No gateway proxy can be re-created: its webhook refuses the pod.",
      match: { kinds: ["Deployment"], name: /^ai-gateway-controller$/ },
      values: {
        replicas: "controller.replicaCount",
        budget: "controller.podDisruptionBudget",
        spread: "controller.topologySpreadConstraints",
      },
    }),
  ],
};
