import {
  affinityOf,
  type Feature,
  type Fields,
  hostnameKey,
  mainOf,
  type PodDraft,
  push,
  type World,
  zoneKey,
} from "../world.ts";

const effects = ["NoSchedule", "NoExecute", "PreferNoSchedule"];

export const taints: Feature = {
  name: "taints",
  weight: 4,
  prepare(world) {
    const { draw } = world;
    for (const node of world.nodes) {
      for (
        let i = draw.weighted([
          [4, 0],
          [4, 1],
          [2, 2],
          [1, 3],
        ]);
        i > 0;
        i--
      ) {
        const taint: Fields = {
          key: draw.pick(["dedicated", "nvidia.com/gpu", "spot", "level"]),
          effect: draw.pick(effects),
        };
        if (taint["key"] === "level") taint["value"] = String(draw.pick([1, 5, 10, 100]));
        else if (draw.chance(0.7)) taint["value"] = draw.pick(["infra", "true", "ml"]);
        const same = (other: Fields): boolean => other["key"] === taint["key"] && other["effect"] === taint["effect"];
        if (!node.taints.some(same)) node.taints.push(taint);
      }
    }
  },
  pending(world, pod) {
    const { draw } = world;
    for (let i = draw.int(0, 4); i > 0; i--) {
      const toleration: Fields = {};
      if (draw.chance(0.04)) toleration["operator"] = "Exists";
      else {
        toleration["key"] = draw.pick(["dedicated", "nvidia.com/gpu", "spot", "level"]);
        if (draw.chance(0.4)) toleration["operator"] = "Exists";
        else {
          if (draw.chance(0.8)) toleration["operator"] = "Equal";
          if (draw.chance(0.9)) toleration["value"] = draw.pick(["infra", "true", "ml", "10"]);
        }
      }
      if (draw.chance(0.6)) toleration["effect"] = draw.pick(effects);
      if (toleration["effect"] === "NoExecute" && draw.chance(0.3)) toleration["tolerationSeconds"] = 60;
      pod.tolerations.push(toleration);
    }
  },
};

export const unschedulable: Feature = {
  name: "unschedulable",
  weight: 2,
  prepare(world) {
    const { draw } = world;
    for (const node of world.nodes) if (draw.chance(0.4)) node.unschedulable = true;
  },
  pending(world, pod) {
    const { draw } = world;
    if (draw.chance(0.25)) {
      pod.tolerations.push({ key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" });
    }
  },
};

export function nodeExpression(world: World): Fields {
  const { draw } = world;
  const values = (items: readonly string[]): string[] => draw.some(items, 1, 2);
  return draw.weighted<() => Fields>([
    [3, () => ({ key: zoneKey, operator: draw.pick(["In", "NotIn"]), values: values(["zone-a", "zone-b", "zone-c"]) })],
    [
      3,
      () => ({
        key: "pool",
        operator: draw.pick(["In", "In", "NotIn"]),
        values: values(["system", "gpu", "cpu", "none"]),
      }),
    ],
    [1, () => ({ key: draw.pick(["rack", "disk", zoneKey]), operator: draw.pick(["Exists", "DoesNotExist"]) })],
    [3, () => ({ key: "generation", operator: draw.pick(["Gt", "Lt"]), values: [String(draw.int(0, 9))] })],
    [
      1,
      () => ({
        key: hostnameKey,
        operator: "In",
        values: draw.some(
          world.nodes.map((n) => n.name),
          1,
          4,
        ),
      }),
    ],
    [1, () => ({ key: "disk", operator: draw.pick(["In", "NotIn"]), values: ["ssd"] })],
  ])();
}

function nodeTerm(world: World): Fields {
  const { draw } = world;
  const term: Fields = {
    matchExpressions: Array.from(
      {
        length: draw.weighted([
          [5, 1],
          [3, 2],
          [1, 3],
        ]),
      },
      () => nodeExpression(world),
    ),
  };
  return draw.chance(0.03) ? {} : term;
}

export const nodeAffinity: Feature = {
  name: "nodeAffinity",
  weight: 4,
  pending(world, pod) {
    const { draw } = world;
    if (draw.chance(0.3)) {
      pod.spec["nodeSelector"] = draw.pick<Fields>([
        { pool: "gpu" },
        { pool: "cpu", disk: "ssd" },
        { [zoneKey]: "zone-a" },
        { disk: "ssd" },
      ]);
    }
    if (draw.chance(0.55)) {
      const terms = Array.from({ length: draw.int(1, 2) }, () => nodeTerm(world));
      affinityOf(pod, "nodeAffinity")["requiredDuringSchedulingIgnoredDuringExecution"] = { nodeSelectorTerms: terms };
    } else if (draw.chance(0.5)) {
      affinityOf(pod, "nodeAffinity")["requiredDuringSchedulingIgnoredDuringExecution"] = {
        nodeSelectorTerms: byName(world),
      };
    }
    if (draw.chance(0.6)) {
      for (let i = draw.int(1, 3); i > 0; i--) {
        push(affinityOf(pod, "nodeAffinity"), "preferredDuringSchedulingIgnoredDuringExecution", {
          weight: draw.pick([1, 7, 50, 100]),
          preference: draw.chance(0.06)
            ? { matchFields: [{ key: "metadata.name", operator: "In", values: [draw.pick(world.nodes).name] }] }
            : nodeTerm(world),
        });
      }
    }
  },
};

/** Terms over metadata.name: the way DaemonSet pods are pinned, and conflicting ones. */
function byName(world: World): Fields[] {
  const { draw } = world;
  const name = (): string => (draw.chance(0.12) ? "no-such-node" : draw.pick(world.nodes).name);
  const field = (operator: string): Fields => ({ key: "metadata.name", operator, values: [name()] });
  return draw.weighted<() => Fields[]>([
    [4, () => [{ matchFields: [field("In")] }]],
    [2, () => [{ matchFields: [field("NotIn")] }]],
    [2, () => [{ matchFields: [field("In")] }, { matchFields: [field("In")] }]],
    [9, () => [{ matchFields: [field("In"), field("In")] }]],
    [2, () => [{ matchFields: [field("In")], matchExpressions: [nodeExpression(world)] }]],
    [1, () => [{ matchFields: [field("In")] }, { matchExpressions: [nodeExpression(world)] }]],
  ])();
}

export const hostPorts: Feature = {
  name: "hostPorts",
  weight: 3.4,
  prepare(world) {
    for (const pod of world.placed) if (world.draw.chance(0.6)) listen(world, pod);
  },
  pending(world, pod) {
    listen(world, pod);
  },
};

function listen(world: World, pod: PodDraft): void {
  const { draw } = world;
  const container = draw.chance(0.15) && pod.initContainers[0] !== undefined ? pod.initContainers[0] : mainOf(pod);
  container.ports ??= [];
  for (let i = draw.int(1, 2); i > 0; i--) {
    const hostPort = draw.pick([80, 443, 8080]);
    container.ports.push({
      containerPort: hostPort,
      hostPort,
      protocol: draw.weighted([
        [6, "TCP"],
        [3, "UDP"],
        [1, "SCTP"],
      ]),
      ...(draw.chance(0.5) ? { hostIP: draw.pick(["0.0.0.0", "127.0.0.1", "10.0.0.1"]) } : {}),
    });
  }
}

const images = [
  "registry.test/base:v1",
  "registry.test/model:v3",
  "registry.test/side:v2",
  "docker.io/library/tool:latest",
  "tool:latest",
  "registry.test/huge:v1",
];

export const imageLocality: Feature = {
  name: "imageLocality",
  weight: 2,
  prepare(world) {
    const { draw } = world;
    const sizes = images.map((_, i) => [900, 12, 300, 45, 60, 4000][i] ?? 100);
    for (const node of world.nodes) {
      node.images = draw.some(images, 0, 4).map((name) => ({
        names: draw.chance(0.3) ? [`${name}@sha256:abc`, name] : [name],
        sizeBytes: (sizes[images.indexOf(name)] ?? 100) * 1024 * 1024 + draw.pick([0, 0, 1]),
      }));
    }
  },
  pending(world, pod) {
    const { draw } = world;
    mainOf(pod).image = draw.pick([...images, "docker.io/library/tool", "tool"]);
    if (draw.chance(0.4)) pod.containers.push({ name: "second", image: draw.pick(images), resources: {} });
    if (draw.chance(0.3)) pod.initContainers.push({ name: "pull", image: draw.pick(images), resources: {} });
    if (draw.chance(0.15))
      pod.volumes.push({ name: "model", image: { reference: draw.pick(images), pullPolicy: "IfNotPresent" } });
  },
};

export const declaredFeatures: Feature = {
  name: "declaredFeatures",
  weight: 5,
  since: 36,
  prepare(world) {
    const { draw } = world;
    const names = [
      "RestartAllContainersOnContainerExits",
      "UserNamespacesHostNetworkSupport",
      "GuaranteedQoSPodCPUResize",
      "SomethingUnknown",
    ];
    for (const node of world.nodes) node.declaredFeatures = draw.some(names, 0, 4).sort();
  },
  pending(world, pod) {
    const { draw } = world;
    if (draw.chance(0.5)) {
      pod.spec["hostNetwork"] = true;
      pod.spec["hostUsers"] = false;
    }
    if (draw.chance(0.5)) {
      mainOf(pod)["restartPolicyRules"] = [
        { action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } },
      ];
      mainOf(pod).restartPolicy = "Never";
    }
  },
};

/** A pod that names its node and still comes before the scheduler's filters, as in a dry run of a DaemonSet pod. */
export const nodeName: Feature = {
  name: "nodeName",
  weight: 1.1,
  pending(world, pod) {
    if (world.draw.chance(0.8)) {
      pod.nodeName = world.draw.pick(world.nodes).name;
      pod.status["phase"] = "Pending";
    }
  },
};

export const gates: Feature = {
  name: "gates",
  weight: 1,
  pending(world, pod) {
    const { draw } = world;
    if (draw.chance(0.6))
      pod.spec["schedulingGates"] = draw
        .some(["example.com/quota", "example.com/network"], 1, 2)
        .map((name) => ({ name }));
  },
};
