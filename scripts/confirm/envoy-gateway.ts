import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "../../src/wire/fields.ts";
import { pathSteps, valueAt } from "../../src/wire/object-path.ts";
import type { Json, JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { moduleFolder } from "../rig.ts";
import { pause } from "./plane.ts";
import type { World } from "./world.ts";

/** What the controller makes of a Gateway: here it is to make it itself. */
export function isEnvoyMade({ kind, metadata }: WireObject): boolean {
  const isMade = String(metadata["name"]).startsWith("envoy-modelplane-system-cluster-gateway");
  return isMade && ["Deployment", "ReplicaSet", "Pod", "Service", "PodDisruptionBudget"].includes(kind);
}

/** Gateway API's kinds and Envoy Gateway's own, as their modules bring them. */
export async function defineEnvoyKinds(world: World): Promise<void> {
  const gatewayApi = join(moduleFolder("envoy-gateway", "sigs.k8s.io/gateway-api"), "config", "crd", "experimental");
  const charts = join(moduleFolder("envoy-gateway", "github.com/envoyproxy/gateway"), "charts");
  const own = join(charts, "gateway-crds-helm", "templates", "generated");
  const files = [gatewayApi, own].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml" && !name.includes("vap_"))
      .map((name) => join(folder, name)),
  );
  const kinds = join(world.plane.folder, "kinds");
  mkdirSync(kinds, { recursive: true });
  for (const [index, file] of files.entries()) {
    // Helm's own lines around each file.
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(join(kinds, `${index}.yaml`), lines.filter((line) => !line.startsWith("{{")).join("\n"));
  }
  const { code, err } = await world.run(
    `kubectl apply --server-side -f '${kinds}' && kubectl wait --for=condition=Established crd --all --timeout=60s`,
  );
  if (code !== 0) throw new Error(`the kinds were not taken: ${err.slice(-600)}`);
}

const config = `apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyGateway
gateway: { controllerName: gateway.envoyproxy.io/gatewayclass-controller }
provider:
  type: Kubernetes
  kubernetes:
    leaderElection: { disable: true }
    topologyInjector: { disabled: true }
`;

/**
 * The controller itself, beside the plane; ready when it has made its proxies. It looks for its certificates at the root of
 * the file system, so it is given a root of its own.
 */
export async function startEnvoyGateway(world: World, binary: string): Promise<void> {
  const { plane } = world;
  const namespace = "envoy-gateway-system";
  const environment = `ENVOY_GATEWAY_NAMESPACE=${namespace} KUBERNETES_CLUSTER_DOMAIN=cluster.local`;
  const made = await world.run(`${environment} '${binary}' certgen --disable-topology-injector`);
  if (made.code !== 0) throw new Error(`Envoy Gateway made no certificates: ${made.err.slice(-600)}`);
  const folder = join(plane.folder, "envoy-gateway-root");
  for (const name of ["certs", "tmp"]) mkdirSync(join(folder, name), { recursive: true });
  const { body } = await plane.call("GET", `/api/v1/namespaces/${namespace}/secrets/envoy-gateway`);
  const data = isJsonObject(body["data"]) ? body["data"] : {};
  for (const [name, text] of Object.entries(data))
    writeFileSync(join(folder, "certs", name), Buffer.from(String(text), "base64"), { mode: 0o600 });
  writeFileSync(join(folder, "config.yaml"), config);
  copyFileSync(plane.kubeconfig, join(folder, "kubeconfig"));
  copyFileSync(binary, join(folder, "envoy-gateway"));
  chmodSync(join(folder, "envoy-gateway"), 0o755);
  for (const library of librariesOf(binary)) {
    mkdirSync(dirname(join(folder, library)), { recursive: true });
    copyFileSync(library, join(folder, library));
  }
  plane.start("envoy-gateway", "chroot", [folder, "/envoy-gateway", "server", "--config-path", "/config.yaml"], {
    KUBECONFIG: "/kubeconfig",
    ENVOY_GATEWAY_NAMESPACE: namespace,
    KUBERNETES_CLUSTER_DOMAIN: "cluster.local",
  });
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(300)) {
    const deployments = await plane.list(`/apis/apps/v1/namespaces/${namespace}/deployments`);
    if (deployments.some(({ metadata }) => JSON.stringify(metadata).includes("owning-gateway-name"))) return;
  }
  const log = readFileSync(join(plane.folder, "envoy-gateway.log"), "utf8");
  throw new Error(`Envoy Gateway made no proxies within a minute: ${log.slice(-1500)}`);
}

/** The proxies' Deployment and its budget, as far as an owner may state them. */
export async function proxiesOf(world: World): Promise<JsonObject> {
  const namespace = "envoy-gateway-system";
  const isOurs = ({ metadata }: JsonObject): boolean => JSON.stringify(metadata).includes("owning-gateway-name");
  const deployments = (await world.plane.list(`/apis/apps/v1/namespaces/${namespace}/deployments`)).filter(isOurs);
  const budgets = (await world.plane.list(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`)).filter(
    isOurs,
  );
  const spec = isJsonObject(deployments[0]?.["spec"]) ? deployments[0]["spec"] : {};
  const pod = valueAt(spec, pathSteps("template.spec"));
  const kept = (from: Json | undefined, names: readonly string[]): JsonObject =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = isJsonObject(from) ? from[name] : undefined;
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const numbers = kept(budgets[0]?.["spec"], ["minAvailable", "maxUnavailable", "selector"]);
  return {
    spec: {
      ...kept(spec, ["replicas", "strategy", "selector"]),
      template: { spec: kept(pod, podFields) },
    },
    ...(budgets.length === 0 ? {} : { budget: numbers }),
  };
}

const podFields = [
  "topologySpreadConstraints",
  "affinity",
  "tolerations",
  "terminationGracePeriodSeconds",
  "priorityClassName",
];

/** Edits of an EnvoyProxy, one after the other, and what the controller has made after each. */
export async function ownersAndMade(world: World): Promise<readonly JsonObject[]> {
  const kubernetes = (value: JsonObject): JsonObject => ({ spec: { provider: { kubernetes: value } } });
  const deployment = (value: JsonObject): JsonObject => kubernetes({ envoyDeployment: value });
  const avoid = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferApart] } };
  const edits: readonly JsonObject[] = [
    deployment({ replicas: 3 }),
    kubernetes({ envoyPDB: { maxUnavailable: null, minAvailable: 2 } }),
    deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }),
    deployment({ pod: { topologySpreadConstraints: null, affinity: avoid } }),
    deployment({ pod: { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] } }),
    deployment({ pod: { priorityClassName: "system-cluster-critical" } }),
    { spec: { shutdown: { drainTimeout: "300s" } } },
    kubernetes({ envoyPDB: null }),
    deployment({ replicas: null }),
  ];
  const path = "/apis/gateway.envoyproxy.io/v1alpha1/namespaces/modelplane-system/envoyproxies/cluster-gateway";
  const pairs: JsonObject[] = [];
  for (const edit of [{}, ...edits]) {
    const { body } = await world.plane.call("PATCH", path, edit, "application/merge-patch+json");
    await pause(2_500);
    await world.settled();
    pairs.push({ edit, owner: { spec: body["spec"] ?? {} }, made: await proxiesOf(world) });
  }
  return pairs;
}

const preferApart = {
  weight: 100,
  podAffinityTerm: {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { "gateway.envoyproxy.io/owning-gateway-name": "cluster-gateway" } },
  },
};

/** What a program is linked with. */
function librariesOf(binary: string): readonly string[] {
  const { stdout } = spawnSync("ldd", [binary], { encoding: "utf8" });
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
}

/**
 * It listens on every address, on fixed ports: so all of it runs where loopback is the only network there is. Answers whether
 * this process is there; if not, how it is started again there.
 */
export function aloneOnLoopback(argv: readonly string[]): readonly string[] | null {
  if (process.env["HOLDFAST_ALONE"] === "yes") return null;
  const again = [process.execPath, ...argv].map((word) => `'${word}'`).join(" ");
  return ["unshare", "-rn", "sh", "-c", `ip link set lo up && HOLDFAST_ALONE=yes exec ${again}`];
}
