import { argumentTextOf, type Facts, type Part } from "./facts.ts";
import { none } from "./knobs.ts";
import { type Match, partsLike } from "./match.ts";
import { directOwner, helmPart, ownedPart, plainPart } from "./part-rules.ts";
import { type Need, noEntries, type PartRule, type Stage, type System } from "./system.ts";

const chartServer: Match = { kinds: ["Deployment"], labels: { environment: "cacheserver", release: "cacheserver" } };
const operatorServer: Match = { ownerKind: "CacheServer" };
const lmCacheServer: Match = {
  runs: /(^|[\s/"'])(lmcache_server|lmcache_experimental_server|lmcache server|lmcache\.v1\.(server|multiprocess\.\w*server))(?=[\s"']|$)/,
};
const mooncakeMaster: Match = { runs: /(^|[\s/"'])mooncake_master(?=[\s"']|$)/ };
const mooncakeStore: Match = { runs: /mooncake(\.|_)mooncake_store_service|mooncake_client/ };

const cacheLost = "What it cached is computed anew, with slower first answers.";
const cacheServer = { hop: "cache", component: "LMCache server", whileGone: cacheLost } as const;

/**
 * Caches of attention keys and values beside the engines. Most connectors serve on without theirs; some are known not to, or not known.
 * Mirrors: LMCache 0.5 (issues 3565 and 4642), Mooncake 0.3 (issue 935), CacheServer of vLLM production-stack 0.1.12.
 */
export const kvCache: System = {
  name: "kv-cache",
  title: "LMCache and Mooncake",
  about:
    "Workloads that run an LMCache server or mooncake_master, or are labelled environment=cacheserver. Off the path, and what they cached is " +
    "computed anew, but where the arguments of engines name LMCacheMPConnector, MooncakeStoreConnector or mooncake as storage of HiCache: " +
    "whether these serve on without it is not known, so it counts as needed. What a ConfigMap or an environment variable tells engines is not seen.",
  gateways: [],
  entries: noEntries,
  parts: [
    helmPart({
      ...cacheServer,
      match: chartServer,
      values: { replicas: null, budget: null, spread: null },
    }),
    ownedPart({
      ...cacheServer,
      match: operatorServer,
      owner: directOwner("CacheServer", "production-stack.vllm.ai/v1alpha1"),
      replicas: null,
      spread: null,
      overwrites: "The production-stack operator puts the Deployment back.",
    }),
    plainPart({ ...cacheServer, match: lmCacheServer }),
    plainPart({ hop: "cache", component: "Mooncake master", whileGone: cacheLost, match: mooncakeMaster }),
    plainPart({ hop: "cache", component: "Mooncake store", whileGone: cacheLost, match: mooncakeStore }),
  ].map(alone),
};

/** A second one behind the same Service would be another cache. */
function alone(rule: PartRule): PartRule {
  const more = none(
    "A second one is a cache of its own. Move it at a quiet time; a Mooncake master may have standbys with --enable-ha and etcd.",
  );
  return { ...rule, knobs: (part, facts) => ({ ...rule.knobs(part, facts), replicas: more }) };
}

interface Connector {
  /** In the arguments of an engine. */
  readonly named: RegExp;
  readonly servers: readonly Match[];
  readonly because: string;
}

const connectors: readonly Connector[] = [
  {
    named: /LMCacheMPConnector/,
    servers: [chartServer, operatorServer, lmCacheServer],
    because:
      "Engines with LMCacheMPConnector register with it when they start, and not again when it is new: it is not known how they serve then, so it counts as needed.",
  },
  {
    named: /MooncakeStoreConnector|MooncakeConnectorStore|hicache-storage-backend[=\s]+mooncake/,
    servers: [mooncakeMaster],
    because:
      "It is not known whether engines answer right without the master of their store, and one that starts meanwhile fails: it counts as needed.",
  },
];

/** Caches that these engines may not do without: those in their namespace, else those anywhere. */
export function cacheStages(facts: Facts, engines: readonly Part[]): readonly Stage[] {
  const texts = engines.map((part) => ({ part, text: argumentTextOf(part) }));
  return connectors.flatMap(({ named, servers, because }) => {
    const users = texts.filter(({ text }) => named.test(text));
    if (users.length === 0) return [];
    const namespaces = new Set(users.map(({ part }) => part.workload.ref.namespace));
    const all = partsLike(facts, ...servers).filter((part) => !engines.includes(part));
    const near = all.filter(({ workload }) => namespaces.has(workload.ref.namespace));
    const needed: Need = { needed: true, because };
    const found = near.length > 0 ? near : all;
    return found.map((part) => ({ by: "part" as const, part, hop: "cache", role: "", needed }));
  });
}
