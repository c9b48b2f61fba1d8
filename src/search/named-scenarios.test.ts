import { rows } from "../../test/support/rows.ts";
import { cluster, labels, node } from "../../test/support/tiny.ts";
import { actorNamed } from "../maintenance/registry.ts";
import { actorsOfPools, namedScenarios, type ScenarioKind } from "./named-scenarios.ts";

interface Asked {
  readonly kinds: readonly ScenarioKind[];
  readonly pool?: Readonly<Record<string, string>>;
  readonly named?: readonly string[];
}

/** Name, who does it, and whether it is part of the verdict. */
function played({ kinds, pool = {}, named = [] }: Asked): readonly string[] {
  const of = cluster({
    nodes: ["a", "b"].map((name) => node(name, { labels: labels({ "node-pool": "p", ...pool }) })),
  });
  const actors = named.flatMap((name) => actorNamed(name) ?? []);
  return namedScenarios(of, kinds, actorsOfPools(of, actors)).map(
    ({ name, actors: by, partOfVerdict, variants }) =>
      `${name} by ${by.map((actor) => actor.name).join("+")}: ${variants.length}${partOfVerdict ? "" : " what-if"}`,
  );
}

const gke = { "cloud.google.com/gke-nodepool": "p" };

rows("what is played, by whom", played, [
  ["one actor, by the plain name", { kinds: ["drain-one-node"], pool: gke }, ["drain-one-node/p by gke-surge: 2"]],
  [
    "others of the same nodes are what-ifs: over the pool, or node by node",
    { kinds: ["other-actors"], pool: { ...gke, "cloud.google.com/gke-spot": "true" } },
    [
      "other-actors/p/gke-blue-green by gke-blue-green: 1 what-if",
      "other-actors/p/spot-reclaim-gcp by spot-reclaim-gcp: 2 what-if",
      "other-actors/p/kubectl-drain-in-turn by kubectl-drain-in-turn: 2 what-if",
    ],
  ],
  [
    "nobody known: a person, node by node; the whole pool in one command is a what-if",
    { kinds: ["drain-one-node", "pool-maintenance", "cordon-all", "other-actors"] },
    [
      "drain-one-node/p by kubectl-drain-in-turn: 2",
      "pool-maintenance/p by kubectl-drain-in-turn: 1",
      "cordon-all/p by kubectl-drain: 1 what-if",
    ],
  ],
  [
    "all that are named are part of the verdict",
    { kinds: ["pool-maintenance"], named: ["kubectl-drain", "kured"] },
    ["pool-maintenance/p by kubectl-drain: 1", "pool-maintenance/p/kured by kured: 1"],
  ],
  [
    "who does the same is played once",
    { kinds: ["drain-one-node", "pool-maintenance"], named: ["nebius", "nebius-by-batch"] },
    [
      "drain-one-node/p by nebius+nebius-by-batch: 2",
      "pool-maintenance/p by nebius: 1",
      "pool-maintenance/p/nebius-by-batch by nebius-by-batch: 1",
    ],
  ],
]);
