import { BlockList, isIP } from "node:net";

/** The proxy that the environment names for a server, as kubectl and curl read it; null: none, or none for this one. */
export function proxyOf(server: URL, environment: ReadonlyMap<string, string>): string | null {
  const named = (name: string): string =>
    environment.get(name.toLowerCase()) ?? environment.get(name.toUpperCase()) ?? "";
  const proxy = server.protocol === "https:" ? named("https_proxy") : named("http_proxy");
  const host = server.hostname.replace(/^\[|\]$/g, "");
  if (proxy === "" || isLoopback(host)) return null;
  const exempt = named("no_proxy").split(",");
  if (exempt.some((rule) => covers(rule.trim().toLowerCase(), host, server.port))) return null;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

function covers(rule: string, host: string, port: string): boolean {
  if (rule === "") return false;
  if (rule === "*") return true;
  if (isIP(host) !== 0) return coversAddress(rule, host);
  const [name = "", rulePort = ""] = rule.split(":");
  if (rulePort !== "" && rulePort !== (port === "" ? "443" : port)) return false;
  const bare = name.replace(/^\*?\./, "");
  return (host === bare && bare === name) || host.endsWith(`.${bare}`);
}

function coversAddress(rule: string, address: string): boolean {
  const [net = "", bits = ""] = rule.split("/");
  const family = isIP(net);
  if (family === 0 || family !== isIP(address)) return false;
  if (bits === "") return net === address;
  const length = Number(bits);
  if (!Number.isInteger(length) || length < 0 || length > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(net, length, kind);
  return list.check(address, kind);
}
