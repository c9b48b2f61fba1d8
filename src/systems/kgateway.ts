import { labelledProxies } from "./gateway-labels.ts";
import { parametersKnobs, parametersOf } from "./gateway-parameters.ts";
import { helmPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

const parameters = { kind: "GatewayParameters", apiVersion: "gateway.kgateway.dev/v1alpha1" } as const;

/** Envoy proxies made from Gateways. Mirrors: kgateway v2 line, GatewayParameters and its chart. */
export const kgateway: System = {
  name: "kgateway",
  title: "kgateway",
  about:
    "Proxy Deployments labelled kgateway=kube-gateway in the Gateway's namespace. Replicas, budget and spread are set in the " +
    "GatewayParameters that the Gateway or its class names; a budget is made only if stated there. FailOpen: not known.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["kgateway.dev/kgateway"],
      classes: /^kgateway(-waypoint)?$/,
      outside: "",
      proxies: labelledProxies,
      honoursFailOpen: () => ({
        honoured: false,
        because: "It is not known whether kgateway serves without a picker.",
      }),
    },
  ],
  parts: [
    {
      hop: "gateway",
      component: "Gateway proxy",
      onPath: true,
      whileGone: "",
      match: { labels: { kgateway: "kube-gateway", "gateway.networking.k8s.io/gateway-name": "*" } },
      owner: (part, facts) => parametersOf(part, facts, parameters),
      knobs: (part, facts) =>
        parametersKnobs(part, facts, parameters, {
          replicas: "spec.kube.deployment.replicas",
          budget: "spec.kube.podDisruptionBudget.spec",
          spread: "spec.kube.podTemplate.topologySpreadConstraints",
        }),
    },
    helmPart({
      hop: "controller",
      component: "kgateway controller",
      whileGone: "Restarted proxies get no configuration.",
      match: { kinds: ["Deployment"], labels: { "app.kubernetes.io/name": "kgateway", kgateway: "kgateway" } },
      values: { replicas: "controller.replicaCount", budget: "controller.podDisruptionBudget", spread: "affinity" },
    }),
  ],
};
