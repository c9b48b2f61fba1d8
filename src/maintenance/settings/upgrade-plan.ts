import { matches } from "../../model/labels.ts";
import { parseLabelSelector } from "../../model/parse-selector.ts";
import { fieldsOf } from "../../systems/facts.ts";
import type { Actor } from "../actor.ts";
import { minuteMs } from "../usual.ts";
import { objectsOf, type SettingReader } from "./setting.ts";

/** A job has so long, whatever the Plan's drain says. */
const jobMs = 10 * minuteMs;

/**
 * The Plan of the system-upgrade-controller that takes nodes of this pool: how many at once, and how its jobs drain. Of several
 * the first by name that drains. Mirrors: rancher/system-upgrade-controller pkg/apis/upgrade.cattle.io/v1 PlanSpec, DrainSpec.
 */
export const upgradePlan: SettingReader = (cluster, pool, actor) => {
  const plans = objectsOf(cluster, "Plan", "upgrade.cattle.io").filter((plan) => {
    const selector = parseLabelSelector(fieldsOf(plan).object("spec"), "nodeSelector");
    return selector === null || pool.nodes.some(({ labels }) => matches(selector, labels));
  });
  const spec = (plan: (typeof plans)[number]) => fieldsOf(plan).object("spec");
  const [plan] = [...plans.filter((one) => spec(one).has("drain")), ...plans.filter((one) => spec(one).flag("cordon"))];
  if (plan === undefined) return null;
  const { name } = plan.ref;
  const drain = spec(plan).object("drain");
  const said: string[] = [];
  const whole = (fields: typeof drain, field: string): number | null => {
    const value = fields.raw(field);
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return null;
    said.push(`Plan ${name}: ${field} ${value}`);
    return value;
  };
  const told = (field: string, isDefault: boolean): boolean => {
    if (!drain.has(field)) return isDefault;
    said.push(`Plan ${name}: ${field} ${drain.flag(field)}`);
    return drain.flag(field);
  };
  const atOnce = whole(spec(plan), "concurrency");
  const timeoutNs = whole(drain, "timeout");
  const graceSeconds = whole(drain, "gracePeriod");
  const flags = [
    ...(told("ignoreDaemonSets", true) ? ["--ignore-daemonsets"] : []),
    ...(told("deleteEmptydirData", true) ? ["--delete-emptydir-data"] : []),
    ...(told("force", false) ? ["--force"] : []),
    ...(told("disableEviction", false) ? ["--disable-eviction"] : []),
  ];
  const tuned: Actor = {
    ...actor,
    nodesAtOnce: atOnce === null || atOnce < 1 ? actor.nodesAtOnce : atOnce,
    drain: {
      ...actor.drain,
      flags,
      holdsForMs: timeoutNs === null || timeoutNs === 0 ? jobMs : Math.min(jobMs, timeoutNs / 1_000_000),
      graceSetMs: graceSeconds === null ? null : graceSeconds * 1_000,
    },
  };
  return { actor: tuned, said, held: "" };
};
