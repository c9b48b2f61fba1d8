import { fieldsOf } from "../../systems/facts.ts";
import { intOrPercent, objectsOf, type SettingReader } from "./setting.ts";

/** A MachineConfigPool's maxUnavailable (a share rounds down, at least one node) and whether it is paused. */
export const machineConfigPool: SettingReader = (cluster, pool, actor) => {
  const object = objectsOf(cluster, "MachineConfigPool", "machineconfiguration.openshift.io").find(
    ({ ref }) => ref.name === pool.name,
  );
  if (object === undefined) return null;
  const spec = fieldsOf(object).object("spec");
  const raw = spec.raw("maxUnavailable");
  const count = intOrPercent(raw, { rounds: "down", least: 1 });
  // The arbiter pool is always done one by one.
  const nodesAtOnce = count === null || pool.name === "arbiter" ? 1 : count;
  const name = `MachineConfigPool ${pool.name}`;
  const paused = spec.flag("paused");
  return {
    actor: { ...actor, nodesAtOnce },
    said: [
      ...(count === null ? [] : [`${name}: maxUnavailable ${String(raw)}`]),
      ...(paused ? [`${name} is paused`] : []),
    ],
    held: paused ? `${name} is paused` : "",
  };
};
