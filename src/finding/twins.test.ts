import assert from "node:assert/strict";
import { test } from "node:test";
import { foundIn } from "../../test/support/findings.ts";
import { healthyClusters } from "../../test/support/healthy.ts";
import { object, servingCluster, type Thing } from "../../test/support/serving.ts";
import { endpointsOf } from "../route/build.ts";
import type { Hop } from "../systems/endpoint.ts";
import { findingRules } from "./registry.ts";

/**
 * Twins, every system by every rule that can apply to a part of it: a cluster that is set up well, one thing about one part
 * made wrong, and exactly that finding more than before.
 */
interface Twin {
  readonly about: string;
  /** What is found more, by the name of the part; null: the rule is not about such a part. */
  readonly found: (name: string, hop: Hop) => string | null;
  readonly change: (things: readonly Tree[], name: string) => readonly Tree[];
}

/** An object that may be changed in place: each twin has its own copy. */
interface Tree {
  [field: string]: unknown;
}

const line =
  (text: string, severity: string) =>
  (name: string): string =>
    `${text} ${severity} ${name}`;

const twins: readonly Twin[] = [
  { about: "no budget", found: line("no-budget/unguarded", "note"), change: withoutBudget },
  {
    about: "one replica",
    found: line("single-replica/onlyOne", "note"),
    change: (things, name) => withoutBudget(things, name).filter((thing) => !isSecondPod(thing, name, things)),
  },
  {
    about: "a budget that wants all",
    found: line("budget-never-allows/allNeeded", "warning"),
    change: (things, name) => changedBudget(things, name, { maxUnavailable: 0 }),
  },
  {
    about: "a percentage that rounds against you",
    found: line("budget-never-allows/roundsUp", "warning"),
    change: (things, name) => changedBudget(things, name, { minAvailable: "51%" }),
  },
  {
    about: "two budgets",
    found: line("two-budgets/both", "warning"),
    change: (things, name) => [
      ...things,
      ...things
        .filter((thing) => isBudgetOf(thing, name))
        .map((thing) => ({ ...thing, metadata: { ...metadataOf(thing), name: "second" } })),
    ],
  },
  {
    about: "a budget that selects nothing",
    found: () => "budget-selects-nothing/nothing warning lost",
    change: (things, name) => [
      ...things,
      tree(
        object(
          "policy/v1",
          "PodDisruptionBudget",
          "lost",
          { maxUnavailable: 1, selector: { matchLabels: { app: `${name}-old` } } },
          { namespace: String(metadataOf(deploymentOf(things, name))["namespace"]) },
        ),
      ),
    ],
  },
  {
    about: "both on one node",
    found: line("same-node/together", "note"),
    change: (things, name) => {
      const pods = podsOf(things, name);
      for (const pod of pods) specOf(pod)["nodeName"] = specOf(pods[0])["nodeName"];
      return things;
    },
  },
  {
    about: "a spread that selects others",
    found: line("spread-does-not-spread/selectsOthers", "warning"),
    change: (things, name) => changedSpread(things, name, { labelSelector: { matchLabels: { app: "nobody" } } }),
  },
  {
    about: "anti-affinity that leaves a rollout no node",
    found: line("rollout-cannot-finish/apart", "warning"),
    change: (things, name) => {
      const labelSelector = { matchLabels: { app: name } };
      const term = { topologyKey: "kubernetes.io/hostname", labelSelector };
      const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
      for (const spec of podSpecsOf(things, name)) spec["affinity"] = { podAntiAffinity };
      return things;
    },
  },
  {
    about: "strategy Recreate",
    found: line("picker-recreate/allStop", "note"),
    change: (things, name) => {
      specOf(deploymentOf(things, name))["strategy"] = { type: "Recreate" };
      return things;
    },
  },
  {
    about: "a preStop that eats the grace",
    found: (name, { hop }) =>
      hop === "engine" || hop === "gateway" || hop === "router" ? `short-grace/eaten note ${name}` : null,
    change: (things, name) => {
      for (const spec of podSpecsOf(things, name)) {
        spec["containers"] = list(spec["containers"]).map((container) => ({
          ...container,
          lifecycle: { preStop: { sleep: { seconds: 15 } } },
        }));
      }
      return things;
    },
  },
  {
    about: "a replica that finds no place",
    found: line("no-room-for-replicas/apart", "warning"),
    change: (things, name) => {
      specOf(deploymentOf(things, name))["replicas"] = 3;
      const [pod] = podsOf(things, name);
      const { nodeName: _, ...spec } = specOf(pod);
      const message = "0/4 nodes are available: 4 node(s) didn't match pod topology spread constraints.";
      const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
      const metadata = { ...metadataOf(pod), name: `${name}-waits` };
      const pending = { ...pod, metadata, spec, status: { phase: "Pending", conditions } };
      return [...things, pending];
    },
  },
  {
    about: "an autoscaler that may go down to one",
    found: line("autoscaler-floor/floorOfOne", "note"),
    change: (things, name) => [
      ...things.filter(({ kind }) => kind !== "HorizontalPodAutoscaler"),
      tree(
        object(
          "autoscaling/v2",
          "HorizontalPodAutoscaler",
          name,
          { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, minReplicas: 1, maxReplicas: 4 },
          { namespace: String(metadataOf(deploymentOf(things, name))["namespace"]) },
        ),
      ),
    ],
  },
];

for (const { name: cluster, things } of healthyClusters) {
  const { endpoints } = endpointsOf(servingCluster(things));
  const parts = endpoints
    .flatMap(({ hops }) => hops)
    .filter(({ ref, needed, hop }) => ref.kind === "Deployment" && needed && (hop !== "dns" || cluster === "service"));
  const before = foundIn(things);
  test(`${cluster}: each part, each thing that can be wrong with it`, () => {
    for (const hop of parts) {
      for (const { about, found, change } of twins) {
        const expected = found(hop.ref.name, hop);
        if (expected === null) continue;
        const after = foundIn(change(things.map(tree), hop.ref.name));
        const more = after.filter((told) => !before.includes(told));
        assert.deepEqual(more, [expected], `${hop.ref.name}: ${about}`);
      }
    }
  });
}

test("each twin is of a rule there is", () => {
  const known = findingRules.flatMap(({ name, messages }) => Object.keys(messages).map((id) => `${name}/${id}`));
  const [hop] = endpointsOf(servingCluster(healthyClusters[0]?.things ?? [])).endpoints.flatMap(({ hops }) =>
    hops.filter((one) => one.hop === "engine"),
  );
  assert.ok(hop);
  for (const { found } of twins) assert.ok(known.includes(found("x", hop)?.split(" ")[0] ?? ""));
});

test("a scaleless owner: Ray's budget has to be an integer", () => {
  const things = healthyClusters.find(({ name }) => name === "ray")?.things ?? [];
  const changed = things.map((thing) =>
    thing["kind"] === "PodDisruptionBudget" && metadataOf(tree(thing))["name"] === "m"
      ? { ...thing, spec: { selector: specOf(tree(thing))["selector"], maxUnavailable: 1 } }
      : thing,
  );
  const before = foundIn(things);
  assert.deepEqual(
    foundIn(changed).filter((told) => !before.includes(told)),
    ["budget-without-scale/noScale warning m-1"],
  );
});

test("groups: a budget that counts their pods", () => {
  const things = healthyClusters.find(({ name }) => name === "leader-worker-set")?.things ?? [];
  const before = foundIn(things);
  const after = foundIn(changedBudget(things.map(tree), "big", { minAvailable: 2 }));
  assert.deepEqual(
    after.filter((told) => !before.includes(told)),
    ["group-budget/countsPods warning big"],
  );
});

function tree(thing: Thing): Tree {
  return structuredClone({ ...thing });
}

function isTree(value: unknown): value is Tree {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function list(value: unknown): readonly Tree[] {
  return Array.isArray(value) ? value.filter(isTree) : [];
}

function at(thing: Tree | undefined, field: string): Tree {
  const value = thing?.[field];
  return isTree(value) ? value : {};
}

function metadataOf(thing: Tree | undefined): Tree {
  return at(thing, "metadata");
}

function specOf(thing: Tree | undefined): Tree {
  return at(thing, "spec");
}

function deploymentOf(things: readonly Tree[], name: string): Tree | undefined {
  return things.find((thing) => thing["kind"] === "Deployment" && metadataOf(thing)["name"] === name);
}

function podsOf(things: readonly Tree[], name: string): readonly Tree[] {
  return things.filter(
    (thing) => thing["kind"] === "Pod" && String(metadataOf(thing)["name"]).startsWith(`${name}-h-`),
  );
}

function isSecondPod(thing: Tree, name: string, things: readonly Tree[]): boolean {
  const deployment = deploymentOf(things, name);
  specOf(deployment)["replicas"] = 1;
  return thing === podsOf(things, name)[1];
}

function isBudgetOf(thing: Tree, name: string): boolean {
  return thing["kind"] === "PodDisruptionBudget" && metadataOf(thing)["name"] === name;
}

function withoutBudget(things: readonly Tree[], name: string): readonly Tree[] {
  return things.filter((thing) => !isBudgetOf(thing, name));
}

function changedBudget(things: readonly Tree[], name: string, wanted: Tree): readonly Tree[] {
  return things.map((thing) =>
    isBudgetOf(thing, name) ? { ...thing, spec: { selector: specOf(thing)["selector"], ...wanted } } : thing,
  );
}

function changedSpread(things: readonly Tree[], name: string, change: Tree): readonly Tree[] {
  for (const spec of podSpecsOf(things, name)) {
    spec["topologySpreadConstraints"] = list(spec["topologySpreadConstraints"]).map((one) => ({ ...one, ...change }));
  }
  return things;
}

/** Of the Deployment, its ReplicaSet and its pods. */
function podSpecsOf(things: readonly Tree[], name: string): readonly Tree[] {
  const makers = things.filter(
    (thing) =>
      (thing["kind"] === "Deployment" && metadataOf(thing)["name"] === name) ||
      (thing["kind"] === "ReplicaSet" && metadataOf(thing)["name"] === `${name}-h`),
  );
  return [...makers.map((maker) => specOf(at(specOf(maker), "template"))), ...podsOf(things, name).map(specOf)];
}
