import { findingRule, nameOf } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";

/** A Recreate Deployment on the path stops all its pods before it starts new ones. */
export const pickerRecreate = findingRule({
  name: "picker-recreate",
  code: "HF015",
  title: "Strategy Recreate on the request path",
  explain: `The Deployment's strategy is Recreate: any change of its pod template stops every pod first and starts the new ones after. Two replicas do not help then. Drains are not affected; changes are: an upgrade, a new argument, and also the spread or affinity that is meant to make the part safer.

KServe makes its router scheduler this way and reverts an edit. Charts of endpoint pickers do, because a rolling update of leader-elected pickers never finishes.

Change such a part at a quiet time, and everything in one step. It is a note: no drain shows it.`,
  messages: {
    allStop: (f: { part: string; owner: string }) => ({
      message: `${f.part} has strategy Recreate: every change of its pod template stops all its pods before new ones start.`,
      remedy: `Change ${f.owner} at a quiet time, replicas and spread in one step.`,
    }),
  },
  look: ({ stops }, say) =>
    stops
      .filter(
        ({ hop, workload, units }) =>
          hop.needed &&
          units > 0 &&
          workload?.kind === "Deployment" &&
          workload.strategy.type === "Recreate" &&
          !hop.leaderElected,
      )
      .map((stop) =>
        say.of(stop, { severity: "note", quiet: true }, "allStop", {
          part: nameOf(stop),
          owner: refText(stop.hop.owner ?? stop.hop.ref),
        }),
      ),
});
