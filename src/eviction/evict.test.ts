import { rows } from "../../test/support/rows.ts";
import { budget, cluster, type Parts, pod, service, status, webhook } from "../../test/support/tiny.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { evict } from "./evict.ts";

/** Texts read from pkg/registry/core/pod/storage/eviction.go at v1.34.4, v1.36.3 and v1.37.2. */

const overBudget = "Cannot evict pod as it would violate the pod's disruption budget.";
const twoBudgets = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";

const spent = status({
  expectedPods: 1,
  desiredHealthy: 1,
  currentHealthy: 1,
  reason: "InsufficientPods",
  conditionStatus: "False",
});
const web = pod("web");
const unready = pod("web", { ready: false });

function answer(parts: Parts): readonly [number, string, string | null, string | null] {
  const {
    code,
    message,
    cause,
    budget: used,
  } = evict(new Ledger(cluster({ pods: [web], ...parts }), new Journal()), "ns/web");
  return [code, message, cause, used];
}

const accepted = [201, "", null, null] as const;

rows<Parts, readonly [number, string, string | null, string | null]>("evict", answer, [
  ["no budget", {}, accepted],
  ["a pod that is gone", { pods: [] }, [404, 'pods "web" not found', null, null]],
  [
    "a budget that allows is used up",
    { budgets: [budget("b", { status: status({ disruptionsAllowed: 1 }) })] },
    [201, "", null, budget("b").key],
  ],
  [
    "a spent budget refuses",
    { budgets: [budget("b", { status: spent })] },
    [429, overBudget, "The disruption budget b needs 1 healthy pods and has 1 currently", null],
  ],
  [
    "a budget of another namespace does not count",
    { budgets: [budget("b", { status: spent, ref: { ...budget("b").ref, namespace: "other" } })] },
    accepted,
  ],
  [
    "a budget that selects other pods does not count",
    {
      budgets: [
        budget("b", {
          status: spent,
          selector: { requirements: [{ key: "app", operator: "In", values: ["x"] }], invalid: false },
        }),
      ],
    },
    accepted,
  ],
  [
    "an empty selector takes every pod",
    { budgets: [budget("b", { status: spent, selector: { requirements: [], invalid: false } })] },
    [429, overBudget, "The disruption budget b needs 1 healthy pods and has 1 currently", null],
  ],
  ["a null selector takes none", { budgets: [budget("b", { status: spent, selector: null })] }, accepted],
  [
    "two budgets, each of which would allow",
    { budgets: ["a", "b"].map((name) => budget(name, { status: status({ disruptionsAllowed: 1 }) })) },
    [500, twoBudgets, null, null],
  ],
  [
    "a finished pod goes past two budgets",
    { pods: [pod("web", { phase: "Failed", ready: false })], budgets: [budget("a"), budget("b")] },
    accepted,
  ],
  [
    "a pending pod goes past a spent budget",
    { pods: [pod("web", { phase: "Pending", ready: false })], budgets: [budget("b", { status: spent })] },
    accepted,
  ],
  [
    "a terminating pod goes past a spent budget",
    { pods: [pod("web", { deleting: true })], budgets: [budget("b", { status: spent })] },
    accepted,
  ],
  [
    "an unready pod goes when the budget is met",
    { pods: [unready], budgets: [budget("b", { status: spent })] },
    accepted,
  ],
  [
    "an unready pod stays when the budget is not met",
    { pods: [unready], budgets: [budget("b", { status: status({ desiredHealthy: 1 }) })] },
    [429, overBudget, "The disruption budget b needs 1 healthy pods and has 0 currently", null],
  ],
  [
    "an unready pod under a budget that wants none is counted",
    { pods: [unready], budgets: [budget("b", { status: status({ disruptionsAllowed: 1 }) })] },
    [201, "", null, budget("b").key],
  ],
  [
    "an unready pod goes always with AlwaysAllow",
    {
      pods: [unready],
      budgets: [budget("b", { status: status({ desiredHealthy: 1 }), unhealthyPodEviction: "AlwaysAllow" })],
    },
    accepted,
  ],
  [
    "AlwaysAllow is no leave for a ready pod",
    { budgets: [budget("b", { status: spent, unhealthyPodEviction: "AlwaysAllow" })] },
    [429, overBudget, "The disruption budget b needs 1 healthy pods and has 1 currently", null],
  ],
  [
    "a budget the controller has not seen",
    { budgets: [budget("b", { status: status({ observedGeneration: 1, disruptionsAllowed: 1 }), generation: 2 })] },
    [429, overBudget, "The disruption budget b is still being processed by the server.", null],
  ],
  [
    "a sync failure is said",
    {
      budgets: [
        budget("b", { status: status({ reason: "SyncFailed", conditionStatus: "False", message: "no owner" }) }),
      ],
    },
    [
      429,
      overBudget,
      "The disruption budget b does not allow evicting pods currently because it failed sync: no owner",
      null,
    ],
  ],
  [
    "1.34 does not say it",
    {
      minor: 34,
      budgets: [
        budget("b", { status: status({ reason: "SyncFailed", conditionStatus: "False", message: "no owner" }) }),
      ],
    },
    [429, overBudget, "The disruption budget b needs 0 healthy pods and has 0 currently", null],
  ],
  [
    "healthy above desired, a reason with a message",
    {
      budgets: [
        budget("b", {
          status: status({
            currentHealthy: 2,
            desiredHealthy: 1,
            reason: "Odd",
            conditionStatus: "False",
            message: "why",
          }),
        }),
      ],
    },
    [429, overBudget, "The disruption budget b does not allow evicting pods currently (Odd): why", null],
  ],
  [
    "healthy above desired, not yet recounted",
    { budgets: [budget("b", { status: status({ currentHealthy: 2, desiredHealthy: 1 }) })] },
    [429, overBudget, "The disruption budget b does not allow evicting pods currently", null],
  ],
  [
    "a negative budget",
    { budgets: [budget("b", { status: status({ disruptionsAllowed: -1 }) })] },
    [403, 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative', null, null],
  ],
  [
    "a negative budget in 1.37 gives a cause",
    { minor: 37, budgets: [budget("b", { status: status({ disruptionsAllowed: -1 }) })] },
    [
      403,
      'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative',
      "The disruption budget b does not allow evicting pods currently: pdb disruptions allowed is negative",
      null,
    ],
  ],
  [
    "a webhook on evictions whose backend is down comes before all",
    { pods: [], services: [service("hook")], webhooks: [webhook("hook", { onPodEviction: true })] },
    [
      500,
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https://hook.ns.svc:443": no endpoints available for service "hook"',
      null,
      null,
    ],
  ],
  [
    "a namespace that is being terminated",
    { namespaces: new Map([["ns", { name: "ns", labels: new Map(), terminating: true }]]) },
    [
      403,
      'pods "web" is forbidden: unable to create new content in namespace ns because it is being terminated',
      "namespace ns is being terminated",
      null,
    ],
  ],
  [
    "a webhook on pods only does not see evictions",
    { services: [service("hook")], webhooks: [webhook("hook")] },
    accepted,
  ],
]);

rows<number, readonly [number, string | null]>(
  "evict with unconfirmed evictions",
  (count) => {
    const ledger = new Ledger(
      cluster({ pods: [web], budgets: [budget("b", { status: status({ disruptionsAllowed: 1 }) })] }),
      new Journal(),
    );
    ledger.setDisruptedPods(budget("b").key, new Map(Array.from({ length: count }, (_, at) => [`ns/p${at}`, 0])));
    const { code, message } = evict(ledger, "ns/web");
    return [code, message];
  },
  [
    ["2000 are borne", 2000, [201, ""]],
    [
      "2001 are not",
      2001,
      [
        403,
        'poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
      ],
    ],
  ],
);
