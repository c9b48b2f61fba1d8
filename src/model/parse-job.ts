import type { Fields } from "../wire/fields.ts";
import type { Meta } from "./parse-meta.ts";
import { podsOfOneOwnerMax } from "./pods-max.ts";
import type { TemplatePool } from "./template-pool.ts";
import type { Job } from "./workload.ts";
import { baseOf, draftOf, parseOwnTemplate, type Unfinished, type WorkloadDraft } from "./workload-draft.ts";

export function parseJob(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const status = fields.object("status");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const completions = spec.countUpTo("completions", podsOfOneOwnerMax);
  const workload: Unfinished<Job> = {
    ...baseOf(meta),
    kind: "Job",
    parallelism: spec.countUpTo("parallelism", podsOfOneOwnerMax) ?? 1,
    // Neither stated: one completion. Only parallelism stated: a work queue, finished when any pod succeeded.
    completions: completions ?? (spec.has("parallelism") ? null : 1),
    backoffLimit: spec.count("backoffLimit") ?? 6,
    podReplacementPolicy: spec.choice(
      "podReplacementPolicy",
      ["TerminatingOrFailed", "Failed"],
      spec.has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed",
    ),
    onDisruption: onDisruption(spec.object("podFailurePolicy")),
    suspend: spec.flag("suspend"),
    finished: status.objects("conditions").some(isFinal),
    succeeded: status.count("succeeded") ?? 0,
    template: null,
  };
  return draftOf(workload, template, meta);
}

/** The first rule that speaks of DisruptionTarget decides; rules about exit codes match no pod that was killed from outside. */
function onDisruption(policy: Fields): Job["onDisruption"] {
  const rule = policy.objects("rules").find((candidate) => {
    return candidate.objects("onPodConditions").some((condition) => condition.text("type") === "DisruptionTarget");
  });
  const action = rule?.text("action");
  return action === "Ignore" ? "ignore" : action === "FailJob" ? "fail-job" : "count";
}

function isFinal(condition: Fields): boolean {
  const type = condition.text("type");
  return (type === "Complete" || type === "Failed") && condition.text("status") === "True";
}
