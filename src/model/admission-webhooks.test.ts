import { rows } from "../../test/support/rows.ts";
import { cluster, labels, type Parts, pod, selects, service, template, webhook } from "../../test/support/tiny.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { admitByWebhooks, type WebhookAdmission } from "./admission-webhooks.ts";

/** Read from apiserver pkg/admission/plugin/webhook, v0.36.3. */

const admit = (parts: Parts): WebhookAdmission =>
  admitByWebhooks(new Ledger(cluster({ services: [service("hook")], ...parts }), new Journal()), {
    operation: "createPod",
    namespace: "ns",
    labels: labels({ app: "web" }),
  });

const admitted = { refused: null, undecided: [] };
const failed = (name: string): WebhookAdmission => ({
  refused:
    `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: ` +
    `Post "https://${name}.ns.svc:443": no endpoints available for service "${name}"`,
  undecided: [],
});
const doubt = (about: string): WebhookAdmission => ({
  refused: null,
  undecided: [`webhook "hook.example.com" of ValidatingWebhookConfiguration hook ${about}`],
});

rows<Parts, WebhookAdmission>("webhooks", admit, [
  ["none", {}, admitted],
  ["a backend with no ready endpoint refuses", { webhooks: [webhook("hook")] }, failed("hook")],
  [
    "a ready backend lets pass",
    { webhooks: [webhook("hook")], pods: [pod("h", { template: template("hook") })] },
    admitted,
  ],
  [
    "a backend that only terminates refuses",
    { webhooks: [webhook("hook")], pods: [pod("h", { template: template("hook"), deleting: true })] },
    failed("hook"),
  ],
  ["failurePolicy Ignore lets pass", { webhooks: [webhook("hook", { failurePolicy: "Ignore" })] }, admitted],
  ["a webhook by URL is outside", { webhooks: [webhook("hook", { service: null })] }, admitted],
  ["one that does not see new pods", { webhooks: [webhook("hook", { onPodCreate: false })] }, admitted],
  [
    "an object selector that does not match",
    { webhooks: [webhook("hook", { objectSelector: selects({ app: "x" }) })] },
    admitted,
  ],
  [
    "an object selector that does",
    { webhooks: [webhook("hook", { objectSelector: selects({ app: "web" }) })] },
    failed("hook"),
  ],
  [
    "a namespace selector that does not match",
    { webhooks: [webhook("hook", { namespaceSelector: selects({ team: "x" }) })] },
    admitted,
  ],
  [
    "the name label every namespace has",
    { webhooks: [webhook("hook", { namespaceSelector: selects({ "kubernetes.io/metadata.name": "ns" }) })] },
    failed("hook"),
  ],
  [
    "a namespace that was not read",
    { namespaces: new Map(), webhooks: [webhook("hook", { namespaceSelector: selects({ team: "x" }) })] },
    doubt("must answer and cannot; the namespace's labels, which it selects by, are not in the input"),
  ],
  [
    "matchConditions cannot be told",
    { webhooks: [webhook("hook", { hasMatchConditions: true })] },
    doubt("must answer and cannot; whether its matchConditions apply is not modelled"),
  ],
  [
    "a Service that was not read",
    { services: [], webhooks: [webhook("hook")] },
    doubt("must answer, and its Service is not in the input"),
  ],
  [
    "mutating ones are called first",
    {
      services: [service("hook"), service("early")],
      webhooks: [webhook("hook"), webhook("early", { mutating: true })],
    },
    failed("early"),
  ],
]);
