import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import { envoyAiGateway } from "./envoy-ai-gateway.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { type Attach, field, type Knobs, namedByGateway } from "./knobs.ts";
import { matchesPart } from "./match.ts";
import { helmPart, refOf } from "./part-rules.ts";
import { noEntries, type PartRule, type System } from "./system.ts";

const gatewayName = "gateway.envoyproxy.io/owning-gateway-name";
const gatewayNamespace = "gateway.envoyproxy.io/owning-gateway-namespace";
const gatewayClass = "gateway.envoyproxy.io/owning-gatewayclass";

/**
 * Proxies made from Gateways. Mirrors: Envoy Gateway v1.9, EnvoyProxy types and the Kubernetes infrastructure; what it
 * reverts and what it keeps was seen on a running controller.
 */
export const envoyGateway: System = {
  name: "envoy-gateway",
  title: "Envoy Gateway",
  about:
    "Proxy Deployments labelled gateway.envoyproxy.io/owning-gateway-name and -namespace (or owning-gatewayclass when " +
    "gateways are merged). Replicas, budget and spread are set in the EnvoyProxy that the Gateway or its GatewayClass names; " +
    "the Deployment itself is put back. It deletes a budget that carries its own labels.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["gateway.envoyproxy.io/gatewayclass-controller"],
      classes: /^(eg|envoy|envoy-gateway|aibrix-eg)$/,
      outside: "",
      proxies: proxiesOf,
      honoursFailOpen: (facts) =>
        facts.parts.some((part) => envoyAiGateway.parts.some((rule) => matchesPart(rule.match, part)))
          ? { honoured: false, because: "Envoy AI Gateway does not honour FailOpen: without a picker requests fail." }
          : { honoured: false, because: "Envoy Gateway is not known to honour FailOpen." },
    },
  ],
  parts: [
    proxyRule({ "app.kubernetes.io/managed-by": "envoy-gateway", [gatewayName]: "*", [gatewayNamespace]: "*" }),
    proxyRule({ "app.kubernetes.io/managed-by": "envoy-gateway", [gatewayClass]: "*" }),
    helmPart({
      hop: "controller",
      component: "Envoy Gateway controller",
      whileGone: "Restarted proxies get no configuration.",
      match: { kinds: ["Deployment"], name: /^envoy-gateway$/ },
      values: {
        replicas: "deployment.replicas",
        budget: "podDisruptionBudget.minAvailable",
        spread: "deployment.pod.topologySpreadConstraints",
      },
    }),
  ],
};

function proxyRule(labels: { readonly [key: string]: string }): PartRule {
  return {
    hop: "gateway",
    component: "Gateway proxy",
    onPath: true,
    whileGone: "",
    match: { labels, kinds: ["Deployment", "DaemonSet"] },
    owner: envoyProxyOf,
    knobs: proxyKnobs,
  };
}

/** The proxies of a Gateway: its own, else those its class merges gateways into. */
function proxiesOf(gateway: OtherObject, facts: Facts): readonly Part[] {
  const own = facts.parts.filter(
    ({ labels }) =>
      labels.get(gatewayName) === gateway.ref.name && labels.get(gatewayNamespace) === gateway.ref.namespace,
  );
  if (own.length > 0) return own;
  const className = fieldsOf(gateway).object("spec").text("gatewayClassName");
  return facts.parts.filter(({ labels }) => labels.get(gatewayClass) === className);
}

/** The EnvoyProxy of the Gateway, else of its class; null: the built-in defaults, there is no object yet. */
export function envoyProxyOf(part: Part, facts: Facts): ObjectRef | null {
  const name = part.labels.get(gatewayName);
  const namespace = part.labels.get(gatewayNamespace) ?? "";
  const gateway = name === undefined ? undefined : facts.other("Gateway", "gateway.networking.k8s.io", namespace, name);
  const spec = gateway === undefined ? null : fieldsOf(gateway).object("spec");
  const own = spec?.object("infrastructure").optionalObject("parametersRef") ?? null;
  if (own !== null) return envoyProxy(facts, namespace, own.text("name"));
  const className = spec?.text("gatewayClassName") ?? part.labels.get(gatewayClass) ?? "";
  const found = facts.other("GatewayClass", "gateway.networking.k8s.io", "", className);
  const ofClass = found === undefined ? null : fieldsOf(found).object("spec").optionalObject("parametersRef");
  return ofClass === null ? null : envoyProxy(facts, ofClass.text("namespace"), ofClass.text("name"));
}

function envoyProxy(facts: Facts, namespace: string, name: string): ObjectRef {
  return refOf(facts, { apiVersion: "gateway.envoyproxy.io/v1alpha1", kind: "EnvoyProxy", namespace, name });
}

export function proxyKnobs(part: Part, facts: Facts): Knobs {
  const overwrites = "Envoy Gateway puts fields it sets in the Deployment back; fields it leaves unset stay.";
  const known = envoyProxyOf(part, facts);
  const missing = known === null ? missingProxy(part, facts) : null;
  const owner = known ?? missing?.owner ?? envoyProxy(facts, part.workload.ref.namespace, part.workload.ref.name);
  const attach = missing?.attach ?? null;
  const note =
    known !== null
      ? ""
      : `Create the EnvoyProxy and name it in ${attach?.target.kind ?? "Gateway"}.${attach?.path ?? "spec.infrastructure.parametersRef"}.`;
  const kubernetes = facts.other("EnvoyProxy", "gateway.envoyproxy.io", owner.namespace, owner.name);
  const scaled =
    kubernetes !== undefined &&
    fieldsOf(kubernetes).object("spec").object("provider").object("kubernetes").has("envoyHpa");
  const at = (path: string): ReturnType<typeof field> =>
    field(owner, `spec.provider.kubernetes.${path}`, note, { attach });
  return {
    replicas: at(scaled ? "envoyHpa.minReplicas" : "envoyDeployment.replicas"),
    budget: at("envoyPDB"),
    spread: at("envoyDeployment.pod.topologySpreadConstraints"),
    overwrites,
    managedBy: `EnvoyProxy ${owner.namespace}/${owner.name}`,
  };
}

/** Where an EnvoyProxy would have to be: beside the Gateway, or named by the class that its gateways are merged into. */
function missingProxy(part: Part, facts: Facts): { readonly owner: ObjectRef; readonly attach: Attach } | null {
  const name = part.labels.get(gatewayName);
  const namespace = part.labels.get(gatewayNamespace) ?? "";
  const gateway = name === undefined ? undefined : facts.other("Gateway", "gateway.networking.k8s.io", namespace, name);
  if (gateway !== undefined && name !== undefined) {
    const owner = envoyProxy(facts, namespace, name);
    return { owner, attach: namedByGateway(gateway.ref, owner) };
  }
  const className = part.labels.get(gatewayClass) ?? "";
  const merged = facts.other("GatewayClass", "gateway.networking.k8s.io", "", className);
  if (merged === undefined) return null;
  const owner = envoyProxy(facts, part.workload.ref.namespace, className);
  const value = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", namespace: owner.namespace, name: owner.name };
  return { owner, attach: { target: merged.ref, path: "spec.parametersRef", value } };
}
