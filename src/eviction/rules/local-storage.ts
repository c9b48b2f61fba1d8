import { drainRule, isFinished, pass } from "../drain-rule.ts";

/**
 * Pods with an emptyDir, memory-backed ones (/dev/shm) too, are refused unless --delete-emptydir-data is given.
 * Mirrors: kubectl pkg/drain/filters.go localStorageFilter, 0.36.3.
 */
export const localStorage = drainRule({
  name: "local-storage",
  messages: {
    localStorage: () => "Pods with local storage (use --delete-emptydir-data to override)",
  },
  decide({ pod, flags }, say) {
    if (isFinished(pod) || flags.deleteEmptydirData) return pass;
    if (!pod.template.volumes.some((volume) => volume.kind === "emptyDir")) return pass;
    return say.refuse("localStorage");
  },
});
