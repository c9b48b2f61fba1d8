import type { Minor, ModelVersion } from "./cluster.ts";
import type { Node } from "./node.ts";

const oldest = 34;
const newest = 37;
const whenUnknown: Minor = 36;

/** The server's own version, else the newest kubelet's (no kubelet is newer than its server), else 1.36. */
export function modelVersion(serverVersion: string, nodes: readonly Node[]): ModelVersion {
  const server = minorOf(serverVersion);
  if (server !== null) return { reported: serverVersion, minor: nearest(server), exact: isModelled(server) };
  let reported = "";
  let minor: number | null = null;
  for (const node of nodes) {
    const kubelet = minorOf(node.kubeletVersion);
    if (kubelet === null || (minor !== null && kubelet <= minor)) continue;
    minor = kubelet;
    reported = node.kubeletVersion;
  }
  if (minor === null) return { reported: serverVersion, minor: whenUnknown, exact: false };
  return { reported, minor: nearest(minor), exact: isModelled(minor) };
}

/** 36 of `v1.36.3`, `1.36.3-gke.100`, `v1.36.3+k3s1`; null of anything else. */
function minorOf(version: string): number | null {
  const parts = /^v?1\.(\d{1,3})(?:\D|$)/.exec(version);
  return parts === null ? null : Number(parts[1]);
}

function isModelled(minor: number): boolean {
  return minor >= oldest && minor <= newest;
}

function nearest(minor: number): Minor {
  if (minor <= 34) return 34;
  if (minor === 35) return 35;
  return minor === 36 ? 36 : 37;
}
