import type { KubeObject } from "../../decision.ts";
import {
  type Feature,
  type Fields,
  hostnameKey,
  type NodeDraft,
  once,
  type PodDraft,
  type World,
  zoneKey,
} from "../world.ts";

export const bindCompleted = "pv.kubernetes.io/bind-completed";

export const volumes: Feature = {
  name: "volumes",
  weight: 15,
  prepare(world) {
    if (!once(world, "storage")) return;
    const { draw } = world;
    storageClass(world, "fast", { provisioner: "csi.test" });
    storageClass(world, "near", {
      provisioner: "csi.test",
      allowedTopologies: [
        { matchLabelExpressions: [{ key: zoneKey, values: draw.some(["zone-a", "zone-b", "zone-c"], 1, 2) }] },
      ],
    });
    storageClass(world, "static", { provisioner: "kubernetes.io/no-provisioner" });
    storageClass(world, "now", { provisioner: "csi.test", volumeBindingMode: "Immediate" });
    storageClass(world, "counted", { provisioner: "capacity.test" });
    world.others.push({
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIDriver",
      metadata: { name: "capacity.test" },
      spec: {
        storageCapacity: true,
        attachRequired: true,
        podInfoOnMount: false,
        volumeLifecycleModes: ["Persistent"],
      },
    });
    if (draw.chance(0.5)) {
      world.others.push({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSIDriver",
        metadata: { name: "csi.test" },
        spec: {
          storageCapacity: false,
          attachRequired: true,
          ...(world.minor >= 37 && draw.chance(0.5) ? { preventPodSchedulingIfMissing: true } : {}),
        },
      });
    }
    for (const zone of draw.some(["zone-a", "zone-b", "zone-c"], 1, 3)) {
      world.others.push({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSIStorageCapacity",
        metadata: { name: `capacity-${zone}`, namespace: "default" },
        storageClassName: draw.chance(0.9) ? "counted" : "fast",
        ...(draw.chance(0.9) ? { nodeTopology: draw.chance(0.1) ? {} : { matchLabels: { [zoneKey]: zone } } } : {}),
        capacity: draw.pick(["0", "1Gi", "10Gi", "100Gi"]),
        ...(draw.chance(0.3) ? { maximumVolumeSize: draw.pick(["2Gi", "50Gi"]) } : {}),
      });
    }
    const limited = draw.chance(0.75);
    for (const node of world.nodes) {
      if (draw.chance(0.2)) continue;
      world.others.push({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: {
          name: node.name,
          ...(draw.chance(0.5)
            ? {
                annotations: {
                  "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs,kubernetes.io/gce-pd",
                },
              }
            : {}),
        },
        spec: {
          drivers: [
            {
              name: "csi.test",
              nodeID: node.name,
              topologyKeys: [zoneKey],
              ...(limited ? { allocatable: { count: draw.int(1, 2) } } : {}),
            },
            ...(draw.chance(0.3)
              ? [{ name: "ebs.csi.aws.com", nodeID: node.name, allocatable: { count: draw.int(0, 2) } }]
              : []),
          ],
        },
      });
    }
    for (const pod of world.placed) {
      if (!draw.chance(0.6)) continue;
      if (draw.chance(0.45)) pod.volumes.push({ name: "disk", ...inlineDisk(world) });
      else
        useClaim(
          pod,
          boundClaim(
            world,
            pod.namespace,
            world.nodes.find((n) => n.name === pod.nodeName),
          ),
        );
    }
    for (const node of world.nodes) {
      if (!draw.chance(0.15)) continue;
      const volume = `left-${node.name}`;
      world.others.push(persistentVolume(volume, { csi: { driver: "csi.test", volumeHandle: volume } }, {}), {
        apiVersion: "storage.k8s.io/v1",
        kind: "VolumeAttachment",
        metadata: { name: `attachment-${node.name}` },
        spec: { attacher: "csi.test", nodeName: node.name, source: { persistentVolumeName: volume } },
        status: { attached: true },
      });
    }
    for (let i = draw.pick([0, 3, 6, 12]); i > 0; i--) staticVolume(world, i);
  },
  pending(world, pod) {
    const { draw } = world;
    for (
      let i = draw.weighted([
        [4, 1],
        [2, 2],
        [1, 3],
      ]);
      i > 0;
      i--
    ) {
      draw.weighted<() => void>([
        [
          8,
          () => useClaim(pod, boundClaim(world, pod.namespace, draw.chance(0.35) ? draw.pick(world.nodes) : undefined)),
        ],
        [3, () => useClaim(pod, unboundClaim(world, pod.namespace, draw.pick(["fast", "near", "counted"])))],
        [2, () => useClaim(pod, unboundClaim(world, pod.namespace, "static"))],
        [
          1.5,
          () => {
            for (const _ of [1, 2]) useClaim(pod, unboundClaim(world, pod.namespace, "static"));
          },
        ],
        [2, () => shareClaim(world, pod)],
        [3.3, () => usedOnce(world, pod)],
        [4, () => pod.volumes.push({ name: `disk-${world.serial()}`, ...inlineDisk(world) })],
        [4, () => oddClaim(world, pod)],
        [3.5, () => ephemeralVolume(world, pod)],
      ])();
    }
  },
};

export function storageClass(world: World, name: string, fields: Fields): void {
  world.others.push({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    ...fields,
  });
}

export function persistentVolume(
  name: string,
  source: Fields,
  fields: { readonly labels?: Fields; readonly spec?: Fields },
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `pv-${name}`, ...(fields.labels === undefined ? {} : { labels: fields.labels }) },
    spec: {
      capacity: { storage: "10Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Delete",
      volumeMode: "Filesystem",
      ...source,
      ...fields.spec,
    },
    status: { phase: "Available" },
  };
}

export function claim(
  world: World,
  namespace: string,
  fields: { readonly metadata?: Fields; readonly spec: Fields; readonly status?: Fields },
): string {
  const name = `claim-${world.serial()}`;
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace, uid: `pvc-${namespace}-${name}`, ...fields.metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      volumeMode: "Filesystem",
      resources: { requests: { storage: "10Gi" } },
      ...fields.spec,
    },
    status: { phase: "Pending", ...fields.status },
  };
  world.others.push(object);
  return name;
}

export function useClaim(pod: PodDraft, claimName: string): void {
  if (pod.volumes.some((v) => JSON.stringify(v).includes(`"${claimName}"`))) return;
  pod.volumes.push({ name: `volume-${claimName}`, persistentVolumeClaim: { claimName } });
}

function zoneAffinity(world: World, near: NodeDraft | undefined): Fields {
  const { draw } = world;
  const zone = near?.labels[zoneKey] ?? draw.pick(["zone-a", "zone-b", "zone-c"]);
  const host = near?.name ?? draw.pick(world.nodes).name;
  const expression = draw.chance(0.75)
    ? { key: zoneKey, operator: "In", values: draw.chance(0.3) ? [zone, "zone-b"] : [zone] }
    : { key: hostnameKey, operator: "In", values: [host] };
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } } };
}

/** A bound claim and its volume. Near a node: its pod runs there. */
function boundClaim(world: World, namespace: string, near: NodeDraft | undefined): string {
  const { draw } = world;
  const volume = `volume-${world.serial()}`;
  const zone = near?.labels[zoneKey] ?? draw.pick(["zone-a", "zone-b"]);
  const labels = draw.chance(0.9)
    ? {
        [draw.chance(0.8) ? zoneKey : "failure-domain.beta.kubernetes.io/zone"]: draw.chance(0.3)
          ? `${zone}__zone-c`
          : zone,
      }
    : undefined;
  const exists = draw.chance(0.88);
  const name = claim(world, namespace, {
    metadata: { annotations: draw.chance(0.97) ? { [bindCompleted]: "yes" } : {} },
    spec: { volumeName: volume, storageClassName: draw.pick(["fast", "near"]) },
    status: { phase: "Bound" },
  });
  if (!exists) return name;
  world.others.push(
    persistentVolume(
      volume,
      draw.chance(0.85)
        ? { csi: { driver: "csi.test", volumeHandle: volume } }
        : { awsElasticBlockStore: { volumeID: `vol-${volume}` } },
      {
        ...(labels === undefined ? {} : { labels }),
        spec: {
          storageClassName: "fast",
          claimRef: { kind: "PersistentVolumeClaim", namespace, name, uid: `pvc-${namespace}-${name}` },
          ...(draw.chance(0.35) ? zoneAffinity(world, near) : {}),
        },
      },
    ),
  );
  return name;
}

function unboundClaim(world: World, namespace: string, storageClassName: string): string {
  const { draw } = world;
  return claim(world, namespace, {
    spec: {
      storageClassName,
      resources: { requests: { storage: draw.pick(["500Mi", "1Gi", "5Gi", "20Gi"]) } },
      ...(draw.chance(0.15) ? { accessModes: ["ReadOnlyMany"] } : {}),
      ...(draw.chance(0.15) ? { selector: { matchLabels: { media: "nvme" } } } : {}),
      ...(draw.chance(0.1) ? { volumeMode: "Block" } : {}),
    },
  });
}

/** A volume that waits for a claim, on one node or in one zone. */
function staticVolume(world: World, index: number): void {
  const { draw } = world;
  const prebound = draw.chance(0.15);
  const name = `local-${index}`;
  world.others.push(
    persistentVolume(
      name,
      { local: { path: `/mnt/${name}` } },
      {
        ...(draw.chance(0.4) ? { labels: { media: draw.pick(["nvme", "disk"]) } } : {}),
        spec: {
          storageClassName: "static",
          capacity: { storage: draw.pick(["1Gi", "2Gi", "5Gi", "40Gi"]) },
          accessModes: draw.pick([["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"]]),
          ...(prebound
            ? { claimRef: { kind: "PersistentVolumeClaim", namespace: "a", name: "somebody", uid: "pvc-somebody" } }
            : {}),
          ...zoneAffinity(world, draw.pick(world.nodes)),
        },
      },
    ),
  );
}

/** A claim that a placed pod of the same namespace uses. */
function shareClaim(world: World, pod: PodDraft): void {
  const used = world.placed
    .filter((other) => other.namespace === pod.namespace)
    .flatMap((other) => other.volumes.map((v) => (v["persistentVolumeClaim"] as Fields | undefined)?.["claimName"]))
    .filter((name) => typeof name === "string");
  if (used.length > 0) useClaim(pod, world.draw.pick(used));
  else useClaim(pod, boundClaim(world, pod.namespace, undefined));
}

/** ReadWriteOncePod: free, or in use by a placed pod. */
function usedOnce(world: World, pod: PodDraft): void {
  const { draw } = world;
  const volume = `volume-${world.serial()}`;
  const name = claim(world, pod.namespace, {
    metadata: { annotations: { [bindCompleted]: "yes" } },
    spec: { volumeName: volume, storageClassName: "fast", accessModes: ["ReadWriteOncePod"] },
    status: { phase: "Bound" },
  });
  world.others.push(
    persistentVolume(
      volume,
      { csi: { driver: "csi.test", volumeHandle: volume } },
      {
        spec: {
          storageClassName: "fast",
          accessModes: ["ReadWriteOncePod"],
          claimRef: {
            kind: "PersistentVolumeClaim",
            namespace: pod.namespace,
            name,
            uid: `pvc-${pod.namespace}-${name}`,
          },
        },
      },
    ),
  );
  useClaim(pod, name);
  const neighbours = world.placed.filter((other) => other.namespace === pod.namespace);
  if (neighbours.length > 0 && draw.chance(0.7)) useClaim(draw.pick(neighbours), name);
}

/** Claims on which no node can be found. */
function oddClaim(world: World, pod: PodDraft): void {
  const { draw } = world;
  draw.weighted<() => void>([
    [1, () => useClaim(pod, "claim-never-made")],
    [1, () => useClaim(pod, unboundClaim(world, pod.namespace, "now"))],
    [
      0.9,
      () =>
        useClaim(
          pod,
          claim(world, pod.namespace, {
            spec: { volumeName: "volume-lost", storageClassName: "fast" },
            status: { phase: "Lost" },
          }),
        ),
    ],
    [
      1,
      () =>
        useClaim(
          pod,
          claim(world, pod.namespace, {
            metadata: { deletionTimestamp: "2026-01-05T09:00:00Z", finalizers: ["kubernetes.io/pvc-protection"] },
            spec: { storageClassName: "fast" },
          }),
        ),
    ],
    [0.4, () => useClaim(pod, unboundClaim(world, pod.namespace, ""))],
    [0.4, () => useClaim(pod, unboundClaim(world, pod.namespace, "no-such-class"))],
  ])();
}

function ephemeralVolume(world: World, pod: PodDraft): void {
  const { draw } = world;
  const volume = `scratch-${world.serial()}`;
  pod.volumes.push({
    name: volume,
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "fast", resources: { requests: { storage: "1Gi" } } },
      },
    },
  });
  if (!draw.chance(0.6)) return;
  const owned = draw.chance(0.55);
  world.others.push({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `${pod.name}-${volume}`,
      namespace: pod.namespace,
      uid: `pvc-${pod.name}-${volume}`,
      ...(owned
        ? { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: pod.name, uid: pod.uid, controller: true }] }
        : {}),
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "fast",
      volumeMode: "Filesystem",
      resources: { requests: { storage: "1Gi" } },
    },
    status: { phase: "Pending" },
  });
}

/** Disks named in the pod itself, that two pods cannot always share. */
function inlineDisk(world: World): Fields {
  const { draw } = world;
  const readOnly = draw.chance(0.4);
  return draw.weighted<() => Fields>([
    [2, () => ({ gcePersistentDisk: { pdName: draw.pick(["disk-1", "disk-2"]), readOnly } })],
    [2, () => ({ awsElasticBlockStore: { volumeID: draw.pick(["vol-1", "vol-2"]), readOnly } })],
    [
      1,
      () => ({
        iscsi: { targetPortal: "10.0.0.1", iqn: draw.pick(["iqn-1", "iqn-2"]), lun: draw.int(0, 1), readOnly },
      }),
    ],
    [
      1,
      () => ({
        rbd: { monitors: draw.some(["mon-1", "mon-2", "mon-3"], 1, 2), image: "image-1", pool: "rbd", readOnly },
      }),
    ],
  ])();
}
