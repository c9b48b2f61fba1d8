import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { cluster, deployment, labels, pod, replicaSet, template } from "../../test/support/tiny.ts";
import { impliedReplicaSets } from "./implied-replica-sets.ts";
import type { Pod } from "./pod.ts";
import type { ReplicaSet, Workload } from "./workload.ts";

const web = deployment("web", { replicas: 2 });

function podOf(name: string, hash: string, fields: Partial<Pod> = {}): Pod {
  const own = template("web", { labels: labels({ app: "web", "pod-template-hash": hash }) });
  return pod(name, { owner: `ReplicaSet.apps/ns/web-${hash}`, template: own, ...fields });
}

const implied = (workloads: readonly Workload[], pods: readonly Pod[]): readonly ReplicaSet[] =>
  impliedReplicaSets(new Map(workloads.map((each) => [each.key, each])), pods, (made) => made);
const sizes = (sets: readonly ReplicaSet[]): readonly string[] =>
  sets.map(({ ref, replicas }) => `${ref.name} ${replicas}`);

test("implied sets: the Deployment and the hash name the set; it is at rest and makes up what is missing", () => {
  const pods = [podOf("web-a", "h1")];
  const sets = implied([web], pods);
  assert.deepEqual(sizes(sets), ["web-h1 2"]);
  const play = new Play(cluster({ workloads: [web, ...sets], pods })).settle();
  assert.deepEqual(play.said(), ["create ns/web-h1-~1"]);
});

test("implied sets: of two the newer is current, and both are as large as what is there", () => {
  const pods = [
    podOf("web-a", "h1", { createdAtMs: 1000 }),
    podOf("web-b", "h2", { createdAtMs: 9000 }),
    podOf("web-c", "h1", { deleting: true }),
  ];
  const sets = implied([web], pods);
  assert.deepEqual(sizes(sets), ["web-h1 1", "web-h2 1"]);
  assert.deepEqual(
    sets.map(({ revision, owner }) => [revision, owner]),
    [
      [1, web.key],
      [2, web.key],
    ],
  );
});

test("implied sets: beside a set that was read, an implied one is an old one", () => {
  const current = replicaSet("web-h2", { owner: web.key, template: web.template });
  const [old] = implied([web, current], [podOf("web-a", "h1")]);
  assert.equal(old?.replicas, 1);
  assert.notEqual(old?.template.labels.get("pod-template-hash"), undefined);
});

test("implied sets: none without the Deployment, with other labels, or when it was read", () => {
  assert.deepEqual(implied([], [podOf("web-a", "h1")]), []);
  assert.deepEqual(
    implied(
      [
        deployment("web", {
          template: template("web"),
          selector: { requirements: [{ key: "app", operator: "In", values: ["x"] }], invalid: false },
        }),
      ],
      [podOf("web-a", "h1")],
    ),
    [],
  );
  assert.deepEqual(implied([web, replicaSet("web-h1")], [podOf("web-a", "h1")]), []);
  assert.deepEqual(implied([web], [podOf("web-a", "h1", { owner: "ReplicaSet.apps/ns/other-h1" })]), []);
});
