import { type Draw, drawFrom } from "../../test/oracle/generate/draw.ts";
import type { Fields, Item } from "./objects.ts";
import {
  antiAffinity,
  budget,
  daemonSet,
  deployment,
  node,
  podOf,
  priorityClass,
  service,
  spread,
  statefulSet,
} from "./objects.ts";
import type { Items, Recording } from "./recording.ts";
import { recording } from "./recording.ts";

const count = 48;
/** Two drains at once, and a budget that lets one of them go on: which one, nobody can say. */
const raced = 31;

/** Small clusters drawn by seed, with budgets, spreads, terms and strategies as they come, and a few things done to them. */
export const drawn: readonly Recording[] = Array.from({ length: count }, (_, i) => i + 1)
  .filter((seed) => seed !== raced)
  .map(drawnRecording);

interface Drawn {
  readonly draw: Draw;
  readonly nodes: readonly string[];
  readonly apps: readonly App[];
}

interface App {
  readonly name: string;
  readonly kind: "Deployment" | "StatefulSet";
  readonly places: readonly string[];
}

function drawnRecording(seed: number): Recording {
  const draw = drawFrom(40_000 + seed);
  const nodes = Array.from({ length: draw.int(3, 6) }, (_, i) => `n${i + 1}`);
  const zones = draw.pick([0, 0, 2, 3]);
  const small = draw.chance(0.35);
  const items: Items[] = nodes.map((name, i) =>
    node(name, {
      cpu: small ? draw.pick(["3", "4"]) : "16",
      ...(zones === 0 ? {} : { zone: `z${(i % zones) + 1}` }),
      ...(i > 2 && draw.chance(0.25)
        ? { taints: [{ key: "dedicated", value: "infra", effect: draw.pick(["NoSchedule", "PreferNoSchedule"]) }] }
        : {}),
    }),
  );
  const apps: App[] = [];
  for (let i = draw.int(1, 3); i > 0; i--) {
    const app = drawApp({ draw, nodes, apps }, `m${i}`);
    apps.push(app.app);
    items.push(app.items, service(app.app.name), drawBudget(draw, app.app));
  }
  if (draw.chance(0.25)) items.push(daemonSet("agent", nodes.join(" "), { cpu: "100m", memory: "64Mi" }));
  if (draw.chance(0.2)) items.push(priorityClass("high", 1000));
  const name = `drawn-${String(seed).padStart(2, "0")}`;
  return recording(name, `Drawn from seed ${seed}.`, items, drawSteps({ draw, nodes, apps }), { quiet: "7s" });
}

function drawApp({ draw, nodes, apps }: Drawn, name: string): { readonly app: App; readonly items: readonly Item[] } {
  const kind = draw.chance(0.78) ? "Deployment" : "StatefulSet";
  const replicas = draw.weighted([
    [2, 1],
    [4, 2],
    [3, 3],
    [1, 4],
  ]);
  const used = new Set<string>();
  const apart = draw.weighted<"no" | "affinity" | "hard" | "soft">([
    [4, "no"],
    [2, "affinity"],
    [3, "hard"],
    [2, "soft"],
  ]);
  const places = Array.from({ length: replicas }, () => {
    const free = nodes.filter((one) => !used.has(one));
    const place = draw.pick((apart === "no" && draw.chance(0.5)) || free.length === 0 ? nodes : free);
    used.add(place);
    return place;
  });
  const shape = {
    cpu: draw.pick(["500m", "1", "1500m"]),
    memory: draw.pick(["512Mi", "1Gi", "2Gi"]),
    spec: {
      ...drawApart(draw, name, apart),
      ...(draw.chance(0.15) ? { tolerations: [{ key: "dedicated", operator: "Exists" }] } : {}),
      ...(draw.chance(0.15) && apps.length > 0 ? nearTo(draw, draw.pick(apps).name, apart) : {}),
    },
  };
  const items =
    kind === "StatefulSet"
      ? statefulSet(name, places.join(" "), {
          ...shape,
          ...(draw.chance(0.5) ? { with: { podManagementPolicy: "Parallel" } } : {}),
        })
      : deployment(name, places.join(" "), { ...shape, ...drawStrategy(draw) });
  return { app: { name, kind, places }, items };
}

function drawApart(draw: Draw, name: string, apart: "no" | "affinity" | "hard" | "soft"): Fields {
  if (apart === "no") return {};
  if (apart === "affinity") return antiAffinity(name);
  return spread(name, {
    whenUnsatisfiable: apart === "hard" ? "DoNotSchedule" : "ScheduleAnyway",
    ...(draw.chance(0.3) ? { topologyKey: "topology.kubernetes.io/zone" } : {}),
    ...(draw.chance(0.25) ? { maxSkew: 2 } : {}),
    ...(draw.chance(0.35) ? { nodeTaintsPolicy: "Honor" } : {}),
    ...(draw.chance(0.35) ? { matchLabelKeys: ["pod-template-hash"] } : {}),
    ...(apart === "hard" && draw.chance(0.2) ? { minDomains: draw.int(2, 4) } : {}),
  });
}

/** A preference for the nodes of another workload; it would replace a hard term of the pod's own. */
function nearTo(draw: Draw, other: string, apart: string): Fields {
  if (apart === "affinity") return {};
  const term = { labelSelector: { matchLabels: { app: other } }, topologyKey: "kubernetes.io/hostname" };
  const preferred = [{ weight: draw.pick([10, 100]), podAffinityTerm: term }];
  const kind = draw.pick(["podAffinity", "podAntiAffinity"]);
  return { affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } };
}

function drawStrategy(draw: Draw): { readonly with?: Fields } {
  return draw.weighted<() => { readonly with?: Fields }>([
    [5, () => ({})],
    [1, () => ({ with: { strategy: { type: "Recreate" } } })],
    [
      3,
      () => {
        const maxSurge = draw.pick([0, 1, 2, "50%", "100%"]);
        const maxUnavailable = maxSurge === 0 ? draw.pick([1, "50%"]) : draw.pick([0, 1, "25%", "34%"]);
        return { with: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } } };
      },
    ],
  ])();
}

function drawBudget(draw: Draw, { name, places }: App): Items {
  const status = [places.length, places.length] as const;
  const policy = draw.chance(0.3) ? ({ policy: "AlwaysAllow" } as const) : {};
  return draw.weighted<() => Items>([
    [2, () => []],
    [2, () => budget(name, { min: draw.int(1, Math.max(1, places.length - 1)), status, ...policy })],
    [1, () => budget(name, { min: draw.pick(["50%", "34%", "67%"]), status, ...policy })],
    [3, () => budget(name, { max: 1, status, ...policy })],
    [1, () => budget(name, { max: draw.pick(["25%", "50%"]), status, ...policy })],
  ])();
}

function drawSteps({ draw, nodes, apps }: Drawn): readonly Fields[] {
  const all: Fields = { waitReady: "all" };
  const target = (app: App): Fields => ({
    apiVersion: "apps/v1",
    kind: app.kind,
    namespace: "serving",
    name: app.name,
  });
  const deployments = apps.filter(({ kind }) => kind === "Deployment");
  const steps: Fields[] = [];
  const [first = "n1", second = "n2"] = draw.shuffle(nodes);
  const drains = draw.weighted<() => readonly Fields[]>([
    [4, () => [{ drain: first }]],
    [3, () => [{ drain: first }, all, { uncordon: [first] }, { drain: second }]],
    [2, () => [{ cordon: [first, second] }, { drain: first }, { uncordon: [first] }, { drain: second }]],
    [2, () => [{ drain: [first, second] }]],
    [1, () => [{ drain: [first, second], concurrent: true }]],
    [1, () => [{ cordon: [first] }, { wait: "2s" }, { drain: second }]],
  ])();
  const rollOut = (app: App): Fields => ({
    patch: { spec: { template: { metadata: { annotations: { "example.com/round": "2" } } } } },
    target: target(app),
    type: "strategic",
  });
  if (draw.chance(0.3) && deployments.length > 0) steps.push(rollOut(draw.pick(deployments)), all);
  if (draw.chance(0.2)) {
    const app = draw.pick(apps);
    steps.push({ scale: { ref: target(app), replicas: app.places.length + draw.pick([1, 2]) } }, all);
  }
  if (draw.chance(0.15)) {
    const app = deployments[0];
    if (app !== undefined && steps.length === 0) steps.push({ evict: podOf(app.name, 0) }, all);
  }
  steps.push(...drains);
  if (draw.chance(0.3) && deployments.length > 0) steps.push(all, rollOut(draw.pick(deployments)), all);
  if (draw.chance(0.2)) {
    const app = draw.pick(apps);
    steps.push(all, { scale: { ref: target(app), replicas: Math.max(0, app.places.length - 1) } });
  }
  return steps;
}
