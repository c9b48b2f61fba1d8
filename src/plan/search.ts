import { type ObjectRef, objectKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Choosing } from "../patch/choose.ts";
import { type Edit, editKey } from "../patch/edit.ts";
import { budget } from "../patch/remedies/budget.ts";
import { replicasTo } from "../patch/remedies/replicas.ts";
import { type Site, sameRef, sitesOf } from "../patch/site.ts";
import { endpointsOf } from "../route/build.ts";
import { readyUnits } from "../sim/monitor.ts";
import { keptBy } from "../systems/pod-keepers.ts";
import { playRunbook, type Runbook, type RunbookOutcome } from "./runbook.ts";

export interface PlanFound {
  readonly runbook: Runbook;
  readonly outcome: RunbookOutcome;
  /** Parts that need a second replica and have no place where one holds. */
  readonly stuck: readonly Site[];
}

export type PlanRequest = Pick<Runbook, "nodes" | "actor" | "nodeDownMs">;

/** Rounds in which parts that only show themselves once others hold are prepared too. */
const mostRounds = 3;
/** Orders of drains that are tried. */
const mostOrders = 24;

/**
 * The runbook with least preparation that breaks nothing: the nodes in some order, and before them one more of each part (and a
 * budget over it) that would not come through alone. Stepped back at the end.
 */
export function* searchPlan(choosing: Choosing, request: PlanRequest): Generator<string, PlanFound> {
  const { bench, proving } = choosing;
  const sites = sitesOf({ ...bench, endpoints: proving.choose(endpointsOf(bench.cluster).endpoints) });
  const awaited = sites
    .filter(({ hop, units }) => units > 0 && !hop.leaderElected)
    .filter(({ workload, template }) => {
      if (workload?.kind !== "Other") return workload !== null && workload.kind !== "DaemonSet";
      return template !== null && keptBy(bench.cluster, workload, template) !== null;
    });
  const isWhole = ({ hop, units }: Site): boolean => readyUnits(bench.view, hop) >= units;
  const late = refsOf(awaited.filter((site) => !isWhole(site)));
  const whole = refsOf(awaited.filter(isWhole)).filter((ref) => !late.some((other) => sameRef(ref, other)));
  const waits: Waits = { first: [], whole };
  const found = yield* searchWith(choosing, request, sites, waits);
  if (found.outcome.holds || late.length === 0) return found;
  // What is not whole yet may be in a while, and then there is one more that may go.
  const patient = yield* searchWith(choosing, request, sites, { first: late, whole: [...whole, ...late] });
  return patient.outcome.holds ? patient : found;
}

/** Parts of one owner are waited for together. */
function refsOf(sites: readonly Site[]): readonly ObjectRef[] {
  return [...new Map(sites.map(({ hop }) => [objectKey(hop.ref), hop.ref])).values()];
}

type Waits = Pick<Runbook, "first" | "whole">;

function* searchWith(
  choosing: Choosing,
  request: PlanRequest,
  sites: readonly Site[],
  waits: Waits,
): Generator<string, PlanFound> {
  const { bench, proving } = choosing;
  const withEdits = (edits: readonly Edit[], nodes: readonly Node[]): Runbook => ({
    ...request,
    nodes,
    edits,
    applied: choosing.applier.apply(edits),
    ...waits,
  });
  const orders = request.actor === null ? ordersOf(request.nodes, bench) : [request.nodes];
  let edits: readonly Edit[] = [];
  let best: PlanFound | null = null;
  const prepared = new Set<string>();
  const stuck = new Set<Site>();
  for (let round = 0; round < mostRounds; round += 1) {
    const weak = new Set<string>();
    for (const [index, nodes] of orders.entries()) {
      yield `plays order ${index + 1} of ${orders.length}${edits.length === 0 ? "" : ", prepared"}`;
      const runbook = withEdits(edits, nodes);
      const outcome = playRunbook(proving, runbook);
      if (outcome.holds) return yield* leaner(choosing, { runbook, outcome, stuck: [...stuck] }, withEdits);
      if (best === null || isBetter(outcome, best.outcome)) best = { runbook, outcome, stuck: [...stuck] };
      for (const key of outcome.weak) weak.add(key);
    }
    const more = sites
      .filter(({ key }) => weak.has(key) && !prepared.has(key))
      .flatMap((site) => {
        prepared.add(site.key);
        const proposed = preparationOf(site, choosing);
        if (proposed === null) stuck.add(site);
        return proposed ?? [];
      });
    if (more.length === 0) break;
    edits = [...edits, ...more];
  }
  if (best === null) throw new RangeError("a plan has an order");
  return { ...best, stuck: [...stuck] };
}

/** One more, and where none guards it a budget. Null: there is no place where a second one stays. */
function preparationOf(site: Site, { bench }: Choosing): readonly Edit[] | null {
  const scaled = replicasTo(site, site.units + 1, bench.kept);
  if (scaled.length === 0 || scaled.some(({ holds }) => holds === "composition")) return null;
  const guard = budget
    .propose(site, { ...bench, unitsAfter: (each) => each.units + 1, changed: [] })
    .filter(({ act, target }) => act.do === "create" || target.kind !== "PodDisruptionBudget");
  return [...scaled, ...(site.budgets.length === 0 ? guard : [])];
}

/** What is not needed is left out. */
function* leaner(
  choosing: Choosing,
  found: PlanFound,
  withEdits: (edits: readonly Edit[], nodes: readonly Node[]) => Runbook,
): Generator<string, PlanFound> {
  let best = found;
  for (const edit of [...found.runbook.edits].reverse()) {
    const edits = best.runbook.edits.filter((each) => editKey(each) !== editKey(edit));
    yield `leaves out ${edit.remedy}`;
    const runbook = withEdits(edits, best.runbook.nodes);
    const outcome = playRunbook(choosing.proving, runbook);
    if (outcome.holds) best = { ...best, runbook, outcome };
  }
  return best;
}

/** One that comes to its end, with the shorter gap: what a person would rather do. */
function isBetter(a: RunbookOutcome, b: RunbookOutcome): boolean {
  if (a.ends !== b.ends) return a.ends;
  const score = ({ gaps, weak }: RunbookOutcome): number =>
    gaps.reduce((sum, { ms }) => sum + (ms ?? Number.MAX_SAFE_INTEGER / 1e6), 0) + weak.size;
  return score(a) < score(b);
}

/** As given first, then nodes with fewer pods of paths earlier, then every other order while they are few. */
function ordersOf(nodes: readonly Node[], { view }: Choosing["bench"]): readonly (readonly Node[])[] {
  const load = (node: Node): number => view.node(node.name)?.pods.length ?? 0;
  const light = [...nodes].sort((a, b) => load(a) - load(b));
  const orders: (readonly Node[])[] = [
    nodes,
    light,
    ...(nodes.length <= 4 ? permutations(nodes) : [nodes.toReversed()]),
  ];
  const seen = new Set<string>();
  return orders
    .filter((order) => {
      const key = order.map(({ name }) => name).join("\n");
      return !seen.has(key) && seen.add(key);
    })
    .slice(0, mostOrders);
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
