import type { LabelSelector } from "../model/labels.ts";
import { parseSelectorText } from "../model/selector-text.ts";

/** Where a router that finds its engines itself says it looks for them. */
export interface Sought {
  /** `prefill`, `decode`; "" where an engine does everything. */
  readonly role: string;
  /** Pods with these labels; empty namespace: of all. Null: they are named by host. */
  readonly pods: { readonly namespace: string; readonly selector: LabelSelector } | null;
  /** Hosts of the addresses it has. */
  readonly hosts: readonly string[];
}

const roles = [
  { role: "", selectors: ["--selector", "--k8s-label-selector"], addresses: ["--worker-urls", "--static-backends"] },
  { role: "prefill", selectors: ["--prefill-selector"], addresses: ["--prefill"] },
  { role: "decode", selectors: ["--decode-selector"], addresses: ["--decode"] },
] as const;
const namespaceFlags = ["--service-discovery-namespace", "--k8s-namespace"] as const;

/**
 * What the arguments of a router say of its engines, one for each way and role.
 * Mirrors: SGLang Model Gateway 0.3, SMG 1.x, vLLM router 0.1, the router of vLLM production-stack 0.1.12.
 */
export function soughtBy(texts: readonly string[]): readonly Sought[] {
  const flags = flagsOf(texts);
  const valuesOf = (names: readonly string[]): readonly string[] => names.flatMap((name) => flags.get(name) ?? []);
  const [namespace = ""] = valuesOf(namespaceFlags);
  return roles.flatMap(({ role, selectors, addresses }): readonly Sought[] => {
    // Addresses are left aside where discovery is on.
    const terms = flags.has("--service-discovery") ? valuesOf(selectors) : [];
    const parsed = parseSelectorText(terms.join(","));
    if (terms.length > 0 && parsed.ok) return [{ role, pods: { namespace, selector: parsed.selector }, hosts: [] }];
    const hosts = valuesOf(addresses).flatMap((value) => value.split(",").flatMap(hostOf));
    return hosts.length > 0 ? [{ role, pods: null, hosts }] : [];
  });
}

/** `--flag value value`, `--flag=value`, a flag again: all its values. Shell text in one argument is looked into. */
function flagsOf(texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const flags = new Map<string, string[]>();
  let values: string[] = [];
  for (const word of texts.flatMap((text) => (/\s--/.test(text) ? text.split(/[\s\\]+/) : [text]))) {
    const [, flag, first] = /^(--[A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === undefined) {
      if (word !== "") values.push(unquoted(word));
      continue;
    }
    values = flags.get(flag) ?? [];
    flags.set(flag, values);
    if (first !== undefined) values.push(unquoted(first));
  }
  return flags;
}

function unquoted(text: string): string {
  return text.replace(/^["']|["']$/g, "");
}

/** A bootstrap port beside an address is no host. */
function hostOf(address: string): readonly string[] {
  const [, host] = /^[a-z]+:\/\/([A-Za-z0-9.-]+)/.exec(unquoted(address.trim())) ?? [];
  return host === undefined ? [] : [host];
}
