import { type Fields, nodes } from "./objects.ts";

/** Three nodes alike, and the steps and references that many recordings have. */
export const three = nodes("n1 n2 n3");

export const all: Fields = { waitReady: "all" };

export function ref(name: string, kind = "Deployment", apiVersion = "apps/v1"): Fields {
  return { apiVersion, kind, namespace: "serving", name };
}

export function scale(name: string, replicas: number, kind = "Deployment", apiVersion = "apps/v1"): Fields {
  return { scale: { ref: ref(name, kind, apiVersion), replicas } };
}

/** A template that is touched: its pods are made anew. */
export function roll(name: string, kind = "Deployment"): Fields {
  return {
    patch: { spec: { template: { metadata: { annotations: { touched: "1" } } } } },
    target: ref(name, kind),
    type: "strategic",
  };
}

export function surge(maxSurge: number | string, maxUnavailable: number | string): Fields {
  return { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } };
}

/** What the server gives every pod, with other seconds. */
export function unreachable(seconds: number): Fields {
  return {
    tolerations: ["not-ready", "unreachable"].map((name) => ({
      key: `node.kubernetes.io/${name}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: seconds,
    })),
  };
}
