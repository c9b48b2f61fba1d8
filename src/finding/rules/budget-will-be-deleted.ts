import { findingRule } from "../finding-rule.ts";

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
  look: ({ view }, say) =>
    view.budgets
      .map(({ budget }) => budget)
      .filter(({ labels, owner }) => labels.has(proxyLabel) && !(owner ?? "").startsWith("GatewayClass."))
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
