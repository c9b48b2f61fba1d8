import type { Fields } from "../wire/fields.ts";
import type { Toleration } from "./pod-template.ts";

export function parseToleration(toleration: Fields): Toleration {
  const effect = toleration.choice("effect", ["", "NoSchedule", "PreferNoSchedule", "NoExecute"], "");
  const seconds = toleration.whole("tolerationSeconds");
  return {
    key: toleration.text("key"),
    operator: toleration.choice("operator", ["Equal", "Exists", "Gt", "Lt"], "Equal"),
    value: toleration.text("value"),
    effect,
    tolerationMs: seconds === null ? null : Math.max(0, seconds) * 1000,
  };
}
