import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { rows } from "../../test/support/rows.ts";
import { withBoundClaims } from "./bound-claims.ts";

const volume = (spec: string): string =>
  `apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: v }\nspec: { capacity: { storage: 2Gi }, accessModes: [ReadWriteMany], nfs: { server: s, path: / }${spec} }`;
const claim = (spec: string): string =>
  `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: c, namespace: ns }\nspec: { accessModes: [ReadWriteMany], storageClassName: "", resources: { requests: { storage: 1Gi } }${spec} }`;
const named = claim(", volumeName: v");

function isBound(documents: readonly string[]): boolean {
  const { storage } = withBoundClaims(clusterFrom(documents.join("\n---\n")));
  const found = storage.claims.get("ns/c");
  const ref = storage.volumes.get("v")?.claimRef;
  assert.equal(found?.bindCompleted === true, found?.phase === "Bound" && ref === "ns/c");
  return found?.bindCompleted === true;
}

rows("bound claims", isBound, [
  ["a volume asked for by name", [volume(""), named], true],
  ["… that is kept for the claim", [volume(", claimRef: { namespace: ns, name: c }"), named], true],
  ["… that is another's", [volume(", claimRef: { namespace: ns, name: d }"), named], false],
  ["… of another class", [volume(", storageClassName: fast"), named], false],
  ["… that is too small", [volume("").replace("2Gi", "500Mi"), named], false],
  ["… that is not there", [named], false],
  [
    "… and whose claim says it is bound, without the annotation",
    [volume(""), `${named}\nstatus: { phase: Bound }`],
    true,
  ],
  ["a claim that names none waits for whoever binds it", [volume(""), claim("")], false],
]);

test("where nothing is to be bound the cluster is the same", () => {
  const cluster = clusterFrom(volume(""));
  assert.equal(withBoundClaims(cluster), cluster);
});
