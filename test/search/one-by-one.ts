import { repels } from "../../src/model/pod-index.ts";
import type { PodView } from "../../src/model/view.ts";
import type { KindView } from "../../src/sim/kind-view.ts";

/** Each pod as a kind by itself. */
export function oneByOne(pods: Iterable<PodView>): readonly KindView[] {
  return Array.from(pods, (pod) => {
    const nodes = pod.node === null ? [] : [pod.node.name];
    return {
      ...pod,
      priority: pod.template.priority,
      repels: repels(pod),
      phaseAsRead: pod.phase,
      deletingAsRead: pod.terminatingSinceMs !== null,
      count: 1,
      nodes: () => nodes,
      pods: () => [pod],
    };
  });
}
