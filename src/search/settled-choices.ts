import type { SettledChoice } from "../sim/scenario.ts";
import type { TakenChoice } from "../sim/simulation.ts";
import type { Choice } from "../sim/world.ts";

/** The choices of a course as a scenario says them, but for the order of nodes. */
export function settledBy(taken: readonly TakenChoice[]): readonly SettledChoice[] {
  return taken.flatMap(({ choice, taken: option, from }): readonly SettledChoice[] => {
    switch (choice.kind) {
      case "next-eviction":
        return [{ pod: option, node: from, leaves: true, soon: false }];
      case "start":
        return [{ pod: option, node: from, leaves: false, soon: true }];
      case "place":
      case "preempt":
        return choice.nodes.length > 1 ? [{ pod: choice.pod, node: option, leaves: false, soon: false }] : [];
      default:
        return [];
    }
  });
}

/** Which option of this choice is said; -1: none. */
export function settledOption(
  choice: Choice,
  settled: readonly SettledChoice[],
  before: readonly TakenChoice[],
): number {
  if (settled.length === 0) return -1;
  switch (choice.kind) {
    case "place":
    case "preempt": {
      const said = settled.find(({ pod, leaves, soon }) => !leaves && !soon && pod === choice.pod);
      return said === undefined ? -1 : choice.nodes.indexOf(said.node);
    }
    case "next-eviction":
      return choice.pods.indexOf(nextToLeave(choice.pods, settled, before));
    case "start": {
      const quick = settled.filter(({ soon }) => soon);
      return quick.length === 0 ? -1 : Number(quick.some(({ pod }) => pod === choice.pod));
    }
    default:
      return -1;
  }
}

/** Of these the one that is said first and whose turn has not been yet; a pod that is said twice has two. "": none. */
function nextToLeave(
  pods: readonly string[],
  settled: readonly SettledChoice[],
  before: readonly TakenChoice[],
): string {
  const turns = new Map<string, number>();
  for (const { choice, taken } of before)
    if (choice.kind === "next-eviction") turns.set(taken, (turns.get(taken) ?? 0) + 1);
  for (const { pod, leaves } of settled) {
    if (!leaves) continue;
    const had = turns.get(pod) ?? 0;
    if (had > 0) turns.set(pod, had - 1);
    else if (pods.includes(pod)) return pod;
  }
  return "";
}
