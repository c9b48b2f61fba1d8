import { objectKey } from "../../model/key.ts";
import type { Budget } from "../../model/policy.ts";
import { Fields } from "../../wire/fields.ts";
import { findingRule } from "../finding-rule.ts";
import type { Scene } from "../scene.ts";

const proxyLabel = "gateway.envoyproxy.io/owning-gateway-name";

/** Envoy Gateway deletes budgets that look like its own. Seen on a running controller, v1.9. */
export const budgetWillBeDeleted = findingRule({
  name: "budget-will-be-deleted",
  code: "HF028",
  title: "A budget its neighbour deletes",
  explain: `A budget made by hand carries Envoy Gateway's own proxy labels. Whenever the EnvoyProxy has no envoyPDB, the controller deletes every budget with these labels in its namespace at its next re-apply, and any event of the Deployment brings one.

Labels belong into the budget's selector, not onto the budget. Better still, set envoyPDB in the EnvoyProxy, and do not keep both: two budgets on one pod make it unevictable (HF004).

It is a warning: the protection is there today and gone tomorrow.`,
  messages: {
    looksOwned: (f: { budget: string }) => ({
      message: `Budget ${f.budget} carries Envoy Gateway's labels without being its own: the controller deletes it at its next re-apply.`,
      remedy: `Take the labels off budget ${f.budget} and leave them in its selector, or replace it by envoyPDB in the EnvoyProxy.`,
    }),
  },
  look: (scene, say) =>
    scene.view.budgets
      .map(({ budget }) => budget)
      .filter((budget) => budget.labels.has(proxyLabel) && !isItsOwn(scene, budget))
      .map((budget) =>
        say.about(
          {
            severity: "warning",
            endpoint: "",
            component: `PodDisruptionBudget ${budget.ref.namespace}/${budget.ref.name}`,
            evidence: [`label ${proxyLabel}=${budget.labels.get(proxyLabel) ?? ""}`],
            source: budget.source,
          },
          "looksOwned",
          { budget: `${budget.ref.namespace}/${budget.ref.name}` },
        ),
      ),
});

/** The controller names its budget like the proxies' Deployment, and makes one where the EnvoyProxy says envoyPDB. */
function isItsOwn({ stops, cluster }: Scene, { ref }: Budget): boolean {
  const proxies = stops.find(({ hop }) => hop.ref.namespace === ref.namespace && hop.ref.name === ref.name);
  const owner = proxies?.hop.owner ?? null;
  if (owner === null) return false;
  const settings = cluster.others.get(objectKey(owner));
  // Settings that were not read may well say it.
  if (settings === undefined) return true;
  const spec = Fields.of(settings.body, () => {}).object("spec");
  return spec.object("provider").object("kubernetes").has("envoyPDB");
}
