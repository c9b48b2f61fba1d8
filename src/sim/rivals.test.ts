import { rows } from "../../test/support/rows.ts";
import {
  amounts,
  budget,
  cluster,
  container,
  daemonSet,
  deployment,
  node,
  type Parts,
  pod,
  podsOf,
  quota,
  replicaSetOf,
  selects,
  status,
  template,
} from "../../test/support/tiny.ts";
import type { Pod } from "../model/pod.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";
import { type EvictionOrders, rivalsOf } from "./rivals.ts";

/** One pod on n1, whose owner makes another; it asks for so much CPU. */
function app(name: string, milliCpu: number, fields: Parameters<typeof template>[1] = {}): Made {
  const made = template(name, { requests: amounts({ milliCpu }), ...fields });
  const above = deployment(name, { template: made });
  const set = replicaSetOf(above, "1");
  const [first = pod(name)] = podsOf(set, 1, { template: made, requests: made.requests });
  return { pods: [first], workloads: [above, set] };
}

interface Made {
  readonly pods: readonly Pod[];
  readonly workloads: NonNullable<Parts["workloads"]>;
}

function rivals({ told, apps, ...parts }: { told: EvictionOrders; apps: readonly Made[] } & Parts): readonly string[] {
  const view = new Ledger(
    cluster({
      nodes: [node("n1", { unschedulable: true }), node("n2")],
      ...parts,
      pods: apps.flatMap(({ pods }) => pods),
      workloads: apps.flatMap(({ workloads }) => workloads),
    }),
    new Journal(),
  );
  const names = rivalsOf(view, [...view.pods], { told, isClosing: () => false }).map(({ name }) => name);
  return names.map((name) => name.split("-")[0] ?? name);
}

const small = [app("a", 100), app("b", 100), app("c", 100)];
const large = [app("a", 5000), app("b", 5000), app("c", 100)];
const both = (allowed: number) =>
  budget("ab", {
    selector: { requirements: [{ key: "app", operator: "In", values: ["a", "b"] }], invalid: false },
    status: status({ disruptionsAllowed: allowed, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 }),
  });

rows("whose turns are told apart", rivals, [
  ["by name: nobody's", { told: "by-name", apps: large, budgets: [both(1)] }, ["a"]],
  ["where a budget lets one of two go", { told: "for-budgets", apps: small, budgets: [both(1)] }, ["a", "b"]],
  ["not where it lets both go", { told: "for-budgets", apps: small, budgets: [both(2)] }, ["a"]],
  ["nor where it lets nobody go", { told: "for-budgets", apps: small, budgets: [both(0)] }, ["a"]],
  ["all that may want one place where not all have room", { told: "for-room", apps: large }, ["a", "b", "c"]],
  ["not where all have room", { told: "for-room", apps: small }, ["a"]],
  ["but where the scheduler may prefer another place", { told: "for-scores", apps: small }, ["a", "b", "c"]],
  [
    "not pods that have no place in common",
    {
      told: "for-scores",
      apps: [app("a", 100, { nodeSelector: new Map([["pool", "x"]]) }), app("b", 100)],
      nodes: [node("n1"), node("n2", { labels: new Map([["pool", "y"]]) })],
    },
    ["a"],
  ],
  [
    "those under one quota, each of which may be refused another",
    { told: "for-room", apps: small, quotas: [quota("q", { pods: 3 })] },
    ["a", "b", "c"],
  ],
  [
    "those that are kept apart from each other",
    { told: "for-room", apps: [app("a", 100, apartFrom("c")), ...small.slice(1)] },
    ["a", "c"],
  ],
  [
    "those of one election",
    { told: "for-room", apps: [elects("a"), elects("b"), small[2] ?? elects("c")] },
    ["a", "b"],
  ],
  [
    "whoever is not made again takes no place",
    { told: "for-scores", apps: [bare("a"), daemon("b"), ...small.slice(2)] },
    ["a"],
  ],
  ["a twin takes nothing on trust", { told: "every", apps: [bare("a"), ...small.slice(1)] }, ["a", "b", "c"]],
]);

function apartFrom(other: string): Parameters<typeof template>[1] {
  const term = {
    topologyKey: "kubernetes.io/hostname",
    selector: selects({ app: other }),
    namespaces: ["ns"],
    namespaceSelector: null,
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  };
  return { requiredPodAntiAffinity: [term] };
}

function elects(name: string): Made {
  return app(name, 100, {
    containers: [container({ args: ["--ha-enable-leader-election", "--pool-name=chat"] })],
  });
}

function bare(name: string): Made {
  return { pods: [pod(name)], workloads: [] };
}

function daemon(name: string): Made {
  const set = daemonSet(name);
  return { pods: [pod(name, { owner: set.key })], workloads: [set] };
}
