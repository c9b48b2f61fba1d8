import type { Actor } from "../../maintenance/actor.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import { maintainersOf } from "../scene.ts";

const remedy = "Shorten terminationGracePeriodSeconds below that, or raise the actor's limit.";

/** What an actor does at its limit that leaves the pod to finish. */
const endsUndrained: ReadonlySet<Actor["drain"]["then"]> = new Set(["waits", "fails", "reopens"]);

/** The actor gives up, or kills, before the pod's own grace is over. */
export const graceBeyondDrain = findingRule({
  name: "grace-beyond-drain",
  code: "HF024",
  title: "A grace period longer than the drain waits",
  explain: `The pod may take longer to stop than whoever drains its node waits: the drain fails or the machine is stopped under the pod while it finishes its answers, and a grace that was chosen to protect long streams protects nothing.

Shorten the grace to less than the actor's limit, or raise that limit where it can be set. holdfast actors names the limits.

It is an error where a likely maintenance is given up because of it, else a note: it cuts answers, no endpoint goes down by it.`,
  messages: {
    tooLong: (f: { part: string; graceSeconds: number; actor: string; limitSeconds: number }) => ({
      message: `${f.part} may take ${f.graceSeconds} s to stop, but ${f.actor} waits ${f.limitSeconds} s at most: answers still running then are cut.`,
      remedy,
    }),
    givesUp: (f: { part: string; graceSeconds: number; actor: string; limitSeconds: number }) => ({
      message: `${f.part} may take ${f.graceSeconds} s to stop, but ${f.actor} waits ${f.limitSeconds} s at most and then gives the node up: the maintenance fails there.`,
      remedy,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { template, workload } = stop;
      if (template === null || workload?.kind === "DaemonSet") return [];
      for (const { title, drain } of maintainersOf(scene, stop)) {
        const limits = [drain.graceMaxMs, drain.holdsForMs].filter((limit) => limit !== null);
        const limitMs = Math.min(...limits);
        const isGivenUp = limitMs === drain.holdsForMs && endsUndrained.has(drain.then);
        if (template.terminationGraceMs <= limitMs) continue;
        const facts = {
          part: nameOf(stop),
          graceSeconds: template.terminationGraceMs / 1000,
          actor: title,
          limitSeconds: limitMs / 1000,
        };
        if (!isGivenUp) return [say.of(stop, { severity: "note", quiet: true }, "tooLong", facts)];
        return [say.of(stop, { severity: severityOf(stop.shown, "note", "stalled") }, "givesUp", facts)];
      }
      return [];
    }),
});
