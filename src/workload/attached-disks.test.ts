import assert from "node:assert/strict";
import { test } from "node:test";
import { claim, disk, mounts } from "../../test/support/disks.ts";
import { cluster, node, pod, template } from "../../test/support/tiny.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Pod } from "../model/pod.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../model/storage.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { diskHolder } from "./attached-disks.ts";

const uses = template("web", { volumes: mounts });
const old = pod("old", { nodeName: "n1", template: uses });
const fresh = pod("fresh", { nodeName: "n2", template: uses });

interface Given {
  readonly volume?: Partial<PersistentVolume> | null;
  readonly claim?: Partial<PersistentVolumeClaim>;
  readonly attachRequired?: boolean;
  readonly pods?: readonly Pod[];
}

function given({ volume = {}, claim: fields = {}, attachRequired, pods = [old, fresh] }: Given): Cluster {
  const { storage, ...rest } = cluster({ nodes: [node("n1"), node("n2")], pods });
  const driver = { name: "disks.example.com", storageCapacity: false, preventPodSchedulingIfMissing: false };
  return {
    ...rest,
    storage: {
      ...storage,
      volumes: new Map(volume === null ? [] : [["disk", { ...disk, ...volume }]]),
      claims: new Map([["ns/cache", { ...claim, ...fields }]]),
      csiDrivers: new Map(attachRequired === undefined ? [] : [[driver.name, { ...driver, attachRequired }]]),
    },
  };
}

// pkg/volume/util/util.go IsMultiAttachAllowed, pkg/volume/csi CanAttach, pkg/controller/volume/attachdetach, v1.36.3.
const own = { template: uses, ordinal: 0, name: "web-0", key: "ns/web-0" } as const;
const numbered = template("web", {
  volumes: [{ kind: "claim", volume: "cache", claimName: "cache-web-0", readOnly: false }],
});
for (const [title, parts, holder] of [
  ["a disk is where another pod has it", {}, "ns/old"],
  ["one that is stopping has it still", { pods: [{ ...old, deleting: true }, fresh] }, "ns/old"],
  ["one that has ended has it no more", { pods: [{ ...old, phase: "Failed" }, fresh] }, null],
  ["on one node any number may have it", { pods: [{ ...old, nodeName: "n2" }, fresh] }, null],
  ["many may have a volume of many", { volume: { accessModes: ["ReadWriteOnce", "ReadWriteMany"] } }, null],
  ["it goes by the volume, not by the claim", { claim: { accessModes: ["ReadOnlyMany"] } }, "ns/old"],
  ["a volume that was not seen is one like its claim", { volume: null }, "ns/old"],
  ["and not where that is for many", { volume: null, claim: { accessModes: ["ReadWriteMany"] } }, null],
  ["a driver may need no attaching", { attachRequired: false }, null],
  ["or say that it does", { attachRequired: true }, "ns/old"],
  ["directories of nodes and servers are attached to nothing", { volume: { csi: null } }, null],
  ["disks of old kinds are", { volume: { csi: null, inTree: { type: "cinder", id: "1", readOnly: false } } }, "ns/old"],
] satisfies readonly (readonly [string, Given, string | null])[]) {
  test(title, () => {
    const ledger = new Ledger(given(parts), new Journal());
    const asks = ledger.pod("ns/fresh");
    assert.ok(asks !== undefined);
    assert.equal(diskHolder(ledger, asks, () => true)?.pod.key ?? null, holder);
    assert.equal(
      diskHolder(ledger, asks, () => false),
      null,
      "nobody has what those only wait for",
    );
  });
}

test("a StatefulSet's pod has its own claim for itself", () => {
  const parts = {
    claim: { name: "cache-web-0" },
    pods: [pod("web-0", { ...own, template: numbered, nodeName: "n2" }), { ...old, template: numbered }],
  };
  const of = given(parts);
  const storage = { ...of.storage, claims: new Map([["ns/cache-web-0", { ...claim, name: "cache-web-0" }]]) };
  const ledger = new Ledger({ ...of, storage }, new Journal());
  const asks = ledger.pod("ns/web-0");
  assert.ok(asks !== undefined);
  assert.equal(
    diskHolder(ledger, asks, () => true),
    null,
  );
});
