import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import { type LabelSelector, matches } from "../model/labels.ts";
import { type Facts, fieldsOf, type Part, selectorOf } from "./facts.ts";
import { gatewayOf, labelledProxies } from "./gateway-labels.ts";
import { ingressBy } from "./ingress-kind.ts";
import { type Knob, type Knobs, namedByGateway } from "./knobs.ts";
import { helmPart } from "./part-rules.ts";
import { serviceOfHost, withWeight } from "./route-kind.ts";
import { noEntries, type RouteKind, type System } from "./system.ts";

/**
 * Mirrors: Istio's networking API v1: hosts of destinations, gateways by namespace/name, selectors over all namespaces.
 */
const virtualService: RouteKind = {
  kind: "VirtualService",
  group: "networking.istio.io",
  backends: (spec, namespace) =>
    ["http", "tls", "tcp"].flatMap((protocol) =>
      spec
        .objects(protocol)
        .flatMap((rule) => withWeight(rule.objects("route")))
        .flatMap((route) => serviceOfHost(route.object("destination").text("host"), namespace)),
    ),
  proxies: selectedByGateways,
  timeouts: (spec) => spec.objects("http").map((rule) => rule.text("timeout")),
};

/**
 * Gateways deployed by istiod, also under OpenShift's own gateway class.
 * Mirrors: Istio 1.31, gateway deployment controller and its template.
 */
export const istio: System = {
  name: "istio",
  title: "Istio",
  about:
    "Proxy Deployments `<gateway>-<class>` labelled gateway.istio.io/managed. Their template leaves replicas unset, so a live scale " +
    "stays; budget and spread come from a ConfigMap that Gateway.spec.infrastructure.parametersRef names. FailOpen is honoured.",
  entries: noEntries,
  gateways: [
    {
      controllers: [
        "istio.io/gateway-controller",
        "openshift.io/gateway-controller/v1",
        "openshift.io/gateway-controller",
      ],
      classes: /^(istio|openshift-default|openshift-ai-inference|data-science-gateway-class)$/,
      outside: "",
      proxies: labelledProxies,
      honoursFailOpen: () => ({ honoured: true, because: "Istio honours FailOpen: it picks an engine itself." }),
    },
  ],
  ingresses: [
    ingressBy({
      controllers: ["istio.io/ingress-controller"],
      classes: /^istio$/,
      proxies: { labels: { istio: "ingressgateway" }, kinds: ["Deployment", "DaemonSet"] },
    }),
  ],
  routes: [virtualService],
  parts: [
    {
      hop: "gateway",
      component: "Gateway proxy",
      onPath: true,
      whileGone: "",
      match: { labels: { "gateway.istio.io/managed": "*", "gateway.networking.k8s.io/gateway-name": "*" } },
      owner: parametersOf,
      knobs: proxyKnobs,
    },
    helmPart({
      hop: "gateway",
      component: "Istio ingress gateway",
      match: { labels: { istio: "*" }, kinds: ["Deployment", "DaemonSet"], images: ["proxyv2", "auto"] },
      values: {
        replicas: "autoscaling.minReplicas",
        budget: "podDisruptionBudget",
        spread: "topologySpreadConstraints",
      },
    }),
    helmPart({
      hop: "controller",
      component: "istiod",
      whileGone: "Restarted proxies get no configuration, and sidecars are not injected.",
      match: { labels: { app: "istiod" } },
      values: { replicas: "autoscaleMin", budget: null, spread: "topologySpreadConstraints" },
    }),
  ],
};

/** The ConfigMap with the overlay; null: none is attached yet. */
function parametersOf(part: Part, facts: Facts): ObjectRef | null {
  const gateway = gatewayOf(part, facts);
  if (gateway === undefined) return null;
  const named = fieldsOf(gateway).object("spec").object("infrastructure").optionalObject("parametersRef");
  if (named !== null) return configMap(gateway.ref.namespace, named.text("name"));
  const className = fieldsOf(gateway).object("spec").text("gatewayClassName");
  const defaults = facts
    .others("ConfigMap", "")
    .find((map: OtherObject) => map.labels.get("gateway.istio.io/defaults-for-class") === className);
  return defaults?.ref ?? null;
}

function configMap(namespace: string, name: string): ObjectRef {
  return { apiVersion: "v1", kind: "ConfigMap", namespace, name };
}

function proxyKnobs(part: Part, facts: Facts): Knobs {
  const known = parametersOf(part, facts);
  const { namespace, name } = part.workload.ref;
  const target = known ?? configMap(namespace, name);
  const note = known === null ? "Create the ConfigMap and name it in Gateway.spec.infrastructure.parametersRef." : "";
  const gateway = gatewayOf(part, facts);
  const attach = known === null && gateway !== undefined ? namedByGateway(gateway.ref, target) : null;
  const text = (key: string, path: string): Knob => ({ by: "text", target, key, path, note, attach });
  return {
    replicas: text("data.deployment", "spec.replicas"),
    budget: text("data.podDisruptionBudget", "spec"),
    spread: text("data.deployment", "spec.template.spec.topologySpreadConstraints"),
    overwrites: "istiod puts fields of its template back; replicas are not among them.",
    managedBy: "Istio gateway controller",
  };
}

/** Pods that the route's Gateways select, in any namespace; the mesh's own sidecars are in front of nothing. */
function selectedByGateways(facts: Facts, route: OtherObject): readonly Part[] | null {
  const named = fieldsOf(route)
    .object("spec")
    .texts("gateways")
    .filter((name) => name !== "mesh");
  if (named.length === 0) return ofDelegating(facts, route);
  const selectors = named.flatMap((name): readonly LabelSelector[] => {
    const slash = name.indexOf("/");
    const [namespace, bare] = slash < 0 ? [route.ref.namespace, name] : [name.slice(0, slash), name.slice(slash + 1)];
    const gateway = facts.other("Gateway", "networking.istio.io", namespace, bare);
    const labels = gateway === undefined ? null : fieldsOf(gateway).object("spec").textMap("selector");
    return labels === null || labels.size === 0 ? [] : [selectorOf(labels)];
  });
  return facts.parts.filter(
    ({ template }) => template !== null && selectors.some((selector) => matches(selector, template.labels)),
  );
}

/** A VirtualService without gateways may be the delegate of one that has them. */
function ofDelegating(facts: Facts, { ref }: OtherObject): readonly Part[] | null {
  const delegating = facts.others("VirtualService", "networking.istio.io").filter((route) =>
    fieldsOf(route)
      .object("spec")
      .objects("http")
      .map((rule) => rule.object("delegate"))
      .some(
        (delegate) =>
          delegate.text("name") === ref.name &&
          (delegate.optionalText("namespace") ?? route.ref.namespace) === ref.namespace,
      ),
  );
  const above = delegating
    .filter((route) => fieldsOf(route).object("spec").texts("gateways").length > 0)
    .map((route) => selectedByGateways(facts, route));
  return above.length === 0 ? null : above.flatMap((parts) => parts ?? []);
}
