import type { Fields } from "../wire/fields.ts";
import { parseIntOrPercent } from "./parse-int-or-percent.ts";
import type { Meta } from "./parse-meta.ts";
import { podsOfOneOwnerMax } from "./pods-max.ts";
import type { TemplatePool } from "./template-pool.ts";
import type { LeaderWorkerSet } from "./workload.ts";
import { baseOf, parseOwnTemplate, type WorkloadDraft } from "./workload-draft.ts";

/** leaderworkerset.x-k8s.io/v1, defaults as its webhook fills them in. Without a leader template leaders are workers. */
export function parseLeaderWorkerSet(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const group = spec.object("leaderWorkerTemplate");
  const worker = parseOwnTemplate(group.object("workerTemplate"), meta, pool);
  const leader = group.has("leaderTemplate") ? parseOwnTemplate(group.object("leaderTemplate"), meta, pool) : worker;
  const size = group.countUpTo("size", podsOfOneOwnerMax) ?? 1;
  const groupsMax = Math.floor(podsOfOneOwnerMax / Math.max(1, size));
  const fixed = {
    ...baseOf(meta),
    kind: "LeaderWorkerSet",
    replicas: spec.countUpTo("replicas", groupsMax) ?? 1,
    size,
    restartPolicy: parseRestartPolicy(group),
    startupPolicy: spec.choice("startupPolicy", ["LeaderCreated", "LeaderReady"], "LeaderCreated"),
    rollout: parseRollout(spec.object("rolloutStrategy").object("rollingUpdateConfiguration")),
    exclusiveTopologyKey: meta.annotations.get("leaderworkerset.sigs.k8s.io/exclusive-topology") ?? null,
  } as const;
  return {
    ref: meta.ref,
    owner: meta.owner,
    source: meta.source,
    finish: (owner, finished) => ({
      ...fixed,
      owner,
      leaderTemplate: finished(leader),
      workerTemplate: finished(worker),
    }),
  };
}

/** `Default` is the old name of `None`. */
function parseRestartPolicy(group: Fields): LeaderWorkerSet["restartPolicy"] {
  const known = ["RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None", "Default"] as const;
  const policy = group.choice("restartPolicy", known, "RecreateGroupOnPodRestart");
  return policy === "Default" ? "None" : policy;
}

function parseRollout(rolling: Fields): LeaderWorkerSet["rollout"] {
  return {
    maxUnavailable: parseIntOrPercent(rolling, "maxUnavailable") ?? { percent: false, value: 1 },
    maxSurge: parseIntOrPercent(rolling, "maxSurge") ?? { percent: false, value: 0 },
    partition: rolling.count("partition") ?? 0,
  };
}
