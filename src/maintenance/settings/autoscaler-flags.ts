import type { PassOver } from "../actor.ts";
import { containerFlags } from "./container-flags.ts";
import { goDurationMs, type SettingReader } from "./setting.ts";

/** cluster-autoscaler's own flags, and its version where a default depends on it. */
export const autoscalerFlags: SettingReader = (cluster, _pool, actor) => {
  const flags = containerFlags(cluster, "Deployment", "cluster-autoscaler");
  if (flags === null) return null;
  const said: string[] = [];
  const last = (name: string): string | null => {
    const value = flags.values.get(name)?.at(-1);
    if (value === undefined) return null;
    said.push(`${flags.of}: --${name}=${value}`);
    return value;
  };
  const whole = (name: string, least: number): number | null => {
    const text = last(name);
    return text !== null && /^\d{1,9}$/.test(text) ? Math.max(least, Number(text)) : null;
  };
  const enabled = last("scale-down-enabled") !== "false";
  const graceSeconds = whole("max-graceful-termination-sec", 0);
  const atOnce = whole("max-drain-parallelism", 1);
  const holdsForMs = goDurationMs(last("max-pod-eviction-time") ?? "");
  const cordonFlag = last("cordon-node-before-terminating");
  const minor = minorOf(flags.tag);
  if (cordonFlag === null && minor !== null && minor <= 33)
    said.push(`${flags.of}: version ${flags.tag} does not cordon`);
  const cordon = cordonFlag === null ? minor === null || minor >= 34 : cordonFlag !== "false";
  const off = new Map<PassOver["on"], boolean>([
    ["localStorage", last("skip-nodes-with-local-storage") === "false"],
    ["systemPod", last("skip-nodes-with-system-pods") === "false"],
  ]);
  if (said.length === 0) return null;
  return {
    actor: {
      ...actor,
      close: { ...actor.close, cordon },
      nodesAtOnce: atOnce ?? actor.nodesAtOnce,
      passesOver: actor.passesOver.filter(({ on }) => off.get(on) !== true),
      drain: {
        ...actor.drain,
        graceMaxMs: graceSeconds === null ? actor.drain.graceMaxMs : graceSeconds * 1_000,
        holdsForMs: holdsForMs ?? actor.drain.holdsForMs,
      },
    },
    said,
    held: enabled ? "" : `${flags.of} scales nothing down`,
  };
};

/** 34 of `v1.34.1`; null when the tag is no version of that form. */
function minorOf(tag: string): number | null {
  const found = /^v?1\.(\d{1,3})(?:\.|$)/.exec(tag);
  return found === null ? null : Number(found[1]);
}
