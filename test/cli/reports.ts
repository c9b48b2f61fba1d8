import type { ScenarioDocument } from "../../src/report/scenario-document.ts";
import type { CheckEndpoint, CheckReport, Component, SimulationReport, TimelineEvent } from "../../src/report/types.ts";

/** Small reports by hand, for what renders them. */

const nothingFits =
  "0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 node(s) were unschedulable. no new claims to deallocate, " +
  "preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.";

const pending = `ml/picker-7d-~1 is Pending: ${nothingFits}`;

export const scenarioDocument: ScenarioDocument = {
  apiVersion: "holdfast.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "system-pool" },
  spec: { actor: "nebius", nodes: { names: ["system-1", "system-2"] }, order: "given" },
};

export function component(name: string, parts: Partial<Component> = {}): Component {
  const ref = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace: "ml",
    name: name.toLowerCase().replaceAll(" ", "-"),
  };
  return {
    hop: "picker",
    component: name,
    onPath: true,
    needed: true,
    neededBecause: "",
    role: "",
    ref,
    owner: ref,
    desired: 1,
    ready: 1,
    nodes: ["system-1"],
    zones: ["a"],
    placed: (parts.nodes ?? ["system-1"]).map((node, index) => ({
      node,
      zone: parts.zones?.[index] ?? "a",
      pods: 1,
      ready: 1,
    })),
    budgets: [],
    spread: { node: "none", zone: "none" },
    survives: { drainOneNode: "no", cordonAll: "no", zoneLoss: "no" },
    outside: "",
    ...parts,
  };
}

const survivesAll = { drainOneNode: "yes", cordonAll: "yes", zoneLoss: "yes" } as const;

const timeline: readonly TimelineEvent[] = [
  { atSeconds: 0, type: "node-cordoned", node: "system-1", by: "nebius" },
  { atSeconds: 0, type: "node-cordoned", node: "system-2", by: "nebius" },
  { atSeconds: 0, type: "drain-started", node: "system-1", by: "nebius" },
  { atSeconds: 0, type: "eviction", pod: "ml/picker-7d-x2x", node: "system-1", code: 201, message: "", cause: "" },
  { atSeconds: 0, type: "pod-deleted", pod: "ml/picker-7d-x2x", node: "system-1", by: "nebius" },
  { atSeconds: 0, type: "eviction", pod: "ml/collector-1", node: "system-1", code: 201, message: "", cause: "" },
  { atSeconds: 0, type: "endpoint-down", endpoint: "ml/llama", hop: "Endpoint picker", because: pending },
  { atSeconds: 0, type: "pod-created", pod: "ml/picker-7d-~1", owner: "ReplicaSet.apps/ml/picker-7d" },
  { atSeconds: 0, type: "pod-unschedulable", pod: "ml/picker-7d-~1", message: nothingFits },
  { atSeconds: 5, type: "drain-completed", node: "system-1", outcome: "completed" },
  { atSeconds: 5, type: "node-down", node: "system-1", because: "stopped by nebius" },
  { atSeconds: 185, type: "node-up", node: "system-1" },
  { atSeconds: 185, type: "node-uncordoned", node: "system-1", by: "nebius" },
  { atSeconds: 185, type: "pod-unschedulable", pod: "ml/picker-7d-~1", message: nothingFits },
  { atSeconds: 185, type: "pod-bound", pod: "ml/picker-7d-~1", node: "system-1" },
  { atSeconds: 224.5, type: "pod-ready", pod: "ml/picker-7d-~1", node: "system-1" },
  { atSeconds: 224.5, type: "endpoint-up", endpoint: "ml/llama" },
];

const drains: SimulationReport["drains"] = [
  { node: "system-1", outcome: "completed", fromSeconds: 0, toSeconds: 5, blockedBy: [] },
  {
    node: "system-2",
    outcome: "stalled",
    fromSeconds: 185,
    toSeconds: null,
    blockedBy: [
      {
        pod: "kube-system/coredns-1",
        code: 429,
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        cause: "The disruption budget coredns needs 1 healthy pods and has 1 currently",
      },
    ],
  },
];

export const unsafeEndpoint: CheckEndpoint = {
  namespace: "ml",
  name: "llama",
  system: "modelplane",
  model: "llama-3",
  now: "up",
  verdict: "unsafe",
  because: "",
  restsOn: [],
  notModelled: [],
  floor: [{ role: "", desired: 1, minAvailable: 1 }],
  scenarios: [
    {
      name: "drain-one-node/system",
      actors: ["nebius"],
      verdict: "unsafe",
      partOfVerdict: true,
      downSeconds: { min: 30, max: 30 },
      minCapacity: 1,
    },
    {
      name: "pool-maintenance/system",
      actors: ["nebius"],
      verdict: "unsafe",
      partOfVerdict: true,
      downSeconds: { min: 0, max: 224.5 },
      minCapacity: 1,
    },
    {
      name: "cordon-all/system",
      actors: ["kubectl-drain"],
      verdict: "unsafe",
      partOfVerdict: false,
      downSeconds: { min: null, max: null },
      minCapacity: 0,
    },
  ],
  path: [
    component("CoreDNS", {
      hop: "dns",
      desired: 2,
      ready: 2,
      nodes: ["system-2"],
      budgets: [{ name: "coredns", minAvailable: 1, maxUnavailable: null, disruptionsAllowed: 1 }],
      spread: { node: "preferred", zone: "none" },
      survives: { drainOneNode: "yes", cordonAll: "stalls", zoneLoss: "unknown" },
    }),
    component("Cluster gateway proxy", { hop: "gateway" }),
    component("Endpoint picker"),
    component("Engine", { hop: "engine", role: "decode", nodes: ["gpu-1"], survives: survivesAll }),
  ],
  worst: {
    name: "pool-maintenance/system",
    verdict: "unsafe",
    order: ["system-1", "system-2"],
    choices: [{ pod: "ml/picker-7d-~1", node: "system-1", leaves: false, soon: false }],
    replay: scenarioDocument,
    timeline,
    drains,
    stalls: [],
    down: [{ fromSeconds: 0, toSeconds: 224.5, hop: "Endpoint picker", because: pending }],
    pods: [
      { pod: "ml/picker-7d-x2x", component: "Endpoint picker" },
      { pod: "ml/picker-7d-~1", component: "Endpoint picker" },
    ],
  },
};

export const safeEndpoint: CheckEndpoint = {
  ...unsafeEndpoint,
  name: "qwen",
  model: "",
  verdict: "safe",
  restsOn: [
    { kind: "time", pod: "ml/picker-7d-~1", atMostSeconds: 3480, text: "safe while the picker starts within 58 min" },
  ],
  scenarios: [
    {
      name: "pool-maintenance/system",
      actors: ["nebius"],
      verdict: "safe",
      partOfVerdict: true,
      downSeconds: { min: 0, max: 0 },
      minCapacity: 0.5,
    },
  ],
  path: [
    component("Engine", { desired: 2, ready: 2, nodes: ["gpu-1", "gpu-2"], zones: ["a", "b"], survives: survivesAll }),
  ],
  worst: null,
};

export const checkReport: CheckReport = {
  apiVersion: "holdfast.dev/v1alpha1",
  kind: "CheckReport",
  tool: { version: "0.1.0" },
  cluster: {
    source: "dump/",
    version: "v1.36.3",
    modelledAs: "1.36",
    nodes: 4,
    pods: 17,
    actors: [{ name: "nebius", because: "node system-1 has the condition NebiusMaintenanceScheduled" }],
    notSeen: [{ resource: "secrets", why: "never read" }],
    secretsDropped: 2,
  },
  problems: [{ file: "dump/pods.yaml", line: 12, path: "spec.containers", message: "should be a list" }],
  endpoints: [unsafeEndpoint],
  notChosen: [],
  supporting: [
    component("Modelplane collector", {
      onPath: false,
      needed: false,
      neededBecause: "Metrics have gaps.",
      hop: "controller",
    }),
    ...["trust-manager", "cert-manager controller", "Envoy Gateway controller"].map((name) =>
      component(name, {
        onPath: false,
        needed: false,
        neededBecause: "Nothing new is configured while it is gone.",
        hop: "controller",
      }),
    ),
  ],
  findings: [
    {
      rule: "single-replica",
      code: "HF001",
      severity: "error",
      endpoint: "ml/llama",
      component: "Deployment ml/picker",
      message: "The endpoint picker runs as one pod: whatever takes it takes the model down.",
      evidence: ["replicas: 1"],
      remedy: "Run two replicas with a budget of maxUnavailable 1.",
      source: { file: "dump/deployments.yaml", line: 40 },
    },
  ],
  timing: [{ what: "pod-start", of: "ml/picker", minSeconds: 39.5, maxSeconds: 39.5, from: "learnt" }],
  notModelled: [{ what: "scheduler gpu-scheduler", ref: "Pod ml/engine-0", couldChange: "where engines go" }],
};

export const simulationReport: SimulationReport = {
  apiVersion: "holdfast.dev/v1alpha1",
  kind: "SimulationReport",
  tool: checkReport.tool,
  cluster: checkReport.cluster,
  problems: [],
  scenario: scenarioDocument,
  verdict: "unsafe",
  because: "it takes ml/llama down for 3 min 45 s (Endpoint picker).",
  exhaustive: true,
  statesExplored: 1234,
  counterexample: { order: ["system-1", "system-2"], drains: 1, choices: [] },
  timeline,
  drains,
  stalls: [
    {
      node: "system-2",
      chain: [
        { kind: "node", ref: "system-2", text: "the drain of system-2 waits for ever" },
        { kind: "pod", ref: "kube-system/coredns-1", text: "kube-system/coredns-1: its eviction is answered 429" },
        { kind: "budget", ref: "kube-system/coredns", text: "budget kube-system/coredns (minAvailable 1) allows 0" },
      ],
      freedBy: ["one more replica of Deployment kube-system/coredns, Ready on another node"],
    },
  ],
  endpoints: [
    {
      namespace: "ml",
      name: "llama",
      verdict: "unsafe",
      restsOn: [],
      notModelled: [],
      down: unsafeEndpoint.worst?.down ?? [],
      minCapacity: 1,
    },
  ],
  services: [
    {
      namespace: "ml",
      name: "picker",
      ready: { before: 1, min: 0, end: 1 },
      sequence: [1, 0, 1],
      nothingReady: [{ fromSeconds: 0, toSeconds: 30 }],
    },
  ],
  pending: [{ pod: "ml/picker-7d-~1", sinceSeconds: 0, message: nothingFits }],
  timing: [],
  notModelled: [],
};
