import assert from "node:assert/strict";
import { test } from "node:test";
import { running, twoOf } from "../../../test/support/findings.ts";
import { snapshotOf } from "../../../test/support/fix.ts";
import { object, service, type Thing } from "../../../test/support/serving.ts";
import { buildCluster } from "../../model/build.ts";
import { endpointsOf } from "../../route/build.ts";
import { Journal } from "../../sim/journal.ts";
import { Ledger } from "../../sim/ledger.ts";
import { KeptObjects } from "../kept-objects.ts";
import { sitesOf } from "../site.ts";
import { autoscalerFloor } from "./autoscaler-floor.ts";

/** What is set for two engines under an autoscaler. */
function proposed(minReplicas: number, maxReplicas: number, more: Thing = {}): unknown {
  const kept = new KeptObjects();
  const annotations = { "holdfast.dev/endpoint": "m" };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "m" };
  const objects = [
    ...running("m", twoOf("m", "ns", ["s1", "s2"])),
    service("m", { app: "m" }, { annotations }),
    object("autoscaling/v2", "HorizontalPodAutoscaler", "m", { scaleTargetRef, minReplicas, maxReplicas, ...more }),
  ];
  const wire = objects.map((each) => ({ apiVersion: "", kind: "", metadata: {}, ...JSON.parse(JSON.stringify(each)) }));
  const cluster = buildCluster(kept.watching(snapshotOf(wire)));
  const view = new Ledger(cluster, new Journal());
  const [site] = sitesOf({ view, kept, endpoints: endpointsOf(cluster).endpoints });
  assert.ok(site);
  const edits = autoscalerFloor.propose(site, {
    ...{ cluster, view, kept, changed: [] },
    unitsAfter: ({ units }) => units,
  });
  return edits.map(({ act }) => (act.do === "set" ? act.fields.map(({ path, value }) => `${path}=${value}`) : act.do));
}

test("the least an autoscaler leaves is two", () => {
  assert.deepEqual(proposed(1, 4), [["spec.minReplicas=2"]]);
  assert.deepEqual(proposed(1, 1), [["spec.minReplicas=2", "spec.maxReplicas=2"]], "and the most with it");
  assert.deepEqual(proposed(2, 4), []);
  assert.deepEqual(proposed(1, 4, { behavior: { scaleDown: { selectPolicy: "Disabled" } } }), [], "it takes none away");
});
