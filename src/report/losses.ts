import { listedAtMost, spokenSeconds } from "../base/words.ts";
import { counted } from "./text.ts";
import type { PendingPod, SimulatedService, SimulationReport } from "./types.ts";

/**
 * What is lost in the course that is shown, beside what endpoints say: Services with nothing ready, rollouts that do not end,
 * pods without a place at the end. One sentence each, "" when nothing is.
 */
export function lossesInWords(report: Pick<SimulationReport, "services" | "timeline" | "pending">): string {
  const dark = report.services.filter(({ nothingReady }) => nothingReady.length > 0);
  const stuck = report.timeline.flatMap((event) => (event.type === "rollout-stalled" ? [shortRef(event.ref)] : []));
  return [
    dark.length === 0 ? "" : `${listedAtMost(dark.map(serviceInWords), 3)}.`,
    stuck.length === 0 ? "" : `The rollout of ${listedAtMost([...new Set(stuck)], 3)} cannot go on.`,
    report.pending.length === 0 ? "" : pendingInWords(report.pending),
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

/** `Service serving/gw has nothing ready for 4 s from 1 s` */
function serviceInWords({ namespace, name, nothingReady }: SimulatedService): string {
  const spans = nothingReady.map(({ fromSeconds, toSeconds }) => {
    const from = spokenSeconds(fromSeconds);
    return toSeconds === null ? `from ${from} on` : `for ${spokenSeconds(toSeconds - fromSeconds)} from ${from}`;
  });
  return `Service ${namespace}/${name} has nothing ready ${listedAtMost(spans, 3)}`;
}

function pendingInWords(pending: readonly PendingPod[]): string {
  const [first] = pending;
  const message = first === undefined || first.message === "" ? "" : `: ${first.message}`;
  const more = pending.length === 1 ? "" : ` and ${counted(pending.length - 1, "more pod")}`;
  const sentence = `${first?.pod ?? ""}${more} ${pending.length === 1 ? "has" : "have"} no place at the end${message}`;
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}

/** `Deployment.apps/serving/m1` → `Deployment serving/m1` */
function shortRef(ref: string): string {
  return ref.replace(/^([^./]+)[^/]*\//, "$1 ");
}
