import { matches } from "../model/labels.ts";
import type { AdmissionWebhook } from "../model/policy.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, nextLabels, type Part } from "../systems/facts.ts";
import { partHop } from "./part-hop.ts";

/** How what is said of a webhook ends that nothing brings back. */
export const ownToo = ", nor one of its own.";

export interface WebhooksFound {
  /** Backends of webhooks that must answer before a part's pod can be created again. */
  readonly hops: readonly Hop[];
  readonly notModelled: Endpoint["notModelled"];
}

/**
 * Admission webhooks with failurePolicy Fail that see the creation of these parts' pods. Running pods need none of them;
 * an evicted one does not come back while the webhook has no ready backend.
 */
export function webhookHops(facts: Facts, parts: readonly Part[]): WebhooksFound {
  const hops = new Map<string, Hop>();
  const notModelled: Endpoint["notModelled"][number][] = [];
  for (const webhook of facts.cluster.webhooks) {
    if (webhook.failurePolicy !== "Fail" || !webhook.onPodCreate) continue;
    const seen = parts.filter((part) => sees(facts, webhook, part));
    if (seen.length === 0) continue;
    const names = seen.map(({ workload }) => workload.ref.name).join(", ");
    const problem = problemOf(facts, webhook);
    if (problem !== "") {
      const ref = `${webhook.configuration.kind} ${webhook.configuration.name}`;
      notModelled.push({ what: problem, ref, couldChange: `whether evicted pods of ${names} can be created again` });
      continue;
    }
    for (const hop of backendHops(facts, webhook, names)) {
      const key = `${hop.ref.kind}/${hop.ref.namespace}/${hop.ref.name}`;
      if (!hops.has(key)) hops.set(key, hop);
    }
  }
  return { hops: [...hops.values()], notModelled };
}

function sees(facts: Facts, webhook: AdmissionWebhook, part: Part): boolean {
  const { namespaceSelector, objectSelector } = webhook;
  const labels = part.template === null ? new Map() : nextLabels(part.workload, part.template);
  if (objectSelector !== null && !matches(objectSelector, labels)) return false;
  if (namespaceSelector === null || namespaceSelector.requirements.length === 0) return !namespaceSelector?.invalid;
  const { namespace } = part.workload.ref;
  const known =
    facts.cluster.namespaces.get(namespace)?.labels ?? new Map([["kubernetes.io/metadata.name", namespace]]);
  return matches(namespaceSelector, known);
}

function problemOf(facts: Facts, webhook: AdmissionWebhook): string {
  if (webhook.service === null) return `webhook ${webhook.name} is answered at a URL outside what is modelled`;
  const { namespace, name } = webhook.service;
  if (facts.service(namespace, name) === undefined)
    return `the Service ${namespace}/${name} behind webhook ${webhook.name} is not in the input`;
  return webhook.hasMatchConditions ? `webhook ${webhook.name} has match conditions, which are not evaluated` : "";
}

function backendHops(facts: Facts, webhook: AdmissionWebhook, names: string): readonly Hop[] {
  if (webhook.service === null) return [];
  const { namespace, name } = webhook.service;
  const service = facts.service(namespace, name);
  if (service === undefined) return [];
  const because = `Webhook ${webhook.name} has failurePolicy Fail: no pod of ${names} can be created while it is gone`;
  return facts.selectedBy(service).map((part) => ({
    ...partHop(facts, part, {
      hop: "webhook",
      role: "",
      need: { needed: false, because: `${because}${sees(facts, webhook, part) ? ownToo : "."}` },
      service: `${namespace}/${name}`,
    }),
    onPath: false,
  }));
}
