import { argumentsOf, type Facts, type Part } from "./facts.ts";
import { isOf } from "./ingress-kind.ts";
import { partsLike } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { type IngressClass, type IngressKind, noEntries, type System } from "./system.ts";

const controller = helmPart({
  hop: "gateway",
  component: "Ingress controller",
  match: { labels: { "app.kubernetes.io/name": "*ingress-nginx", "app.kubernetes.io/component": "controller" } },
  values: {
    replicas: "controller.replicaCount",
    budget: "controller.minAvailable",
    spread: "controller.topologySpreadConstraints",
  },
});

/** Other makers' builds of it, under labels of their own: known by the program it is. */
const unlabelled = helmPart({
  hop: "gateway",
  component: "Ingress controller",
  match: { kinds: ["Deployment", "DaemonSet"], images: ["nginx-ingress-controller", "ingress-nginx/controller"] },
  values: { replicas: "controller.replicaCount", budget: null, spread: null },
  orPlain: true,
});

/**
 * A class is served by the controllers that state it (`--controller-class`, else `--ingress-class`); those that state none serve
 * the usual one.
 * Mirrors: ingress-nginx 1.13, its flags; rke2-ingress-nginx and AKS application routing as their charts and operator set them.
 */
const nginxIngress: IngressKind = {
  serves: (ingressClass, facts) =>
    isOf({ controllers: ["k8s.io/ingress-nginx"], classes: /^nginx$/ }, ingressClass) ||
    controllersOf(facts).some((part) => statedBy(part, ingressClass) === true),
  outside: "",
  proxies: (ingressClass, facts) => {
    const all = controllersOf(facts);
    const stated = all.filter((part) => statedBy(part, ingressClass) === true);
    return stated.length > 0 ? stated : all.filter((part) => statedBy(part, ingressClass) === null);
  },
};

/** The ingress controller in front of Ingress objects of class nginx. Mirrors: chart ingress-nginx 4.14. */
export const ingressNginx: System = {
  name: "ingress-nginx",
  title: "ingress-nginx",
  about:
    "Deployment or DaemonSet labelled app.kubernetes.io/name ingress-nginx (rke2-ingress-nginx), component controller, or running that program: " +
    "it is proxy and controller in one. Which Ingresses are its own follows from their IngressClass's controller and its arguments.",
  gateways: [],
  entries: noEntries,
  ingresses: [nginxIngress],
  parts: [controller, unlabelled],
};

function controllersOf(facts: Facts): readonly Part[] {
  return partsLike(facts, controller.match, unlabelled.match);
}

/** Whether its arguments name this class; null: they name none. */
function statedBy(part: Part, { name, controller: wanted }: IngressClass): boolean | null {
  const argumentOf = (flag: string): string | null => {
    const found = argumentsOf(part).find((argument) => argument.startsWith(`--${flag}=`));
    return found === undefined ? null : found.slice(flag.length + 3);
  };
  const byController = wanted === "" ? null : argumentOf("controller-class");
  if (byController !== null) return byController === wanted;
  const byName = argumentOf("ingress-class");
  return byName === null ? null : byName === name;
}
