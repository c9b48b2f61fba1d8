import { agentgateway } from "./agentgateway.ts";
import { aibrix } from "./aibrix.ts";
import { apisix } from "./apisix.ts";
import { autoscaling } from "./autoscaling.ts";
import { certManager } from "./cert-manager.ts";
import { cilium } from "./cilium.ts";
import { contour } from "./contour.ts";
import { coreDns } from "./core-dns.ts";
import { dynamo } from "./dynamo.ts";
import { engineRouter } from "./engine-router.ts";
import { envoyAiGateway } from "./envoy-ai-gateway.ts";
import { envoyGateway } from "./envoy-gateway.ts";
import type { Facts, Part } from "./facts.ts";
import { FirstMatch } from "./first-match.ts";
import { grove } from "./grove.ts";
import { haproxy } from "./haproxy.ts";
import { inferenceExtension } from "./inference-extension.ts";
import { ingressNginx } from "./ingress-nginx.ts";
import { istio } from "./istio.ts";
import { kedaHttp } from "./keda-http.ts";
import { kgateway } from "./kgateway.ts";
import { knative } from "./knative.ts";
import { kong } from "./kong.ts";
import { kserve } from "./kserve.ts";
import { kserveLlm } from "./kserve-llm.ts";
import { kvCache } from "./kv-cache.ts";
import { leaderWorkerSet } from "./leader-worker-set.ts";
import { llmD } from "./llm-d.ts";
import { managedGateways } from "./managed-gateways.ts";
import { modelplane } from "./modelplane.ts";
import { nginxGateway } from "./nginx-gateway.ts";
import { openShift } from "./openshift.ts";
import { unknownPart } from "./part-rules.ts";
import { productionStack } from "./production-stack.ts";
import { ray } from "./ray.ts";
import { service } from "./service.ts";
import type { PartRule, System } from "./system.ts";
import { telemetry } from "./telemetry.ts";
import { traefik } from "./traefik.ts";
import { trustManager } from "./trust-manager.ts";

/**
 * The order matters twice: an endpoint belongs to the first system that claims it, and a workload is what the first rule
 * that matches says. So the systems that build on others come first, what they build on next, and the plain Service last.
 */
export const systems: readonly System[] = [
  modelplane,
  kserve,
  kserveLlm,
  knative,
  dynamo,
  aibrix,
  productionStack,
  ray,
  llmD,
  inferenceExtension,
  engineRouter,
  grove,
  envoyGateway,
  envoyAiGateway,
  istio,
  kgateway,
  agentgateway,
  managedGateways,
  traefik,
  ingressNginx,
  contour,
  cilium,
  nginxGateway,
  apisix,
  kong,
  haproxy,
  kedaHttp,
  openShift,
  leaderWorkerSet,
  kvCache,
  autoscaling,
  coreDns,
  certManager,
  trustManager,
  telemetry,
  service,
];

const anyEngine = unknownPart({ hop: "engine", component: "Engine", match: {} });

/** What a workload is; a workload no rule knows is an engine or whatever the endpoint says it is, with its own knobs. */
export function ruleFor(part: Part): PartRule {
  return rules.of(part) ?? anyEngine;
}

const rules = new FirstMatch(systems.flatMap(({ parts }) => parts));

/** Parts that requests do not pass but that bring others back, in order of namespace and name. */
export function supportingParts(facts: Facts): readonly { readonly part: Part; readonly rule: PartRule }[] {
  return facts.parts.flatMap((part) => {
    const rule = ruleFor(part);
    return rule.onPath ? [] : [{ part, rule }];
  });
}
