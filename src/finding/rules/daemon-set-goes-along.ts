import { findingRule, nameOf } from "../finding-rule.ts";

/** A DaemonSet on the path, whose pods go down with their machines: no drain takes them, and nobody waits until they are back. */
export const daemonSetGoesAlong = findingRule({
  name: "daemon-set-goes-along",
  code: "HF034",
  title: "A DaemonSet that goes down with its nodes",
  explain: `Drains leave DaemonSet pods where they are, so no budget counts for them and none is moved: each goes down with its machine and starts anew with it. Who maintains nodes takes the next one as soon as the last is Ready, and a node is Ready before the pods on it are. With as many nodes as pods, the last one that serves goes while the first still starts.

Wait after each node until the DaemonSet's pod there is Ready, or let the DaemonSet have nodes that are not maintained at the same time.

It is told where a likely maintenance breaks the endpoint through this part, as an error.`,
  messages: {
    notAwaited: (f: { part: string; name: string; pods: number }) => ({
      message: `${f.part} is a DaemonSet of ${f.pods} pods: they go down with their machines, which no budget is asked about, and the next machine is taken before the pod on the last one is Ready.`,
      remedy: `After each node wait until its pod there is Ready (kubectl rollout status daemonset/${f.name}), or run it on a node more.`,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { hop, workload, pods, shown } = stop;
      if (workload?.kind !== "DaemonSet" || !hop.needed || pods.length < 2 || shown.broke.length === 0) return [];
      const about = { severity: "error" as const, breaks: true };
      return [say.of(stop, about, "notAwaited", { part: nameOf(stop), name: hop.ref.name, pods: pods.length })];
    }),
});
