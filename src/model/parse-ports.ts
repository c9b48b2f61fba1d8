import { none } from "../base/none.ts";
import type { Fields } from "../wire/fields.ts";
import type { HostPort } from "./pod-template.ts";
import type { WrittenContainer } from "./written-pod.ts";

export type ContainerPort = WrittenContainer["ports"][number];

export function parsePorts(container: Fields, name: string): readonly ContainerPort[] {
  return container.each(name, (port) => ({
    name: port.text("name"),
    containerPort: port.count("containerPort") ?? 0,
    protocol: port.text("protocol") || "TCP",
  }));
}

/** Ports held on the node. With host networking every port is one, as the API server fills in. */
export function parseHostPorts(container: Fields, name: string, hostNetwork: boolean): readonly HostPort[] {
  if (!hostNetwork && !container.anyHas(name, "hostPort")) return none;
  const ports: HostPort[] = [];
  for (const port of container.objects(name)) {
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
