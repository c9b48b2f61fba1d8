import { findingRule, nameOf } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";
import { zeroScaler } from "./scaled-to-zero.ts";

/** An autoscaler may take the path down to one replica, and undoes replicas set elsewhere. */
export const autoscalerFloor = findingRule({
  name: "autoscaler-floor",
  code: "HF019",
  title: "An autoscaler whose floor is one replica",
  explain: `A HorizontalPodAutoscaler or KEDA ScaledObject owns the replicas of this part, and its minimum is 1. At a quiet hour, which is when maintenance is done, there is one replica, whatever the count is now. Replicas set on the workload itself (a surge before a drain, say) are undone at its next sync.

Raise the minimum to 2, at the object that makes the autoscaler.

It is a warning: Holdfast plays the load as it is, so nothing is called safe that hangs on more than the minimum. Where one replica runs now, HF001 says so and where the minimum is.`,
  messages: {
    floorOfOne: (f: { part: string; autoscaler: string; now: number; remedy: string }) => ({
      message: `${f.autoscaler} may scale ${f.part} (${f.now} now) down to one pod, and undoes replicas set elsewhere.`,
      remedy: f.remedy,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { workload, hop, units } = stop;
      const scaler = scene.view.autoscalers.find(({ target }) => target === workload?.key);
      if (scaler === undefined || !hop.needed || units < 2 || scaler.minReplicas > 1) return [];
      // What may even go to zero is told of by that.
      if (zeroScaler(scene, stop) !== null) return [];
      const maker = scaler.owner === null ? undefined : scene.cluster.others.get(scaler.owner);
      const remedy =
        maker?.ref.kind === "ScaledObject"
          ? `Set spec.minReplicaCount of ${refText(maker.ref)} to 2: KEDA writes the autoscaler's minimum from it.`
          : `Raise the minimum of ${refText(scaler.ref)} to 2, where it is written.`;
      const facts = { part: nameOf(stop), autoscaler: refText(scaler.ref), now: units, remedy };
      return [say.of(stop, { severity: "warning", quiet: true, source: scaler.source }, "floorOfOne", facts)];
    }),
});
