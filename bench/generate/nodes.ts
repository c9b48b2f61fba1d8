import type { JsonObject } from "../../src/wire/snapshot.ts";
import type { Draw } from "./draw.ts";

export const zones = ["north-1a", "north-1b", "north-1c"] as const;

export interface GpuProduct {
  readonly name: string;
  readonly machine: string;
}

export const products: readonly (GpuProduct & { readonly upTo: number })[] = [
  { name: "NVIDIA-H100-80GB-HBM3", machine: "gpu-h100-8", upTo: 0.6 },
  { name: "NVIDIA-A100-SXM4-80GB", machine: "gpu-a100-8", upTo: 0.85 },
  { name: "NVIDIA-L40S", machine: "gpu-l40s-8", upTo: 1 },
];

/** A node while the cluster is filled: what it has left. */
export interface OpenNode {
  readonly index: number;
  readonly name: string;
  readonly address: string;
  readonly zone: string;
  /** Null: a system node. */
  readonly product: GpuProduct | null;
  milliCpu: number;
  memoryMi: number;
  gpus: number;
  pods: number;
  /** Workloads that want no second pod of theirs here. */
  readonly apart: Set<number>;
}

/** Four of five nodes have eight GPUs and a taint, the others are system nodes; zones in turn. */
export function openNodes(count: number): readonly OpenNode[] {
  const gpuNodes = Math.round(count * 0.8);
  return Array.from({ length: count }, (_, index) => {
    const isGpu = index < gpuNodes;
    const product = isGpu ? (products.find(({ upTo }) => index / gpuNodes < upTo) ?? null) : null;
    return {
      index,
      name: `${isGpu ? "gpu" : "sys"}-${String(index).padStart(5, "0")}.nodes.internal`,
      address: `10.${(index >> 8) & 255}.${index & 255}.${10 + (index % 200)}`,
      zone: zones[index % zones.length] ?? zones[0],
      product,
      milliCpu: isGpu ? 191_450 : 15_890,
      memoryMi: isGpu ? 2_031_250 : 59_375,
      gpus: isGpu ? 8 : 0,
      pods: isGpu ? 250 : 110,
      apart: new Set(),
    };
  });
}

export function nodeObject(node: OpenNode, draw: Draw): JsonObject {
  const isGpu = node.product !== null;
  const allocatable = {
    cpu: `${node.milliCpu}m`,
    "ephemeral-storage": "964347832Ki",
    "hugepages-1Gi": "0",
    "hugepages-2Mi": "0",
    memory: `${node.memoryMi * 1024}Ki`,
    ...(isGpu ? { "nvidia.com/gpu": "8" } : {}),
    pods: String(node.pods),
  };
  const machine = node.product?.machine ?? "general-16";
  const pool = isGpu ? machine : "system";
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      annotations: {
        "csi.volume.kubernetes.io/nodeid": `{"disk.csi.example.com":"vm-${draw.hex(17)}"}`,
        "node.alpha.kubernetes.io/ttl": "0",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
      creationTimestamp: draw.time(),
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "example.com/pool": pool,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": machine,
        ...(node.product === null
          ? {}
          : {
              "nvidia.com/cuda.driver.major": "580",
              "nvidia.com/gpu.count": "8",
              "nvidia.com/gpu.memory": "81559",
              "nvidia.com/gpu.present": "true",
              "nvidia.com/gpu.product": node.product.name,
            }),
        "topology.kubernetes.io/region": "north-1",
        "topology.kubernetes.io/zone": node.zone,
      },
      name: node.name,
      resourceVersion: draw.resourceVersion(),
      uid: draw.uid(),
    },
    spec: {
      podCIDR: `100.${64 + (node.index >> 8)}.${node.index & 255}.0/24`,
      podCIDRs: [`100.${64 + (node.index >> 8)}.${node.index & 255}.0/24`],
      providerID: `example:///${node.zone}/vm-${draw.hex(17)}`,
      ...(isGpu ? { taints: [{ effect: "NoSchedule", key: "nvidia.com/gpu", value: "present" }] } : {}),
    },
    status: {
      addresses: [
        { address: node.address, type: "InternalIP" },
        { address: node.name, type: "Hostname" },
      ],
      allocatable,
      capacity: { ...allocatable, cpu: isGpu ? "192" : "16", memory: `${node.memoryMi * 1024 + 1_433_600}Ki` },
      conditions: nodeConditions(draw),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: nodeImages,
      nodeInfo: {
        architecture: "amd64",
        bootID: draw.uid(),
        containerRuntimeVersion: "containerd://2.1.5",
        kernelVersion: "6.12.40-63.x86_64",
        kubeProxyVersion: "",
        kubeletVersion: "v1.36.3",
        machineID: draw.hex(32),
        operatingSystem: "linux",
        osImage: "Example Linux 2026",
        systemUUID: draw.uid(),
      },
    },
  };
}

export const images = "images.example.com/platform";

/** An image has one digest and one size, on whatever node it is. */
const nodeImages: readonly JsonObject[] = Array.from({ length: 30 }, (_, image) => ({
  names: [
    `${images}/image-${image}@sha256:${(image + 17).toString(16).padStart(4, "c").repeat(16)}`,
    `${images}/image-${image}:v1.${image}.0`,
  ],
  sizeBytes: 20_000_000 + image * 29_876_543,
}));

function nodeConditions(draw: Draw): readonly JsonObject[] {
  const condition = (type: string, status: string, reason: string, message: string): JsonObject => ({
    lastHeartbeatTime: draw.time(),
    lastTransitionTime: draw.time(),
    message,
    reason,
    status,
    type,
  });
  return [
    condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
  ];
}
