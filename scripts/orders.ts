import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Random, seededRandom } from "../src/base/random.ts";
import { loadPaths } from "../src/load/from-files.ts";
import { isJsonObject } from "../src/wire/fields.ts";
import type { JsonObject } from "../src/wire/snapshot.ts";
import type { Plane } from "./confirm/plane.ts";
import { World } from "./confirm/world.ts";
import { type Case, cases } from "./orders/cases.ts";
import type { Turn } from "./orders/drain.ts";
import { maintain, spreadOut } from "./orders/drains.ts";
import { openAll } from "./orders/nodes.ts";
import { ReadyUnits } from "./orders/ready-units.ts";
import { clusterOf, objectsNow, poolsAsked, type Said, type Shown } from "./orders/said.ts";
import { saidApart } from "./orders/said-apart.ts";
import { build, findGo } from "./rig.ts";
import { root } from "./sources.ts";

// `npm run orders -- [CASE…]`: on a real control plane, nodes are cordoned and emptied in orders by chance, pods start when they
// like, and what is observed is held to what the search says of the cluster as it stood before: what it says is safe must not
// break or stall, and where it has a counterexample its order is played and must really hurt. Goes on where it was left:
// `.cache/orders/CASE.ndjson` has a line for each order; `--keep` writes the first of them to test/orders. Exits 1 where something safe
// broke.

const { values, positionals } = parseArgs({
  options: {
    keep: { type: "boolean", default: false },
    orders: { type: "string", default: "50" },
    minutes: { type: "string", default: "15" },
  },
  allowPositionals: true,
});
const orders = Number(values.orders);
const endAt = Date.now() + Number(values.minutes) * 60_000;

interface Line {
  readonly seed: number;
  readonly pool: string;
  readonly actor: string;
  readonly order: readonly string[];
  readonly evicted: readonly string[];
  /** Pods that went by force when the actor's limit was over. */
  readonly forced?: readonly string[];
  /** Endpoints said to be safe, and what broke or stalled of them all the same. */
  readonly safe: readonly string[];
  readonly broke: readonly string[];
  /** Endpoints with a counterexample that was played, and what was seen of it; empty: nothing. */
  readonly hurt: readonly { readonly endpoint: string; readonly verdict: string; readonly seen: readonly string[] }[];
}

if (findGo() === null) console.log("orders: there is no Go here, so no real control plane is asked");
else for (const one of cases) if (positionals.length === 0 || positionals.includes(one.name)) await play(one);

async function play(one: Case): Promise<void> {
  const { name, example, fix, lws, edited, asked } = one;
  const file = join(root, ".cache", "orders", `${name}.ndjson`);
  const foundFile = join(root, ".cache", "orders", `${name}.found.json`);
  mkdirSync(join(root, ".cache", "orders"), { recursive: true });
  const lines: Line[] = existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : [];
  if (lines.length < orders && Date.now() < endAt) {
    const [plane, kubectl, groups] = [await build("plane-1.36"), await build("kubectl"), lws ? await build("lws") : ""];
    if (plane === null || kubectl === null || groups === null) throw new Error("the rig is not built");
    const random = seededRandom(7_000 + lines.length);
    const { start, stop } = asked;
    const world = new World(
      { plane, kubectl, envoyGateway: "", lws: groups },
      // It takes a moment more than that to see it.
      {
        startMs: () => start.leastMs + random.below(start.mostMs - start.leastMs + 1),
        stopMs: Math.max(800, stop.leastMs),
      },
    );
    const objects = [...loadPaths([join(root, "examples", example, "cluster")])].map(({ object }) => object);
    try {
      await world.start(example, { owners: fix, envoyGateway: false, webhooks: true, edited });
      if (fix) await world.step("holdfast fix --apply --yes");
      if (lws && lines.length === 0) writeFileSync(foundFile, found(await objectsNow(world.plane, objects)));
      while (lines.length < orders && Date.now() < endAt) {
        const before = await readiness(world.plane);
        const line = await playOne(world, { objects, one }, lines.length + 1);
        if (line === null) break;
        const after = await readiness(world.plane);
        const isMeant = (node: string): boolean =>
          line.forced !== undefined && line.order.includes(node.split(" ")[0] ?? "");
        if ([...before].some(([node, was]) => !isMeant(node) && after.has(node) && after.get(node) !== was)) {
          console.log(
            `${name}: this machine is too slow for its own kubelets: a node was not Ready, and the order says nothing`,
          );
          break;
        }
        lines.push(line);
        appendFileSync(file, `${JSON.stringify(line)}\n`);
      }
    } finally {
      await world.stop();
    }
  }
  const [first] = lines;
  // The first order finds the cluster as it is kept; after a fix it stands in no file.
  if (values.keep && first !== undefined && !fix) {
    writeFileSync(join(root, "test", "orders", `${name}.json`), `${JSON.stringify(first, null, 2)}\n`);
    if (lws) {
      mkdirSync(join(root, "test", "orders", name), { recursive: true });
      copyFileSync(foundFile, join(root, "test", "orders", name, "found.json"));
    }
  }
  const broke = lines.filter((line) => line.broke.length > 0);
  const hurt = lines.flatMap((line) => line.hurt);
  const really = hurt.filter(({ seen }) => seen.length > 0).length;
  const claims = lines.reduce((sum, { safe }) => sum + safe.length, 0);
  console.log(
    `${name}: ${lines.length} orders, ${claims} times something was said to be safe, ${broke.length} broke; ${hurt.length} counterexamples, ${really} really hurt`,
  );
  for (const { seed, broke: what, order } of broke)
    console.log(`  order ${seed} ${order.join(" ")}: ${what.join("; ")}`);
  if (broke.length > 0) process.exitCode = 1;
}

/** Null: nothing of this cluster can be played. */
async function playOne(
  world: World,
  { objects, one }: { readonly objects: Parameters<typeof objectsNow>[1]; readonly one: Case },
  seed: number,
): Promise<Line | null> {
  const random = seededRandom(seed);
  const items = await objectsNow(world.plane, objects);
  const cluster = clusterOf(items);
  const { asked, attack } = one;
  const said = await anyClaim(items, one, random);
  if (said === null) return null;
  const shown = said.hurt.length > 0 && !attack ? random.pick(said.hurt) : null;
  const turns = shown === null ? byChance(said, random) : asShown(said, shown.course);
  const watch = new ReadyUnits(world, cluster, [...said.safe, ...said.hurt.map(({ endpoint }) => endpoint)]);
  await world.settled();
  watch.begin();
  const maintained = {
    lane: said.lane,
    nodeDown: asked.nodeDown,
    holdsForMs: asked.drainTimeoutMs,
    patienceMs: attack ? 15_000 : 45_000,
  };
  const drained = await maintain(world, maintained, turns, random);
  const forced = drained.flatMap((one) => one.forced);
  const stuck = drained.flatMap(({ node, refused }) => refused.map((pod) => `${pod} on ${node} is refused`));
  watch.stop();
  const inside = new Set(said.pool.nodes.map((node) => node.name));
  const outside = cluster.nodes.filter(({ name }) => !inside.has(name)).map(({ name }) => name);
  const names = (await world.plane.list("/api/v1/nodes")).map(nameOfObject);
  await openAll(world.plane);
  await world.settled();
  await spreadOut(
    world.plane,
    names.filter((node) => !outside.includes(node)),
  );
  await world.settled();
  const nameOf = ({ namespace, name }: Said["safe"][number]): string => `${namespace}/${name}`;
  const stalls = said.hurt.length === 0 ? stuck : [];
  return {
    seed,
    pool: said.pool.name,
    actor: said.actor.name,
    order: drained.map(({ node }) => node),
    evicted: drained.flatMap(({ evicted }) => evicted),
    ...(forced.length === 0 ? {} : { forced }),
    safe: said.safe.map(nameOf),
    broke: said.safe.flatMap((endpoint) =>
      [...watch.lackOf(endpoint), ...stalls].map((what) => `${nameOf(endpoint)}: ${what}`),
    ),
    hurt:
      shown === null
        ? []
        : [
            {
              endpoint: nameOf(shown.endpoint),
              verdict: shown.verdict,
              seen: [...watch.lackOf(shown.endpoint), ...stuck],
            },
          ],
  };
}

/** Of pools by chance, until something is said of one; null: nothing is. */
async function anyClaim(
  items: readonly JsonObject[],
  { name, asked, attack }: Case,
  random: Random,
): Promise<Said | null> {
  const pools = [...poolsAsked(clusterOf(items), asked)];
  while (pools.length > 0) {
    const [pool] = pools.splice(random.below(pools.length), 1);
    const said = pool === undefined ? null : await saidApart({ items, pool: pool.name, name });
    if (said !== null && said.safe.length + (attack ? 0 : said.hurt.length) > 0) return said;
  }
  return null;
}

/** The cluster as a controller made it, without what says nothing of it. */
function found(items: readonly JsonObject[]): string {
  const told = items
    .filter(({ kind }) => kind !== "Namespace")
    .map(({ metadata, ...rest }) => {
      const { managedFields: _, ...kept } = isJsonObject(metadata) ? metadata : {};
      return { ...rest, metadata: kept };
    });
  return `${JSON.stringify({ apiVersion: "v1", kind: "List", items: told }, null, 2)}\n`;
}

/** Node, by its name and uid → when it last turned Ready, or ceased to be. */
async function readiness(plane: Plane): Promise<ReadonlyMap<string, string>> {
  const nodes = await plane.list("/api/v1/nodes");
  const told = nodes.map((node): [string, string] => {
    const { status } = node;
    const conditions = isJsonObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
    const ready = conditions.filter(isJsonObject).find(({ type }) => type === "Ready");
    return [
      `${nameOfObject(node)} ${uidOfObject(node)}`,
      `${String(ready?.["status"])} ${String(ready?.["lastTransitionTime"])}`,
    ];
  });
  return new Map(told);
}

function uidOfObject({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? String(metadata["uid"]) : "";
}

function nameOfObject({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? String(metadata["name"]) : "";
}

function byChance({ pool }: Said, random: Random): readonly Turn[] {
  const left = pool.nodes.map(({ name }) => name);
  const turns: Turn[] = [];
  while (left.length > 0) turns.push({ node: left.splice(random.below(left.length), 1)[0] ?? "", first: [] });
  return turns;
}

/** The course's order of drains, and whose turn it was where that was chosen. */
function asShown({ pool }: Said, { timeline, choices }: Shown): readonly Turn[] {
  const order = timeline.flatMap(({ fact }) => (fact.type === "drain-started" ? [fact.node] : []));
  const names = pool.nodes.map(({ name }) => name);
  const rest = names.filter((name) => !order.includes(name));
  const turnsOf = (node: string): readonly string[] =>
    choices.flatMap(({ choice, taken, from }) => (choice.kind === "next-eviction" && from === node ? [taken] : []));
  // New nodes that were only lent are drained at the end anyway.
  const asked = [...new Set(order)].filter((name) => names.includes(name));
  return [...asked, ...rest].map((node) => ({ node, first: turnsOf(node) }));
}
