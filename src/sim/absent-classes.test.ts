import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { withAbsentClasses } from "./absent-classes.ts";

const claim = (name: string, spec: string): string =>
  `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: ${name}, namespace: ns }\nspec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } }${spec} }`;
const storageClass = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: { name: other }\nprovisioner: x";

function told(...documents: readonly string[]): { readonly classes: readonly string[]; readonly missing: number } {
  const cluster = clusterFrom(documents.join("\n---\n"));
  const { storage, notSeen } = withAbsentClasses(cluster);
  return { classes: [...storage.classes.keys()], missing: notSeen.length - cluster.notSeen.length };
}

const rows: readonly (readonly [string, readonly string[], ReturnType<typeof told>])[] = [
  ["a class that is named and not there", [claim("a", ", storageClassName: fast")], { classes: ["fast"], missing: 1 }],
  ["the default class", [claim("a", "")], { classes: ["(default)"], missing: 1 }],
  [
    "an input with classes of its own is believed",
    [claim("a", ", storageClassName: fast"), storageClass],
    { classes: ["other"], missing: 0 },
  ],
  ["a claim that wants no class", [claim("a", ', storageClassName: ""')], { classes: [], missing: 0 }],
  ["a claim that is bound", [claim("a", ", storageClassName: fast, volumeName: v")], { classes: [], missing: 0 }],
  ["no claim", [storageClass.replace("other", "x")], { classes: ["x"], missing: 0 }],
];
for (const [name, documents, expected] of rows) test(name, () => assert.deepEqual(told(...documents), expected));
