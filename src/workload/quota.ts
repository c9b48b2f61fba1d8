import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView } from "../model/view.ts";

export function admitByQuota(_view: ClusterView, _namespace: string, _template: PodTemplate): string | null {
  return null;
}
