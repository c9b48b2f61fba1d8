import type { Cluster } from "../../../model/cluster.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import type { Cells } from "./cells.ts";
import type { Census } from "./census.ts";
import type { Demand } from "./demand.ts";
import type { Fixed } from "./fixed.ts";
import type { Shelf } from "./shelf.ts";
import type { SpreadScore } from "./spread-score.ts";
import type { Domains, NodeTable } from "./table.ts";
import type { Watcher } from "./watcher.ts";

/** What kinds are made of. */
export interface Ground {
  readonly cluster: Cluster;
  readonly table: NodeTable;
  readonly census: Census;
  readonly shelf: Shelf;
  /** Of pods without spread rules of their own, where anything selects them. */
  readonly defaultScores: readonly SpreadScore[];
  readonly cellsOf: (fixed: Fixed, topologies: readonly Domains[]) => Cells;
  readonly counted: Map<Fixed, Map<string, CountedNodes>>;
}

/** Nodes that count for a rule, and in how many of its domains they are; the same for many kinds. */
export interface CountedNodes {
  readonly nodes: Uint8Array;
  readonly present: number;
}

/** A kind while it is made. */
export interface Making {
  readonly ground: Ground;
  readonly template: PodTemplate;
  readonly demand: Demand;
  readonly watchers: Watcher[];
}
