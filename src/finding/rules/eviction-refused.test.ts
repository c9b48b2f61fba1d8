import assert from "node:assert/strict";
import { test } from "node:test";
import { found, running, twoOf, type World } from "../../../test/support/findings.ts";
import { object, service, type Thing } from "../../../test/support/serving.ts";
import { evictionRefused } from "./eviction-refused.ts";

const going = (name: string): Thing => ({
  ...object("v1", "Namespace", name, {}),
  status: { phase: "Terminating" },
});

/** In the way of evictions in a namespace, with nothing that answers. */
const gate = (namespace: string, more: Thing = {}): Thing => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "gate" },
  webhooks: [
    {
      name: "gate.example.com",
      failurePolicy: "Fail",
      clientConfig: { service: { namespace: "gates", name: "gate", port: 443 } },
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods/eviction"] }],
      ...more,
    },
  ],
});
const away = service("gate", { app: "gate" }, { namespace: "gates" });
const put =
  (...things: readonly Thing[]) =>
  ({ more }: World): void => {
    more.push(...things);
  };
const others = running("other", twoOf("other", "others", ["s1", "g1"]));

const table: readonly (readonly [string, (world: World) => void, readonly string[]])[] = [
  ["a webhook on evictions that is away", put(gate("ns"), away), ["eviction-refused/webhookAway warning several"]],
  ["… of one part's namespace", put(gate("kube-system"), away), ["eviction-refused/webhookAway warning coredns"]],
  ["… whose Service was not seen", put(gate("kube-system")), ["eviction-refused/webhookUnknown warning coredns"]],
  [
    "… which may not apply",
    put(gate("kube-system", { matchConditions: [{ name: "c", expression: "true" }] }), away),
    ["eviction-refused/webhookUnknown warning coredns"],
  ],
  ["… that is not needed", put(gate("ns", { failurePolicy: "Ignore" }), away), []],
  ["… that answers", put(gate("ns"), away, ...running("gate", twoOf("gate", "gates", ["s1", "s2"]))), []],
  ["… elsewhere", put(gate("others"), away), []],
  [
    "… of other people's pods beside the path",
    put(gate("others"), away, ...others),
    ["eviction-refused/notOnPath note several"],
  ],
  [
    "a part's namespace that is being deleted",
    put(going("kube-system")),
    ["eviction-refused/namespaceGoes warning coredns"],
  ],
  ["… another one", put(going("others")), []],
  ["… with pods beside the path", put(going("others"), ...others), ["eviction-refused/notOnPath note several"]],
];

test("evictions that admission refuses", () => {
  for (const [about, change, expected] of table) assert.deepEqual(found(change), expected, about);
  const ids = table.flatMap(([, , lines]) => lines.map((line) => line.split(/[/ ]/)[1]));
  assert.deepEqual([...new Set(ids)].sort(), Object.keys(evictionRefused.messages).sort());
});

test("it is an error where a drain stalls on it", () => {
  const shown = found(put(gate("kube-system"), away), { dns: "stalled" });
  assert.deepEqual(shown, ["eviction-refused/webhookAway error coredns"]);
});
