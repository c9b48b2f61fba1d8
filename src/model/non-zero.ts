import type { PodTemplate } from "./pod-template.ts";
import type { Resources } from "./resources.ts";

/**
 * What a pod counts on its node for the least-allocated score: the template's amount, and what a resize under way adds or takes
 * on top of the template's requests.
 */
export function nonZeroMilliCpuOf({ template, requests }: Counted): number {
  return template.nonZeroMilliCpu + requests.milliCpu - template.requests.milliCpu;
}

export function nonZeroMemoryBytesOf({ template, requests }: Counted): number {
  return template.nonZeroMemoryBytes + requests.memoryBytes - template.requests.memoryBytes;
}

interface Counted {
  readonly template: PodTemplate;
  readonly requests: Resources;
}
