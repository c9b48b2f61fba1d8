import type { HostPort } from "../../model/pod-template.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import { checkNodes, type Filter, type NodeCheck, pass, rejectForNow, skip, type Verdict } from "../framework.ts";

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
    const wanted = portsOf(pod);
    return wanted.length === 0 ? skip : checkNodes(new PortCheck(wanted, new Map()));
  },
} satisfies Filter & { messages: unknown };

class PortCheck implements NodeCheck {
  readonly #wanted: readonly HostPort[];
  /** Node → its taken ports by key, once a pod was taken away. Upstream keeps a set: what two pods share is free when one goes. */
  readonly #taken: Map<string, Map<string, HostPort>>;

  constructor(wanted: readonly HostPort[], taken: Map<string, Map<string, HostPort>>) {
    this.#wanted = wanted;
    this.#taken = taken;
  }

  filter(node: NodeView): Verdict {
    const clashes = (port: HostPort): boolean => this.#wanted.some((other) => conflict(port, other));
    const taken = this.#taken.get(node.name);
    if (taken !== undefined) return [...taken.values()].some(clashes) ? rejected : pass;
    return node.pods.some((pod) => pod.template.hostPorts.some(clashes)) ? rejected : pass;
  }

  fork(): NodeCheck {
    return new PortCheck(this.#wanted, new Map([...this.#taken].map(([node, taken]) => [node, new Map(taken)])));
  }

  podAdded(pod: PodView, node: NodeView): void {
    const taken = this.#taken.get(node.name);
    if (taken !== undefined) for (const port of portsOf(pod)) taken.set(keyOf(port), port);
  }

  podRemoved(pod: PodView, node: NodeView): void {
    const taken =
      this.#taken.get(node.name) ?? new Map(node.pods.flatMap(portsOf).map((port) => [keyOf(port), port] as const));
    for (const port of portsOf(pod)) taken.delete(keyOf(port));
    this.#taken.set(node.name, taken);
  }

  reserve(): readonly [] {
    return [];
  }
}

function portsOf({ template }: PodView): readonly HostPort[] {
  return template.hostPorts.filter(({ port }) => port > 0);
}

function keyOf({ hostIp, protocol, port }: HostPort): string {
  return `${hostIp === "" ? "0.0.0.0" : hostIp} ${protocol} ${port}`;
}

function conflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return everyAddress(a) || everyAddress(b) || a.hostIp === b.hostIp;
}

function everyAddress({ hostIp }: HostPort): boolean {
  return hostIp === "" || hostIp === "0.0.0.0";
}
