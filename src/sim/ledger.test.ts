import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clusterFrom } from "../../test/support/cluster.ts";
import { notInterned } from "../model/template-content.ts";
import type { NodeView, PodCounts, PodView } from "../model/view.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { type ZoneCount, zoneCounts } from "../workload/zones.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";

const written = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10", nvidia.com/gpu: "2"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10", nvidia.com/gpu: "2"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: m1, namespace: serving, uid: u1}
spec:
  replicas: 3
  selector: {matchLabels: {app: m1}}
  template:
    metadata: {labels: {app: m1}}
    spec: {containers: [{name: main, image: x, resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {nvidia.com/gpu: 1}}}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: m1, namespace: serving}
spec: {minAvailable: 1, selector: {matchLabels: {app: m1}}}
`;

const cluster = clusterFrom(written);

/** The same with pods: on nodes, finished, on a node that is not there, waiting. */
const inhabitedNow = (): typeof cluster =>
  clusterFrom(
    `${written}${["n1 Running", "n1 Failed", "n2 Running", "n2 Running", "gone Running", "'' Pending"]
      .map((pod, index) => podOf(index, ...(pod.split(" ") as [string, string])))
      .join("")}`,
    { problemsAllowed: true },
  );

const inhabited = inhabitedNow();

function podOf(index: number, node: string, phase: string): string {
  return `
---
apiVersion: v1
kind: Pod
metadata:
  name: m1-${index}
  namespace: serving
  creationTimestamp: "2026-01-01T00:00:${59 - index}Z"
  labels: {app: m1, odd: "${index % 2}"}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: m1, uid: u1, controller: true}]
spec: {nodeName: ${node}, containers: [{name: main, image: x, resources: {requests: {cpu: 100m}}}]}
status: {phase: ${phase}, conditions: [{type: Ready, status: "${phase === "Running" ? "True" : "False"}"}]}
`;
}

const owner = "ReplicaSet.apps/serving/m1";
const aboveOwner = "Deployment.apps/serving/m1";
const spec = cluster.workloads.get(owner);
const template = spec?.kind === "ReplicaSet" ? spec.template : undefined;

const noLabels: ReadonlyMap<string, string> = new Map();

/** One random action; those that do not apply now do nothing. */
function act(ledger: Ledger, [kind, number]: readonly [number, number]): void {
  const pod = ledger.podByUid(number % 9);
  const node = ledger.nodes[number % Math.max(1, ledger.nodes.length)];
  switch (kind) {
    case 0:
      assert.ok(template);
      ledger.createPod({ owner, namespace: "serving", name: null, template, ordinal: null, revision: "" });
      return;
    case 1:
      if (pod?.node === null && pod.phase !== "Failed" && node !== undefined) ledger.bind(pod.key, node.name);
      return;
    case 2:
      if (pod !== undefined) ledger.setReady(pod.key, number % 2 === 0);
      return;
    case 3:
      if (pod !== undefined) ledger.removePod(pod.key);
      return;
    case 4:
      if (node !== undefined) ledger.setUnschedulable(node.name, number % 2 === 0);
      return;
    case 5:
      // A finished pod stays finished.
      if (pod !== undefined && pod.phase !== "Failed")
        ledger.setPhase(pod.key, number % 3 === 0 ? "Failed" : "Running");
      return;
    case 7:
      if (node !== undefined) ledger.removeNode(node.name);
      return;
    case 8: {
      const read = cluster.nodes[number % cluster.nodes.length];
      if (read !== undefined && ledger.node(read.name) === undefined) ledger.addNode(read);
      return;
    }
    case 11:
      if (node !== undefined) ledger.setNodeReady(node.name, number % 3 > 0);
      return;
    case 9:
      assert.ok(template);
      if (pod !== undefined)
        ledger.setTemplate(pod.key, number % 2 === 0 ? template : { ...template, id: notInterned, labels: noLabels });
      return;
    case 10:
      if (pod !== undefined) ledger.markTerminating(pod.key, number % 2 === 0);
      return;
    case 6:
      if (pod !== undefined && ledger.budgets[0] !== undefined)
        ledger.spendBudget(ledger.budgets[0].budget.key, pod.key);
      return;
    case 12:
      assert.ok(spec);
      if (ledger.workload(owner) === undefined) ledger.createWorkload(spec);
      else if (number % 2 === 0) ledger.removeWorkload(owner);
      else ledger.setSpec(owner, { ...spec, owner: number % 3 === 0 ? null : aboveOwner });
      return;
    default:
      ledger.setTime(ledger.nowMs + number);
  }
}

/** Everything a reader can see, as text. */
function seen(ledger: Ledger): string {
  return JSON.stringify({
    nowMs: ledger.nowMs,
    changes: ledger.changes,
    nodes: ledger.nodes.map((node) => ({
      name: node.name,
      unschedulable: node.unschedulable,
      requested: { ...node.requested, scalar: [...node.requested.scalar].filter(([, amount]) => amount !== 0) },
      pods: node.pods.map((pod) => pod.key),
    })),
    pods: [...ledger.pods].map((pod) => [pod.key, pod.node?.name, pod.phase, pod.ready, pod.readySinceMs]),
    onNodes: cluster.nodes.map(({ name }) => ledger.podsOn(name).map((pod) => pod.key)),
    byKey: [...ledger.pods].map((pod) => ledger.pod(pod.key) === pod && ledger.podByUid(pod.uid) === pod),
    waiting: Array.from(ledger.waiting, (pod) => pod.key).sort(),
    lostNodes: ledger.lostNodes,
    zones: [...ledger.zones].filter(([, { ready, lost }]) => ready + lost > 0),
    counts: ledger.podCounts(owner),
    hosts: ledger.hostsOf(owner),
    alike: ledger
      .cohortsIn("serving")
      .filter(({ pods }) => pods.length > 0)
      .map(({ pods, healthy }) => [...pods.map((pod) => pod.key), healthy])
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
    workloads: Array.from(ledger.workloads, ({ key }) => key).sort(),
    below: ledger.workloadsOwnedBy(aboveOwner).map(({ key }) => key),
    owned: ledger.podsOwnedBy(owner).map((pod) => pod.key),
    inNamespace: ledger.podsIn("serving").map((pod) => pod.key),
    budgets: ledger.budgets.map(({ status, disruptedPods }) => [status, [...disruptedPods.keys()].sort()]),
  });
}

/** All that is told of a node's pods. */
function podsTold(node: NodeView): string {
  const told: unknown[] = [];
  node.tellPods(({ template }, uid, isTerminating) =>
    told.push([template.id, template.labels.size, uid, isTerminating]),
  );
  return JSON.stringify([told, node.requested.milliCpu, node.nonZeroMilliCpu]);
}

const actions = fc.array(fc.tuple(fc.nat(13), fc.nat(1000)), { maxLength: 40 });

test("a node whose pods have a number seen before has the pods it had then, in whatever branch", () => {
  let again = 0;
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 4 }), (branches) => {
      const ledger = new Ledger(cluster, new Journal());
      const known = new Map<string, string>();
      const look = (): void => {
        for (const node of ledger.nodes) {
          const number = `${node.name} ${node.podsGeneration}`;
          const told = podsTold(node);
          again += known.has(number) ? 1 : 0;
          assert.equal(told, known.get(number) ?? told, number);
          known.set(number, told);
        }
      };
      for (const branch of branches) {
        const mark = ledger.journal.mark();
        for (const action of branch) {
          act(ledger, action);
          look();
        }
        ledger.journal.undoTo(mark);
        look();
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(again > 1000, "most changes are none of their pods");
});

test("undo gives back everything a reader can see", () => {
  fc.assert(
    fc.property(actions, actions, (first, second) => {
      const ledger = new Ledger(cluster, new Journal());
      for (const action of first) act(ledger, action);
      const before = seen(ledger);
      const mark = ledger.journal.mark();
      for (const action of second) act(ledger, action);
      ledger.journal.undoTo(mark);
      assert.equal(seen(ledger), before);
    }),
    { numRuns: 300 },
  );
});

test("what is looked at late is what it would have been at once", () => {
  fc.assert(
    fc.property(actions, fc.nat(40), actions, (first, undone, second) => {
      const [eager, lazy] = [new Ledger(inhabited, new Journal()), new Ledger(inhabited, new Journal())];
      const read = seen(eager);
      for (const ledger of [eager, lazy]) {
        for (const action of first.slice(0, undone)) act(ledger, action);
        const mark = ledger.journal.mark();
        for (const action of second) act(ledger, action);
        ledger.journal.undoTo(mark);
        for (const action of first.slice(undone)) act(ledger, action);
      }
      assert.equal(seen(lazy), seen(eager));
      for (const ledger of [eager, lazy]) ledger.journal.undoTo(0);
      assert.equal(seen(lazy), read);
    }),
    { numRuns: 300 },
  );
});

test("what one ledger has played is nothing to another of the same cluster", () => {
  fc.assert(
    fc.property(actions, (all) => {
      const read = inhabitedNow();
      const played = new Ledger(read, new Journal());
      for (const action of all) act(played, action);
      seen(played);
      assert.equal(seen(new Ledger(read, new Journal())), seen(new Ledger(inhabited, new Journal())));
    }),
    { numRuns: 100 },
  );
});

test("every pod is of one kind, which tells its template and its node", () => {
  fc.assert(
    fc.property(actions, (all) => {
      const [ledger, twin] = [new Ledger(inhabited, new Journal()), new Ledger(inhabited, new Journal())];
      for (const each of [ledger, twin]) for (const action of all) act(each, action);
      const told: string[] = [];
      for (const kind of ledger.kinds()) {
        const nodes = [...kind.nodes()];
        const pods = kind.pods();
        assert.equal(kind.count, pods.length);
        for (const field of ["template", "owner", "requests"] as const)
          assert.ok(pods.every((pod) => pod[field] === kind[field]));
        assert.ok(pods.every((pod) => isTerminal(pod) === isTerminal({ phase: kind.phaseAsRead })));
        assert.deepEqual(
          nodes,
          pods.flatMap(({ node }) => (node === null || ledger.node(node.name) === undefined ? [] : [node.name])),
        );
        told.push(...pods.map(({ key }) => key));
      }
      assert.deepEqual(told.sort(), Array.from(twin.pods, ({ key }) => key).sort());
    }),
    { numRuns: 300 },
  );
});

test("of the pods on a node those are told that are meant", () => {
  let [some, told] = [0, 0];
  fc.assert(
    fc.property(actions, (all) => {
      const [ledger, twin] = [new Ledger(inhabited, new Journal()), new Ledger(inhabited, new Journal())];
      for (const each of [ledger, twin]) for (const action of all) act(each, action);
      const isMeant = ({ template: { labels } }: Pick<PodView, "template">): boolean => labels.get("odd") !== "0";
      for (const { name } of cluster.nodes) {
        const meant = ledger.podsOnMeant(name, isMeant).map(({ key }) => key);
        const there = twin.podsOn(name);
        assert.deepEqual(
          meant,
          there.filter(isMeant).map(({ key }) => key),
        );
        some += meant.length < there.length ? 1 : 0;
        told += meant.length;
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(some > 100 && told > 100, "some are meant, and some are not");
});

test("what a node has given away is the sum of the pods on it", () => {
  fc.assert(
    fc.property(actions, (all) => {
      const ledger = new Ledger(cluster, new Journal());
      for (const action of all) act(ledger, action);
      for (const node of ledger.nodes) {
        const holding = [...ledger.pods].filter((pod) => pod.node === node && pod.phase !== "Failed");
        assert.equal(node.podCount, holding.length);
        assert.equal(node.pods.length, holding.length);
        assert.equal(node.requested.milliCpu, holding.length * 500);
        assert.equal(node.requested.scalar.get("nvidia.com/gpu") ?? 0, holding.length);
      }
    }),
    { numRuns: 300 },
  );
});

test("pods are counted by their owner and by their template as they are", () => {
  fc.assert(
    fc.property(actions, actions, (first, second) => {
      const ledger = new Ledger(cluster, new Journal());
      for (const action of first) act(ledger, action);
      const mark = ledger.journal.mark();
      for (const action of second) act(ledger, action);
      assert.deepEqual(ledger.podCounts(owner), counted(ledger));
      assert.deepEqual(ledger.hostsOf(owner), hosts(ledger));
      assertCohorts(ledger);
      assert.equal(ledger.lostNodes, ledger.nodes.filter(({ ready }) => !ready).length);
      assert.deepEqual(withSome(ledger.zones), withSome(zoneCounts(ledger.nodes)));
      ledger.journal.undoTo(mark);
      assert.deepEqual(ledger.podCounts(owner), counted(ledger));
      assertCohorts(ledger);
    }),
    { numRuns: 300 },
  );
});

function withSome(zones: ReadonlyMap<string, ZoneCount>): ReadonlyMap<string, ZoneCount> {
  return new Map([...zones].filter(([, { ready, lost }]) => ready + lost > 0));
}

function counted(ledger: Ledger): PodCounts {
  const unfinished = [...ledger.pods].filter(({ phase }) => phase !== "Failed" && phase !== "Succeeded");
  const active = unfinished.filter(({ terminatingSinceMs }) => terminatingSinceMs === null);
  return {
    active: active.length,
    ready: active.filter(({ ready }) => ready).length,
    unfinished: unfinished.length,
    unbound: active.filter(({ node }) => node === null).length,
  };
}

function hosts(ledger: Ledger): readonly string[] | null {
  const own = [...ledger.pods].filter((pod) => pod.owner === owner);
  const names = own.flatMap(({ node, phase, terminatingSinceMs }) =>
    node !== null && phase !== "Failed" && phase !== "Succeeded" && terminatingSinceMs === null ? node.name : [],
  );
  return names.length === own.length ? names : null;
}

function assertCohorts(ledger: Ledger): void {
  for (const { template: own, pods, healthy } of ledger.cohortsIn("serving")) {
    const alike = [...ledger.pods].filter((pod) => pod.template === own);
    assert.deepEqual(pods, alike);
    assert.equal(healthy, alike.filter(({ ready, terminatingSinceMs }) => ready && terminatingSinceMs === null).length);
  }
}

test("replacements are numbered by their owner", () => {
  const ledger = new Ledger(cluster, new Journal());
  assert.ok(template);
  const make = (): string =>
    ledger.createPod({ owner, namespace: "serving", name: null, template, ordinal: null, revision: "" }).key;
  assert.deepEqual([make(), make()], ["serving/m1-~1", "serving/m1-~2"]);
});
