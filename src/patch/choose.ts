import { byCodeUnit } from "../base/ordering.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import { endpointsOf } from "../route/build.ts";
import { isWorse } from "../search/severity.ts";
import type { Applied, EditApplier } from "./apply-edits.ts";
import { type Cost, compareCosts, type Edit, editKey, sumOfCosts } from "./edit.ts";
import {
  compareBadness,
  isAsGood,
  makesVerdict,
  nameOf,
  type Proof,
  type Proving,
  prove,
  proveRollout,
  rankOf,
} from "./prove.ts";
import { besides, engineForms, type Form, foundation, helperForms, pathForms } from "./registry.ts";
import { activeActive } from "./remedies/active-active.ts";
import type { Bench } from "./remedy.ts";
import { sickPodsOf, withReady } from "./sick-pods.ts";
import { type Site, siteOf, sitesOf } from "./site.ts";

export interface Chosen {
  readonly edits: readonly Edit[];
  readonly applied: Applied;
  readonly before: Proof;
  readonly after: Proof;
  readonly alternatives: readonly Alternative[];
}

export interface Alternative {
  readonly edits: readonly Edit[];
  readonly cost: Cost;
  readonly why: string;
}

export interface Choosing {
  readonly proving: Proving;
  readonly applier: EditApplier;
  readonly bench: Omit<Bench, "unitsAfter" | "changed">;
  /** What is plainly wrong with a workload, by finding rule: put right even where no verdict hangs on it. */
  readonly wrongs: ReadonlyMap<ObjectKey, ReadonlySet<string>>;
}

/** Rounds in which parts that only show themselves once others hold are taken in. */
const mostRounds = 3;
const mostAlternatives = 3;

/** The smallest changes that make verdicts safe, other ways to do it, and what is worth doing beside. */
export function* choose(choosing: Choosing): Generator<string, Chosen> {
  const prover = new Prover(choosing);
  const chosen = yield* chooseSafe(choosing, prover);
  const offers = yield* offersBeside(choosing, prover, chosen);
  return { ...chosen, alternatives: [...chosen.alternatives, ...offers] };
}

/** What lets answers in flight finish, as far as nothing gets worse by it. */
function* offersBeside(choosing: Choosing, prover: Prover, chosen: Chosen): Generator<string, readonly Alternative[]> {
  const endpoints = choosing.proving.choose(endpointsOf(choosing.bench.cluster).endpoints);
  const bench: Bench = { ...choosing.bench, unitsAfter: ({ units }) => units, changed: [] };
  let edits: readonly Edit[] = [];
  for (const site of sitesOf({ ...choosing.bench, endpoints })) {
    const more = besides.flatMap((remedy) => remedy.propose(site, bench));
    if (more.length === 0) continue;
    yield "plays what lets answers finish";
    const proof = prover.of(withoutTwice([...chosen.edits, ...edits, ...more]));
    if (isAsGood(proof, chosen.after)) edits = withoutTwice([...edits, ...more]);
  }
  if (edits.length === 0) return [];
  return [
    {
      edits,
      cost: sumOfCosts(edits.map(({ cost }) => cost)),
      why: "lets answers in flight finish; changes no verdict",
    },
  ];
}

/**
 * The smallest set of changes that leaves the endpoints as well off as any set tried: for every weak part the strongest recipe,
 * in the first form that holds when played; then whatever can be left out without anything getting worse is left out.
 */
function* chooseSafe(choosing: Choosing, prover: Prover): Generator<string, Chosen> {
  yield "plays the cluster as it is";
  const before = prover.of([]);
  const none: Chosen = { edits: [], applied: choosing.applier.apply([]), before, after: before, alternatives: [] };
  const routes = endpointsOf(choosing.bench.cluster);
  const sites = [
    ...sitesOf({ ...choosing.bench, endpoints: choosing.proving.choose(routes.endpoints) }),
    ...routes.supporting
      .filter(({ ref }) => choosing.wrongs.has(objectKey(ref)))
      .map((hop) => siteOf({ ...choosing.bench, endpoints: [] }, hop, [])),
  ];
  const isTroubled = (site: Site): boolean =>
    isWrong(site, choosing) || site.endpoints.some((each) => rankOf(before, nameOf(each), "verdict") !== "safe");
  // Where every verdict is safe already, what makes a second maintenance in a row hold is offered, not asked for.
  const isOffer = !sites.some(isTroubled);
  const scope = isOffer ? sites : sites.filter(isTroubled);
  const spared = sparedSites(choosing, sites);
  const weak = new Set<string>(scope.filter((site) => isWrong(site, choosing)).map(({ key }) => key));
  let picked: ReadonlyMap<Site, Picked> = new Map();
  let best = before;
  for (let round = 0; round < mostRounds; round += 1) {
    const found = scope.filter((site) => best.weak.has(site.key) && !weak.has(site.key));
    if (found.length === 0 && (round > 0 || weak.size === 0)) break;
    for (const site of found) weak.add(site.key);
    picked = yield* pickForms(
      choosing,
      prover,
      scope.filter(({ key }) => weak.has(key) && !spared.has(key)),
    );
    best = prover.of(editsOf(picked));
    if (isFine(best)) break;
  }
  const whole = editsOf(picked);
  if (whole.length === 0 || isWorseForAnyone(best, before)) return none;
  const isKept = (edit: Edit): boolean => rights(edit, whole, choosing);
  if (!gains(best, before) && !(isOffer && compareBadness(best, before) < 0) && !whole.some(isKept)) return none;
  const edits = yield* pruned(prover, whole, best, isKept);
  const after = prover.of(edits);
  if (isOffer) {
    const why = "holds a second maintenance in a row too, with nobody moving replicas back after the first";
    return { ...none, alternatives: [{ edits, cost: sumOfCosts(edits.map(({ cost }) => cost)), why }] };
  }
  const alternatives = yield* others(choosing, prover, picked, { edits, after });
  return { edits, applied: choosing.applier.apply(edits), before, after, alternatives };
}

/**
 * Parts that would be well if only their pods were Ready. A change of theirs could do no more than start them anew, and what
 * starts anew need not be Ready either.
 */
function sparedSites({ proving, applier }: Choosing, sites: readonly Site[]): ReadonlySet<string> {
  const sick = sites.filter((site) => sickPodsOf([site]).length > 0);
  if (sick.length === 0) return new Set();
  const cured = { ...proving, timing: withReady(proving.timing, sickPodsOf(sick)) };
  const { weak } = prove(cured, proveRollout(cured, applier.apply([])));
  return new Set(sick.flatMap(({ key }) => (weak.has(key) ? [] : [key])));
}

/** Something that makes a verdict ends safe that did not. */
function gains(after: Proof, before: Proof): boolean {
  for (const [endpoint, ranks] of before.endpoints) {
    for (const [name, rank] of ranks) {
      if (rank !== "safe" && makesVerdict(name) && (after.endpoints.get(endpoint)?.get(name) ?? rank) === "safe")
        return true;
    }
  }
  return false;
}

const righting: ReadonlyMap<string, readonly Edit["aspect"][]> = new Map([
  ["budget-selects-nothing", ["budget"]],
  ["budget-too-wide", ["budget"]],
  ["budget-never-allows", ["budget"]],
  ["two-budgets", ["budget"]],
  ["group-budget", ["budget"]],
  ["picker-standby-budget", ["budget"]],
  ["autoscaler-floor", ["replicas"]],
  ["spread-does-not-spread", ["affinity", "spread"]],
  ["rollout-cannot-finish", ["strategy", "affinity", "spread"]],
]);

/** Findings whose cause is put right whatever hangs on it. */
export const rightedRules: ReadonlySet<string> = new Set(righting.keys());

/** Whether it puts right what a finding names; of several edits that do, the first of their kinds is enough. */
function rights(edit: Edit, all: readonly Edit[], { wrongs }: Choosing): boolean {
  const kinds = new Set(all.filter(({ site }) => site === edit.site).map(({ aspect }) => aspect));
  return [...(wrongs.get(objectKey(edit.siteRef)) ?? [])].some(
    (rule) => righting.get(rule)?.find((aspect) => kinds.has(aspect)) === edit.aspect,
  );
}

function isWrong({ hop }: Site, { wrongs }: Choosing): boolean {
  return wrongs.has(objectKey(hop.ref));
}

/** What the change of a part is to roll out: the workload itself, or what stands above it. */
function isUnfinished({ unfinished }: Proof, { hop }: Site): boolean {
  return unfinished.has(objectKey(hop.ref)) || (hop.owner !== null && unfinished.has(objectKey(hop.owner)));
}

function isFine(proof: Proof): boolean {
  return [...proof.endpoints.keys()].every((endpoint) => rankOf(proof, endpoint, "all") === "safe");
}

/** No endpoint may pay for another. */
export function isWorseForAnyone(after: Proof, before: Proof): boolean {
  return [...before.endpoints.keys()].some((endpoint) => {
    if (rankOf(after, endpoint, "rollout") !== "safe") return true;
    return isWorse(rankOf(after, endpoint, "verdict"), rankOf(before, endpoint, "verdict"));
  });
}

/** Proofs by the set of edits: many sets come up again. */
class Prover {
  readonly #choosing: Choosing;
  readonly #known = new Map<string, Proof>();
  readonly #rolled = new Map<string, Proof>();

  constructor(choosing: Choosing) {
    this.#choosing = choosing;
  }

  of(edits: readonly Edit[]): Proof {
    const key = keyOf(edits);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const proof = prove(this.#choosing.proving, this.rolled(edits));
    this.#known.set(key, proof);
    return proof;
  }

  /** The rollout alone. */
  rolled(edits: readonly Edit[]): Proof {
    const key = keyOf(edits);
    const known = this.#rolled.get(key);
    if (known !== undefined) return known;
    const proof = proveRollout(this.#choosing.proving, this.#choosing.applier.apply(edits));
    this.#rolled.set(key, proof);
    return proof;
  }
}

function keyOf(edits: readonly Edit[]): string {
  return edits.map(editKey).sort(byCodeUnit).join("\n");
}

interface Picked {
  readonly form: Form;
  readonly edits: readonly Edit[];
}

function editsOf(picked: ReadonlyMap<Site, Picked>): readonly Edit[] {
  return withoutTwice([...picked.values()].flatMap(({ edits }) => edits));
}

/** All sites in their first form, then all in their second, …: each site takes the first form in which it holds. */
function* pickForms(
  choosing: Choosing,
  prover: Prover,
  sites: readonly Site[],
): Generator<string, ReadonlyMap<Site, Picked>> {
  const recipes = new Map(sites.map((site) => [site, recipesOf(site, sites, choosing)]));
  const picked = new Map<Site, Picked>();
  const fallback = new Map<Site, { readonly recipe: Picked; readonly proof: Proof }>();
  const rounds = Math.max(0, ...[...recipes.values()].map((list) => list.length));
  for (let index = 0; index < rounds; index += 1) {
    const open = sites.filter((site) => !picked.has(site));
    if (open.length === 0) break;
    const tried = new Map<Site, Picked>(picked);
    for (const site of open) {
      const list = recipes.get(site) ?? [];
      const recipe = list[Math.min(index, list.length - 1)];
      if (recipe !== undefined) tried.set(site, recipe);
    }
    yield `plays form ${index + 1} of ${rounds}`;
    withoutUnfinished(tried, open, prover);
    const rolled = open.filter((site) => tried.has(site));
    if (rolled.length === 0) continue;
    const proof = prover.of(editsOf(tried));
    for (const site of rolled) {
      const recipe = tried.get(site);
      if (recipe === undefined) continue;
      if (!proof.weak.has(site.key) && !isUnfinished(proof, site) && !rolloutBreaks(proof, site)) {
        picked.set(site, recipe);
        continue;
      }
      const before = fallback.get(site);
      if (before === undefined || isBetterFor(site, proof, before.proof)) fallback.set(site, { recipe, proof });
    }
  }
  // What holds in no form is taken along only as far as it helps.
  for (const site of sites) {
    if (picked.has(site)) continue;
    const known = fallback.get(site);
    const candidates = known === undefined ? (recipes.get(site) ?? []).slice(0, mostAlone) : [known.recipe];
    for (const recipe of candidates) {
      yield "plays a part by itself";
      const tried = new Map<Site, Picked>(picked).set(site, recipe);
      if (isUnfinished(prover.rolled(editsOf(tried)), site)) continue;
      const proof = prover.of(editsOf(tried));
      if (rolloutBreaks(proof, site) || compareBadness(proof, prover.of(editsOf(picked))) >= 0) continue;
      picked.set(site, recipe);
      break;
    }
  }
  return new Map(
    sites.flatMap((site) => {
      const recipe = picked.get(site);
      return recipe === undefined ? [] : [[site, recipe] as const];
    }),
  );
}

/** Forms tried for a part whose change came to its end beside others' in none. */
const mostAlone = 3;

/** What does not even roll out beside the others holds in no scenario: it is not played in this form. */
function withoutUnfinished(tried: Map<Site, Picked>, open: readonly Site[], prover: Prover): void {
  for (;;) {
    const rolled = prover.rolled(editsOf(tried));
    const stuck = open.filter((site) => tried.has(site) && isUnfinished(rolled, site));
    if (stuck.length === 0) return;
    for (const site of stuck) tried.delete(site);
  }
}

function rolloutBreaks(proof: Proof, site: Site): boolean {
  return site.endpoints.some((endpoint) => rankOf(proof, nameOf(endpoint), "rollout") === "unsafe");
}

function isBetterFor(site: Site, proof: Proof, than: Proof): boolean {
  const score = (one: Proof): number =>
    (isUnfinished(one, site) ? 4 : 0) + (rolloutBreaks(one, site) ? 2 : 0) + (one.weak.has(site.key) ? 1 : 0);
  return score(proof) < score(than) || (score(proof) === score(than) && compareBadness(proof, than) < 0);
}

/** The foundation with each form, without those that come to the same. */
function recipesOf(site: Site, sites: readonly Site[], choosing: Choosing): readonly Picked[] {
  const bench: Bench = { ...choosing.bench, unitsAfter: (each) => unitsAfter(each, sites, choosing), changed: sites };
  const base = foundation.flatMap((remedy) => remedy.propose(site, bench));
  // Without leader election every picker is Ready, and a budget guards them as it does any other part.
  const active: Site = { ...site, hop: { ...site.hop, leaderElected: false } };
  const activeBase = foundation.flatMap((remedy) => remedy.propose(active, bench));
  const forms = site.hop.hop === "engine" ? engineForms : site.endpoints.length === 0 ? helperForms : pathForms;
  const seen = new Set<string>();
  return forms.flatMap((form) => {
    const parts = form.remedies.map((remedy) => remedy.propose(site, bench));
    const own = parts.flat();
    // Of two that say how it rolls out, the later one is meant.
    const strategy = own.findLast(({ aspect }) => aspect === "strategy");
    const meant = own.filter((edit) => edit.aspect !== "strategy" || edit === strategy);
    // A form whose first part has no place is no form of its own.
    if (form.remedies.length > 0 && parts[0]?.length === 0) return [];
    const edits = together([
      ...(form.alone === true ? [] : form.remedies[0] === activeActive ? activeBase : base),
      ...meant,
    ]);
    const key = edits.map(editKey).join("\n");
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ form, edits }];
  });
}

function unitsAfter(site: Site, sites: readonly Site[], { bench }: Choosing): number {
  if (!sites.some(({ key }) => key === site.key)) return site.units;
  const more = foundation[0]?.propose(site, { ...bench, unitsAfter: (each) => each.units, changed: sites }) ?? [];
  return more.length > 0 ? 2 : site.units;
}

/** Where the second replica is not live, neither is what needs it: a budget over one pod would hold every drain. */
function together(edits: readonly Edit[]): readonly Edit[] {
  const replicas = edits.find(({ aspect }) => aspect === "replicas");
  if (replicas === undefined || replicas.holds === "live") return edits;
  return edits.map((edit) =>
    edit.holds === "live" && (edit.aspect === "budget" || edit.aspect === "spread" || edit.aspect === "affinity")
      ? { ...edit, holds: replicas.holds }
      : edit,
  );
}

/** The dearest goes first, if it can; among equals what came last. Again until nothing more can go. */
function* pruned(
  prover: Prover,
  whole: readonly Edit[],
  proof: Proof,
  isKept: (edit: Edit) => boolean,
): Generator<string, readonly Edit[]> {
  let edits = whole;
  for (let before = -1; before !== edits.length; ) {
    before = edits.length;
    const tries = edits
      .map((edit, index) => ({ edit, index }))
      .filter(({ edit }) => !isKept(edit))
      .sort((a, b) => compareCosts(b.edit.cost, a.edit.cost) || b.index - a.index)
      .map(({ edit }) => edit);
    for (const [index, edit] of tries.entries()) {
      yield `leaves out ${index + 1} of ${tries.length}`;
      const rest = edits.filter((each) => !goesWith(each, edit));
      if (!needs(rest, edit) && isAsGood(prover.of(rest), proof)) edits = rest;
    }
  }
  return edits;
}

/** What says one number in two places says it in both or in none. */
function goesWith(edit: Edit, gone: Edit): boolean {
  return edit === gone || (gone.aspect === "replicas" && edit.aspect === "replicas" && edit.site === gone.site);
}

/** A budget over what stays one pod is never left over when its replicas go. */
function needs(rest: readonly Edit[], gone: Edit): boolean {
  return gone.aspect === "replicas" && rest.some((edit) => edit.site === gone.site && edit.aspect === "budget");
}

function* others(
  choosing: Choosing,
  prover: Prover,
  picked: ReadonlyMap<Site, Picked>,
  chosen: { readonly edits: readonly Edit[]; readonly after: Proof },
): Generator<string, readonly Alternative[]> {
  const found: Alternative[] = [];
  const sites = [...picked.keys()];
  const names = [...new Set([...pathForms, ...engineForms].map(({ name }) => name))];
  for (const name of names) {
    if (found.length >= mostAlternatives) break;
    const changed: string[] = [];
    const edits = [...picked].flatMap(([site, own]) => {
      const other = recipesOf(site, sites, choosing).find(({ form }) => form.name === name);
      const kept = chosen.edits.filter((edit) => edit.site === site.key);
      const apart = kept.some(({ aspect }) => aspect === "spread" || aspect === "affinity");
      if (other === undefined || own.form.name === name || !apart) return kept;
      changed.push(site.key);
      return other.edits.filter(
        (edit) => !["replicas", "budget"].includes(edit.aspect) || kept.some((each) => editKey(each) === editKey(edit)),
      );
    });
    if (changed.length === 0 || edits.length === 0) continue;
    yield `plays the alternative ${name}`;
    const proof = prover.of(withoutTwice(edits));
    if (!isAsGood(proof, chosen.after)) continue;
    found.push({
      edits: withoutTwice(edits),
      cost: sumOfCosts(edits.map(({ cost }) => cost)),
      why: `${name} instead, for ${changed.length === 1 ? "one part" : `${changed.length} parts`}: held in everything that was played`,
    });
  }
  return found.sort((a, b) => compareCosts(a.cost, b.cost));
}

function withoutTwice(edits: readonly Edit[]): readonly Edit[] {
  const seen = new Set<string>();
  return edits.filter((edit) => {
    const key = JSON.stringify([edit.target, edit.act]);
    return !seen.has(key) && seen.add(key);
  });
}
