import { findingRule, nameOf } from "../finding-rule.ts";
import { replicasText } from "../knob-text.ts";
import { severityOf } from "../outcome.ts";
import { sharedClaimText } from "../shared-claim.ts";

/** One pod carries every request. Whether that matters is the simulation's word: a part that is back in time is a note. */
export const singleReplica = findingRule({
  name: "single-replica",
  code: "HF001",
  title: "One replica on the request path",
  explain: `A part that every request passes runs as one pod (or one group). While that pod is moved, restarted or started again nobody answers, however healthy the engines are.

Kubernetes never starts the replacement before the eviction: the pod goes first, and a Deployment makes the next one after it. So one replica means a gap at every drain of its node, as long as its start takes, and longer when the other nodes it could run on are closed too.

It is an error where a maintenance that is likely here breaks the endpoint through this part, and a note where the endpoint survives (a gap that holdfast.dev/max-down allows, a budget that holds the drain instead).

Run two, on different nodes, under a budget of maxUnavailable 1. The remedy names the field of the object that owns the replicas; and a claim all replicas would share that keeps them to one node, which has to go first. \`holdfast fix\` writes the change and proves it. During a maintenance: scale to two, wait until the second is Ready on a node that stays open, then drain.`,
  messages: {
    onlyOne: (f: { part: string; unit: string; remedy: string }) => ({
      message: `${f.part} is one ${f.unit}: while it is moved or starts, no request gets through.`,
      remedy: f.remedy,
    }),
  },
  look: ({ stops, view }, say) =>
    stops
      .filter(({ hop, units, workload }) => hop.needed && units === 1 && workload?.kind !== "DaemonSet")
      .map((stop) =>
        say.of(stop, { severity: severityOf(stop.shown, "note", "broke"), breaks: true }, "onlyOne", {
          part: nameOf(stop),
          unit: stop.hop.unit.kind === "group" ? `group of ${stop.hop.unit.size} pods` : "pod",
          remedy: `${replicasText(stop.hop.knobs.replicas, 2)} ${sharedClaimText(view, stop)}`.trimEnd(),
        }),
      ),
});
