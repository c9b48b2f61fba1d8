import { ingressOutside } from "./ingress-kind.ts";
import { failOpenUnknown, type GatewayKind, noEntries, type System } from "./system.ts";

/** Gateways whose proxies run at the cloud: nothing here to drain or to make redundant. */
export const managedGateways: System = {
  name: "managed-gateways",
  title: "Managed gateways (GKE, AWS, Azure)",
  about:
    "GatewayClasses served outside the cluster: gke-l7-* at Google, Application Load Balancers and VPC Lattice at AWS, Application " +
    "Gateway for Containers at Azure. The hop is shown as outside and never down here; a picker in front of them is needed, " +
    "because it is not known that they grant FailOpen.",
  entries: noEntries,
  parts: [],
  ingresses: [
    ingressOutside({
      controllers: ["ingress.k8s.aws/alb", "eks.amazonaws.com/alb"],
      classes: /^alb/,
      outside: "an AWS load balancer, outside the cluster",
    }),
    ingressOutside({
      controllers: ["ingress.gce.io/*", "networking.gke.io/*"],
      classes: /^gce(-internal|-multi-cluster)?$/,
      outside: "Google Cloud's load balancer, outside the cluster",
    }),
    ingressOutside({
      controllers: ["azure/application-gateway"],
      classes: /^azure[-/]application-gateway$/,
      outside: "Azure Application Gateway, outside the cluster",
    }),
    ingressOutside({
      controllers: ["alb.networking.azure.io/alb-controller"],
      classes: /^azure-alb/,
      outside: "Azure Application Gateway for Containers, outside the cluster",
    }),
  ],
  gateways: [
    managed("Google Cloud's load balancer", /^gke-/, ["networking.gke.io/gateway"]),
    managed("an AWS load balancer", /^(aws-alb|alb|nlb|amazon-vpc-lattice)$/, [
      "gateway.k8s.aws/alb",
      "gateway.k8s.aws/nlb",
      "eks.amazonaws.com/alb",
      "application-networking.k8s.aws/gateway-api-controller",
    ]),
    managed("Azure Application Gateway for Containers", /^azure-alb/, ["alb.networking.azure.io/alb-controller"]),
  ],
};

function managed(where: string, classes: RegExp, controllers: readonly string[]): GatewayKind {
  return {
    controllers,
    classes,
    outside: `${where}, outside the cluster`,
    proxies: () => [],
    honoursFailOpen: failOpenUnknown(where),
  };
}
