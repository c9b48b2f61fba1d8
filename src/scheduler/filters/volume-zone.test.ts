import { rows } from "../../../test/support/rows.ts";
import { incoming, node, verdicts } from "../../../test/support/scheduling.ts";
import { claimVolume, storageClass, volume, volumeClaim } from "../../../test/support/volumes.ts";

// Read from plugins/volumezone/volume_zone.go, Kubernetes 1.36.3. Messages: conflict, volumeMissing; noClass, classMissing and
// unbound are said only where VolumeBinding has not spoken before.
const conflict = "for good, VolumeZone: node(s) had no available volume zone";
const zone = "topology.kubernetes.io/zone";
const oldZone = "failure-domain.beta.kubernetes.io/zone";
const bound = (labels: Readonly<Record<string, string>>) => [
  volumeClaim("data", { volume: "v" }),
  volume("v", { claim: "data", labels }),
  incoming({ spec: claimVolume("data") }),
];
const inZone = (name: string, label: string, value: string) => node(name, { labels: { [label]: value } });

rows("VolumeZone", verdicts, [
  [
    "the zone must be the same",
    { objects: [inZone("a", zone, "z1"), inZone("b", zone, "z2"), ...bound({ [zone]: "z1" })] },
    { a: "pass", b: conflict },
  ],
  [
    "several zones in one label",
    { objects: [inZone("a", zone, "z2"), inZone("b", zone, "z3"), ...bound({ [zone]: "z1__z2" })] },
    { a: "pass", b: conflict },
  ],
  [
    "a label with an empty part says nothing",
    { objects: [inZone("a", zone, "z2"), ...bound({ [zone]: "z1__" })] },
    { a: "pass" },
  ],
  ["a node without zones", { objects: [node("a"), ...bound({ [zone]: "z1" })] }, { a: "pass" }],
  [
    "the volume's old label and the node's new one",
    { objects: [inZone("a", zone, "z1"), inZone("b", zone, "z2"), ...bound({ [oldZone]: "z1" })] },
    { a: "pass", b: conflict },
  ],
  ["not the other way round", { objects: [inZone("a", oldZone, "z1"), ...bound({ [zone]: "z1" })] }, { a: conflict }],
  [
    "claims that wait are not looked at",
    {
      objects: [
        inZone("a", zone, "z1"),
        storageClass("late"),
        volumeClaim("data", { storageClassName: "late" }),
        incoming({ spec: claimVolume("data") }),
      ],
    },
    { a: "pass" },
  ],
  [
    "a volume that is gone",
    { objects: [node("a"), volumeClaim("data", { volume: "v" }), incoming({ spec: claimVolume("data") })] },
    { all: 'for good, VolumeZone: persistentvolume "v" not found' },
  ],
]);
