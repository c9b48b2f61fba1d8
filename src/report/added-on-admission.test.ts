import assert from "node:assert/strict";
import { test } from "node:test";
import { cluster, deployment, replicaSetOf, template } from "../../test/support/tiny.ts";
import type { ChangedOnAdmission } from "../model/cluster.ts";
import type { Workload } from "../model/workload.ts";
import { addedOnAdmission } from "./added-on-admission.ts";

const base = template("web");
const change = { base, became: { ...base, terminationGraceMs: 90_000, schedulerName: "other" }, isOfSet: false };

function said(workloads: readonly Workload[]): string {
  const changedOnAdmission: ChangedOnAdmission = new Map(
    workloads.map(({ key }) => [key, { template: change, workerTemplate: null }]),
  );
  return addedOnAdmission(cluster({ workloads, changedOnAdmission }));
}

test("what admission adds: one owner, of several the first, and a Deployment for its sets", () => {
  const [web, api] = [deployment("web"), deployment("api")];
  assert.equal(said([]), "");
  assert.equal(
    said([web, replicaSetOf(web, "h1")]),
    "what admission adds to pods of Deployment ns/web (grace period, scheduler): new ones are taken to get the same",
  );
  assert.match(said([web, api]), /^what admission adds to pods of Deployment ns\/api and 1 more owner \(/);
});
