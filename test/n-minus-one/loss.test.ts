import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, daemonSet, deployment, type Item, node, pod, service } from "../../scripts/recordings/objects.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { planDrain } from "../../src/eviction/drain.ts";
import { parseDrainFlags } from "../../src/eviction/drain-flags.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import type { PodView } from "../../src/model/view.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { type Ground, groundOf } from "../../src/search/n-minus-one/ground.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { rootOf, staysPut } from "../../src/search/owners.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import type { PlannedStep } from "../../src/sim/program.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { built } from "../search/built.ts";

const names = ["n1", "n2", "n3", "n4", "n5"];

test("what a loss says of many nodes at once is what their pods say one by one", () => {
  const seen = { refused: 0, others: 0, stronger: 0, finished: 0, stay: 0 };
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seededRandom(seed);
    const ground = groundFor(objectsOf(random));
    const { view } = ground.standing;
    const flags = ["--force", "--ignore-daemonsets", "--delete-emptydir-data", "--pod-selector=app!=web0"].filter(
      () => random.below(3) > 0,
    );
    const taken = names.filter(() => random.below(2) === 0);
    const lost = taken.length === 0 ? names : taken;
    for (const steps of [drainOf(ground, lost, flags), lost.map((name): PlannedStep => ({ do: "fail", node: name }))]) {
      const loss = lossOf(ground.standing, steps);
      assert.ok(loss !== null);
      const there = lost.flatMap((name) => view.podsOn(name));
      const movers = there.filter((one) => !staysPut(view, one));
      const gone = loss.by === "failure" ? there : movers;
      const said = `seed ${seed}, ${loss.by} of ${lost.join()} ${flags.join(" ")}`;
      assert.deepEqual(keys(loss.pods), keys(gone), said);
      assert.deepEqual(keys([...view.pods].filter((one) => loss.pods.has(one))), keys(gone), said);
      assert.deepEqual(keys(loss.movers()), keys(movers), said);
      assert.equal(loss.moverCount, movers.length, said);
      assert.equal(loss.strongest, Math.max(...movers.map(({ template }) => template.priority)), said);
      const isStronger = ({ template }: PodView): boolean => template.priority > ground.standing.lowestPriority;
      const stronger = new Set(movers.filter(isStronger).map(({ template }) => template));
      assert.deepEqual(loss.stronger, stronger, said);
      assert.equal(
        loss.takesOthers,
        movers.some((one) => ground.standing.comesWithOthers(one)),
        said,
      );
      const { endpoints } = ground.standing.touchedBy(loss);
      const roots = new Set(gone.map((one) => rootOf(view, one)));
      const isTouched = (one: PodView): boolean => roots.has(rootOf(view, one));
      for (const endpoint of ground.standing.endpoints) {
        const own = endpoint.hops.flatMap((hop) => ground.standing.part(hop).pods);
        assert.equal(endpoints.has(endpoint), own.some(isTouched), said);
      }
      seen.others += Number(loss.takesOthers);
      seen.stronger += stronger.size;
      seen.finished += gone.filter(({ phase }) => phase === "Succeeded").length;
      seen.stay += there.length - movers.length;
      if (loss.drain === null) continue;
      const parsed = parseDrainFlags(flags);
      assert.ok(parsed.ok);
      const plans = lost.map((name) => ({ name, ...planDrain(view, name, parsed.flags) }));
      const refusing = plans.filter(({ refusals }) => refusals.length > 0).map(({ name }) => name);
      const evicted = plans.flatMap(({ evict }) => evict);
      assert.deepEqual(keys(loss.drain.evict), keys(evicted), said);
      assert.deepEqual(keys([...view.pods].filter((one) => loss.drain?.evict.has(one))), keys(evicted), said);
      assert.deepEqual(
        lost.filter((name) => loss.drain?.isRefusedOn(name)),
        refusing,
        said,
      );
      assert.equal(loss.drain.refused, refusing.length > 0, said);
      seen.refused += refusing.length;
      const [first] = lost;
      assert.ok(first !== undefined);
      assert.deepEqual(keys(loss.on(first).pods), keys(gone.filter((one) => one.node?.name === first)), said);
      assert.equal(loss.on(first).moverCount, movers.length, said);
    }
  }
  assert.ok(
    Object.values(seen).every((count) => count >= 20),
    JSON.stringify(seen),
  );
});

function drainOf({ standing }: Ground, lost: readonly string[], flags: readonly string[]): readonly PlannedStep[] {
  const { cluster } = standing.view;
  const actor = { ...kubectlDrain, drain: { ...kubectlDrain.drain, flags } };
  return [
    maintenanceOf(
      cluster,
      actor,
      cluster.nodes.filter(({ name }) => lost.includes(name)),
      "any",
    ),
  ];
}

function keys(pods: Iterable<PodView>): readonly string[] {
  return Array.from(pods, ({ key }) => key).sort();
}

/** Of everything that is told apart: DaemonSets' pods, static, bare and finished ones, owners of others, strong ones. */
function objectsOf(random: Random): readonly Item[] {
  const somewhere = (most: number): string =>
    Array.from({ length: 1 + random.below(most) }, () => names[random.below(names.length)] ?? "n1").join(" ");
  const emptyDir = { volumes: [{ name: "shm", emptyDir: {} }] };
  const boss = deployment("boss", somewhere(1));
  const { metadata } = boss.find(({ kind }) => kind === "Pod") ?? {};
  const owner = { apiVersion: "v1", kind: "Pod", name: metadata?.name, uid: metadata?.["uid"], controller: true };
  return [
    ...names.map((name) => node(name, { cpu: "64" })),
    ...["web0", "web1", "web2"].flatMap((name) => [
      ...deployment(name, somewhere(4), { spec: random.below(2) === 0 ? emptyDir : { priority: random.below(3) } }),
      endpointOf(name),
    ]),
    budget("web1", { max: 1 }),
    ...(random.below(2) === 0 ? [] : [...boss, ...deployment("crew", somewhere(2)).map((one) => under(one, owner))]),
    ...(random.below(4) === 0 ? [pod("alone", somewhere(1))] : []),
    ...(random.below(2) === 0 ? [pod("done", `${names[random.below(names.length)]}$`, { owner: jobOf("done") })] : []),
    ...daemonSet("agent", names.join(" "), { ns: "kube-system" }),
  ];
}

function jobOf(name: string) {
  return { apiVersion: "batch/v1", kind: "Job", name, uid: "5c2a2f0e-0000-4000-8000-00000000b001" };
}

function under(object: Item, owner: object): Item {
  if (object.kind !== "Deployment") return object;
  return { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } };
}

function endpointOf(name: string): Item {
  const { metadata, ...more } = service(name);
  return { ...more, metadata: { ...metadata, annotations: { "holdfast.dev/endpoint": name } } };
}

function groundFor(objects: readonly Item[]): Ground {
  const cluster = built(JSON.parse(JSON.stringify(objects)));
  const timing = timingOf(cluster, noTiming);
  return groundOf({ cluster, ...endpointsOf(cluster), timing, states: 2_000, horizonMs: 86_400_000 });
}
