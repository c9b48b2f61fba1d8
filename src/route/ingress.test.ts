import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { object, pathsOf, service, type Thing, workload } from "../../test/support/serving.ts";

const model = [workload("m", { gpus: 1 }), service("m", { app: "m" })];
const rule = { http: { paths: [{ backend: { service: { name: "m" } } }] } };
const ingress = (className: string | null): Thing =>
  object("networking.k8s.io/v1", "Ingress", "i", {
    ...(className === null ? {} : { ingressClassName: className }),
    rules: [rule],
  });
const ingressClass = (name: string, controller: string, annotations: Thing = {}): Thing =>
  object("networking.k8s.io/v1", "IngressClass", name, { controller }, { annotations });
const front = (name: string, labels: Thing, extra: Thing = {}): Thing =>
  workload(name, { namespace: "front", labels, ...extra });
const name = "app.kubernetes.io/name";
const controller = { "app.kubernetes.io/component": "controller" };

/** What stands in front, by name; a managed one or a gap in its own words. */
function inFront(things: readonly Thing[]): string {
  return pathsOf([...model, ...things])
    .slice(1)
    .filter((line) => !line.startsWith("  engine"))
    .map((line) => line.trim().split(";")[0])
    .join(" | ");
}

rows("in front of an Ingress stands", inFront, [
  [
    "ingress-nginx",
    [ingress("nginx"), front("x", { [name]: "ingress-nginx", ...controller })],
    "gateway Deployment/x x1",
  ],
  [
    "RKE2's build of it",
    [ingress("nginx"), front("x", { [name]: "rke2-ingress-nginx", ...controller })],
    "gateway Deployment/x x1",
  ],
  [
    "of two, the one that names the class's controller",
    [
      ingress("inner"),
      ingressClass("inner", "example.com/inner"),
      front("x", { [name]: "ingress-nginx", ...controller }, { args: ["--controller-class=k8s.io/ingress-nginx"] }),
      front("y", { [name]: "ingress-nginx", ...controller }, { args: ["--controller-class=example.com/inner"] }),
    ],
    "gateway Deployment/y x1",
  ],
  [
    "an unlabelled build by its program",
    [
      ingress("webapprouting.kubernetes.azure.com"),
      ingressClass("webapprouting.kubernetes.azure.com", "webapprouting.kubernetes.azure.com/nginx"),
      front(
        "nginx",
        {},
        {
          image: "mcr.microsoft.com/oss/kubernetes/ingress/nginx-ingress-controller:v1.13.1",
          args: ["--controller-class=webapprouting.kubernetes.azure.com/nginx"],
        },
      ),
    ],
    "gateway Deployment/nginx x1",
  ],
  [
    "the default class where none is stated",
    [
      ingress(null),
      ingressClass("k", "ingress-controllers.konghq.com/kong", {
        "ingressclass.kubernetes.io/is-default-class": "true",
      }),
      front("kong", { [name]: "kong" }),
    ],
    "gateway Deployment/kong x1",
  ],
  ["Traefik", [ingress("traefik"), front("t", { [name]: "traefik" })], "gateway Deployment/t x1"],
  ["HAProxy", [ingress("haproxy"), front("h", { [name]: "kubernetes-ingress" })], "gateway Deployment/h x1"],
  ["APISIX", [ingress("apisix"), front("a", { [name]: "apisix" })], "gateway Deployment/a x1"],
  [
    "Contour",
    [ingress("contour"), front("e", { [name]: "contour", "app.kubernetes.io/component": "envoy" })],
    "gateway Deployment/e x1",
  ],
  [
    "NGINX Inc's by its controller",
    [ingress("nginx"), ingressClass("nginx", "nginx.org/ingress-controller"), front("n", { [name]: "nginx-ingress" })],
    "gateway Deployment/n x1",
  ],
  [
    "a class of any name at AWS",
    [ingress("public"), ingressClass("public", "ingress.k8s.aws/alb")],
    "gateway Ingress/i, outside",
  ],
  ["nobody who is known", [ingress("unheard-of")], "! the controller of ingress class unheard-of is not in the input"],
  [
    "nobody: another class's controller is not in front",
    [ingress("other"), front("x", { [name]: "ingress-nginx", ...controller })],
    "! the controller of ingress class other is not in the input",
  ],
]);

test("at Google an Ingress without a class is the load balancer's", () => {
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { "cloud.google.com/gke-nodepool": "p" } },
  };
  assert.match(inFront([ingress(null), node]), /^gateway Ingress\/i/);
});
