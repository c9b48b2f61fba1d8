/** A rule of ours made wrong in one line. The comparison has to notice. */
export interface Mutation {
  /** Below src/. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

function of(file: string, from: string, to: string): Mutation {
  return { file, from, to };
}

const filters = "scheduler/filters";
const devices = "scheduler/filters/dynamic-resources";
const scores = "scheduler/scores";

export const mutations: readonly Mutation[] = [
  of(`${filters}/node-unschedulable.ts`, "node.unschedulable && !tolerated", "node.unschedulable"),
  of(`${filters}/node-name.ts`, "minor >= 37", "minor >= 36"),
  of(`${filters}/node-affinity.ts`, "left.intersection(right)", "left.union(right)"),
  of(`${filters}/node-affinity.ts`, 'key === "metadata.name" && operator === "In"', 'key === "metadata.name"'),
  of(
    "model/node-selector.ts",
    'if (operator === "In") return field === values[0];',
    'if (operator === "In") return true;',
  ),
  of(
    "model/taints.ts",
    'toleration.effect !== "" && toleration.effect !== taint.effect',
    "toleration.effect !== taint.effect",
  ),
  of(
    "model/taints.ts",
    'toleration.operator === "Equal" && toleration.value === taint.value',
    'toleration.operator === "Equal"',
  ),
  of(`${filters}/node-resources-fit.ts`, "amount <= total - used", "amount < total - used"),
  of(
    `${filters}/node-resources-fit.ts`,
    "if (amount > total) beyondNode += 1;",
    "if (amount >= total) beyondNode += 1;",
  ),
  of(`${filters}/node-resources-fit.ts`, "node.podCount + 1 > podsMax", "node.podCount > podsMax"),
  of(`${filters}/node-ports.ts`, "everyAddress(a) || everyAddress(b) ||", "everyAddress(b) ||"),
  of(`${filters}/node-ports.ts`, "a.port !== b.port || a.protocol !== b.protocol", "a.port !== b.port"),
  of(`${filters}/node-declared-features.ts`, "needed.every(", "needed.some("),
  of(
    `${filters}/pod-topology-spread.ts`,
    "(this.#fewest[i] ?? 0) > rule.maxSkew",
    "(this.#fewest[i] ?? 0) >= rule.maxSkew",
  ),
  of(`${filters}/pod-topology-spread.ts`, "counts.size < rule.minDomains", "counts.size <= rule.minDomains"),
  of(`${filters}/pod-topology-spread.ts`, "rule.matches(this.#pod.template) ? 1 : 0", "1"),
  of(
    "scheduler/spread-rule.ts",
    'constraint.nodeAffinityPolicy === "Honor"',
    'constraint.nodeAffinityPolicy === "Ignore"',
  ),
  of(
    "scheduler/spread-rule.ts",
    "!(rule.honorsTaints && repelled(node.taints, template.tolerations))",
    "!repelled(node.taints, template.tolerations)",
  ),
  of(
    "scheduler/spread-rule.ts",
    "for (const [template, { staying }] of sortedOut(node).byTemplate) {",
    "for (const [template, { all: staying }] of sortedOut(node).byTemplate) {",
  ),
  of("scheduler/spread-rule.ts", "if (rule.selectsAll) return 0;", ""),
  of(
    `${filters}/inter-pod-affinity.ts`,
    "if (domain === undefined) return false;",
    "if (domain === undefined) continue;",
  ),
  of(
    `${filters}/inter-pod-affinity.ts`,
    "this.#counted.affinity.isEmpty() && matchesAllTerms(affinity, template)",
    "this.#counted.affinity.isEmpty()",
  ),
  of(
    `${filters}/inter-pod-affinity.ts`,
    "(domains.get(domain) ?? 0) > 0) return true",
    "(domains.get(domain) ?? 0) > 1) return true",
  ),
  of("scheduler/affinity-term.ts", "terms.length > 0 && terms.every(", "terms.some("),
  of(
    "scheduler/affinity-term.ts",
    "if (matchesEverything(selector)) return true;",
    "if (matchesEverything(selector)) return false;",
  ),
  of(
    `${filters}/node-volume-limits.ts`,
    "countOf(attached, driver) + more > limit",
    "countOf(attached, driver) + more >= limit",
  ),
  of(`${filters}/node-volume-limits.ts`, "for (const unique of attached.keys()) added.delete(unique);", ""),
  of(
    `${filters}/volume-binding.ts`,
    "volume.capacityBytes < smallest.capacityBytes",
    "volume.capacityBytes > smallest.capacityBytes",
  ),
  of(`${filters}/volume-binding.ts`, "limit < claim.requestBytes", "limit <= claim.requestBytes"),
  of(`${filters}/volume-binding.ts`, "capacity.maximumVolumeBytes ?? capacity.capacityBytes", "capacity.capacityBytes"),
  of(
    `${filters}/volume-binding.ts`,
    'claim.selectedNode !== "" && claim.selectedNode !== node.name',
    'claim.selectedNode !== ""',
  ),
  of(
    `${filters}/node-volume-limits.ts`,
    "for (const [unique, driver] of otherAttachments(view.cluster, node.name)) attached.set(unique, driver);",
    "",
  ),
  of(
    `${devices}/allocator.ts`,
    "this.#inventory.features.checksPools && this.#pools.some(",
    "!this.#inventory.features.checksPools && this.#pools.some(",
  ),
  of(`${filters}/volume-restrictions.ts`, 'disk.type === "awsElasticBlockStore" ||', ""),
  of(`${filters}/volume-restrictions.ts`, "if (this.#inUse > 0)", "if (this.#inUse > 1)"),
  of(`${filters}/volume-zone.ts`, "if (!topologyLabels.some((label) => node.labels.has(label))) return pass;", ""),
  of(`${filters}/volume-zone.ts`, 'label.split("__")', 'label.split("_")'),
  of(
    `${devices}/constraints.ts`,
    "if (count > 0 && !same(attribute, value)) return false;",
    "if (count > 1 && !same(attribute, value)) return false;",
  ),
  of(`${devices}/counters.ts`, "amount >= 0", "amount > 0"),
  of(`${devices}/taints.ts`, '(key === "" || key === taint.key) &&', "(key !== taint.key) &&"),
  of(`${devices}/pools.ts`, "own.length !== first.pool.sliceCount) {", "own.length > first.pool.sliceCount) {"),
  of(`${scores}/dynamic-resources.ts`, "alternativesMax - index", "alternativesMax"),
  of(`${scores}/least-allocated.ts`, "Math.trunc(sum / counted)", "Math.round(sum / counted)"),
  of(
    `${scores}/balanced-allocation.ts`,
    "Math.trunc((half + withPod - withoutPod) / 2)",
    "Math.round((half + withPod - withoutPod) / 2)",
  ),
  of(`${scores}/balanced-allocation.ts`, "Math.abs((cpu - memory) / 2)", "Math.abs(cpu - memory)"),
  of(`${scores}/image-locality.ts`, "image.bytes * (image.nodes / total)", "image.bytes"),
  of(`${scores}/image-locality.ts`, "const leastBytes = 23 * megabyte;", "const leastBytes = 24 * megabyte;"),
  of(`${scores}/inter-pod-affinity.ts`, "const requiredTermWeight = 1;", "const requiredTermWeight = 0;"),
  of(`${scores}/inter-pod-affinity.ts`, "(score - lowest) / span", "score / highest"),
  of(`${scores}/pod-topology-spread.ts`, "return Math.round(score);", "return Math.trunc(score);"),
  of(`${scores}/pod-topology-spread.ts`, "(counts[i]?.size ?? 0)) + 2)", "(counts[i]?.size ?? 0)) + 1)"),
  of(
    `${scores}/pod-topology-spread.ts`,
    "{ topologyKey: hostname, maxSkew: 3 }",
    "{ topologyKey: hostname, maxSkew: 2 }",
  ),
  of(`${scores}/taint-toleration.ts`, 'taint.effect === "PreferNoSchedule" &&', 'taint.effect === "NoSchedule" &&'),
  of(`${scores}/normalize.ts`, "Math.trunc((maxScore * score) / highest)", "Math.round((maxScore * score) / highest)"),
  of(
    "scheduler/preemption/victims.ts",
    "startOf(cycle, a) - startOf(cycle, b)",
    "startOf(cycle, b) - startOf(cycle, a)",
  ),
  of("scheduler/preemption/victims.ts", "if (rest < 0) violates = true;", "if (rest <= 0) violates = true;"),
  of(
    "scheduler/preemption/victims.ts",
    "pod.template.priority < cycle.pod.template.priority",
    "pod.template.priority <= cycle.pod.template.priority",
  ),
  of("scheduler/preemption/pick-node.ts", "pod.template.priority + 2 ** 31", "pod.template.priority"),
  of("scheduler/sampling.ts", "const nodesMin = 100;", "const nodesMin = 99;"),
  of(
    "scheduler/node-order.ts",
    "if (node !== undefined) ordered.push(node);",
    "if (node !== undefined) ordered.unshift(node);",
  ),
  of(
    "scheduler/fit-error.ts",
    "(nodes.get(absent) ?? 0) + nodesTotal - verdicts.size",
    "(nodes.get(absent) ?? 0) + nodesTotal",
  ),
  of(
    "scheduler/framework.ts",
    "other.template.priority >= cycle.pod.template.priority",
    "other.template.priority > cycle.pod.template.priority",
  ),
];
