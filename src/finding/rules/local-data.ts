import { findingRule, nameOf } from "../finding-rule.ts";

/** kubectl drain refuses a node for one emptyDir. Mirrors: kubectl drain's local storage filter, 1.36. */
export const localData = findingRule({
  name: "local-data",
  code: "HF029",
  title: "Local data on the path",
  explain: `A pod of the path has an emptyDir. A plain kubectl drain refuses its whole node ("cannot delete Pods with local storage"), evicts nothing, and leaves the node cordoned; people then add --delete-emptydir-data. Other actors evict it and the data is gone.

For a cache that is loaded again this is only a longer start. It is a note.`,
  messages: {
    emptyDir: (f: { part: string; volumes: string }) => ({
      message: `Pods of ${f.part} keep data in emptyDir ${f.volumes}: kubectl drain refuses their nodes without --delete-emptydir-data, and the data is gone after an eviction.`,
      remedy: "Nothing, where the data is a cache; else keep it in a volume claim.",
    }),
  },
  look: ({ stops, actors }, say) =>
    stops.flatMap((stop) => {
      const volumes =
        stop.template?.volumes.flatMap((volume) => (volume.kind === "emptyDir" ? [volume.volume] : [])) ?? [];
      const refuses = actors.some(
        ({ name, drain }) => name === "kubectl-drain" && !drain.flags.includes("--delete-emptydir-data"),
      );
      if (volumes.length === 0 || !refuses || stop.workload?.kind === "DaemonSet") return [];
      return [
        say.of(stop, { severity: "note", quiet: true }, "emptyDir", {
          part: nameOf(stop),
          volumes: volumes.join(", "),
        }),
      ];
    }),
});
