import type { Minor } from "./cluster.ts";
import { nonZeroFillers, podLimits, podRequests, type Summed } from "./pod-requests.ts";
import type { Container, PodTemplate } from "./pod-template.ts";
import { type Amounts, milliUnits, toResources, wholeUnits } from "./quantity.ts";

/** What a spec comes to where no limit range and no runtime class has a say. */
export interface CountedSpec {
  readonly summed: Summed;
  readonly sums: Sums;
  readonly images: readonly string[];
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
}

type Sums = Pick<
  PodTemplate,
  "requests" | "limits" | "nonZeroMilliCpu" | "nonZeroMemoryBytes" | "scoredMilliCpu" | "scoredMemoryBytes"
>;

/** What the containers of a pod come to. Few combinations occur in a cluster; each is added up once. */
export class PodSums {
  readonly #numbers = new WeakMap<Amounts, number>();
  readonly #known = new Map<string, Sums>();
  #count = 0;

  of(summed: Summed, minor: Minor): Sums {
    const key = this.#keyOf(summed, minor);
    let sums = this.#known.get(key);
    if (sums === undefined) {
      sums = sumsOf(summed, minor);
      this.#known.set(key, sums);
    }
    return sums;
  }

  #keyOf({ containers, initContainers, podLevel, overhead }: Summed, minor: Minor): string {
    let key = `${minor}`;
    for (const { requests, limits } of containers) key += `,${this.#number(requests)}/${this.#number(limits)}`;
    for (const { requests, limits, sidecar } of initContainers) {
      key += `${sidecar ? "+" : "-"}${this.#number(requests)}/${this.#number(limits)}`;
    }
    if (podLevel !== null) key += `=${this.#number(podLevel.requests)}/${this.#number(podLevel.limits)}`;
    return `${key}~${this.#number(overhead)}`;
  }

  #number(amounts: Amounts): number {
    let number = this.#numbers.get(amounts);
    if (number === undefined) {
      this.#count += 1;
      number = this.#count;
      this.#numbers.set(amounts, number);
    }
    return number;
  }
}

function sumsOf(summed: Summed, minor: Minor): Sums {
  const requests = podRequests(summed, minor, null);
  const nonZero = podRequests(summed, minor, null, nonZeroFillers(summed, requests));
  const byContainers: Summed = { ...summed, podLevel: null };
  const scored = podRequests(byContainers, minor, null, nonZeroFillers(byContainers, requests));
  return {
    requests: toResources(requests),
    nonZeroMilliCpu: milliUnits(nonZero.get("cpu") ?? 0n),
    nonZeroMemoryBytes: wholeUnits(nonZero.get("memory") ?? 0n),
    scoredMilliCpu: milliUnits(scored.get("cpu") ?? 0n),
    scoredMemoryBytes: wholeUnits(scored.get("memory") ?? 0n),
    limits: toResources(podLimits(summed)),
  };
}
