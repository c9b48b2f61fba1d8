import type { HostPort } from "../../model/pod-template.ts";
import { checkNodes, type Filter, pass, perNode, rejectForNow, skip } from "../framework.ts";

const messages = { taken: "node(s) didn't have free ports for the requested pod ports" } as const;
const rejected = rejectForNow(messages.taken);

/**
 * Host ports of a node are given out once per address and protocol; the address 0.0.0.0 (and none) stands for all.
 * Mirrors: plugins/nodeports, Kubernetes 1.34 to 1.37.
 */
export const nodePorts = {
  name: "NodePorts",
  messages,
  prepare({ pod }) {
    const wanted = pod.template.hostPorts.filter(({ port }) => port > 0);
    if (wanted.length === 0) return skip;
    const taken = (port: HostPort): boolean => wanted.some((other) => conflict(port, other));
    return checkNodes(perNode(({ pods }) => (pods.some((p) => p.template.hostPorts.some(taken)) ? rejected : pass)));
  },
} satisfies Filter & { messages: unknown };

function conflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return everyAddress(a) || everyAddress(b) || a.hostIp === b.hostIp;
}

function everyAddress({ hostIp }: HostPort): boolean {
  return hostIp === "" || hostIp === "0.0.0.0";
}
