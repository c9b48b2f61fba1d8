import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clusterOf } from "../../src/assess.ts";
import { buildCluster } from "../../src/model/build.ts";
import { objectKey } from "../../src/model/key.ts";
import { attachOf, EditApplier } from "../../src/patch/apply-edits.ts";
import { carriedTiming } from "../../src/patch/carried-timing.ts";
import { choose } from "../../src/patch/choose.ts";
import type { Edit } from "../../src/patch/edit.ts";
import { KeptObjects, refOf } from "../../src/patch/kept-objects.ts";
import { rankOf } from "../../src/patch/prove.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { isJsonList, isJsonObject } from "../../src/wire/fields.ts";
import { changedPaths } from "../../src/wire/object-path.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { poolCluster } from "../search/pool-cluster.ts";
import { defaultCheckOptions } from "../support/assess.ts";
import { snapshotOf } from "../support/fix.ts";
import { budget, node, service, workload } from "./small-cluster.ts";

/** More of them: `node scripts/fix-law.ts 5000`. */
const asked = process.env["FIX_CLUSTERS"];
const small = Number(asked ?? 120);
const paths = asked === undefined ? 12 : Math.ceil(small / 100);

/** Whole request paths, with everything as it should be but for some budgets and spreads; or one of each part. */
const path = fc
  .record({
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    nodes: fc.integer({ min: 2, max: 3 }),
    endpoints: fc.constant(1),
    others: fc.constantFrom(0, 1),
    fill: fc.constantFrom(0.2, 0.5),
    free: fc.constant(1),
    budgets: fc.constantFrom(0, 0.5, 1),
    spread: fc.constantFrom(0, 0.5, 1),
    kured: fc.boolean(),
    single: fc.boolean(),
  })
  .map(({ seed, single, ...drawn }) => {
    const made = poolCluster(seed, { ...drawn, alike: true });
    return single ? made.filter((object) => !isSpare(object)).map(singled) : made;
  });

const host = "kubernetes.io/hostname";
const labels = { matchLabels: { app: "engine" } };
const apart: readonly JsonObject[] = [
  {},
  {},
  {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: host, whenUnsatisfiable: "DoNotSchedule", labelSelector: labels },
    ],
  },
  {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: host, whenUnsatisfiable: "ScheduleAnyway", labelSelector: labels },
    ],
  },
  {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: host, labelSelector: labels }],
      },
    },
  },
  {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: host, labelSelector: { matchLabels: { app: "else" } } },
        ],
      },
    },
  },
];
const budgets: readonly (readonly JsonObject[])[] = [
  [],
  [],
  [{ maxUnavailable: 1, selector: labels }],
  [{ minAvailable: 1, selector: labels }],
  [{ minAvailable: "100%", selector: labels }],
  [{ maxUnavailable: 0, selector: labels }],
  [{ minAvailable: 1, selector: { matchLabels: { app: "engine-old" } } }],
  [{ minAvailable: 1, selector: {} }],
  [
    { maxUnavailable: 1, selector: labels },
    { minAvailable: 1, selector: labels },
  ],
];
const strategies: readonly (JsonObject | undefined)[] = [
  undefined,
  { type: "Recreate" },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
];

/** One Deployment with any of the usual mistakes, beside others, on few nodes with more room or less. */
const mistakes = fc
  .record({
    nodes: fc.integer({ min: 2, max: 3 }),
    tainted: fc.boolean(),
    milliCpu: fc.constantFrom(500, 1500, 3000),
    places: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 3 }),
    other: fc.constantFrom(0, 500, 2000),
    apart: fc.constantFrom(...apart),
    budgets: fc.constantFrom(...budgets),
    strategy: fc.constantFrom(...strategies),
    dns: fc.boolean(),
  })
  .map((drawn) => {
    const names = ["a", "b", "c"].slice(0, drawn.nodes);
    const on = drawn.places.map((place) => names[place % names.length] ?? "a");
    const taints = [{ key: "nvidia.com/gpu", effect: "NoSchedule" }];
    const most = Math.max(...names.map((name) => on.filter((each) => each === name).length));
    return [
      ...names.map((name) => node(name, Math.max(4000, most * drawn.milliCpu + drawn.other + 200))),
      ...(drawn.tainted ? [node("gpu", 4000, { taints })] : []),
      ...workload({
        namespace: "m",
        name: "engine",
        on,
        milliCpu: drawn.milliCpu,
        pod: drawn.apart,
        ...(drawn.strategy === undefined ? {} : { strategy: drawn.strategy }),
      }),
      service("m", "engine", { app: "engine" }, "chat"),
      ...drawn.budgets.map((spec, index) => budget("m", `budget-${index}`, spec)),
      ...(drawn.other === 0 ? [] : workload({ namespace: "m", name: "other", on: ["a"], milliCpu: drawn.other })),
      ...(drawn.dns
        ? [
            ...workload({
              namespace: "kube-system",
              name: "coredns",
              on: ["a", "a"],
              milliCpu: 50,
              labels: { "k8s-app": "kube-dns" },
            }),
            service("kube-system", "kube-dns", { "k8s-app": "kube-dns" }),
          ]
        : []),
    ];
  });

const ranks = ["safe", "undecided", "stalls", "unsafe"];

for (const [what, drawn, numRuns] of [
  ["with one of the usual mistakes", mistakes, small],
  ["along whole request paths", path, paths],
] as const) {
  test(`a fix ${what} makes no verdict worse, applies twice without change, and touches only what it names`, () => {
    let fixed = 0;
    fc.assert(
      fc.property(drawn, (objects) => {
        if (holdsLaw(objects)) fixed += 1;
      }),
      { numRuns, seed: Number(process.env["FIX_SEED"] ?? 20_261_130) },
    );
    assert.ok(fixed > 0, "some of the clusters can be put right");
    if (asked !== undefined) console.log(`${numRuns} clusters ${what}: ${fixed} changed`);
  });
}

/** True: something was changed. */
function holdsLaw(objects: readonly WireObject[]): boolean {
  const kept = new KeptObjects();
  const cluster = clusterOf(kept.watching(snapshotOf(objects)), defaultCheckOptions);
  const applier = new EditApplier(cluster, kept);
  const steps = choose({
    proving: {
      cluster,
      timing: carriedTiming(cluster, timingOf(cluster, defaultCheckOptions.timing)),
      states: 100,
      horizonMs: 7_200_000,
      actors: [],
      choose: (endpoints) => endpoints,
    },
    applier,
    bench: { cluster, view: new Ledger(cluster, new Journal()), kept },
    wrongs: new Map(),
  });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const { edits, before, after, alternatives } = step.value;
  for (const endpoint of before.endpoints.keys()) {
    const [was, is] = [rankOf(before, endpoint, "verdict"), rankOf(after, endpoint, "verdict")];
    assert.ok(ranks.indexOf(is) <= ranks.indexOf(was), `${endpoint}: ${was}, then ${is}`);
    if (edits.length > 0) assert.equal(rankOf(after, endpoint, "rollout"), "safe");
  }
  for (const each of [edits, ...alternatives.map((other) => other.edits)]) {
    touchesOnlyWhatItNames(each, kept, applier);
    appliesTwice(each, objects, applier);
    holdsNoTextbookSpread(each);
  }
  return edits.length > 0;
}

/** Tainted nodes as empty places, and the old pods counted: its own rollout never ends. */
function holdsNoTextbookSpread(edits: readonly Edit[]): void {
  for (const { value, aspect, remedy } of edits) {
    if (aspect !== "spread" || !isJsonList(value)) continue;
    const own = value.filter(isJsonObject).at(-1) ?? {};
    const isTextbook = own["whenUnsatisfiable"] === "DoNotSchedule" && own["matchLabelKeys"] === undefined;
    assert.ok(!isTextbook, remedy);
  }
}

function isSpare({ kind, metadata }: WireObject): boolean {
  return kind === "Pod" && /-[cdfgh][^-]*$/.test(String(metadata["name"])) && metadata["namespace"] !== "others";
}

/** One replica of everything but DNS is the usual mistake. */
function singled(object: WireObject): WireObject {
  const spec = object["spec"];
  if (object.kind !== "Deployment" && object.kind !== "ReplicaSet") return object;
  return { ...object, spec: { ...(typeof spec === "object" ? spec : {}), replicas: 1 } };
}

/** The budget an owner's controller makes for its workload, and names after it. */
function isMadeFor({ aspect, siteRef }: Edit, key: string): boolean {
  return aspect === "budget" && key === `PodDisruptionBudget.policy/${siteRef.namespace}/${siteRef.name}`;
}

function touchesOnlyWhatItNames(edits: readonly Edit[], kept: KeptObjects, applier: EditApplier): void {
  for (const [key, object] of applier.objectsAfter(edits)) {
    const attached = edits.flatMap(({ act }) => {
      const attach = attachOf(act);
      return attach !== null && objectKey(attach.target) === key ? [attach.path] : [];
    });
    const own = edits.filter(
      ({ target, site, act }) =>
        objectKey(target) === key || site === key || (attached.length > 0 && attachOf(act) !== null),
    );
    if (own.length === 0 && edits.some((edit) => isMadeFor(edit, key))) continue;
    assert.ok(own.length > 0, `${key} is named`);
    const before = object === null ? undefined : kept.get(refOf(object));
    if (object === null || before === undefined) continue;
    const named = [
      ...attached,
      ...own.flatMap(({ act }) => (act.do === "set" ? act.fields.map(({ path }) => path) : [])),
    ];
    const direct = attached.length > 0 || own.every(({ target }) => objectKey(target) === key);
    for (const path of direct ? changedPaths(before, object) : []) {
      assert.ok(
        named.some((each) => path === each || path.startsWith(`${each}.`) || each.startsWith(`${path}.`)),
        `${key} ${path}`,
      );
    }
  }
}

function appliesTwice(edits: readonly Edit[], objects: readonly WireObject[], applier: EditApplier): void {
  const once = applier.objectsAfter(edits);
  const known = new Set(objects.map((object) => objectKey(refOf(object))));
  const changed = [
    ...objects.flatMap((object) => {
      const key = objectKey(refOf(object));
      const after = once.get(key);
      return after === null ? [] : [after ?? object];
    }),
    ...[...once].flatMap(([key, object]) => (known.has(key) || object === null ? [] : [object])),
  ];
  const again = new KeptObjects();
  const cluster = buildCluster(again.watching(snapshotOf(changed)));
  const twice = new EditApplier(cluster, again).objectsAfter(edits);
  for (const [key, object] of once) assert.deepEqual(twice.get(key), object, key);
}
