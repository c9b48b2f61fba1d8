import type { Actor, PassOver } from "../actor.ts";
import { containerFlags } from "./container-flags.ts";
import { goDurationMs, type SettingReader } from "./setting.ts";

/** kured's own flags: how many at once, how long, what grace, what it does then, which pods hold it. */
export const kuredFlags: SettingReader = (cluster, _pool, actor) => {
  const flags = containerFlags(cluster, "DaemonSet", "kured");
  if (flags === null) return null;
  const said: string[] = [];
  const last = (name: string): string | null => {
    const value = flags.values.get(name)?.at(-1);
    if (value === undefined) return null;
    said.push(`${flags.of}: --${name}=${value}`);
    return value;
  };
  const whole = (name: string): number | null => {
    const text = last(name);
    return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : null;
  };
  const atOnce = whole("concurrency");
  const holdsForMs = goDurationMs(last("drain-timeout") ?? "");
  const graceSeconds = whole("drain-grace-period");
  const forced = last("force-reboot") === "true";
  const mark = last("prefer-no-schedule-taint");
  const holds: PassOver[] = (flags.values.get("blocking-pod-selector") ?? []).map((selector) => ({
    on: "podSelector",
    selector,
  }));
  for (const hold of holds)
    if (hold.on === "podSelector") said.push(`${flags.of}: --blocking-pod-selector=${hold.selector}`);
  const tuned: Actor = {
    ...actor,
    nodesAtOnce: atOnce === null || atOnce < 1 ? actor.nodesAtOnce : atOnce,
    passesOver: holds,
    marks: mark === null || mark === "" ? [] : [{ key: mark, value: "", effect: "PreferNoSchedule" }],
    drain: {
      ...actor.drain,
      holdsForMs,
      then: holdsForMs === null ? "waits" : forced ? "stops-machine" : "reopens",
      graceSetMs: graceSeconds === null || graceSeconds < 0 ? null : graceSeconds * 1_000,
    },
  };
  return said.length === 0 ? null : { actor: tuned, said, held: "" };
};
