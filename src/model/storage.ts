import type { Labels } from "./labels.ts";
import type { NodeSelectorTerm } from "./pod-template.ts";

/** Storage as the volume plugins of the scheduler see it. All maps by name, claims by `namespace/name`. */
export interface Storage {
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  readonly csiNodes: ReadonlyMap<string, CsiNode>;
  readonly csiDrivers: ReadonlyMap<string, CsiDriver>;
  readonly capacities: readonly CsiStorageCapacity[];
  /** (attached volumes: name → attacher, node, PV) for limits. */
  readonly attachments: readonly { readonly attacher: string; readonly node: string; readonly volume: string }[];
}

export interface PersistentVolume {
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly capacityBytes: number;
  readonly accessModes: readonly string[];
  readonly storageClassName: string;
  readonly volumeMode: string;
  /** `namespace/name` of the claim it is bound or pre-bound to; null: free. */
  readonly claimRef: string | null;
  /** claimRef has a uid: bound by the controller. */
  readonly claimBound: boolean;
  /** Null: reachable from every node. ORed terms. */
  readonly nodeAffinity: readonly NodeSelectorTerm[] | null;
  readonly csi: { readonly driver: string; readonly handle: string } | null;
  /** In-tree source type and id (`awsElasticBlockStore`, `vol-1`), null when CSI or other. */
  readonly inTree: { readonly type: string; readonly id: string; readonly readOnly: boolean } | null;
  readonly phase: string;
  readonly deleting: boolean;
}

export interface PersistentVolumeClaim {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Null: the default class; "": none. */
  readonly storageClassName: string | null;
  /** spec.volumeName; "" unbound. */
  readonly volumeName: string;
  /** annotation pv.kubernetes.io/bind-completed is there. */
  readonly bindCompleted: boolean;
  readonly requestBytes: number;
  readonly accessModes: readonly string[];
  readonly volumeMode: string;
  readonly selector: import("./labels.ts").LabelSelector | null;
  readonly phase: string;
  readonly deleting: boolean;
  /** annotation volume.kubernetes.io/selected-node, "" none. */
  readonly selectedNode: string;
  /** Owner pod `namespace/name` of an ephemeral claim; null else. */
  readonly ownerPod: string | null;
}

export interface StorageClass {
  readonly name: string;
  readonly provisioner: string;
  readonly waitForFirstConsumer: boolean;
  readonly isDefault: boolean;
  /** Null: everywhere. */
  readonly allowedTopologies: readonly NodeSelectorTerm[] | null;
  readonly noProvisioning: boolean;
}

export interface CsiNode {
  readonly name: string;
  readonly drivers: readonly {
    readonly name: string;
    readonly nodeId: string;
    readonly topologyKeys: readonly string[];
    readonly volumesMax: number | null;
  }[];
  readonly migratedPlugins: readonly string[];
}

export interface CsiDriver {
  readonly name: string;
  readonly storageCapacity: boolean;
  readonly attachRequired: boolean;
  readonly preventPodSchedulingIfMissing: boolean;
}

export interface CsiStorageCapacity {
  readonly namespace: string;
  readonly name: string;
  readonly storageClassName: string;
  readonly nodeTopology: import("./labels.ts").LabelSelector | null;
  readonly capacityBytes: number | null;
  readonly maximumVolumeBytes: number | null;
}
