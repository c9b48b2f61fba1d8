import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Change } from "../../src/report/types.ts";
import { projected } from "../../src/systems/projections/projection.ts";
import { projectionOf } from "../../src/systems/projections/registry.ts";
import { pathSteps, valueAt } from "../../src/wire/object-path.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { readExample } from "../support/assess.ts";
import { fixReport, planReport } from "../support/fix.ts";

// What `node scripts/confirm.ts` saw: etcd, kube-apiserver, kube-scheduler, kube-controller-manager v1.36.3, kubectl v1.36.3 and
// Envoy Gateway v1.9.1, all real; the kubelets and KServe's controllers are stood in for. A fix or a plan that changes has to be
// seen again.

interface Seen {
  readonly steps: readonly {
    readonly command: string;
    readonly code: number;
    readonly least: { readonly [name: string]: number };
  }[];
  readonly facts: {
    readonly changes: readonly string[];
    readonly steps: readonly string[];
    readonly onOneNode: JsonObject;
    readonly made: JsonObject;
    readonly dryRunWrote: boolean;
    readonly refusalWrote: boolean;
    readonly refused: readonly string[];
    readonly first: JsonObject;
    readonly second: JsonObject;
    readonly pairs: readonly { readonly edit: JsonObject; readonly owner: JsonObject; readonly made: JsonObject }[];
  };
}

function seen(name: string): Seen {
  return JSON.parse(readFileSync(join(import.meta.dirname, "..", "confirmed", `${name}.json`), "utf8"));
}

function shown({ holds, do: what, target, fields }: Change): string {
  const list = what === "create" ? [] : fields.map(({ path, value }) => `${path}=${JSON.stringify(value)}`);
  return [holds, what, `${target.kind} ${target.namespace}/${target.name}`, ...list].join(" ");
}

/** The least that was ever ready of each of these, over all steps. */
function least({ steps }: Seen, names: readonly string[]): readonly number[] {
  return names.map((name) => Math.min(...steps.flatMap(({ least: own }) => own[name] ?? [])));
}

const gpus = ["ip-10-0-51-34.eu-west-1.compute.internal", "ip-10-0-75-166.eu-west-1.compute.internal"];
const engines = ["Deployment demo-models/chat-kserve", "Deployment demo-models/rank-predictor"];

describe("the page's selectors", () => {
  test("as they are: one real drain takes both engines", () => {
    assert.deepEqual(least(seen("openshift-unfixed"), [engines[0] ?? ""]), [0]);
  });

  test("put right: both nodes drained in turn, twice, and an engine of each was always ready", () => {
    const fixed = seen("openshift-fix");
    assert.ok(fixed.steps.every(({ code }) => code === 0));
    assert.equal(fixed.steps.filter(({ command }) => command.startsWith("kubectl drain ")).length, 4);
    assert.deepEqual(least(fixed, engines), [1, 1]);
  });

  test("what was applied there is what is proposed", () => {
    assert.deepEqual(
      [...seen("openshift-fix").facts.changes].sort(),
      fixReport(readExample("openshift-as-written")).changes.map(shown).sort(),
    );
  });
});

describe("one replica each", () => {
  const typed = seen("openshift-plan");

  test("scaled to two, drained and stepped back: never without an engine", () => {
    assert.ok(typed.steps.every(({ code }) => code === 0));
    assert.deepEqual(least(typed, engines), [1, 1]);
  });

  test("what was typed there is what the plan says", () => {
    const plan = planReport(readExample("openshift-one-replica"), { nodes: { by: "names", names: gpus }, actor: null });
    const steps = plan.steps.map(({ do: what, command }) => `${what} ${command}`.trim());
    // Times are learnt from pods' ages, which a loaded plane does not have.
    const timeless = (text: string): string => text.replaceAll(/--timeout=\d+s/g, "--timeout");
    assert.deepEqual(typed.facts.steps.map(timeless), steps.map(timeless));
  });
});

describe("the gateway incident", () => {
  const path = [
    "Service envoy-gateway-system/envoy-modelplane-system-cluster-gateway-s9whx49f",
    "Service kube-system/kube-dns",
    "Service mp-ml-team-5f2a9c/chat-0-epp",
    "Deployment mp-ml-team-5f2a9c/chat-0-main-7c5d9f",
  ];

  test("as it happened: the proxy and the picker were gone", () => {
    const [proxy, , picker] = least(seen("incident-unfixed"), path);
    assert.deepEqual([proxy, picker], [0, 0]);
  });

  test("after all changes: both pools closed whole and drained, twice, and every part was always ready", () => {
    const fixed = seen("incident-fix");
    assert.ok(fixed.steps.every(({ code }) => code === 0));
    assert.equal(fixed.steps.filter(({ command }) => command.startsWith("kubectl drain ")).length, 8);
    assert.deepEqual(least(fixed, path), [1, 1, 1, 1]);
  });

  test("and nothing had piled up on one node", () => {
    assert.deepEqual(seen("incident-fix").facts.onOneNode, { "chat-0-epp": 1, "chat-0-main-7c5d9f": 1 });
  });

  test("what was applied there is what is proposed", () => {
    assert.deepEqual(
      [...seen("incident-fix").facts.changes].sort(),
      fixReport(readExample("modelplane-incident")).changes.map(shown).sort(),
    );
  });
});

describe("--apply on a real API server", () => {
  const { steps, facts } = seen("apply");

  test("a dry run writes nothing", () => assert.equal(facts.dryRunWrote, false));

  test("a field of another manager's is refused, the manager named, nothing written", () => {
    assert.equal(facts.refused.length, 1);
    assert.match(
      facts.refused[0] ?? "",
      /argocd-controller has set spec\.provider\.kubernetes\.envoyDeployment\.replicas/,
    );
    assert.equal(facts.refusalWrote, false);
    assert.deepEqual(
      steps.map(({ code }) => code),
      [0, 0, 2, 0, 0, 0, 0],
    );
  });

  test("what a later apply does not change is still there", () => {
    assert.deepEqual(facts.second, facts.first);
    assert.equal(valueAt(facts.first, pathSteps("envoyDeployment.replicas")), 2);
    assert.equal(valueAt(facts.first, pathSteps("envoyPDB.maxUnavailable")), 1);
  });
});

describe("the real Envoy Gateway", () => {
  const wanted = (made: JsonObject): unknown => [
    valueAt(made, pathSteps("spec.replicas")),
    valueAt(made, pathSteps("budget.maxUnavailable")),
    valueAt(made, pathSteps("spec.template.spec.topologySpreadConstraints[0].whenUnsatisfiable")),
    valueAt(made, pathSteps("spec.template.spec.topologySpreadConstraints[0].matchLabelKeys")),
  ];

  test("makes of the EnvoyProxy two proxies, a budget and a spread", () => {
    assert.deepEqual(wanted(seen("envoy-gateway").facts.made), [2, 1, "DoNotSchedule", ["pod-template-hash"]]);
  });

  test("reads an EnvoyProxy that is made where there was none", () => {
    const { changes, made } = seen("envoy-gateway-none").facts;
    assert.ok(changes.includes("live create EnvoyProxy modelplane-system/cluster-gateway"));
    assert.deepEqual(wanted(made), [2, 1, "DoNotSchedule", ["pod-template-hash"]]);
  });

  const { pairs } = seen("envoy-gateway").facts;
  const ref = { apiVersion: "gateway.envoyproxy.io/v1alpha1", kind: "EnvoyProxy", namespace: "ns", name: "proxy" };
  const projection = projectionOf(ref);
  const owner = (spec: JsonObject): WireObject => ({ ...ref, metadata: { name: "proxy", namespace: "ns" }, ...spec });
  const deployment = (made: JsonObject): WireObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "envoy", namespace: "ns" },
    spec: made["spec"] ?? {},
  });
  for (const [index, { edit, owner: after, made }] of pairs.entries()) {
    const before = pairs[index - 1];
    if (before === undefined) continue;
    test(`makes what the projection says of ${JSON.stringify(edit)}`, () => {
      assert.ok(projection);
      const workload = projected(
        projection,
        { before: owner(before.owner), after: owner(after) },
        deployment(before.made),
      );
      assert.deepEqual(workload["spec"], made["spec"]);
      const budgets = projection.objects(owner(after), deployment(made)).map(({ spec }) => spec);
      assert.deepEqual(budgets, made["budget"] === undefined ? [] : [made["budget"]]);
    });
  }
});
