import { byCodeUnit } from "../../base/ordering.ts";
import { evictionWebhooks } from "../../eviction/eviction-webhooks.ts";
import { webhookNamedIn } from "../../model/admission-webhooks.ts";
import type { AdmissionWebhook } from "../../model/policy.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { findingRule, labelOf, namesOf } from "../finding-rule.ts";
import { few } from "../knob-text.ts";
import { heldTogether, type Scene, type Stop } from "../scene.ts";

/** The API server refuses every eviction of a part before it looks at budgets. Mirrors: apiserver admission of pods/eviction, 1.36. */
export const evictionRefused = findingRule({
  name: "eviction-refused",
  code: "HF037",
  title: "Evictions that the API server refuses whatever budgets say",
  explain: `Before the Eviction API looks at a budget, the request passes admission. A webhook with failurePolicy Fail that sees pods/eviction and cannot be reached refuses every one (500, "failed calling webhook"): kubectl drain gives up on the node, other actors try until they give up or stop the machine. In a namespace that is being deleted every eviction is forbidden (403), and so is every new pod.

Such a webhook guards evictions (a rescheduler, a drain guard, a policy engine with rules for all subresources: "*/*") and outlives its own Deployment, scaled to zero or removed by hand while its configuration stayed.

Bring its pods back, or delete its configuration, or set failurePolicy Ignore; or leave the namespaces of the path out by its namespaceSelector. Deleting a pod asks no webhook of pods/eviction, and no budget either. Of a namespace that is being deleted see its status conditions: what serves there goes with it, so move the model first.

What holds other people's pods on the same nodes is told in one note.

It is an error where a likely maintenance stalls on it through a part of the path, else a warning; also over what supports the path.`,
  messages: {
    webhookAway: (f: { webhook: string; configuration: string; parts: string; service: string }) => ({
      message: `Webhook ${f.webhook} must be asked before any pod of ${f.parts} is evicted (failurePolicy Fail), and no pod behind its Service ${f.service} is Ready: every eviction is refused, and no drain of their nodes gets past them.`,
      remedy: `Bring back a Ready pod behind Service ${f.service}; where nobody runs it any more, delete ${f.configuration}.`,
    }),
    webhookUnknown: (f: { webhook: string; configuration: string; parts: string; why: string; service: string }) => ({
      message: `Webhook ${f.webhook} must be asked before any pod of ${f.parts} is evicted (failurePolicy Fail), and ${f.why}: if it does not answer, every eviction is refused.`,
      remedy: `See that Service ${f.service} has a Ready pod before a maintenance; where nobody runs it any more, delete ${f.configuration}.`,
    }),
    namespaceGoes: (f: { namespace: string; parts: string }) => ({
      message: `Namespace ${f.namespace} is being deleted: evictions of pods of ${f.parts} are forbidden, so a drain waits until they are deleted, and no new pod is made in their place.`,
      remedy: `See what keeps it (status.conditions of namespace ${f.namespace}); what is to serve on has to run in another namespace first.`,
    }),
    notOnPath: (f: { namespaces: string; nodes: string }) => ({
      message: `Pods of ${f.namespaces} are nothing of the path, but the API server refuses to evict them, and they are on ${f.nodes} beside it: a drain there does not get past them.`,
      remedy: "Before a maintenance, ask those they belong to, or delete these pods.",
    }),
  },
  look: (scene, say) => {
    const held = [...scene.stops, ...scene.helpers].flatMap((stop) => heldBack(scene, stop));
    const byCause = Map.groupBy(held, ({ cause }) => keyOf(cause));
    const beside = besidePath(scene, new Set(byCause.keys()));
    const findings = [...byCause.values()].flatMap((alike) => {
      const [first] = alike;
      if (first === undefined) return [];
      const stops = alike.map(({ stop }) => stop);
      const { severity, lines } = heldTogether(stops);
      const about = { severity, evidence: [...(stops.length > 1 ? stops.map(labelOf) : []), ...lines] };
      const parts = namesOf(stops);
      const { webhook, namespace, doubt } = first.cause;
      if (webhook === null) return [say.ofAll(stops, about, "namespaceGoes", { namespace, parts })];
      const { kind, name } = webhook.configuration;
      const service = `${webhook.service?.namespace ?? ""}/${webhook.service?.name ?? ""}`;
      const facts = { webhook: webhook.name, configuration: `${kind} ${name}`, parts, service };
      const told = { ...about, source: webhook.source };
      return doubt === ""
        ? [say.ofAll(stops, told, "webhookAway", facts)]
        : [say.ofAll(stops, told, "webhookUnknown", { ...facts, why: doubt })];
    });
    if (beside.length === 0) return findings;
    const nodes = [...new Set(beside.flatMap((one) => one.nodes))].sort(byCodeUnit);
    const facts = { namespaces: few(beside.map(({ namespace }) => namespace)), nodes: few(nodes) };
    const evidence = beside.map(({ line }) => line);
    const about = { severity: "note" as const, endpoint: "", component: "", evidence };
    return [...findings, say.about(about, "notOnPath", facts)];
  },
});

/** Why no pod of a namespace can be evicted now. */
interface Cause {
  /** Null: the namespace itself is why. */
  readonly webhook: AdmissionWebhook | null;
  readonly namespace: string;
  /** Why it cannot be told whether the webhook refuses; "": it does. */
  readonly doubt: string;
}

function keyOf({ webhook, namespace, doubt }: Cause): string {
  if (webhook === null) return namespace;
  const { kind, name } = webhook.configuration;
  return `${kind} ${name} ${webhook.name} ${doubt}`;
}

/** An Eviction has no labels: what is so of one pod is so of all in its namespace. Null: nothing refuses it. */
function causeIn(view: ClusterView, namespace: string): Cause | null {
  if (view.cluster.namespaces.get(namespace)?.terminating === true) return { webhook: null, namespace, doubt: "" };
  const { refused, undecided } = evictionWebhooks(view, namespace);
  const webhook = webhookNamedIn(view, refused ?? undecided[0] ?? "");
  if (webhook === null) return null;
  return { webhook, namespace, doubt: refused === null ? doubtOf(view, webhook) : "" };
}

function doubtOf(view: ClusterView, { service }: AdmissionWebhook): string {
  const isKnown = view.services.some(({ ref }) => ref.namespace === service?.namespace && ref.name === service.name);
  return isKnown
    ? "no pod behind its Service is Ready, though it may not apply here (its matchConditions, or labels of the namespace)"
    : "its Service is not in the input";
}

interface Held {
  readonly stop: Stop;
  readonly cause: Cause;
}

function heldBack({ view }: Scene, stop: Stop): readonly Held[] {
  const pod = stop.pods.find(isAskedFor);
  const cause = pod === undefined ? null : causeIn(view, pod.namespace);
  return cause === null ? [] : [{ stop, cause }];
}

/** Drains ask for no pod of a DaemonSet, and for none that is terminating. */
function isAskedFor({ node, terminatingSinceMs, owner, phase }: PodView): boolean {
  if (node === null || terminatingSinceMs !== null || phase === "Succeeded" || phase === "Failed") return false;
  return owner === null || !owner.startsWith("DaemonSet.apps/");
}

interface Beside {
  readonly namespace: string;
  readonly nodes: readonly string[];
  readonly line: string;
}

/** Other people's pods on nodes of the path that cannot be evicted, for a cause that is not told of a part. */
function besidePath({ view, stops }: Scene, told: ReadonlySet<string>): readonly Beside[] {
  const near = new Set(stops.flatMap(({ pods }) => pods.flatMap(({ node }) => node?.name ?? [])));
  return [...view.cluster.namespaces.keys()].sort(byCodeUnit).flatMap((namespace) => {
    const cause = causeIn(view, namespace);
    if (cause === null || cause.doubt !== "" || told.has(keyOf(cause))) return [];
    const asked = view.podsIn(namespace).filter(isAskedFor);
    const nodes = new Set(asked.flatMap(({ node }) => node?.name ?? []).filter((name) => near.has(name)));
    if (nodes.size === 0) return [];
    const why =
      cause.webhook === null
        ? "is being deleted"
        : `is behind webhook ${cause.webhook.name}, which must answer and cannot`;
    return [{ namespace, nodes: [...nodes], line: `namespace ${namespace} ${why}` }];
  });
}
