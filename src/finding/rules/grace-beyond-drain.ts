import { findingRule, nameOf } from "../finding-rule.ts";
import { maintainersOf } from "../scene.ts";

/** The actor gives up, or kills, before the pod's own grace is over. */
export const graceBeyondDrain = findingRule({
  name: "grace-beyond-drain",
  code: "HF024",
  title: "A grace period longer than the drain waits",
  explain: `The pod may take longer to stop than whoever drains its node waits: the drain fails or the machine is stopped under the pod while it finishes its answers, and a grace that was chosen to protect long streams protects nothing.

Shorten the grace to less than the actor's limit, or raise that limit where it can be set. holdfast actors names the limits.

It is a note: it cuts answers, no endpoint goes down by it.`,
  messages: {
    tooLong: (f: { part: string; graceSeconds: number; actor: string; limitSeconds: number }) => ({
      message: `${f.part} may take ${f.graceSeconds} s to stop, but ${f.actor} waits ${f.limitSeconds} s at most: answers still running then are cut.`,
      remedy: "Shorten terminationGracePeriodSeconds below that, or raise the actor's limit.",
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { template, workload } = stop;
      if (template === null || workload?.kind === "DaemonSet") return [];
      for (const { title, drain } of maintainersOf(scene, stop)) {
        const limits = [drain.graceMaxMs, drain.holdsForMs].filter((limit) => limit !== null);
        const limitMs = Math.min(...limits);
        if (template.terminationGraceMs <= limitMs) continue;
        const facts = {
          part: nameOf(stop),
          graceSeconds: template.terminationGraceMs / 1000,
          actor: title,
          limitSeconds: limitMs / 1000,
        };
        return [say.of(stop, { severity: "note", quiet: true }, "tooLong", facts)];
      }
      return [];
    }),
});
