import { type Fields, isJsonList } from "../wire/fields.ts";
import type { HostPort } from "./pod-template.ts";
import type { QuantityReader } from "./quantity.ts";
import type { WrittenContainer } from "./written-pod.ts";

export function parseContainer(
  container: Fields,
  quantities: QuantityReader,
  where: "main" | "init",
): WrittenContainer {
  const resources = container.object("resources");
  const limits = quantities.amounts(resources, "limits");
  const requests = quantities.completed(quantities.amounts(resources, "requests"), limits);
  return {
    name: container.text("name"),
    image: container.text("image"),
    args: container.texts("args"),
    command: container.texts("command"),
    hasReadinessProbe: container.has("readinessProbe"),
    hasStartupProbe: container.has("startupProbe"),
    preStopMs: preStopMs(container.object("lifecycle").optionalObject("preStop")),
    requests,
    limits,
    claims: resources.each("claims", (claim) => claim.text("name")),
    sidecar: where === "init" && container.text("restartPolicy") === "Always",
    ports: container.each("ports", (port) => ({
      name: port.text("name"),
      containerPort: port.count("containerPort") ?? 0,
      protocol: port.text("protocol") || "TCP",
    })),
  };
}

/** Ports held on the node. With host networking every port is one, as the API server fills in. */
export function parseHostPorts(container: Fields, hostNetwork: boolean): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const port of container.objects("ports")) {
    const stated = port.count("hostPort") ?? 0;
    const held = stated === 0 && hostNetwork ? (port.count("containerPort") ?? 0) : stated;
    if (held === 0) continue;
    ports.push({
      hostIp: port.text("hostIP") || "0.0.0.0",
      protocol: port.choice("protocol", ["TCP", "UDP", "SCTP"], "TCP"),
      port: held,
    });
  }
  return ports;
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
  return container.objects("volumeMounts").some((mount) => {
    const options = mount.raw("bindMountOptions");
    return isJsonList(options) && options.length > 0;
  });
}
