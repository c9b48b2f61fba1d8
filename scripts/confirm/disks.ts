import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import type { Plane } from "./plane.ts";

const attachmentsPath = "/apis/storage.k8s.io/v1/volumeattachments";

/**
 * A stand-in for the attacher of every storage driver: what the attach-detach controller asks for is attached. A pod starts on
 * its node once its disks are there. Clusters without CSINodes have no such disks.
 */
export class Disks {
  readonly #plane: Plane;
  #has: boolean | null = null;
  /** Node and volume. */
  #attached: ReadonlySet<string> = new Set();

  constructor(plane: Plane) {
    this.#plane = plane;
  }

  async look(): Promise<void> {
    this.#has ??= (await this.#plane.list("/apis/storage.k8s.io/v1/csinodes")).length > 0;
    if (!this.#has) return;
    const attached = new Set<string>();
    for (const { metadata, spec, status } of await this.#plane.list(attachmentsPath)) {
      if (!isJsonObject(metadata) || !isJsonObject(spec) || metadata["deletionTimestamp"] !== undefined) continue;
      const { source, nodeName } = spec;
      if (isJsonObject(source)) attached.add(`${String(nodeName)} ${String(source["persistentVolumeName"])}`);
      if (isJsonObject(status) && status["attached"] === true) continue;
      const path = `${attachmentsPath}/${String(metadata["name"])}/status`;
      await this.#plane.call("PATCH", path, { status: { attached: true } }, "application/merge-patch+json");
    }
    this.#attached = attached;
  }

  async areThere({ metadata, spec }: JsonObject): Promise<boolean> {
    if (this.#has !== true || !isJsonObject(metadata) || !isJsonObject(spec)) return true;
    const { volumes, nodeName } = spec;
    for (const volume of Array.isArray(volumes) ? volumes.filter(isJsonObject) : []) {
      const claim = volume["persistentVolumeClaim"];
      if (!isJsonObject(claim)) continue;
      const claims = `/api/v1/namespaces/${String(metadata["namespace"])}/persistentvolumeclaims`;
      const { body } = await this.#plane.call("GET", `${claims}/${String(claim["claimName"])}`);
      const bound = isJsonObject(body["spec"]) ? String(body["spec"]["volumeName"]) : "";
      if (!this.#attached.has(`${String(nodeName)} ${bound}`)) return false;
    }
    return true;
  }
}
