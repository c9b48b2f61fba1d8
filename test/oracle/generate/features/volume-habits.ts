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
import { bindCompleted, claim, persistentVolume, storageClass, useClaim } from "./volumes.ts";

const betaClass = "volume.beta.kubernetes.io/storage-class";

/**
 * Claims halfway through: a node picked for them, a volume kept for them, a class nobody named. Drivers beside the first, old
 * disks in volumes, volumes of one handle, ephemeral volumes of pods that run.
 */
export const volumeHabits: Feature = {
  name: "volumeHabits",
  weight: 4,
  prepare(world) {
    if (!once(world, "volume habits")) return;
    const { draw } = world;
    storageClass(world, "lazy", { provisioner: "lazy.test" });
    if (draw.chance(0.6)) {
      storageClass(world, "usual", { provisioner: "usual.test" });
      world.made.add("default class");
      const made = world.others.at(-1);
      if (made !== undefined)
        Object.assign(made.metadata, { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } });
    }
    storageClass(world, "old-ebs", { provisioner: "kubernetes.io/aws-ebs" });
    storageClass(world, "local", { provisioner: "kubernetes.io/no-provisioner" });
    const known = new Set(world.others.filter(({ kind }) => kind === "CSINode").map(({ metadata }) => metadata.name));
    for (const node of world.nodes) {
      if (known.has(node.name) || draw.chance(0.15)) continue;
      world.others.push(csiNode(world, node));
    }
    for (const pod of world.placed) {
      if (draw.chance(0.3)) heldVolume(world, pod);
      if (draw.chance(0.15)) heldEphemeral(world, pod, draw.chance(0.75));
    }
    for (let i = draw.int(1, 6); i > 0; i--) localVolume(world, `near-${i}`, {});
  },
  pending(world, pod) {
    const { draw } = world;
    for (let i = draw.int(1, 2); i > 0; i--) {
      draw.weighted<() => void>([
        [3, () => useClaim(pod, halfway(world, pod))],
        [3, () => useClaim(pod, keptFor(world, pod))],
        [2, () => useClaim(pod, ofNoClass(world, pod))],
        [3, () => useClaim(pod, ofOldDisk(world, pod))],
        [2, () => useClaim(pod, waiting(world, pod, draw.pick(["lazy", "old-ebs", "local"])))],
        [2, () => pod.volumes.push(...harmless(world))],
        [1.5, () => heldEphemeral(world, pod, true)],
        [3, () => useClaim(pod, sharedHandle(world, pod))],
      ])();
    }
  },
};

function csiNode(world: World, node: NodeDraft): (typeof world.others)[number] {
  const { draw } = world;
  const drivers = ["lazy.test", "usual.test", "ebs.csi.aws.com", "pd.csi.storage.gke.io", "disk.csi.azure.com"];
  const migrated = ["aws-ebs", "gce-pd", "azure-disk", "cinder"].map((name) => `kubernetes.io/${name}`);
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: {
      name: node.name,
      annotations: { "storage.alpha.kubernetes.io/migrated-plugins": draw.some(migrated, 0, 4).join(",") },
    },
    spec: {
      drivers: draw.some(drivers, 0, 5).map((name) => ({
        name,
        nodeID: node.name,
        topologyKeys: [zoneKey],
        ...(draw.chance(0.8) ? { allocatable: { count: draw.int(0, 3) } } : {}),
      })),
    },
  };
}

/** Terms that are ORed, over more operators than provisioners usually write. */
function reach(world: World): Fields {
  const { draw } = world;
  const expression = (): Fields =>
    draw.weighted<() => Fields>([
      [4, () => ({ key: zoneKey, operator: "In", values: [draw.pick(["zone-a", "zone-b", "zone-c"])] })],
      [
        3,
        () => ({
          key: hostnameKey,
          operator: "In",
          values: draw.some(
            world.nodes.map((n) => n.name),
            1,
            3,
          ),
        }),
      ],
      [1, () => ({ key: zoneKey, operator: "NotIn", values: ["zone-a"] })],
      [1, () => ({ key: "disk", operator: draw.pick(["Exists", "DoesNotExist"]) })],
      [1, () => ({ key: "generation", operator: draw.pick(["Gt", "Lt"]), values: [String(draw.int(1, 8))] })],
      [1, () => ({ key: "topology.kubernetes.io/region", operator: "In", values: ["region-1"] })],
      [1, () => ({ key: "topology.gke.io/zone", operator: "In", values: ["zone-a"] })],
    ])();
  const term = (): Fields => ({ matchExpressions: Array.from({ length: draw.int(1, 2) }, expression) });
  return { nodeAffinity: { required: { nodeSelectorTerms: Array.from({ length: draw.int(1, 2) }, term) } } };
}

function refOf(pod: PodDraft, name: string): Fields {
  return { kind: "PersistentVolumeClaim", namespace: pod.namespace, name, uid: `pvc-${pod.namespace}-${name}` };
}

/** The scheduler has picked a node and the provisioner is at work, or gave up on a node that is gone. */
function halfway(world: World, pod: PodDraft): string {
  const { draw } = world;
  const node = draw.chance(0.1) ? "gone-node" : draw.pick(world.nodes).name;
  return claim(world, pod.namespace, {
    metadata: { annotations: { "volume.kubernetes.io/selected-node": node } },
    spec: { storageClassName: draw.pick(["lazy", "lazy", "old-ebs", "local"]) },
  });
}

/** A volume that names the claim it is for, bound already or not yet, of a class that waits or not. */
function keptFor(world: World, pod: PodDraft): string {
  const { draw } = world;
  const volume = `kept-${world.serial()}`;
  const bound = draw.chance(0.3);
  const name = claim(world, pod.namespace, {
    ...(bound ? { metadata: { annotations: draw.chance(0.8) ? { [bindCompleted]: "yes" } : {} } } : {}),
    spec: {
      storageClassName: "local",
      resources: { requests: { storage: draw.pick(["1Gi", "5Gi", "50Gi"]) } },
      ...(bound ? { volumeName: volume } : {}),
      ...(draw.chance(0.2) ? { accessModes: ["ReadWriteMany"] } : {}),
    },
  });
  const claimRef = refOf(pod, name);
  const phase = bound ? "Bound" : draw.pick(["Available", "Available", "Bound", "Released"]);
  // Released: it is still held for a claim of that name that is gone.
  const uid = phase === "Released" ? "pvc-of-old" : draw.chance(0.7) ? claimRef["uid"] : "";
  localVolume(world, volume, {
    spec: { claimRef: { ...claimRef, uid } },
    status: { phase },
    ...(draw.chance(0.06) ? { metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" } } : {}),
  });
  return name;
}

function localVolume(
  world: World,
  name: string,
  more: { readonly spec?: Fields; readonly status?: Fields; readonly metadata?: Fields },
): void {
  const { draw } = world;
  const made = persistentVolume(
    name,
    { local: { path: `/mnt/${name}` } },
    {
      spec: {
        storageClassName: "local",
        capacity: { storage: draw.pick(["1Gi", "5Gi", "10Gi", "60Gi"]) },
        ...(draw.chance(0.1) ? { volumeMode: "Block" } : {}),
        ...reach(world),
        ...more.spec,
      },
    },
  );
  world.others.push({
    ...made,
    metadata: { ...made.metadata, ...more.metadata },
    ...(more.status === undefined ? {} : { status: more.status }),
  });
}

function ofNoClass(world: World, pod: PodDraft): string {
  const { draw } = world;
  // The API server gives the default class to a claim that names none.
  const usual = world.made.has("default class") ? { storageClassName: "usual" } : {};
  const old = draw.chance(0.3) ? { annotations: { [betaClass]: draw.pick(["lazy", "local", "usual"]) } } : {};
  return claim(world, pod.namespace, { metadata: old, spec: usual });
}

function waiting(world: World, pod: PodDraft, storageClassName: string): string {
  return claim(world, pod.namespace, { spec: { storageClassName } });
}

function oldDisk(world: World): Fields {
  const { draw } = world;
  const id = `disk-${world.serial()}`;
  return draw.weighted<() => Fields>([
    [3, () => ({ awsElasticBlockStore: { volumeID: id } })],
    [3, () => ({ gcePersistentDisk: { pdName: id } })],
    [2, () => ({ azureDisk: { diskName: id, diskURI: `/subscriptions/${id}`, kind: "Managed" } })],
    [1, () => ({ cinder: { volumeID: id } })],
    [1, () => ({ portworxVolume: { volumeID: id } })],
    [1, () => ({ nfs: { server: "10.0.0.9", path: "/" } })],
  ])();
}

/** A bound volume of a type that came before CSI, with the labels and terms its time gave it. */
function ofOldDisk(world: World, pod: PodDraft): string {
  const { draw } = world;
  const volume = `old-${world.serial()}`;
  const zone = draw.pick(["zone-a", "zone-b", "zone-c"]);
  const beta = draw.chance(0.4);
  const disk = oldDisk(world);
  // What Google's disks in several zones are called is derived from zone names of its own form.
  const several = draw.chance(0.2) && disk["gcePersistentDisk"] === undefined;
  const name = claim(world, pod.namespace, {
    metadata: { annotations: { [bindCompleted]: "yes" } },
    spec: { volumeName: volume, storageClassName: "old-ebs" },
    status: { phase: "Bound" },
  });
  world.others.push(
    persistentVolume(volume, disk, {
      ...(draw.chance(0.7)
        ? {
            labels: {
              [beta ? "failure-domain.beta.kubernetes.io/zone" : zoneKey]: several ? `${zone}__zone-a` : zone,
              ...(draw.chance(0.5)
                ? {
                    [beta ? "failure-domain.beta.kubernetes.io/region" : "topology.kubernetes.io/region"]: draw.pick([
                      "region-1",
                      "region-2",
                    ]),
                  }
                : {}),
            },
          }
        : {}),
      spec: { storageClassName: "old-ebs", claimRef: refOf(pod, name), ...(draw.chance(0.5) ? reach(world) : {}) },
    }),
  );
  return name;
}

/** Two volumes and one handle: one attachment. */
function sharedHandle(world: World, pod: PodDraft): string {
  const { draw } = world;
  const volume = `twin-${world.serial()}`;
  const name = claim(world, pod.namespace, {
    metadata: { annotations: { [bindCompleted]: "yes" } },
    spec: { volumeName: volume, storageClassName: "lazy", accessModes: ["ReadWriteMany"] },
    status: { phase: "Bound" },
  });
  const driver = draw.pick(["lazy.test", "usual.test", "pd.csi.storage.gke.io"]);
  world.others.push(
    persistentVolume(
      volume,
      { csi: { driver, volumeHandle: `handle-${draw.int(1, 4)}` } },
      { spec: { storageClassName: "lazy", accessModes: ["ReadWriteMany"], claimRef: refOf(pod, name) } },
    ),
  );
  return name;
}

function heldVolume(world: World, pod: PodDraft): void {
  const { draw } = world;
  useClaim(pod, draw.chance(0.5) ? sharedHandle(world, pod) : ofOldDisk(world, pod));
}

/** A claim made for an ephemeral volume; not owned: somebody made one of that name before. */
function heldEphemeral(world: World, pod: PodDraft, owned: boolean): void {
  const volume = `scratch-${world.serial()}`;
  const storageClassName = world.draw.pick(["lazy", "old-ebs"]);
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage: "1Gi" } } };
  pod.volumes.push({ name: volume, ephemeral: { volumeClaimTemplate: { spec } } });
  const owner = { apiVersion: "v1", kind: "Pod", name: pod.name, uid: pod.uid, controller: true };
  world.others.push({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `${pod.name}-${volume}`,
      namespace: pod.namespace,
      uid: `pvc-${pod.name}-${volume}`,
      ...(owned ? { ownerReferences: [owner] } : {}),
    },
    spec: { ...spec, volumeMode: "Filesystem" },
    status: { phase: "Pending" },
  });
}

/** Volumes no filter looks at, and the one kind of disk in a pod that CSI drivers give. */
function harmless(world: World): Fields[] {
  const id = world.serial();
  return [
    { name: `scratch-${id}`, emptyDir: {} },
    { name: `config-${id}`, configMap: { name: "config" } },
    { name: `inline-${id}`, csi: { driver: world.draw.pick(["lazy.test", "usual.test"]) } },
    ...(world.draw.chance(0.5)
      ? [{ name: `azure-${id}`, azureDisk: { diskName: `d-${id}`, diskURI: `/d/${id}`, kind: "Managed" } }]
      : []),
    ...(world.draw.chance(0.3) ? [{ name: `host-${id}`, hostPath: { path: "/var" } }] : []),
  ];
}
