import { type LabelSelector, type Labels, matches } from "./labels.ts";
import { namespaceLabels } from "./namespace-labels.ts";
import type { AdmissionWebhook } from "./policy.ts";
import type { ClusterView } from "./view.ts";

/** A request as webhooks see it. */
export interface AdmissionRequest {
  readonly operation: "createPod" | "evict" | "deletePod" | "bind" | "createWorkload";
  readonly namespace: string;
  /** Labels of the object sent: the pod's for createPod; an Eviction carries none. */
  readonly labels: Labels;
}

export interface WebhookAdmission {
  /** The API server's message when a webhook that must answer cannot; null: nothing refuses. */
  readonly refused: string | null;
  /** Webhooks that may or may not have refused, and why that cannot be told. */
  readonly undecided: readonly string[];
}

const admitted: WebhookAdmission = { refused: null, undecided: [] };

/**
 * Refuses what a webhook with failurePolicy Fail would see while no endpoint of its backend is ready. What a working
 * webhook answers is not modelled. Mutating webhooks are called before validating ones.
 * The message leaves out the path and timeout of the call, which the real one prints inside the address.
 * Mirrors: apiserver pkg/admission/plugin/webhook (generic, validating/dispatcher.go), pkg/util/proxy ResolveEndpoint, 0.36.3.
 */
export function admitByWebhooks(view: ClusterView, request: AdmissionRequest): WebhookAdmission {
  if (view.webhooks.length === 0) return admitted;
  const undecided: string[] = [];
  const inCallOrder = [
    ...view.webhooks.filter(({ mutating }) => mutating),
    ...view.webhooks.filter((w) => !w.mutating),
  ];
  for (const webhook of inCallOrder) {
    if (webhook.failurePolicy !== "Fail" || !sees(webhook, request) || webhook.service === null) continue;
    const { namespace, name, port } = webhook.service;
    if (view.readyEndpoints(`${namespace}/${name}`) > 0) continue;
    const known = view.services.some(({ ref }) => ref.namespace === namespace && ref.name === name);
    const applies = selects(view, webhook, request);
    if (applies === "no") continue;
    if (applies === "unknown" || !known || webhook.hasMatchConditions) {
      undecided.push(doubt(webhook, known, applies));
      continue;
    }
    return { refused: callFailed(webhook.name, `https://${name}.${namespace}.svc:${port}`, name), undecided };
  }
  return undecided.length === 0 ? admitted : { refused: null, undecided };
}

/** Whether the webhook may have a say in the request, as far as is known. */
export function mayHaveSay(view: ClusterView, webhook: AdmissionWebhook, request: AdmissionRequest): boolean {
  return sees(webhook, request) && selects(view, webhook, request) !== "no";
}

/** The webhook that a refusal or doubt of this admission names; null: none. */
export function webhookNamedIn({ webhooks }: ClusterView, text: string): AdmissionWebhook | null {
  return webhooks.find(({ name }) => text.includes(`webhook ${JSON.stringify(name)}`)) ?? null;
}

function sees(webhook: AdmissionWebhook, { operation }: AdmissionRequest): boolean {
  switch (operation) {
    case "createPod":
      return webhook.onPodCreate;
    case "evict":
      return webhook.onPodEviction;
    case "deletePod":
      return webhook.onPodDelete;
    case "bind":
      return webhook.onPodBinding;
    case "createWorkload":
      return webhook.onWorkloadCreate;
  }
}

type Applies = "yes" | "no" | "unknown";

/** The selector for namespaces cannot be told where the namespace object was not read and more than its name is asked. */
function selects(view: ClusterView, webhook: AdmissionWebhook, request: AdmissionRequest): Applies {
  if (!matchesOrAbsent(webhook.objectSelector, request.labels)) return "no";
  const { namespaceSelector } = webhook;
  if (namespaceSelector === null) return "yes";
  const { labels, complete } = namespaceLabels(view, request.namespace);
  const askable = complete || namespaceSelector.requirements.every(({ key }) => labels.has(key));
  if (!askable) return "unknown";
  return matches(namespaceSelector, labels) ? "yes" : "no";
}

function matchesOrAbsent(selector: LabelSelector | null, labels: Labels): boolean {
  return selector === null || matches(selector, labels);
}

function doubt(webhook: AdmissionWebhook, known: boolean, applies: Applies): string {
  const { kind, name } = webhook.configuration;
  const subject = `webhook ${JSON.stringify(webhook.name)} of ${kind} ${name}`;
  if (!known) return `${subject} must answer, and its Service is not in the input`;
  if (applies === "unknown")
    return `${subject} must answer and cannot; the namespace's labels, which it selects by, are not in the input`;
  return `${subject} must answer and cannot; whether its matchConditions apply is not modelled`;
}

function callFailed(webhook: string, address: string, service: string): string {
  return (
    `Internal error occurred: failed calling webhook ${JSON.stringify(webhook)}: failed to call webhook: ` +
    `Post ${JSON.stringify(address)}: no endpoints available for service ${JSON.stringify(service)}`
  );
}
