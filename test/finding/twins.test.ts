import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findingRules } from "../../src/finding/registry.ts";
import type { Actor } from "../../src/maintenance/actor.ts";
import { foundIn } from "../support/findings.ts";
import { healthyClusters } from "../support/healthy.ts";
import type { Thing } from "../support/serving.ts";
import { type Tree, tree } from "../support/trees.ts";
import { wellSetUp } from "../support/well-set-up.ts";
import { breaksOfBudgets } from "./breaks-of-budgets.ts";
import { breaksOfPaths } from "./breaks-of-paths.ts";
import { breaksOfPlaces } from "./breaks-of-places.ts";
import { neededParts, type Part, partKey } from "./part.ts";
import type { Twin } from "./twin.ts";

// Every message of every rule, on every part of every cluster that is set up well: one thing made wrong, and exactly that
// finding more than before. Where a rule can be about no part of a cluster, a reason is given, and tried too.

const twins: readonly Twin[] = [...breaksOfBudgets, ...breaksOfPlaces, ...breaksOfPaths];

/**
 * Messages that say what scenarios showed, that come with a shorter path of which other things are told, or that need parts no
 * cluster here has: rows of the rules' own tests.
 */
const elsewhere: readonly string[] = [
  "no-budget/unguardedTogether",
  "budget-without-scale/nobody",
  "two-budgets/broad",
  "budget-too-wide/waits",
  "picker-standby-budget/handover",
  "small-pool/allAtOnce",
  "small-pool/closesAll",
  "small-pool/opensNone",
  "no-spare-accelerator/noPlaceMeanwhile",
  "daemon-set-goes-along/notAwaited",
  "annotation-holds/heeded",
  "annotation-holds/heededUpTo",
  "autoscaler-floor/floorOfBudget",
  "route-brings-nothing/noListener",
  "route-brings-nothing/noWeight",
];

const systems = readdirSync(join(import.meta.dirname, "..", "systems"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "none")
  .map(({ name }) => name);

const clusters: readonly { readonly name: string; readonly things: readonly Thing[] }[] = [
  ...healthyClusters,
  ...systems.map((name) => ({ name: `${name}, as its controllers make it`, things: wellSetUp(name) })),
];

for (const { name, things } of clusters) {
  test(`${name}: each part, each thing that can be wrong with it`, () => {
    assert.deepEqual(
      foundIn(things).filter((line) => !line.includes(" note ")),
      [],
      "set up well",
    );
    const wrong: string[] = [];
    const parts = neededParts(things.map(tree));
    const healthy = new Healthy(things);
    for (const twin of twins) {
      const able = parts.filter(twin.on);
      const excuses = twin.unless.filter(({ isSo }) => isSo(parts)).map(({ reason }) => reason);
      if (able.length === 0 && excuses.length === 0) wrong.push(`${twin.id}: is about no part, and no reason says why`);
      if (able.length > 0 && excuses.length > 0)
        wrong.push(`${twin.id}: is about ${able[0]?.name ?? ""}, which denies "${excuses.join()}"`);
      for (const part of twin.once === true ? able.slice(0, 1) : able) {
        const complaint = tried(twin, healthy, partKey(part));
        if (complaint !== "") wrong.push(`${twin.id}, ${part.hop.hop} ${part.name}: ${complaint}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

test("every message has a twin, or a row elsewhere", () => {
  const ids = findingRules.flatMap(({ name, messages }) => Object.keys(messages).map((id) => `${name}/${id}`));
  const known = [...twins.map(({ id }) => id), ...elsewhere];
  assert.deepEqual([...known].sort(), [...ids].sort());
});

/** A cluster that is set up well, with what is told of it as it is. */
class Healthy {
  readonly #things: readonly Thing[];
  readonly #told = new Map<Actor | undefined, readonly string[]>();

  constructor(things: readonly Thing[]) {
    this.#things = things;
  }

  /** To be changed in place. */
  copy(): Tree[] {
    return this.#things.map(tree);
  }

  told(maintainer: Actor | undefined): readonly string[] {
    const known = this.#told.get(maintainer) ?? toldOf(this.#things, maintainer);
    this.#told.set(maintainer, known);
    return known;
  }
}

function toldOf(things: readonly Thing[], maintainer: Actor | undefined): readonly string[] {
  return foundIn(things, {}, maintainer === undefined ? [] : [maintainer]);
}

/** "" when the change brings exactly what it should. */
function tried(twin: Twin, healthy: Healthy, key: string): string {
  const { prepare, maintainer } = twin;
  const things = healthy.copy();
  const part = partNamed(things, key);
  if (part === undefined) return "the part is there";
  prepare?.(part);
  const before = prepare === undefined ? healthy.told(maintainer) : toldOf(things, maintainer);
  const worse = before.filter((line) => !line.includes(" note "));
  if (worse.length > 0) return `set up well it is told ${worse.join("; ")}`;
  const component = twin.component?.(part) ?? part.name;
  const also = (twin.also ?? []).filter(({ on }) => on?.(part) ?? true).flatMap(({ line }) => line(part));
  twin.change(part);
  const after = toldOf(things, maintainer);
  const expected = [`${twin.id} ${twin.severity} ${component}`, ...also].sort();
  const more = after.filter((line) => !before.includes(line)).sort();
  return JSON.stringify(more) === JSON.stringify(expected) ? "" : `told ${more.join("; ") || "nothing"}`;
}

function partNamed(things: Tree[], key: string): Part | undefined {
  return neededParts(things).find((part) => partKey(part) === key);
}
