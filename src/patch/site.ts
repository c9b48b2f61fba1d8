import { budgetsOf } from "../eviction/budgets-of.ts";
import { type ObjectRef, objectKey } from "../model/key.ts";
import { groupNameLabel, type LabelSelector, matches } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { desiredUnits } from "../route/capacity.ts";
import { podsOf } from "../sim/monitor.ts";
import { isAccelerated } from "../sim/timing.ts";
import { type Endpoint, type Hop, unitSize } from "../systems/endpoint.ts";
import type { JsonObject, WireObject } from "../wire/snapshot.ts";
import { type Cost, noCost, sumOfCosts } from "./edit.ts";
import type { KeptObjects } from "./kept-objects.ts";

/** A part of some path as remedies look at it. */
export interface Site {
  /** Tells it from every other part, those of one owner too. */
  readonly key: string;
  readonly hop: Hop;
  readonly endpoints: readonly Endpoint[];
  readonly workload: Workload | null;
  /** The workload as it travels; null: not in the input. */
  readonly made: WireObject | null;
  readonly template: PodTemplate | null;
  readonly pods: readonly PodView[];
  readonly budgets: readonly BudgetView[];
  /** Units wanted now. */
  readonly units: number;
  /** What one more unit asks for. */
  readonly unitCost: Cost;
  /** What its pods carry for as long as the workload lives, as a selector on the wire; null: nothing sure. */
  readonly selector: JsonObject | null;
}

export interface SiteInput {
  readonly view: ClusterView;
  readonly endpoints: readonly Endpoint[];
  readonly kept: KeptObjects;
}

/** Every part inside the cluster that some endpoint's requests pass, each once. */
export function sitesOf(input: SiteInput): readonly Site[] {
  const places = input.endpoints.flatMap((endpoint) =>
    endpoint.hops.filter((hop) => hop.onPath && hop.outside === "").map((hop) => ({ endpoint, hop })),
  );
  return [...Map.groupBy(places, ({ hop }) => partKey(hop)).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [siteOf(input, first.hop, [...new Set(group.map(({ endpoint }) => endpoint))])];
  });
}

/** One owner may keep several parts (roles, groups of workers), told apart by what their pods carry. */
export function partKey({ ref, pods }: Hop): string {
  return pods.by === "owner" ? objectKey(ref) : `${objectKey(ref)} ${JSON.stringify(selectorOnWire(pods.selector))}`;
}

export function siteOf(input: SiteInput, hop: Hop, endpoints: readonly Endpoint[]): Site {
  const { view, kept } = input;
  const workload = view.workload(objectKey(hop.ref))?.spec ?? null;
  const pods = podsOf(view, hop.pods).filter(({ phase }) => phase !== "Succeeded" && phase !== "Failed");
  const covering = new Set(pods.flatMap((pod) => budgetsOf(view, pod)));
  const template = templateOf(workload) ?? pods[0]?.template ?? null;
  const whole = hop.knobs.replicas.by === "field" ? hop.knobs.replicas.scales : null;
  return {
    key: partKey(hop),
    hop,
    endpoints,
    workload,
    made: kept.get(hop.ref) ?? null,
    template,
    pods,
    budgets: view.budgets.filter((budget) => covering.has(budget)),
    units: desiredUnits(view, hop),
    unitCost:
      whole === null
        ? costOf(template, unitSize(hop))
        : sumOfCosts(view.podsOwnedBy(whole).map((pod) => costOf(pod.template, 1))),
    selector: stableSelector(workload, hop, view),
  };
}

function templateOf(workload: Workload | null): PodTemplate | null {
  if (workload === null || workload.kind === "Other") return null;
  return workload.kind === "LeaderWorkerSet" ? workload.workerTemplate : workload.template;
}

/** What tells one generation of an owner's pods from the next, which takes over as a whole. */
const generationLabels: ReadonlyMap<string, string> = new Map([["RayCluster", "ray.io/cluster"]]);

/** "" where pods of one generation carry nothing of their own. */
export function generationLabel({ ref }: Hop): string {
  return generationLabels.get(ref.kind) ?? "";
}

function stableSelector(workload: Workload | null, hop: Hop, view: ClusterView): JsonObject | null {
  if (workload?.kind === "LeaderWorkerSet") {
    return { matchLabels: { [groupNameLabel]: workload.ref.name } };
  }
  if (workload !== null && "selector" in workload) return selectorOnWire(workload.selector);
  return hop.pods.by === "selector" ? selectorOnWire(lastingSelector(hop.pods, generationLabel(hop), view)) : null;
}

/** Without what the next generation does not carry, as long as it takes no other pods for that. */
function lastingSelector(
  { namespace, selector }: Extract<Hop["pods"], { by: "selector" }>,
  generation: string,
  view: ClusterView,
): LabelSelector {
  const requirements = selector.requirements.filter(({ key }) => key !== generation);
  const lasting: LabelSelector = { ...selector, requirements };
  const isAlone = view
    .podsIn(namespace)
    .every(({ template }) => !matches(lasting, template.labels) || matches(selector, template.labels));
  return requirements.length > 0 && isAlone ? lasting : selector;
}

export function selectorOnWire({ requirements, invalid }: LabelSelector): JsonObject | null {
  if (invalid || requirements.length === 0) return null;
  const simple = requirements.filter(({ operator, values }) => operator === "In" && values.length === 1);
  const others = requirements.filter((requirement) => !simple.includes(requirement));
  const labels = Object.fromEntries(simple.map(({ key, values }) => [key, values[0] ?? ""]));
  const expressions = others.map(({ key, operator, values }) => ({
    key,
    operator,
    ...(values.length === 0 ? {} : { values: [...values] }),
  }));
  return {
    ...(simple.length === 0 ? {} : { matchLabels: labels }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}

function costOf(template: PodTemplate | null, pods: number): Cost {
  if (template === null) return noCost;
  let gpus = 0;
  if (isAccelerated(template)) {
    for (const [name, amount] of template.requests.scalar) if (name.includes("/")) gpus += amount;
    if (gpus === 0) gpus = template.resourceClaims.length;
  }
  return {
    milliCpu: template.requests.milliCpu * pods,
    memoryBytes: template.requests.memoryBytes * pods,
    gpus: gpus * pods,
  };
}

/** The longest answer any route in front promises, ms; 0: none says. */
export function longestRequestMs({ endpoints }: Site): number {
  return Math.max(0, ...endpoints.map(({ requestTimeoutMs }) => requestTimeoutMs ?? 0));
}

export function nameOfSite({ hop }: Site): string {
  return `${hop.component} (${hop.ref.namespace}/${hop.ref.name})`;
}

export function sameRef(a: ObjectRef, b: ObjectRef): boolean {
  return objectKey(a) === objectKey(b);
}
