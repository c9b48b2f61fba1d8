import { none, orNone } from "../base/none.ts";
import type { Fields } from "../wire/fields.ts";
import { ReadAlike } from "../wire/read-alike.ts";
import { ReadBefore } from "../wire/read-before.ts";
import { bindsWithOptions, isSidecar, parseContainer, restartsAllContainers } from "./parse-container.ts";
import { type ContainerPort, parseHostPorts, parsePorts } from "./parse-ports.ts";
import { parseToleration } from "./parse-toleration.ts";
import { parsePodVolume } from "./parse-volume.ts";
import type { HostPort, PodVolume, Toleration } from "./pod-template.ts";
import type { Amounts, QuantityReader } from "./quantity.ts";
import { containersRead, numberedIn, tolerationsRead, volumesRead } from "./spec-reading.ts";
import type { WrittenContainer } from "./written-pod.ts";

/** The volumes that matter, and the images that are mounted as one. */
export interface SpecVolumes {
  readonly volumes: readonly PodVolume[];
  readonly images: readonly string[];
}

type ContainerList = "containers" | "initContainers";

/** A list of containers, and what the whole spec takes from it. */
export interface SpecContainers {
  readonly written: readonly WrittenContainer[];
  readonly hostPorts: readonly HostPort[];
  readonly restartAll: boolean;
  readonly bindWithOptions: boolean;
}

/** The parts of specs that most specs have in common: what is written in the same bytes is read once. */
export class SpecParts {
  readonly quantities: QuantityReader;
  readonly #ports = new ReadBefore<readonly ContainerPort[]>(1 << 16, 1 << 9);
  readonly #containers = new ReadAlike<SpecContainers>(listBytes);
  readonly #initContainers = new ReadAlike<SpecContainers>(listBytes);
  readonly #tolerations = new ReadAlike<readonly Toleration[]>(listBytes);
  readonly #volumes = new ReadAlike<SpecVolumes>(listBytes);
  /** How a spec is read that is one by these parts. */
  readonly reading = numberedIn({
    containers: this.#containers.numbers,
    initContainers: this.#initContainers.numbers,
    volumes: this.#volumes.numbers,
  });

  constructor(quantities: QuantityReader) {
    this.quantities = quantities;
  }

  amounts(fields: Fields, name: string): Amounts {
    return this.quantities.amounts(fields, name);
  }

  ports(container: Fields): readonly ContainerPort[] {
    return container.once("ports", this.#ports, parsePorts);
  }

  containers(spec: Fields, hostNetwork: boolean): SpecContainers {
    return this.#listOf(spec, "containers", hostNetwork);
  }

  initContainers(spec: Fields, hostNetwork: boolean): SpecContainers {
    return this.#listOf(spec, "initContainers", hostNetwork);
  }

  #listOf(spec: Fields, name: ContainerList, hostNetwork: boolean): SpecContainers {
    const before = name === "containers" ? this.#containers : this.#initContainers;
    const alike = { before, reading: containersRead, besides: hostNetwork ? "host" : "" };
    return spec.onceAlike(name, alike, () => this.#readContainers(spec.objects(name), name, hostNetwork));
  }

  #readContainers(containers: readonly Fields[], name: ContainerList, hostNetwork: boolean): SpecContainers {
    if (containers.length === 0) return noContainers;
    const where = name === "containers" ? "main" : "init";
    // Those that end before the pod runs hold no host port in the scheduler's books.
    const running = where === "main" ? containers : containers.filter(isSidecar);
    return {
      written: containers.map((container) => parseContainer(container, this, where)),
      hostPorts: orNone(running.flatMap((container) => parseHostPorts(container, "ports", hostNetwork))),
      restartAll: containers.some(restartsAllContainers),
      bindWithOptions: containers.some(bindsWithOptions),
    };
  }

  tolerations(spec: Fields): readonly Toleration[] {
    const alike = { before: this.#tolerations, reading: tolerationsRead };
    return spec.onceAlike("tolerations", alike, (fields, name) => fields.each(name, parseToleration));
  }

  volumes(spec: Fields): SpecVolumes {
    const alike = { before: this.#volumes, reading: volumesRead };
    return spec.onceAlike("volumes", alike, (fields, name) => this.#readVolumes(fields.objects(name)));
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

const noContainers: SpecContainers = { written: none, hostPorts: none, restartAll: false, bindWithOptions: false };

const listBytes = 8 << 20;
