import { kubectlDrain } from "../../maintenance/actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "../../maintenance/actors/kubectl-drain-in-turn.ts";
import { findingRule, labelOf, namesOf } from "../finding-rule.ts";
import { maintainersOf, type Stop } from "../scene.ts";

/** kubectl drain refuses a node for one emptyDir. Mirrors: kubectl drain's local storage filter, 1.36. */
export const localData = findingRule({
  name: "local-data",
  code: "HF029",
  title: "Local data on the path",
  explain: `Pods of the path have an emptyDir, be it only /dev/shm in memory. A plain kubectl drain refuses their whole node ("cannot delete Pods with local storage"), evicts nothing, and leaves the node cordoned; people then add --delete-emptydir-data, which is what Holdfast takes them to type. Other actors evict such pods anyway, and what was in the emptyDir is gone.

For a cache that is loaded again this is only a longer start. Data that must stay belongs into a volume claim.

It is a note, told once for all parts, where somebody may drain with kubectl.`,
  messages: {
    emptyDir: (f: { parts: string }) => ({
      message: `Pods of ${f.parts} have an emptyDir: kubectl drain refuses their nodes without --delete-emptydir-data, and what is in it is gone after an eviction.`,
      remedy: "Drain with --delete-emptydir-data where it is a cache; else keep the data in a volume claim.",
    }),
  },
  look: (scene, say) => {
    const kept = scene.stops.filter(
      (stop) =>
        volumesOf(stop).length > 0 &&
        stop.workload?.kind !== "DaemonSet" &&
        maintainersOf(scene, stop).some(({ name }) => byHand.includes(name)),
    );
    if (kept.length === 0) return [];
    const evidence = kept.map((stop) => `${labelOf(stop)}: ${volumesOf(stop).join(", ")}`);
    return [say.ofAll(kept, { severity: "note", evidence }, "emptyDir", { parts: namesOf(kept) })];
  },
});

const byHand: readonly string[] = [kubectlDrain.name, kubectlDrainInTurn.name];

function volumesOf({ template }: Stop): readonly string[] {
  return template?.volumes.flatMap((volume) => (volume.kind === "emptyDir" ? [volume.volume] : [])) ?? [];
}
