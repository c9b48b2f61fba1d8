import { sha1 } from "../base/sha1.ts";
import type { LabelSelector } from "../model/labels.ts";
import type { PodAffinityTerm, PodTemplate } from "../model/pod-template.ts";
import { derivedTemplate } from "../model/template-content.ts";

const prefix = "leaderworkerset.sigs.k8s.io/";

/** Labels and annotations of a LeaderWorkerSet's objects. */
export const groupLabels = {
  setName: `${prefix}name`,
  groupIndex: `${prefix}group-index`,
  groupKey: `${prefix}group-key`,
  workerIndex: `${prefix}worker-index`,
  revision: `${prefix}template-revision-hash`,
  size: `${prefix}size`,
  leaderName: `${prefix}leader-name`,
  replicas: `${prefix}replicas`,
  exclusiveTopology: `${prefix}exclusive-topology`,
} as const;

/**
 * What the LeaderWorkerSet's pod webhook adds to a pod of a set; other pods as they are. A leader gets its group's index
 * and key (a hash of its name, so the same again after a restart) and, with exclusive topology, the terms that keep other
 * groups out of its domain; a worker gets its index.
 * Not mirrored: subgroups, and environment.
 * Mirrors: kubernetes-sigs/lws pkg/webhooks/pod_webhook.go Default, v0.10.
 */
export function groupPod(template: PodTemplate, name: string, ordinal: number): PodTemplate {
  if (!template.labels.has(groupLabels.setName)) return template;
  if (template.labels.get(groupLabels.workerIndex) !== "0") {
    return derivedTemplate(template, [[groupLabels.workerIndex, String(ordinal)]]);
  }
  const key = groupKey(template.namespace, name);
  const labels = [
    [groupLabels.groupIndex, String(ordinal)],
    [groupLabels.groupKey, key],
  ] as const;
  const topologyKey = template.annotations.get(groupLabels.exclusiveTopology);
  return derivedTemplate(template, labels, topologyKey === undefined ? {} : exclusive(template, key, topologyKey));
}

export function groupKey(namespace: string, leader: string): string {
  return sha1(`${namespace}/${leader}`);
}

type Affinities = Pick<PodTemplate, "requiredPodAffinity" | "requiredPodAntiAffinity">;

function exclusive(template: PodTemplate, key: string, topologyKey: string): Affinities {
  const term = (requirements: LabelSelector["requirements"]): PodAffinityTerm => ({
    selector: { requirements, invalid: false },
    namespaces: [template.namespace],
    namespaceSelector: null,
    topologyKey,
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  });
  const label = groupLabels.groupKey;
  const own = term([{ key: label, operator: "In", values: [key] }]);
  const others = term([
    { key: label, operator: "Exists", values: [] },
    { key: label, operator: "NotIn", values: [key] },
  ]);
  return {
    requiredPodAffinity: [...template.requiredPodAffinity, own],
    requiredPodAntiAffinity: [...template.requiredPodAntiAffinity, others],
  };
}
