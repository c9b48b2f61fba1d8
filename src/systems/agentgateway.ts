import { labelledProxies } from "./gateway-labels.ts";
import { parametersKnobs, parametersOf } from "./gateway-parameters.ts";
import { helmPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

const parameters = { kind: "AgentgatewayParameters", apiVersion: "agentgateway.dev/v1alpha1" } as const;

/** Proxies made from Gateways. Mirrors: agentgateway v1.4, AgentgatewayParameters and its chart. */
export const agentgateway: System = {
  name: "agentgateway",
  title: "agentgateway",
  about:
    "Proxy Deployments labelled app.kubernetes.io/managed-by=agentgateway in the Gateway's namespace. Replicas, budget and spread " +
    "are overlays in the AgentgatewayParameters that the Gateway or its class names. FailOpen is honoured.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["agentgateway.dev/agentgateway"],
      classes: /^agentgateway$/,
      outside: "",
      proxies: labelledProxies,
      honoursFailOpen: () => ({ honoured: true, because: "agentgateway honours FailOpen: it picks an engine itself." }),
    },
  ],
  parts: [
    {
      hop: "gateway",
      component: "Gateway proxy",
      onPath: true,
      whileGone: "",
      match: {
        labels: { "app.kubernetes.io/managed-by": "agentgateway", "gateway.networking.k8s.io/gateway-name": "*" },
      },
      owner: (part, facts) => parametersOf(part, facts, parameters),
      knobs: (part, facts) =>
        parametersKnobs(part, facts, parameters, {
          replicas: "spec.deployment.spec.replicas",
          budget: "spec.podDisruptionBudget.spec",
          spread: "spec.deployment.spec.template.spec.topologySpreadConstraints",
        }),
    },
    helmPart({
      hop: "controller",
      component: "agentgateway controller",
      whileGone: "Restarted proxies get no configuration.",
      match: { kinds: ["Deployment"], name: /^agentgateway$/ },
      values: { replicas: "controller.replicaCount", budget: "controller.podDisruptionBudget", spread: null },
    }),
  ],
};
