import { createBudget, none } from "./knobs.ts";
import { ownedPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/** OpenShift's own router in front of Route objects. Mirrors: the ingress operator of OpenShift 4.2x. */
export const openShift: System = {
  name: "openshift",
  title: "OpenShift ingress",
  about:
    "Router Deployments in openshift-ingress, set by the IngressController of the same name: spec.replicas; the operator brings its own " +
    "anti-affinity and budget and puts the Deployment back.",
  gateways: [],
  entries: noEntries,
  parts: [
    ownedPart({
      hop: "gateway",
      component: "OpenShift router",
      match: { labels: { "ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "*" } },
      owner: (part) => ({
        apiVersion: "operator.openshift.io/v1",
        kind: "IngressController",
        namespace: "openshift-ingress-operator",
        name: part.labels.get("ingresscontroller.operator.openshift.io/deployment-ingresscontroller") ?? "default",
      }),
      replicas: "spec.replicas",
      spread: null,
      budget: none("The ingress operator makes one itself when there is more than one replica."),
      overwrites: "The ingress operator puts the Deployment back.",
    }),
    ownedPart({
      hop: "controller",
      component: "Ingress operator",
      whileGone: "Routers are not reconciled; those running serve on.",
      match: { namespace: "openshift-ingress-operator", name: /^ingress-operator$/ },
      owner: () => null,
      replicas: null,
      spread: null,
      budget: createBudget(),
      overwrites: "The cluster version operator puts it back.",
    }),
  ],
};
