import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import type { Plane } from "./plane.ts";

/** As client-go's leader election is set for endpoint pickers, ms. */
const leaseMs = 15_000;
const retryMs = 2_000;

/**
 * Endpoint pickers that elect a leader, as their kubelet sees them: a pod asks for its pool's Lease every two seconds, keeps it while it
 * lives, and gives it back when it is told to stop. Whoever holds it is Ready, nobody else.
 */
export class Elections {
  readonly #plane: Plane;
  readonly #asksAt = new Map<string, number>();

  constructor(plane: Plane) {
    this.#plane = plane;
  }

  /** A running pod's turn: whether it holds the Lease now. `isReady`: it answered until now, so it held it before anyone looked. */
  async holds(pod: JsonObject, isReady: boolean): Promise<boolean> {
    const [path, me] = [leaseOf(pod), uidOf(pod)];
    const now = Date.now();
    if (now < (this.#asksAt.get(me) ?? 0)) return isReady;
    this.#asksAt.set(me, now + retryMs);
    const { status, body } = await this.#plane.call("GET", path);
    const spec = isJsonObject(body["spec"]) ? body["spec"] : {};
    const holder = String(spec["holderIdentity"] ?? "");
    const isOver = now - Date.parse(String(spec["renewTime"])) > leaseMs;
    if (status === 404) return isReady && (await this.#create(path, me));
    return (holder === me || holder === "" || isOver) && (await this.#write(path, body, me));
  }

  /** Told to stop. */
  async gives(pod: JsonObject): Promise<void> {
    const { body } = await this.#plane.call("GET", leaseOf(pod));
    const spec = body["spec"];
    if (isJsonObject(spec) && spec["holderIdentity"] === uidOf(pod)) await this.#write(leaseOf(pod), body, "");
  }

  async #create(path: string, holder: string): Promise<boolean> {
    const [at, name] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec: held(holder) };
    return (await this.#plane.call("POST", at, lease)).status < 300;
  }

  /** With the version that was read: of two who ask at once one is refused. */
  async #write(path: string, lease: JsonObject, holder: string): Promise<boolean> {
    return (await this.#plane.call("PUT", path, { ...lease, spec: held(holder) })).status < 300;
  }
}

/** Whether a pod is Ready only as the leader of its pool. */
export function isElected(pod: JsonObject): boolean {
  return argumentsOf(pod).some((word) => word === flag || word === `${flag}=true`);
}

const flag = "--ha-enable-leader-election";

function leaseOf(pod: JsonObject): string {
  const words = argumentsOf(pod);
  const at = words.indexOf("--pool-name");
  const joined = words.find((word) => word.startsWith("--pool-name="));
  const pool = joined?.slice("--pool-name=".length) ?? (at < 0 ? "pool" : words[at + 1]);
  const namespace = isJsonObject(pod["metadata"]) ? String(pod["metadata"]["namespace"]) : "";
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/epp-${namespace}-${pool}.llm-d.ai`;
}

function argumentsOf({ spec }: JsonObject): readonly string[] {
  const containers = isJsonObject(spec) && Array.isArray(spec["containers"]) ? spec["containers"] : [];
  return containers
    .filter(isJsonObject)
    .flatMap(({ command, args }) =>
      [command, args].flatMap((words) => (Array.isArray(words) ? words.map(String) : [])),
    );
}

function uidOf({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? String(metadata["uid"]) : "";
}

function held(holderIdentity: string): JsonObject {
  const now = new Date().toISOString().replace(/Z$/, "000Z");
  return { holderIdentity, leaseDurationSeconds: leaseMs / 1000, acquireTime: now, renewTime: now };
}
