import { recogniseActors } from "../../maintenance/recognise.ts";
import { sentences } from "../edit.ts";
import { editAt, placeOf } from "../place.ts";
import { type Bench, type Remedy, remedy } from "../remedy.ts";
import { longestRequestMs, nameOfSite, type Site } from "../site.ts";

/** What a stream gets at least, once a preStop hook has had its part. */
const leastStreamMs = 30_000;

/**
 * Long enough a grace for preStop and the longest answer the route promises. It changes no verdict: answers in flight finish.
 * Not beyond what the actor waits, which would cut them all the same.
 */
export const grace: Remedy = remedy({
  name: "grace",
  title: "a grace as long as the longest answer",
  propose(site, bench) {
    const seconds = neededSeconds(site);
    if (seconds === null || seconds * 1000 > limitMs(bench)) return [];
    const place = placeOf(site, "grace", bench.kept);
    if (!place.can) return [];
    const why = `${nameOfSite(site)} is killed before its longest answers are over: with ${seconds} s of grace they finish. A drain of its node may take that much longer.`;
    return [editAt(site, place, { remedy: "grace", aspect: "grace", value: seconds, why: sentences(why, place.note) })];
  },
});

/** Null: what it has is enough. */
function neededSeconds(site: Site): number | null {
  const { template, hop, workload } = site;
  if (template === null || workload?.kind === "DaemonSet") return null;
  if (hop.hop !== "engine" && hop.hop !== "gateway" && hop.hop !== "router") return null;
  const preStopMs = Math.max(0, ...template.containers.map((container) => container.preStopMs ?? 0));
  const streamMs = Math.max(longestRequestMs(site), preStopMs > 0 ? leastStreamMs : 0);
  const neededMs = preStopMs + streamMs;
  return neededMs <= template.terminationGraceMs ? null : Math.ceil(neededMs / 1000);
}

/** The least that any actor of this cluster waits for a pod to stop. */
function limitMs({ cluster }: Bench): number {
  return Math.min(
    ...recogniseActors(cluster).flatMap(({ actor: { drain } }) =>
      [drain.graceMaxMs, drain.holdsForMs].filter((limit) => limit !== null),
    ),
  );
}
