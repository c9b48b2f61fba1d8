import type { Fields } from "../wire/fields.ts";
import type { Meta } from "./parse-meta.ts";
import { parseLabelSelector } from "./parse-selector.ts";
import type { AdmissionWebhook } from "./policy.ts";

/** The webhooks of a configuration that may see pods, evictions, bindings or new workloads; others are left out. */
export function parseWebhooks(fields: Fields, meta: Meta): readonly AdmissionWebhook[] {
  return fields
    .objects("webhooks")
    .map((webhook) => parseWebhook(webhook, meta))
    .filter(seesAnything);
}

function parseWebhook(webhook: Fields, meta: Meta): AdmissionWebhook {
  const rules = webhook.each("rules", parseRule);
  const sees = (operation: string, groups: readonly string[], resources: readonly string[]): boolean =>
    rules.some((rule) => rule.covers(operation, groups, resources));
  const service = webhook.object("clientConfig").optionalObject("service");
  return {
    configuration: meta.ref,
    mutating: meta.ref.kind === "MutatingWebhookConfiguration",
    name: webhook.text("name"),
    failurePolicy: webhook.choice("failurePolicy", ["Fail", "Ignore"], "Fail"),
    service:
      service === null
        ? null
        : { namespace: service.text("namespace"), name: service.text("name"), port: service.count("port") ?? 443 },
    namespaceSelector: parseLabelSelector(webhook, "namespaceSelector"),
    objectSelector: parseLabelSelector(webhook, "objectSelector"),
    hasMatchConditions: webhook.objects("matchConditions").length > 0,
    onPodCreate: sees("CREATE", [""], ["pods"]),
    onPodEviction: sees("CREATE", [""], ["pods/eviction"]),
    onPodDelete: sees("DELETE", [""], ["pods"]),
    onPodBinding: sees("CREATE", [""], ["pods/binding", "bindings"]),
    onWorkloadCreate: sees("CREATE", ["apps", "batch"], ["replicasets", "statefulsets", "jobs", "deployments"]),
    source: meta.source,
  };
}

function seesAnything(webhook: AdmissionWebhook): boolean {
  return (
    webhook.onPodCreate ||
    webhook.onPodEviction ||
    webhook.onPodDelete ||
    webhook.onPodBinding ||
    webhook.onWorkloadCreate
  );
}

interface Rule {
  readonly covers: (operation: string, groups: readonly string[], resources: readonly string[]) => boolean;
}

/** Scope `Cluster` never covers pods. Mirrors: apiserver admission/plugin/webhook/predicates/rules, 1.36. */
function parseRule(rule: Fields): Rule {
  const operations = rule.texts("operations");
  const ruleGroups = rule.texts("apiGroups");
  const ruleResources = rule.texts("resources");
  const clusterOnly = rule.text("scope") === "Cluster";
  return {
    covers: (operation, groups, resources) =>
      !clusterOnly &&
      (operations.includes("*") || operations.includes(operation)) &&
      (ruleGroups.includes("*") || groups.some((group) => ruleGroups.includes(group))) &&
      resources.some((resource) => ruleResources.some((pattern) => coversResource(pattern, resource))),
  };
}

/** `*` covers resources but no subresource, a wildcard with a slash covers those too, and each half may be one. */
function coversResource(pattern: string, resource: string): boolean {
  const [wantedName = "", wantedSub = ""] = pattern.split("/");
  const [name = "", sub = ""] = resource.split("/");
  return (wantedName === "*" || wantedName === name) && (wantedSub === "*" || wantedSub === sub);
}
