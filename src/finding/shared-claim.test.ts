import assert from "node:assert/strict";
import { test } from "node:test";
import { remediesAfter, type World } from "../../test/support/findings.ts";
import { object } from "../../test/support/serving.ts";

const rows: readonly (readonly [about: string, modes: readonly string[], told: RegExp | null])[] = [
  ["one node at a time", ["ReadWriteOnce"], /But claim ns\/cache is ReadWriteOnce: one node at a time/],
  ["one pod at all", ["ReadWriteOncePod"], /But claim ns\/cache is ReadWriteOncePod: a second pod/],
  ["any node", ["ReadWriteMany"], null],
  ["any node, to read", ["ReadWriteOnce", "ReadOnlyMany"], null],
];

for (const [about, modes, told] of rows) {
  test(`a claim that lets ${about} mount it`, () => {
    const alone = remediesAfter((world) => withClaim(world, modes, ["s1"]), "single-replica");
    const together = remediesAfter((world) => withClaim(world, modes, ["s1", "s1"]), "same-node");
    for (const remedies of [alone, together]) {
      assert.equal(remedies.length, 1);
      if (told === null) assert.doesNotMatch(remedies.join(), /claim/);
      else assert.match(remedies.join(), told);
    }
  });
}

function withClaim({ picker, more }: World, accessModes: readonly string[], nodes: string[]): void {
  picker.replicas = nodes.length;
  picker.nodes = nodes;
  picker.spec["volumes"] = [{ name: "cache", persistentVolumeClaim: { claimName: "cache" } }];
  const resources = { requests: { storage: "1Gi" } };
  more.push(object("v1", "PersistentVolumeClaim", "cache", { accessModes, resources }));
}
