import { type Random, seededRandom } from "../../src/base/random.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { actors } from "../../src/maintenance/registry.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { Question } from "../../src/search/judge.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject as Json, WireObject } from "../../src/wire/snapshot.ts";
import { built } from "./built.ts";
import { poolCluster, type Shape } from "./pool-cluster.ts";
import { withUnrest } from "./restless.ts";

/**
 * A pool of five to twenty-four nodes with rules of many kinds, maintained by an actor of the seed's choice. `isRestless`: with others in
 * it that are not at rest.
 */
export function randomPool(
  seed: number,
  { isRestless }: { readonly isRestless: boolean } = { isRestless: false },
): Question {
  const random = seededRandom(seed);
  const among = <T>(...items: readonly T[]): T => random.pick(items);
  const nodes = random.next() < 0.75 ? 5 + random.below(5) : 10 + random.below(15);
  const shape: Shape = {
    nodes,
    endpoints: 1 + random.below(nodes > 9 ? 3 : 2),
    others: among(0, 2, 5, nodes, 2 * nodes),
    fill: among(0.3, 0.5, 0.7, 0.8, 0.93),
    free: among(random.next(), 1),
    budgets: among(0.8, 1, 1, 1),
    spread: among(0, 0.5, 1),
    alike: random.next() < 0.3,
    kured: false,
  };
  const objects = twisted(random, poolCluster(seed, shape));
  const cluster = built(isRestless ? withUnrest(seededRandom(-seed), objects) : objects);
  const { endpoints, supporting } = endpointsOf(cluster);
  // Proofs are mostly of actors that take one node at a time and evict.
  const oneByOne = new Set([
    ...["kured", "kubectl-drain", "openshift-mco", "system-upgrade-controller"],
    ...["gke-surge", "aks-upgrade", "cluster-api", "kops"],
  ]);
  const evicts = random.next() < 0.5;
  const actor = random.pick(actors.filter(({ kind, name }) => kind === "maintains" && (!evicts || oneByOne.has(name))));
  const share = among(0.3, 0.6, 1, 1);
  const taken = cluster.nodes.filter(() => random.next() < share);
  const startMs = among(5_000, 30_000, 30_000, 600_000, 7_200_000);
  const start = { leastMs: among(startMs, startMs, 1_000), mostMs: startMs };
  return {
    cluster,
    steps: [maintenanceOf(cluster, actor, taken.length > 0 ? taken : cluster.nodes.slice(0, 1), "any")],
    endpoints,
    supporting,
    timing: timingOf(cluster, { ...noTiming, podStart: [{ pattern: "team-0/*", span: start }] }),
    states: 150,
    horizonMs: 86_400_000,
    choices: [],
  };
}

/** The same pool, and one of its nodes taken by any actor at all. */
export function oneNodeOf(question: Question, seed: number): Question {
  const random = seededRandom(seed);
  const { cluster } = question;
  return { ...question, steps: [maintenanceOf(cluster, random.pick(actors), [random.pick(cluster.nodes)], "any")] };
}

/** Budgets, priorities, spread, affinity, sets and taints that the plain pools do not have. */
function twisted(random: Random, objects: readonly WireObject[]): readonly WireObject[] {
  const chance = random.pick([0, 0, 0.1, 0.3]);
  const rulesOf = new Map<string, readonly ((spec: Json, labels: Json) => Json)[]>();
  const rules = (name: string): readonly ((spec: Json, labels: Json) => Json)[] => {
    const known = rulesOf.get(name);
    if (known !== undefined) return known;
    const drawn = podRules.filter(() => random.next() < chance / 2);
    rulesOf.set(name, drawn);
    return drawn;
  };
  return objects.flatMap((object): readonly WireObject[] => {
    const { kind, metadata } = object;
    const name = `${metadata["namespace"]}/${String(metadata["name"]).replace(/-5d4f8c7b9.*$/, "")}`;
    switch (kind) {
      case "PodDisruptionBudget":
        return [
          random.next() < chance ? { ...object, spec: { ...fields(object["spec"]), ...budget(random) } } : object,
        ];
      case "Node":
        return [random.next() < chance / 3 ? { ...object, spec: nodeSpec(random) } : object];
      case "Pod":
        return [ruled(object, rules(name), fields(metadata["labels"]))];
      case "Deployment":
      case "ReplicaSet": {
        const spec = fields(object["spec"]);
        const template = fields(spec["template"]);
        const labels = fields(fields(template["metadata"])["labels"]);
        return [{ ...object, spec: { ...spec, template: ruled(template, rules(name), labels) } }];
      }
      default:
        return [object];
    }
  });
}

function ruled<T extends Json>(object: T, rules: readonly ((spec: Json, labels: Json) => Json)[], labels: Json): T {
  const { "pod-template-hash": _, ...own } = labels;
  return { ...object, spec: rules.reduce((spec, rule) => rule(spec, own), fields(object["spec"])) };
}

const podRules: readonly ((spec: Json, labels: Json) => Json)[] = [
  (spec) => ({ ...spec, priority: 1_000 }),
  (spec) => ({ ...spec, priority: 2_000, preemptionPolicy: "Never" }),
  (spec, labels) => ({ ...spec, topologySpreadConstraints: [spread("topology.kubernetes.io/zone", labels)] }),
  (spec, labels) => ({ ...spec, topologySpreadConstraints: [spread("kubernetes.io/hostname", labels)] }),
  (spec) => ({ ...spec, terminationGracePeriodSeconds: 300 }),
  (spec, labels) => ({ ...spec, affinity: { podAffinity: { [required]: [near(labels)] } } }),
  (spec, labels) => ({
    ...spec,
    affinity: { podAntiAffinity: { [required]: [{ ...near(labels), topologyKey: "topology.kubernetes.io/zone" }] } },
  }),
  (spec) => ({
    ...spec,
    tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" }],
  }),
];

const required = "requiredDuringSchedulingIgnoredDuringExecution";

function near(labels: Json): Json {
  return { topologyKey: "topology.kubernetes.io/zone", labelSelector: { matchLabels: labels } };
}

function spread(topologyKey: string, labels: Json): Json {
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: labels } };
}

function budget(random: Random): Json {
  return random.pick([
    { maxUnavailable: undefined, minAvailable: 1 },
    { maxUnavailable: undefined, minAvailable: "50%" },
    { maxUnavailable: "34%" },
    { maxUnavailable: 2 },
    { unhealthyPodEvictionPolicy: "AlwaysAllow" },
  ]);
}

function nodeSpec(random: Random): Json {
  return random.pick([
    { unschedulable: true, taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] },
    { taints: [{ key: "kept", value: "yes", effect: "NoSchedule" }] },
    { taints: [{ key: "kept", value: "yes", effect: "PreferNoSchedule" }] },
  ]);
}

function fields(value: WireObject[string]): Json {
  return isJsonObject(value) ? value : {};
}
