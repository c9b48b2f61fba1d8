import type { Fields } from "../wire/fields.ts";
import { objectKey } from "./key.ts";
import type { Meta } from "./parse-meta.ts";
import { podsOfOneOwnerMax } from "./pods-max.ts";
import type { Autoscaler } from "./policy.ts";

/** HorizontalPodAutoscaler of autoscaling/v1 and v2; v1 keeps its conditions and behavior in annotations that are not read. */
export function parseAutoscaler(fields: Fields, meta: Meta): Omit<Autoscaler, "owner"> {
  const spec = fields.object("spec");
  const status = fields.object("status");
  const target = spec.object("scaleTargetRef");
  const active = status.objects("conditions").find((condition) => condition.text("type") === "ScalingActive");
  const minReplicas = spec.countUpTo("minReplicas", podsOfOneOwnerMax) ?? 1;
  return {
    ref: meta.ref,
    labels: meta.labels,
    target: objectKey({
      apiVersion: target.text("apiVersion"),
      kind: target.text("kind"),
      namespace: meta.ref.namespace,
      name: target.text("name"),
    }),
    minReplicas,
    maxReplicas: spec.countUpTo("maxReplicas", podsOfOneOwnerMax) ?? minReplicas,
    desiredReplicas: status.count("desiredReplicas"),
    scalingActive: active?.text("status") === "True",
    onlyUp: spec.object("behavior").object("scaleDown").text("selectPolicy") === "Disabled",
    source: meta.source,
  };
}
