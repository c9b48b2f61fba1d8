import { orNone } from "../base/none.ts";
import type { Fields } from "../wire/fields.ts";
import { ReadBefore } from "../wire/read-before.ts";
import { type ContainerPort, parseHostPorts, parsePorts } from "./parse-ports.ts";
import { parseToleration } from "./parse-toleration.ts";
import { parsePodVolume } from "./parse-volume.ts";
import type { HostPort, PodVolume, Toleration } from "./pod-template.ts";
import type { Amounts, QuantityReader } from "./quantity.ts";

/** The volumes that matter, and the images that are mounted as one. */
export interface SpecVolumes {
  readonly volumes: readonly PodVolume[];
  readonly images: readonly string[];
}

/** The parts of specs that most specs have in common: what is written in the same bytes is read once. */
export class SpecParts {
  readonly quantities: QuantityReader;
  readonly #ports = new ReadBefore<readonly ContainerPort[]>(roomBytes, entries);
  readonly #hostPorts = new ReadBefore<readonly HostPort[]>(roomBytes, entries);
  readonly #tolerations = new ReadBefore<readonly Toleration[]>(roomBytes, entries);
  readonly #volumes = new ReadBefore<SpecVolumes>(roomBytes, entries);

  constructor(quantities: QuantityReader) {
    this.quantities = quantities;
  }

  amounts(fields: Fields, name: string): Amounts {
    return this.quantities.amounts(fields, name);
  }

  ports(container: Fields): readonly ContainerPort[] {
    return container.once("ports", this.#ports, parsePorts);
  }

  hostPorts(container: Fields, hostNetwork: boolean): readonly HostPort[] {
    if (hostNetwork) return parseHostPorts(container, "ports", hostNetwork);
    return container.once("ports", this.#hostPorts, (fields, name) => parseHostPorts(fields, name, false));
  }

  tolerations(spec: Fields): readonly Toleration[] {
    return spec.once("tolerations", this.#tolerations, (fields, name) => fields.each(name, parseToleration));
  }

  volumes(spec: Fields): SpecVolumes {
    return spec.once("volumes", this.#volumes, (fields, name) => this.#readVolumes(fields.objects(name)));
  }

  #readVolumes(volumes: readonly Fields[]): SpecVolumes {
    const read = volumes.map((volume) => parsePodVolume(volume, this.quantities)).filter((volume) => volume !== null);
    const images = volumes
      .filter((volume) => volume.has("image"))
      .map((volume) => volume.object("image").text("reference"))
      .filter((reference) => reference !== "");
    return { volumes: orNone(read), images: orNone(images) };
  }
}

const roomBytes = 1 << 16;
const entries = 1 << 9;
