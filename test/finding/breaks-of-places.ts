import { running, twoOf } from "../support/findings.ts";
import { at, labelsOf, list, metadataOf, nameOf, specOf } from "../support/trees.ts";
import {
  add,
  addNode,
  isDeployment,
  isGroup,
  isOnGpus,
  isScaleless,
  makerOf,
  mostOfANode,
  nodeOf,
  nodesOf,
  onEveryPath,
  ownNodesOf,
  type Part,
  podSpecsOf,
  podsOf,
  remove,
  setReplicas,
} from "./part.ts";
import { type Excuse, none, type Twin } from "./twin.ts";

const host = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";

const noSystemPart: Excuse = {
  reason: "no Deployment of the path is on nodes without accelerators",
  isSo: (parts) => !parts.some((part) => isDeployment(part) && !isOnGpus(part)),
};
const noEngineHere: Excuse = {
  reason: "no Deployment of engines on accelerators is in the cluster",
  isSo: (parts) => !parts.some((part) => isDeployment(part) && isOnGpus(part)),
};

const noneMustSurge: Excuse = {
  reason: "no Deployment on every node of its pool must place a new pod before an old one goes",
  isSo: (parts) => !parts.some(mustSurge),
};
const noneFillsItsNodes: Excuse = {
  reason: "no Deployment is on every node of its pool",
  isSo: (parts) => !parts.some((part) => isDeployment(part) && fillsItsNodes(part)),
};

export const breaksOfPlaces: readonly Twin[] = [
  {
    id: "lost-node/onLostNode",
    about: "one of its pods is on a node that does not answer",
    severity: "warning",
    once: true,
    on: () => true,
    unless: none,
    change: (part) => {
      const [pod] = podsOf(part);
      if (pod === undefined) return;
      const old = nodeOf(part, pod);
      const name = addNode(part, old, String(labelsOf(old)[zone]));
      specOf(pod)["nodeName"] = name;
      at(nodeOf(part, pod), "status")["conditions"] = [{ type: "Ready", status: "Unknown" }];
    },
  },
  {
    id: "single-replica/onlyOne",
    about: "one replica",
    severity: "note",
    on: isAlone,
    unless: none,
    change: (part) => setReplicas(part, 1),
    also: [
      {
        line: ({ name }) => [`budget-never-allows/allNeeded warning ${name}`],
        because: "its budget can only be an integer, and one of one holds",
        on: isScaleless,
      },
    ],
  },
  {
    id: "same-node/together",
    about: "both on one node",
    severity: "note",
    on: (part) => !isGroup(part),
    unless: none,
    change: (part) => {
      const [first] = podsOf(part);
      if (first !== undefined) for (const pod of podsOf(part)) specOf(pod)["nodeName"] = specOf(first)["nodeName"];
    },
  },
  {
    id: "same-zone/oneZone",
    about: "both in one zone",
    severity: "note",
    on: (part) => !isGroup(part),
    unless: none,
    prepare: (part) => {
      const [first] = podsOf(part);
      if (first !== undefined) addNode(part, nodeOf(part, first), String(labelsOf(nodeOf(part, first))[zone]));
    },
    change: (part) => {
      const [first, second] = podsOf(part);
      if (first !== undefined && second !== undefined)
        specOf(second)["nodeName"] = `${String(specOf(first)["nodeName"])}-more`;
    },
  },
  {
    id: "spread-does-not-spread/selectsOthers",
    about: "a spread that selects others",
    severity: "warning",
    on: isDeployment,
    unless: [noDeployment()],
    change: (part) => setSpread(part, { labelSelector: { matchLabels: { app: "nobody" } } }),
  },
  {
    id: "spread-does-not-spread/soft",
    about: "a spread that is only a wish",
    severity: "note",
    on: isDeployment,
    unless: [noDeployment()],
    change: (part) => setSpread(part, { whenUnsatisfiable: "ScheduleAnyway" }),
  },
  {
    id: "spread-does-not-spread/countsClosed",
    about: "a spread that counts nodes it cannot use",
    severity: "note",
    on: (part) => isDeployment(part) && fillsItsNodes(part),
    unless: [noneFillsItsNodes],
    // Engines tolerate the taint; what they count besides is nodes without accelerators.
    change: (part) => {
      for (const spec of podSpecsOf(part)) spec["nodeSelector"] = {};
      setSpread(part, { nodeTaintsPolicy: "Ignore" });
    },
  },
  {
    id: "rollout-cannot-finish/apart",
    about: "anti-affinity that leaves a rollout no node",
    severity: "warning",
    on: mustSurge,
    unless: [noneMustSurge],
    change: (part) => {
      for (const spec of podSpecsOf(part)) {
        const [{ labelSelector } = {}] = list(spec["topologySpreadConstraints"]);
        const term = { topologyKey: host, labelSelector };
        spec["affinity"] = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      }
    },
  },
  {
    id: "rollout-cannot-finish/spread",
    about: "a spread that counts old pods and nodes it cannot use",
    severity: "warning",
    on: mustSurge,
    unless: [noneMustSurge],
    prepare: (part) => setSpread(part, { matchLabelKeys: [] }),
    change: (part) => {
      for (const spec of podSpecsOf(part)) spec["nodeSelector"] = {};
      setSpread(part, { nodeTaintsPolicy: "Ignore" });
    },
  },
  {
    id: "rollout-cannot-finish/noRoom",
    about: "requests that leave no room beside the old pods",
    severity: "warning",
    on: mustSurge,
    unless: [noneMustSurge],
    change: (part) => setRequests(part, { cpu: mostOfANode(part) }),
    also: [
      {
        line: () => ["small-pool/tooFull note Pool system"],
        because: "a pool that has no room for one more has none for those of a drained node",
        on: (part) => !isOnGpus(part),
      },
    ],
  },
  {
    id: "no-room-for-replicas/apart",
    about: "a replica more than there are nodes",
    severity: "warning",
    on: isDeployment,
    unless: [noDeployment()],
    change: (part) =>
      addPending(part, "0/4 nodes are available: 4 node(s) didn't match pod topology spread constraints."),
  },
  {
    id: "no-room-for-replicas/full",
    about: "a replica that finds no room",
    severity: "warning",
    on: isDeployment,
    unless: [noDeployment()],
    change: (part) => addPending(part, "0/4 nodes are available: 4 Insufficient cpu."),
  },
  {
    id: "no-room-for-replicas/volumes",
    about: "a replica that waits for its volume",
    severity: "warning",
    on: isDeployment,
    unless: [noDeployment()],
    change: (part) => addPending(part, "0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
  },
  {
    id: "small-pool/oneNode",
    about: "a pool of one node",
    severity: "note",
    component: () => "Pool system",
    once: true,
    on: (part) => isDeployment(part) && !isOnGpus(part),
    unless: [noSystemPart],
    change: (part) => {
      const [first, ...others] = nodesOf(part).filter((node) => labelsOf(node)["node-pool"] === "system");
      for (const thing of part.things)
        if (others.some((node) => nameOf(node) === specOf(thing)["nodeName"]) && first !== undefined)
          specOf(thing)["nodeName"] = nameOf(first);
      remove(part, others);
    },
  },
  {
    id: "small-pool/tooFull",
    about: "a pool that cannot lose a node",
    severity: "note",
    component: () => "Pool system",
    once: true,
    on: (part) => isDeployment(part) && !isOnGpus(part),
    unless: [noSystemPart],
    prepare: (part) => {
      const filler = twoOf("filler", "others", [...nodeNames(part)]);
      filler.requests["cpu"] = "10m";
      filler.spread = [];
      add(part, ...running("filler", filler));
    },
    change: (part) => {
      const filler = part.things.filter((thing) => nameOf(thing).startsWith("filler"));
      for (const thing of filler.filter(({ kind }) => kind === "Pod"))
        for (const container of list(specOf(thing)["containers"]))
          at(at(container, "resources"), "requests")["cpu"] = mostOfANode(part);
    },
  },
  {
    id: "no-spare-accelerator/none",
    about: "somebody else takes the accelerators a second engine would need",
    severity: "note",
    on: (part) => isDeployment(part) && isOnGpus(part) && isAlone(part),
    unless: [
      {
        reason: "no engine of a Deployment on accelerators is the only one of its kind",
        isSo: (parts) => !parts.some((part) => isDeployment(part) && isOnGpus(part) && isAlone(part)),
      },
    ],
    prepare: (part) => {
      setReplicas(part, 1);
      const filler = twoOf("filler", "others", [...nodeNames(part)]);
      filler.spec["tolerations"] = [{ operator: "Exists" }];
      add(part, ...running("filler", filler));
    },
    change: ({ things }) => {
      for (const thing of things.filter((one) => one["kind"] === "Pod" && nameOf(one).startsWith("filler")))
        for (const container of list(specOf(thing)["containers"]))
          for (const amounts of ["requests", "limits"]) at(at(container, "resources"), amounts)["nvidia.com/gpu"] = "8";
    },
    also: [
      {
        line: (part) => enginesThatSurge(part).map(({ name }) => `rollout-cannot-finish/noRoom warning ${name}`),
        because: "what has no room for a second engine has none for the next one of a rollout",
      },
    ],
  },
  {
    id: "picker-recreate/allStop",
    about: "strategy Recreate",
    severity: "note",
    on: (part) => isDeployment(part) && strategyOf(part) !== "Recreate",
    unless: [
      {
        reason: "every Deployment is recreated already",
        isSo: (parts) => !parts.some((part) => isDeployment(part) && strategyOf(part) !== "Recreate"),
      },
    ],
    change: (part) => {
      for (const thing of part.things)
        if (thing["kind"] === "Deployment" && nameOf(thing) === part.name)
          specOf(thing)["strategy"] = { type: "Recreate" };
    },
  },
  {
    id: "volume-pins/pinned",
    about: "a volume that one node can reach",
    severity: "note",
    on: isDeployment,
    unless: [noDeployment()],
    prepare: (part) => pin(part, nodeNames(part)),
    change: (part) => pin(part, nodeNames(part).slice(0, 1)),
  },
  {
    id: "volume-pins/claimed",
    about: "a device claim whose devices are on one node",
    severity: "note",
    on: (part) => isDeployment(part) && isOnGpus(part),
    unless: [noEngineHere],
    prepare: (part) => claim(part, nodeNames(part)),
    change: (part) => claim(part, nodeNames(part).slice(0, 1)),
  },
];

function noDeployment(): Excuse {
  return { reason: "no part in the cluster is a Deployment", isSo: (parts) => !parts.some(isDeployment) };
}

/** Nothing else stands in for it. */
function isAlone({ hop, endpoint }: Part): boolean {
  return (
    hop.hop !== "engine" || endpoint.hops.filter((one) => one.hop === "engine" && one.role === hop.role).length === 1
  );
}

function mustSurge(part: Part): boolean {
  if (!isDeployment(part) || !fillsItsNodes(part) || strategyOf(part) === "Recreate") return false;
  return !/"(maxSurge":0|maxUnavailable":1)/.test(JSON.stringify(specOf(makerOf(part))["strategy"] ?? {}));
}

function strategyOf(part: Part): unknown {
  return at(specOf(makerOf(part)), "strategy")["type"];
}

/** A replica on each node it may use. */
function fillsItsNodes(part: Part): boolean {
  return ownNodesOf(part).length === podsOf(part).length;
}

/** Engines on accelerators that roll by a new one first; with one replica all do, unless surges are forbidden. */
function enginesThatSurge(part: Part): readonly Part[] {
  const engines = onEveryPath(part).filter((one) => isDeployment(one) && isOnGpus(one));
  return engines.filter((one) => !/"maxSurge":0|Recreate/.test(JSON.stringify(specOf(makerOf(one))["strategy"] ?? {})));
}

function setSpread(part: Part, change: Record<string, unknown>): void {
  for (const spec of podSpecsOf(part))
    spec["topologySpreadConstraints"] = list(spec["topologySpreadConstraints"]).map((one) => ({ ...one, ...change }));
}

function setRequests(part: Part, amounts: Record<string, string>): void {
  for (const spec of podSpecsOf(part)) {
    for (const container of list(spec["containers"]).slice(0, 1)) {
      const resources = at(container, "resources");
      Object.assign(at(resources, "requests"), amounts);
      if (resources["limits"] !== undefined) Object.assign(at(resources, "limits"), amounts);
    }
  }
}

function addPending(part: Part, message: string): void {
  const [pod] = podsOf(part);
  if (pod === undefined) return;
  for (const thing of part.things)
    if (["Deployment", "ReplicaSet"].includes(String(thing["kind"])) && nameOf(thing).startsWith(part.name))
      if (nameOf(thing) === part.name || nameOf(pod).startsWith(nameOf(thing))) specOf(thing)["replicas"] = 3;
  const waits = structuredClone(pod);
  metadataOf(waits)["name"] = `${part.name}-waits`;
  delete specOf(waits)["nodeName"];
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
  waits["status"] = { phase: "Pending", conditions };
  part.things.push(waits);
}

function nodeNames(part: Part): readonly string[] {
  return ownNodesOf(part).map(nameOf);
}

/** A claim all its pods mount, bound to a volume these nodes can reach. */
function pin(part: Part, nodes: readonly string[]): void {
  const { namespace, things } = part;
  remove(
    part,
    things.filter((thing) => ["data", "pv"].includes(nameOf(thing))),
  );
  for (const spec of podSpecsOf(part))
    spec["volumes"] = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const capacity = { storage: "1Gi" };
  const accessModes = ["ReadWriteMany"];
  add(
    part,
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace, annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
      spec: { volumeName: "pv", accessModes, resources: { requests: capacity } },
      status: { phase: "Bound", capacity },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "pv" },
      spec: {
        ...{ capacity, accessModes, claimRef: { namespace, name: "data" } },
        nodeAffinity: { required: { nodeSelectorTerms: onNodes(nodes) } },
      },
      status: { phase: "Bound" },
    },
  );
}

/** A claim its pods name, allocated on these nodes. */
function claim(part: Part, nodes: readonly string[]): void {
  const { namespace, things } = part;
  remove(
    part,
    things.filter((thing) => nameOf(thing) === "shared"),
  );
  for (const spec of podSpecsOf(part)) spec["resourceClaims"] = [{ name: "devices", resourceClaimName: "shared" }];
  add(part, {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: "shared", namespace },
    spec: { devices: { requests: [{ name: "nic", exactly: { deviceClassName: "nic" } }] } },
    status: { allocation: { nodeSelector: { nodeSelectorTerms: onNodes(nodes) }, devices: { results: [] } } },
  });
}

function onNodes(values: readonly string[]) {
  return [{ matchExpressions: [{ key: host, operator: "In", values }] }];
}
