import type { Minor } from "../../../model/cluster.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import { maxScore, scaledDown } from "../../../scheduler/scores/normalize.ts";
import type { NodeTable } from "./table.ts";

/**
 * What a node scores by its own amounts: least allocated and balanced allocation. The formulas are those of
 * src/scheduler/scores, read from columns; a test holds the two against each other.
 */
export function aloneScore(table: NodeTable, minor: Minor, template: PodTemplate, at: number): number {
  return leastAllocated(table, template, at) + balanced(table, minor, template, at);
}

function leastAllocated(table: NodeTable, { scoredMilliCpu, scoredMemoryBytes }: PodTemplate, at: number): number {
  const cpuTotal = table.milliCpu.total[at] ?? 0;
  const memoryTotal = table.memory.total[at] ?? 0;
  const counted = (cpuTotal === 0 ? 0 : 1) + (memoryTotal === 0 ? 0 : 1);
  if (counted === 0) return 0;
  const cpuUsed = (table.nonZeroMilliCpu[at] ?? 0) + scoredMilliCpu;
  const memoryUsed = (table.nonZeroMemory[at] ?? 0) + scoredMemoryBytes;
  return Math.trunc((left(cpuUsed, cpuTotal) + left(memoryUsed, memoryTotal)) / counted);
}

function left(used: number, total: number): number {
  return total === 0 || used > total ? 0 : scaledDown(total - used, maxScore, total);
}

function balanced(table: NodeTable, minor: Minor, { requests }: PodTemplate, at: number): number {
  const { milliCpu, memoryBytes } = requests;
  if (milliCpu === 0 && memoryBytes === 0) return 0;
  const withPod = evenness(table, at, milliCpu, memoryBytes);
  if (minor <= 35) return withPod;
  const half = maxScore / 2;
  return half + Math.trunc((half + withPod - evenness(table, at, 0, 0)) / 2);
}

function evenness({ milliCpu, memory }: NodeTable, at: number, addedMilliCpu: number, addedBytes: number): number {
  const cpuTotal = milliCpu.total[at] ?? 0;
  const memoryTotal = memory.total[at] ?? 0;
  let deviation = 0;
  if (cpuTotal !== 0 && memoryTotal !== 0) {
    const cpuShare = Math.min(1, ((milliCpu.used[at] ?? 0) + addedMilliCpu) / cpuTotal);
    const memoryShare = Math.min(1, ((memory.used[at] ?? 0) + addedBytes) / memoryTotal);
    deviation = Math.abs((cpuShare - memoryShare) / 2);
  }
  return Math.trunc((1 - deviation) * maxScore);
}
