import type { PodTemplate, PodVolume } from "../model/pod-template.ts";
import { derivedTemplate } from "../model/template-content.ts";
import type { StatefulSet } from "../model/workload.ts";
import { groupPod } from "./group-pod.ts";

export const revisionLabel = "controller-revision-hash";

/** `<set>-<ordinal>` */
export function statefulPodName(set: StatefulSet, ordinal: number): string {
  return `${set.ref.name}-${ordinal}`;
}

/**
 * A StatefulSet's pod: its name, index and revision as labels, its host name, and its own claims in place of the claim
 * templates' volumes. Then whatever webhooks of its owner add.
 * Mirrors: pkg/controller/statefulset/stateful_set_utils.go newStatefulSetPod, updateStorage, 1.36.
 */
export function statefulPod(set: StatefulSet, template: PodTemplate, ordinal: number, revision: string): PodTemplate {
  const name = statefulPodName(set, ordinal);
  const labels: (readonly [string, string])[] = [
    ["statefulset.kubernetes.io/pod-name", name],
    ["apps.kubernetes.io/pod-index", String(ordinal)],
  ];
  if (revision !== "") labels.push([revisionLabel, revision]);
  const volumes = [...claimsOf(set, name), ...template.volumes.filter((volume) => !isTemplated(set, volume))];
  const pod = derivedTemplate(template, labels, { hostname: name, subdomain: set.serviceName, volumes });
  return groupPod(pod, name, ordinal);
}

function claimsOf(set: StatefulSet, podName: string): readonly PodVolume[] {
  return set.volumeClaimTemplates.map(({ name }) => ({
    kind: "claim",
    volume: name,
    claimName: `${name}-${podName}`,
    readOnly: false,
  }));
}

function isTemplated(set: StatefulSet, { volume }: PodVolume): boolean {
  return set.volumeClaimTemplates.some(({ name }) => name === volume);
}
