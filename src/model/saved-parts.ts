import type { Source } from "../base/problem.ts";
import {
  type Codec,
  fields,
  file,
  flag,
  json,
  list,
  map,
  nullable,
  number,
  oneOf,
  text,
  union,
} from "../wire/codec.ts";
import type {
  Allocation,
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  Devices,
  DeviceTaint,
  DeviceTaintRule,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "./device.ts";
import type { ObjectRef } from "./key.ts";
import { amounts, labels, nodeTerm, selector, texts, toleration } from "./saved-template.ts";
import type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  Storage,
  StorageClass,
} from "./storage.ts";

export const source: Codec<Source> = fields<Source>({ file, line: nullable(number) });
export const objectRef: Codec<ObjectRef> = fields<ObjectRef>({
  apiVersion: text,
  kind: text,
  namespace: text,
  name: text,
});

const volume = fields<PersistentVolume>({
  name: text,
  labels,
  annotations: labels,
  capacityBytes: number,
  accessModes: texts,
  storageClassName: text,
  volumeMode: text,
  claimRef: nullable(text),
  claimBound: flag,
  nodeAffinity: nullable(list(nodeTerm)),
  csi: nullable(fields<NonNullable<PersistentVolume["csi"]>>({ driver: text, handle: text })),
  inTree: nullable(fields<NonNullable<PersistentVolume["inTree"]>>({ type: text, id: text, readOnly: flag })),
  phase: text,
  deleting: flag,
});

const claim = fields<PersistentVolumeClaim>({
  namespace: text,
  name: text,
  labels,
  annotations: labels,
  storageClassName: nullable(text),
  volumeName: text,
  bindCompleted: flag,
  requestBytes: number,
  accessModes: texts,
  volumeMode: text,
  selector: nullable(selector),
  phase: text,
  deleting: flag,
  selectedNode: text,
  ownerPod: nullable(text),
});

const storageClass = fields<StorageClass>({
  name: text,
  provisioner: text,
  waitForFirstConsumer: flag,
  isDefault: flag,
  allowedTopologies: nullable(list(nodeTerm)),
  noProvisioning: flag,
});

const csiNode = fields<CsiNode>({
  name: text,
  drivers: list(
    fields<CsiNode["drivers"][number]>({ name: text, nodeId: text, topologyKeys: texts, volumesMax: nullable(number) }),
  ),
  migratedPlugins: texts,
});

const csiDriver = fields<CsiDriver>({
  name: text,
  storageCapacity: flag,
  attachRequired: flag,
  preventPodSchedulingIfMissing: flag,
});

const capacity = fields<CsiStorageCapacity>({
  namespace: text,
  name: text,
  storageClassName: text,
  nodeTopology: nullable(selector),
  capacityBytes: nullable(number),
  maximumVolumeBytes: nullable(number),
});

export const storage: Codec<Storage> = fields<Storage>({
  volumes: map(volume),
  claims: map(claim),
  classes: map(storageClass),
  csiNodes: map(csiNode),
  csiDrivers: map(csiDriver),
  capacities: list(capacity),
  attachments: list(fields<Storage["attachments"][number]>({ attacher: text, node: text, volume: text })),
});

type AttributeOf<K extends DeviceAttribute["type"]> = Extract<DeviceAttribute, { readonly type: K }>;

const attribute = union<DeviceAttribute, "type">("type", {
  int: fields<AttributeOf<"int">>({ type: oneOf("int"), value: number }),
  bool: fields<AttributeOf<"bool">>({ type: oneOf("bool"), value: flag }),
  string: fields<AttributeOf<"string">>({ type: oneOf("string"), value: text }),
  version: fields<AttributeOf<"version">>({ type: oneOf("version"), value: text }),
});

const deviceTaint = fields<DeviceTaint>({ key: text, value: text, effect: text });

const device = fields<Device>({
  name: text,
  attributes: map(attribute),
  capacity: map(fields<DeviceCapacity>({ value: number, requestPolicy: json })),
  consumesCounters: list(fields<Device["consumesCounters"][number]>({ counterSet: text, counters: amounts })),
  nodeName: nullable(text),
  nodeSelector: nullable(list(nodeTerm)),
  allNodes: flag,
  taints: list(deviceTaint),
  allowMultipleAllocations: flag,
  bindsToNode: flag,
  bindingConditions: texts,
});

const slice = fields<ResourceSlice>({
  name: text,
  driver: text,
  pool: fields<ResourceSlice["pool"]>({ name: text, generation: number, sliceCount: number }),
  nodeName: nullable(text),
  allNodes: flag,
  nodeSelector: nullable(list(nodeTerm)),
  perDeviceNodeSelection: flag,
  devices: list(device),
  sharedCounters: list(fields<CounterSet>({ name: text, counters: amounts })),
});

const request = fields<DeviceRequest>({
  name: text,
  alternatives: list(
    fields<DeviceSubRequest>({
      name: text,
      deviceClassName: text,
      selectors: texts,
      allocationMode: oneOf("ExactCount", "All"),
      count: number,
      adminAccess: flag,
      tolerations: list(toleration),
      capacityRequests: amounts,
    }),
  ),
  isFirstAvailable: flag,
});

const constraint = fields<DeviceConstraint>({
  requests: texts,
  matchAttribute: nullable(text),
  distinctAttribute: nullable(text),
});

const allocation = fields<Allocation>({
  results: list(
    fields<Allocation["results"][number]>({
      request: text,
      driver: text,
      pool: text,
      device: text,
      adminAccess: flag,
      consumedCapacity: amounts,
    }),
  ),
  nodeSelector: nullable(list(nodeTerm)),
});

export const devices: Codec<Devices> = fields<Devices>({
  slices: list(slice),
  classes: map(fields<DeviceClass>({ name: text, selectors: texts, extendedResourceName: nullable(text) })),
  claims: map(
    fields<ResourceClaim>({
      namespace: text,
      name: text,
      annotations: labels,
      requests: list(request),
      constraints: list(constraint),
      allocation: nullable(allocation),
      reservedFor: texts,
      ownerPod: nullable(text),
      deleting: flag,
    }),
  ),
  claimTemplates: map(
    fields<ResourceClaimTemplate>({
      namespace: text,
      name: text,
      requests: list(request),
      constraints: list(constraint),
    }),
  ),
  taintRules: list(
    fields<DeviceTaintRule>({
      name: text,
      hasSelector: flag,
      driver: nullable(text),
      pool: nullable(text),
      device: nullable(text),
      taint: deviceTaint,
    }),
  ),
});
