import { eksManaged } from "../../src/maintenance/actors/eks-managed.ts";
import { kubectlDrainInTurn } from "../../src/maintenance/actors/kubectl-drain-in-turn.ts";
import { nebius } from "../../src/maintenance/actors/nebius.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { running, twoOf } from "../support/findings.ts";
import { object, service, servingCluster } from "../support/serving.ts";
import { at, isKind, labelsOf, list, metadataOf, nameOf, namespaceOf, specOf, type Tree } from "../support/trees.ts";
import {
  add,
  addOther,
  isDeployment,
  isGroup,
  isScaleless,
  makerOf,
  nodeOf,
  onEveryPath,
  onPath,
  type Part,
  podSpecsOf,
  podsOf,
  remove,
  setReplicas,
  setScaler,
} from "./part.ts";
import { type Excuse, none, type Twin } from "./twin.ts";

const noDeployment: Excuse = {
  reason: "no part in the cluster is a Deployment",
  isSo: (parts) => !parts.some(isDeployment),
};
const noRoute: Excuse = {
  reason: "no HTTPRoute leads to the endpoint, or nothing in the cluster carries its streams",
  isSo: (parts) => !parts.some(hasRoute),
};
const noDrainSettings: Excuse = {
  reason: "no proxy of an EnvoyProxy that was read is on the path",
  isSo: (parts) => !parts.some((part) => drainSettings(part) !== undefined),
};

export const breaksOfPaths: readonly Twin[] = [
  {
    id: "fail-open-ignored/ignored",
    about: "a pool that fails open behind a gateway that may not care",
    severity: "note",
    on: (part) => poolOf(part) !== undefined && staysNeeded(part),
    unless: [
      {
        reason: "no InferencePool is there, no picker of it is in the cluster, or its gateway serves on without one",
        isSo: (parts) => !parts.some((part) => poolOf(part) !== undefined && staysNeeded(part)),
      },
    ],
    prepare: (part) => setFailureMode(part, "FailClose"),
    change: (part) => setFailureMode(part, "FailOpen"),
  },
  {
    id: "webhook-single/single",
    about: "a webhook in its way, behind one pod",
    severity: "note",
    component: () => "hook",
    once: true,
    on: isDeployment,
    unless: [noDeployment],
    prepare: addWebhook,
    change: ({ things }) => {
      for (const thing of things.filter(
        (one) => nameOf(one).startsWith("hook") && isKind(one, "Deployment", "ReplicaSet"),
      ))
        specOf(thing)["replicas"] = 1;
      things.splice(
        things.findIndex((one) => nameOf(one) === "hook-h-1"),
        1,
      );
    },
  },
  {
    id: "eviction-refused/webhookAway",
    about: "a webhook that is asked of evictions has no pods",
    severity: "warning",
    component: partsAlone,
    once: true,
    on: () => true,
    unless: none,
    prepare: (part) => addGuard(part),
    change: removeGuard,
  },
  {
    id: "eviction-refused/webhookUnknown",
    about: "nor a Service",
    severity: "warning",
    component: partsAlone,
    once: true,
    on: () => true,
    unless: none,
    prepare: (part) => addGuard(part),
    change: (part) => {
      removeGuard(part);
      remove(
        part,
        part.things.filter((thing) => isKind(thing, "Service") && nameOf(thing) === "guard"),
      );
    },
  },
  {
    id: "eviction-refused/namespaceGoes",
    about: "its namespace is being deleted",
    severity: "warning",
    component: partsAlone,
    once: true,
    on: () => true,
    unless: none,
    prepare: (part) => setNamespace(part, part.namespace, "Active"),
    change: (part) => setNamespace(part, part.namespace, "Terminating"),
  },
  {
    id: "eviction-refused/notOnPath",
    about: "somebody else's namespace is being deleted, with pods on its nodes",
    severity: "note",
    component: () => "several",
    once: true,
    on: () => true,
    unless: none,
    prepare: addOther,
    change: (part) => setNamespace(part, "others", "Terminating"),
  },
  {
    id: "autoscaler-floor/floorOfOne",
    about: "an autoscaler that may go down to one",
    severity: "warning",
    on: isDeployment,
    unless: [noDeployment],
    prepare: (part) => setScaler(part, 2, null),
    change: (part) => setScaler(part, 1, null),
  },
  {
    id: "scaled-to-zero/mayBe",
    about: "KEDA may go to zero",
    severity: "note",
    on: isDeployment,
    unless: [noDeployment],
    prepare: (part) => setScaler(part, 2, 2),
    change: (part) => setScaler(part, 1, 0),
  },
  {
    id: "scaled-to-zero/idle",
    about: "all engines wanted zero times",
    severity: "note",
    component: ({ endpoint }) => endpoint.ref.name,
    once: true,
    on: (part) => part.hop.hop === "engine" && enginesOf(part).every(hasTemplate),
    unless: [
      {
        reason: "no engine is in the cluster, or its pods are all there is to know it by",
        isSo: (parts) => !parts.some((part) => part.hop.hop === "engine" && enginesOf(part).every(hasTemplate)),
      },
    ],
    change: (part) => {
      for (const engine of enginesOf(part)) setReplicas(engine, 0);
    },
  },
  {
    id: "quota-forbids-surge/noRoom",
    about: "a quota as large as what runs",
    severity: "note",
    component: () => "q",
    on: (part) => !isScaleless(part) || podsOf(part).length > 0,
    unless: none,
    prepare: (part) => setQuota(part, podsIn(part) + 8),
    change: (part) => setQuota(part, podsIn(part)),
  },
  {
    id: "quota-forbids-surge/overdrawn",
    about: "a quota lowered under what runs",
    severity: "warning",
    component: () => "q",
    on: (part) => !isScaleless(part) || podsOf(part).length > 0,
    unless: none,
    prepare: (part) => setQuota(part, podsIn(part) + 8),
    change: (part) => setQuota(part, podsIn(part) - 1),
  },
  {
    id: "limit-range-refuses/refused",
    about: "a limit that came after its pods",
    severity: "warning",
    component: () => "small",
    on: asksForMemory,
    unless: [
      {
        reason: "no part in the cluster says how much memory it asks for",
        isSo: (parts) => !parts.some(asksForMemory),
      },
    ],
    change: (part) => {
      const limits = [{ type: "Container", max: { memory: "1Ki" } }];
      add(part, object("v1", "LimitRange", "small", { limits }, { namespace: part.namespace }));
    },
  },
  {
    id: "short-grace/brief",
    about: "a grace below the usual",
    severity: "note",
    on: carriesStreams,
    unless: none,
    change: (part) => setGrace(part, 20),
    also: [
      {
        line: ({ name }) => [`proxy-drain-timeout/graceFirst warning ${name}`],
        because: "Envoy Gateway's proxies drain for a minute unless told otherwise",
        on: (part) => drainSettings(part) !== undefined,
      },
    ],
  },
  {
    id: "short-grace/eaten",
    about: "a preStop that eats the grace",
    severity: "note",
    on: carriesStreams,
    unless: none,
    change: (part) => {
      for (const spec of podSpecsOf(part)) {
        const graceSeconds = Number(spec["terminationGracePeriodSeconds"] ?? 30);
        for (const container of list(spec["containers"]))
          container["lifecycle"] = { preStop: { sleep: { seconds: graceSeconds - 15 } } };
      }
    },
  },
  {
    id: "short-grace/cutsAllowed",
    about: "a route that allows longer answers than its grace",
    severity: "note",
    component: (part) => {
      const [only, second] = onPath(part).filter(carriesStreams);
      return second === undefined && only !== undefined ? only.name : part.endpoint.ref.name;
    },
    once: true,
    on: hasRoute,
    unless: [noRoute],
    // Told of the part alone where it is the only one that is too short: here nothing else is asked to wait as long.
    prepare: (part) => {
      for (const one of onPath(part)) setGrace(one, 7200);
      setRouteTimeout(part, "600s");
      setDrainTimeout(part, "600s");
    },
    change: (part) => {
      for (const one of onPath(part).filter(carriesStreams)) setGrace(one, 599);
      setDrainTimeout(part, "599s");
    },
    also: [
      {
        line: (part) => [`proxy-drain-timeout/closesEarly note ${proxiesOf(part)[0]?.name ?? ""}`],
        because: "a proxy that may not take as long does not drain as long",
        on: (part) => proxiesOf(part).some((one) => drainSettings(one) !== undefined),
      },
    ],
  },
  {
    id: "grace-beyond-drain/tooLong",
    about: "a grace longer than the drain waits",
    severity: "note",
    on: () => true,
    unless: none,
    maintainer: nebius,
    change: (part) => setGrace(part, 7200),
  },
  {
    id: "grace-beyond-drain/givesUp",
    about: "a grace longer than the drain waits before it gives the node up",
    severity: "note",
    on: () => true,
    unless: none,
    maintainer: eksManaged,
    change: (part) => setGrace(part, 7200),
  },
  {
    id: "drain-refused/bare",
    about: "a pod of it that nobody owns",
    severity: "warning",
    component: () => "bare",
    on: ({ hop, endpoint }) => hop.hop === "engine" && endpoint.system === "service" && hop.unit.kind === "pod",
    unless: [
      {
        reason: "its engines are those of workloads, or groups",
        isSo: (parts) =>
          !parts.some(
            ({ hop, endpoint }) => hop.hop === "engine" && endpoint.system === "service" && hop.unit.kind === "pod",
          ),
      },
    ],
    change: (part) => {
      const [pod] = podsOf(part);
      if (pod === undefined) return;
      const bare = structuredClone(pod);
      bare["metadata"] = { name: "bare", namespace: part.namespace, labels: { ...labelsOf(pod), bare: "yes" } };
      part.things.push(bare);
    },
  },
  {
    id: "drain-refused/refuses",
    about: "a pod of somebody else that nobody owns, on its node",
    severity: "note",
    component: () => "several",
    once: true,
    on: () => true,
    unless: none,
    maintainer: kubectlDrainInTurn,
    change: (part) => {
      const [pod] = podsOf(part);
      const nodeName = pod === undefined ? "" : specOf(pod)["nodeName"];
      add(part, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "debug", namespace: "others" },
        spec: { nodeName, containers: [{ name: "main", image: "app:1" }] },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      });
    },
  },
  {
    id: "preemptable/lower",
    about: "others of higher priority that may preempt",
    severity: "note",
    on: (part) => podsOf(part).every((pod) => specOf(pod)["priorityClassName"] === undefined),
    unless: none,
    prepare: (part) => addStronger(part, "Never"),
    change: (part) => addStronger(part, "PreemptLowerPriority"),
    component: (part) => weakestOn(part),
  },
  {
    id: "local-data/emptyDir",
    about: "an emptyDir",
    severity: "note",
    on: (part) => !hasEmptyDir(part),
    unless: [{ reason: "all parts have one already", isSo: (parts) => parts.every(hasEmptyDir) }],
    maintainer: kubectlDrainInTurn,
    component: (part) => (onPath(part).some(hasEmptyDir) ? "several" : part.name),
    change: (part) => {
      for (const spec of podSpecsOf(part))
        spec["volumes"] = [...list(spec["volumes"]), { name: "scratch", emptyDir: {} }];
    },
  },
  {
    id: "fix-reverted/putBack",
    about: "GitOps applies it",
    severity: "note",
    on: (part) => isPlain(part) && onEveryPath(part).every(isPlain),
    unless: [
      {
        reason: "something generates a part of the path already",
        isSo: (parts) => !parts.some((part) => isPlain(part) && onEveryPath(part).every(isPlain)),
      },
    ],
    change: (part) => {
      at(metadataOf(makerOf(part)), "annotations")["argocd.argoproj.io/tracking-id"] =
        `models:apps/Deployment:${part.name}`;
    },
  },
  {
    id: "proxy-drain-timeout/closesEarly",
    about: "a proxy that closes streams before the route's limit",
    severity: "note",
    on: (part) => drainSettings(part) !== undefined && hasRoute(part),
    unless: [noDrainSettings],
    prepare: (part) => {
      setRouteTimeout(part, "25s");
      setDrainTimeout(part, "25s");
    },
    change: (part) => setDrainTimeout(part, "24s"),
  },
  {
    id: "proxy-drain-timeout/graceFirst",
    about: "a proxy that is killed before it has drained",
    severity: "warning",
    on: (part) => drainSettings(part) !== undefined,
    unless: [noDrainSettings],
    change: (part) => {
      setDrainTimeout(part, "3600s");
    },
  },
];

function hasTemplate(part: Part): boolean {
  return isDeployment(part) || isGroup(part);
}

function carriesStreams({ hop }: Part): boolean {
  return ["engine", "gateway", "router"].includes(hop.hop);
}

function enginesOf(part: Part): readonly Part[] {
  return onPath(part).filter(({ hop }) => hop.hop === "engine");
}

function proxiesOf(part: Part): readonly Part[] {
  return onPath(part).filter(({ hop }) => hop.hop === "gateway");
}

/** The routes whose timeout is what the endpoint promises. */
function routesOf(part: Part): readonly Tree[] {
  return part.things.filter((thing) => {
    if (!isKind(thing, "HTTPRoute")) return false;
    const rules = specOf(thing)["rules"];
    setTimeouts(thing, "777s");
    const { namespace, name } = part.endpoint;
    const { endpoints } = endpointsOf(servingCluster(part.things));
    specOf(thing)["rules"] = rules;
    return endpoints.some(
      (one) => one.namespace === namespace && one.name === name && one.requestTimeoutMs === 777_000,
    );
  });
}

function setTimeouts(route: Tree, request: string): void {
  specOf(route)["rules"] = list(specOf(route)["rules"]).map((rule) => ({ ...rule, timeouts: { request } }));
}

function hasRoute(part: Part): boolean {
  return onPath(part).some(carriesStreams) && routesOf(part).length > 0;
}

function setRouteTimeout(part: Part, request: string): void {
  for (const route of routesOf(part)) setTimeouts(route, request);
}

function drainSettings({ hop, things }: Part): Tree | undefined {
  const { owner } = hop;
  if (hop.hop !== "gateway" || owner?.kind !== "EnvoyProxy") return undefined;
  return things.find(
    (one) => isKind(one, "EnvoyProxy") && nameOf(one) === owner.name && namespaceOf(one) === owner.namespace,
  );
}

function setDrainTimeout(part: Part, drainTimeout: string): void {
  for (const proxy of part.things.filter((thing) => isKind(thing, "EnvoyProxy")))
    specOf(proxy)["shutdown"] = { drainTimeout };
}

function setGrace(part: Part, seconds: number): void {
  for (const spec of podSpecsOf(part)) spec["terminationGracePeriodSeconds"] = seconds;
}

/** The pool whose picker it is. */
function poolOf(part: Part): Tree | undefined {
  if (part.hop.hop !== "picker") return undefined;
  return part.things.find((thing) => {
    if (!isKind(thing, "InferencePool")) return false;
    const { name } = at(specOf(thing), "endpointPickerRef");
    return `${namespaceOf(thing)}/${String(name)}` === part.hop.service;
  });
}

function setFailureMode(part: Part, mode: string): void {
  const pool = poolOf(part);
  if (pool !== undefined) at(specOf(pool), "endpointPickerRef")["failureMode"] = mode;
}

/** Its gateway is not known to serve without it. */
function staysNeeded(part: Part): boolean {
  const copy = { ...part, things: structuredClone(part.things) };
  setFailureMode(copy, "FailOpen");
  return endpointsOf(servingCluster(copy.things)).endpoints.some(({ hops }) =>
    hops.some(({ ref, needed }) => ref.name === part.name && ref.namespace === part.namespace && needed),
  );
}

/** Two pods on these nodes that must be asked, as `name`, before anything like this is made in its namespace. */
function addHook(
  part: Part,
  name: string,
  { nodes, resource }: { readonly nodes: readonly string[]; readonly resource: string },
): void {
  const hook = twoOf(name, `${name}s`, nodes.slice(0, 2));
  hook.spec["tolerations"] = [{ operator: "Exists" }];
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource] }];
  const clientConfig = { service: { namespace: `${name}s`, name, port: 443 } };
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": part.namespace } };
  add(part, ...running(name, hook), service(name, { app: name }, { namespace: `${name}s` }), {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [{ name: `${name}.example.com`, failurePolicy: "Fail", clientConfig, namespaceSelector, rules }],
  });
}

/** Two pods that answer for every new pod of its namespace. */
function addWebhook(part: Part): void {
  const [first] = podsOf(part);
  const pool = first === undefined ? "" : String(specOf(first)["nodeName"]).replace(/\d+$/, "");
  const nodes = part.things.filter((thing) => isKind(thing, "Node") && nameOf(thing).startsWith(pool)).map(nameOf);
  addHook(part, "hook", { nodes, resource: "pods" });
}

/** The part alone, where no other part of the path and nothing that supports it is in its namespace. */
function partsAlone({ namespace, things }: Part): string {
  const { endpoints, supporting } = endpointsOf(servingCluster(things));
  const all = [...endpoints.flatMap(({ hops }) => hops.filter(({ onPath }) => onPath)), ...supporting];
  const names = all
    .filter(({ ref, outside }) => ref.namespace === namespace && outside === "" && ref.kind !== "DaemonSet")
    .map(({ ref }) => `${ref.kind} ${ref.name}`);
  const [only, second] = new Set(names);
  return second === undefined && only !== undefined ? only.slice(only.indexOf(" ") + 1) : "several";
}

/** A webhook that is asked before anything in the part's namespace is evicted. */
function addGuard(part: Part): void {
  const nodes = podsOf(part).flatMap((pod) => String(specOf(pod)["nodeName"]));
  addHook(part, "guard", { nodes, resource: "pods/eviction" });
}

function removeGuard(part: Part): void {
  remove(
    part,
    part.things.filter((thing) => namespaceOf(thing) === "guards" && !isKind(thing, "Service")),
  );
}

function setNamespace(part: Part, name: string, phase: string): void {
  remove(
    part,
    part.things.filter((thing) => isKind(thing, "Namespace") && nameOf(thing) === name),
  );
  add(part, { apiVersion: "v1", kind: "Namespace", metadata: { name }, status: { phase } });
}

function podsIn({ things, namespace }: Part): number {
  return things.filter((thing) => isKind(thing, "Pod") && namespaceOf(thing) === namespace).length;
}

/** What asks for none gets the limit's own. */
function asksForMemory(part: Part): boolean {
  return JSON.stringify(podSpecsOf(part)).includes('"memory":');
}

function setQuota(part: Part, pods: number): void {
  remove(
    part,
    part.things.filter((thing) => isKind(thing, "ResourceQuota")),
  );
  const hard = { pods: String(pods) };
  add(part, {
    ...object("v1", "ResourceQuota", "q", { hard }, { namespace: part.namespace }),
    status: { hard, used: { pods: String(podsIn(part)) } },
  });
}

/** Somebody else's pod of more priority, where the part's first one is. */
function addStronger(part: Part, preemptionPolicy: string): void {
  remove(
    part,
    part.things.filter((thing) => ["high", "batch"].includes(nameOf(thing))),
  );
  const [pod] = podsOf(part);
  const nodeName = pod === undefined ? "" : nameOf(nodeOf(part, pod));
  const priorities = { priorityClassName: "high", priority: 1000, preemptionPolicy };
  const nodeSelector = { "kubernetes.io/hostname": nodeName };
  add(
    part,
    {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "high" },
      value: 1000,
      preemptionPolicy,
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "batch", namespace: "others" },
      spec: {
        nodeName,
        nodeSelector,
        ...priorities,
        tolerations: [{ operator: "Exists" }],
        containers: [{ name: "main", image: "app:1" }],
      },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    },
  );
}

/** Told of the first part on that node, by namespace and name. */
function weakestOn(part: Part): string {
  const [pod] = podsOf(part);
  const node = pod === undefined ? "" : specOf(pod)["nodeName"];
  const there = onEveryPath(part).filter(
    (one) =>
      podsOf(one).some((its) => specOf(its)["nodeName"] === node) &&
      podsOf(one).every((its) => specOf(its)["priorityClassName"] === undefined),
  );
  const sorted = there.map(({ namespace, name }) => `${namespace}\0${name}`).sort();
  return sorted[0]?.split("\0")[1] ?? "";
}

function hasEmptyDir(part: Part): boolean {
  return podSpecsOf(part).some((spec) => list(spec["volumes"]).some((volume) => "emptyDir" in volume));
}

/** Nothing generates it. */
function isPlain(part: Part): boolean {
  return isDeployment(part) && !isGroup(part) && part.hop.knobs.overwrites === "" && part.hop.knobs.managedBy === "";
}
