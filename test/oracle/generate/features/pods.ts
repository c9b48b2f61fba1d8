import { mergeLabelKeys, podSelector } from "../selectors.ts";
import {
  affinityOf,
  type Feature,
  type Fields,
  hostnameKey,
  makePod,
  once,
  type PodDraft,
  push,
  requestOf,
  type World,
  zoneKey,
} from "../world.ts";

const topologyKeys = [hostnameKey, zoneKey, "rack"];

/** A pod affinity term as the API server keeps it: label keys merged into the selector. */
function podTerm(world: World, pod: PodDraft): Fields {
  const { draw } = world;
  const term: Fields = {
    topologyKey: draw.weighted([
      [4, hostnameKey],
      [4, zoneKey],
      [2, "rack"],
      [0.3, "absent"],
    ]),
  };
  let selector: Fields | undefined = draw.chance(0.04) ? undefined : podSelector(world, pod);
  if (selector !== undefined && draw.chance(0.2)) {
    const match = draw.chance(0.6) ? ["release"] : [];
    const mismatch = draw.chance(0.4) ? ["tier"] : [];
    selector = mergeLabelKeys(selector, pod, { match, mismatch });
    if (match.length > 0) term["matchLabelKeys"] = match;
    if (mismatch.length > 0) term["mismatchLabelKeys"] = mismatch;
  }
  if (selector !== undefined) term["labelSelector"] = selector;
  if (draw.chance(0.25))
    term["namespaces"] = draw.some(
      world.namespaces.map((n) => n.name),
      1,
      2,
    );
  if (draw.chance(0.25)) {
    term["namespaceSelector"] = draw.weighted<Fields>([
      [2, {}],
      [3, { matchLabels: { team: draw.pick(["red", "blue"]) } }],
      [1, { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] }],
      [1, { matchLabels: { "kubernetes.io/metadata.name": draw.pick(world.namespaces).name } }],
    ]);
  }
  return term;
}

function addTerms(world: World, pod: PodDraft): void {
  const { draw } = world;
  const kind = draw.chance(0.5) ? "podAffinity" : "podAntiAffinity";
  if (draw.chance(0.6)) {
    for (
      let i = draw.weighted([
        [3, 1],
        [1, 2],
      ]);
      i > 0;
      i--
    ) {
      push(affinityOf(pod, kind), "requiredDuringSchedulingIgnoredDuringExecution", podTerm(world, pod));
    }
  }
  if (draw.chance(0.5)) {
    for (let i = draw.int(1, 2); i > 0; i--) {
      push(
        affinityOf(pod, draw.chance(0.5) ? "podAffinity" : "podAntiAffinity"),
        "preferredDuringSchedulingIgnoredDuringExecution",
        {
          weight: draw.pick([1, 10, 33, 100]),
          podAffinityTerm: podTerm(world, pod),
        },
      );
    }
  }
}

export const podAffinity: Feature = {
  name: "podAffinity",
  weight: 5,
  prepare(world) {
    for (const pod of world.placed) if (world.draw.chance(0.35)) addTerms(world, pod);
  },
  pending(world, pod) {
    if (world.draw.chance(0.85)) addTerms(world, pod);
    if (world.draw.chance(0.1)) {
      // The first of a group that wants to be near its own kind.
      pod.labels["app"] = `${pod.labels["app"]}-new`;
      push(affinityOf(pod, "podAffinity"), "requiredDuringSchedulingIgnoredDuringExecution", {
        topologyKey: world.draw.pick(topologyKeys),
        labelSelector: { matchLabels: { app: pod.labels["app"] } },
      });
    }
  },
};

export const topologySpread: Feature = {
  name: "topologySpread",
  weight: 5,
  pending(world, pod) {
    const { draw } = world;
    const seen = new Set<string>();
    for (let i = draw.int(1, 3); i > 0; i--) {
      const topologyKey = draw.weighted([
        [4, hostnameKey],
        [5, zoneKey],
        [2, "rack"],
        [0.3, "absent"],
      ]);
      const whenUnsatisfiable = draw.chance(0.6) ? "DoNotSchedule" : "ScheduleAnyway";
      if (seen.has(topologyKey + whenUnsatisfiable)) continue;
      seen.add(topologyKey + whenUnsatisfiable);
      let selector: Fields | undefined = draw.chance(0.03) ? undefined : podSelector(world, pod);
      const constraint: Fields = {
        maxSkew: draw.weighted([
          [5, 1],
          [3, 2],
          [1, 5],
        ]),
        topologyKey,
        whenUnsatisfiable,
      };
      if (whenUnsatisfiable === "DoNotSchedule" && draw.chance(0.3)) constraint["minDomains"] = draw.int(1, 5);
      if (draw.chance(0.35)) constraint["nodeAffinityPolicy"] = draw.pick(["Honor", "Ignore"]);
      if (draw.chance(0.35)) constraint["nodeTaintsPolicy"] = draw.pick(["Honor", "Ignore"]);
      if (selector !== undefined && draw.chance(0.2)) {
        constraint["matchLabelKeys"] = ["release"];
        // Since 1.34 the API server merges the keys when the pod is created; older pods keep them apart.
        if (draw.chance(0.7)) selector = mergeLabelKeys(selector, pod, { match: ["release"], mismatch: [] });
      }
      if (selector !== undefined) constraint["labelSelector"] = selector;
      push(pod.spec, "topologySpreadConstraints", constraint);
    }
  },
};

/** Services and owners, whose selectors the cluster's default spreading uses. */
export const defaultSpread: Feature = {
  name: "defaultSpread",
  weight: 2,
  prepare(world) {
    const { draw } = world;
    for (const app of world.apps) {
      if (draw.chance(0.7) && once(world, `service ${app.namespace}/${app.name}`)) {
        world.others.push({
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: app.name, namespace: app.namespace },
          spec: {
            selector: draw.chance(0.1)
              ? {}
              : draw.chance(0.7)
                ? { app: app.labels["app"] }
                : { tier: app.labels["tier"] ?? "web" },
            ports: [{ port: 80 }],
          },
        });
      }
    }
  },
  pending() {},
};

/** Other pods on their way to a node the scheduler promised them. */
export const nominated: Feature = {
  name: "nominated",
  weight: 1.5,
  pending(world, pod) {
    const { draw } = world;
    pod.priority = draw.pick([0, 0, 100, 1000]);
    if (draw.chance(0.5))
      pod.status["nominatedNodeName"] = draw.chance(0.05) ? "gone-node" : draw.pick(world.nodes).name;
  },
};

export const preemption: Feature = {
  name: "preemption",
  weight: 6.5,
  prepare(world) {
    const { draw } = world;
    if (draw.chance(0.75)) crowd(world);
    for (const pod of world.placed) {
      pod.priority = draw.pick([-10, 0, 0, 5, 100, 1000]);
      if (draw.chance(0.11)) terminate(world, pod);
    }
    for (const app of world.apps) {
      if (!draw.chance(0.5) || !once(world, `budget ${app.namespace}/${app.name}`)) continue;
      const allowed = draw.pick([0, 0, 1, 2]);
      const disrupted = draw.chance(0.15) ? world.placed.filter((p) => p.app === app).slice(0, 1) : [];
      world.others.push({
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: app.name, namespace: app.namespace },
        spec: { minAvailable: 1, selector: draw.chance(0.1) ? {} : { matchLabels: { app: app.labels["app"] ?? "" } } },
        status: {
          disruptionsAllowed: allowed,
          currentHealthy: 1 + allowed,
          desiredHealthy: 1,
          expectedPods: 1 + allowed,
          ...(disrupted.length === 0
            ? {}
            : { disruptedPods: Object.fromEntries(disrupted.map((p) => [p.name, "2026-01-05T08:59:30Z"])) }),
        },
      });
    }
  },
  pending(world, pod) {
    const { draw } = world;
    pod.priority = draw.pick([0, 50, 500, 2000, 2000, 2000]);
    if (draw.chance(0.18)) pod.spec["preemptionPolicy"] = "Never";
    // Large enough to need the room of others.
    if (draw.chance(0.7)) {
      const main = pod.containers[0];
      if (main !== undefined)
        main.resources = {
          ...main.resources,
          requests: { cpu: draw.pick(["500m", "1", "2", "3500m"]), memory: "500Mi" },
        };
    }
    if (draw.chance(0.7)) {
      const leaving = world.placed.filter(
        (other) => other.metadata["deletionTimestamp"] !== undefined && other.nodeName !== "",
      );
      const near = leaving.length > 0 && draw.chance(0.93) ? draw.pick(leaving).nodeName : draw.pick(world.nodes).name;
      pod.status["nominatedNodeName"] = near;
    }
  },
};

/** Fills nodes with pods until little is left, so that room has to be taken from somebody. */
function crowd(world: World): void {
  const { draw } = world;
  let extra = 0;
  for (const node of world.nodes) {
    const cpu = node.allocatable["cpu"] ?? "1";
    const milli = cpu.endsWith("m") ? Number(cpu.slice(0, -1)) : Number(cpu) * 1000;
    const pieces = draw.int(1, 4);
    for (let i = 0; i < pieces && extra < 200; i++) {
      const pod = makePod(draw.pick(world.apps), `crowd-${extra++}`);
      pod.nodeName = node.name;
      Object.assign(requestOf(pod), { cpu: `${Math.floor((milli * draw.pick([0.9, 0.95, 0.7])) / pieces)}m` });
      world.placed.push(pod);
    }
  }
}

function terminate(world: World, pod: PodDraft): void {
  pod.metadata["deletionTimestamp"] = "2026-01-05T09:00:00Z";
  pod.metadata["deletionGracePeriodSeconds"] = 30;
  if (world.draw.chance(0.8)) {
    pod.status["conditions"] = [
      { type: "PodScheduled", status: "True" },
      {
        type: "DisruptionTarget",
        status: "True",
        reason: world.draw.pick(["PreemptionByScheduler", "PreemptionByScheduler", "EvictionByEvictionAPI"]),
      },
    ];
  }
}
