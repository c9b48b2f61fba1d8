import { type Fields, isJsonList } from "../wire/fields.ts";
import type { Amounts, QuantityReader } from "./quantity.ts";
import type { WrittenContainer } from "./written-pod.ts";

/** What containers have in common. */
interface ContainerParts {
  readonly quantities: QuantityReader;
  amounts(fields: Fields, name: string): Amounts;
  ports(container: Fields): WrittenContainer["ports"];
}

export function parseContainer(container: Fields, parts: ContainerParts, where: "main" | "init"): WrittenContainer {
  const resources = container.object("resources");
  const limits = parts.amounts(resources, "limits");
  const requests = parts.quantities.completed(parts.amounts(resources, "requests"), limits);
  return {
    name: container.text("name"),
    image: container.text("image"),
    args: container.texts("args"),
    command: container.texts("command"),
    hasReadinessProbe: container.has("readinessProbe"),
    hasStartupProbe: container.has("startupProbe"),
    preStopMs: preStopMs(container.optionalObject("lifecycle")?.optionalObject("preStop") ?? null),
    requests,
    limits,
    claims: resources.each("claims", (claim) => claim.text("name")),
    sidecar: where === "init" && isSidecar(container),
    ports: parts.ports(container),
  };
}

/** How long a preStop hook takes: a sleep says it, a command that sleeps says it well enough, others are unknown. */
function preStopMs(hook: Fields | null): number | null {
  if (hook === null) return null;
  const sleep = hook.optionalObject("sleep");
  if (sleep !== null) return (sleep.count("seconds") ?? 0) * 1000;
  const exec = hook.optionalObject("exec");
  if (exec === null) return unknownLength;
  const command = exec.texts("command").join(" ");
  if (/\b(while|until|for)\b/.test(command)) return unknownLength;
  const sleeps = [...command.matchAll(/\bsleep\s+(\d{1,7}(?:\.\d{1,3})?)([smh]?)\b/g)];
  if (sleeps.length === 0) return unknownLength;
  return sleeps.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitMs(unit), 0);
}

const unknownLength = -1;

function unitMs(unit: string | undefined): number {
  return unit === "h" ? 3_600_000 : unit === "m" ? 60_000 : 1000;
}

/** True when a container asks the kubelet to restart the whole pod on an exit. */
export function restartsAllContainers(container: Fields): boolean {
  if (!isJsonList(container.raw("restartPolicyRules"))) return false;
  return container.objects("restartPolicyRules").some((rule) => rule.text("action") === "RestartAllContainers");
}

/** True when a mount states bind options of its own (1.37). */
export function bindsWithOptions(container: Fields): boolean {
  if (!container.anyHas("volumeMounts", "bindMountOptions")) return false;
  return container.objects("volumeMounts").some((mount) => {
    const options = mount.raw("bindMountOptions");
    return isJsonList(options) && options.length > 0;
  });
}

/** Of an init container: it runs beside the others. */
export function isSidecar(initContainer: Fields): boolean {
  return initContainer.text("restartPolicy") === "Always";
}
