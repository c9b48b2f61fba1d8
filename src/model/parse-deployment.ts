import type { Fields } from "../wire/fields.ts";
import type { ReadBefore } from "../wire/read-before.ts";
import { parseIntOrPercent } from "./parse-int-or-percent.ts";
import { type Meta, secondsField } from "./parse-meta.ts";
import { parseLabelSelector, selectorOfLabels } from "./parse-selector.ts";
import { podsOfOneOwnerMax } from "./pods-max.ts";
import type { TemplatePool } from "./template-pool.ts";
import type { Deployment, IntOrPercent } from "./workload.ts";
import { draftOf, parseOwnTemplate, type Unfinished, type WorkloadDraft } from "./workload-draft.ts";

/** Defaults as the API server fills them in: apps/v1 defaults, Kubernetes 1.36. */
export function parseDeployment(
  fields: Fields,
  meta: Meta,
  pool: TemplatePool,
  strategies: ReadBefore<Deployment["strategy"]>,
): WorkloadDraft {
  const spec = fields.object("spec");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const workload: Unfinished<Deployment> = {
    // Field by field: a copy of what all workloads have takes many times as long, and these are the most.
    key: meta.key,
    ref: meta.ref,
    labels: meta.labels,
    annotations: meta.annotations,
    owner: null,
    createdAtMs: meta.createdAtMs,
    source: meta.source,
    kind: "Deployment",
    replicas: spec.countUpTo("replicas", podsOfOneOwnerMax) ?? 1,
    selector: parseLabelSelector(spec, "selector") ?? missingSelector(spec),
    strategy: spec.once("strategy", strategies, (own, name) => parseStrategy(own.object(name))),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
    progressDeadlineMs: secondsField(spec, "progressDeadlineSeconds") ?? 600_000,
    paused: spec.flag("paused"),
    revisionHistoryLimit: spec.count("revisionHistoryLimit") ?? 10,
    template: null,
  };
  return draftOf(workload, template, meta);
}

function parseStrategy(strategy: Fields): Deployment["strategy"] {
  if (strategy.choice("type", ["RollingUpdate", "Recreate"], "RollingUpdate") === "Recreate")
    return { type: "Recreate" };
  const rolling = strategy.object("rollingUpdate");
  const maxSurge = parseIntOrPercent(rolling, "maxSurge") ?? quarter;
  const maxUnavailable = parseIntOrPercent(rolling, "maxUnavailable") ?? quarter;
  return { type: "RollingUpdate", maxSurge, maxUnavailable };
}

const quarter: IntOrPercent = { percent: true, value: 25 };

/** A selector that selects nothing, for objects the API server would refuse. */
export function missingSelector(spec: Fields): Deployment["selector"] {
  spec.problem("selector", "a selector is needed; without one nothing is selected");
  return { ...selectorOfLabels(new Map()), invalid: true };
}
