import type { Actor } from "../../maintenance/actor.ts";
import type { PodView } from "../../model/view.ts";
import { says } from "../../sim/passing-over.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import { maintainersOf, type Scene, type Stop } from "../scene.ts";

const remedy =
  "Take the annotation off, at the object that owns the pod template, and let a second replica under a budget of maxUnavailable 1 protect the part.";

/** A pod that asks by an annotation to be left where it is, of an actor that heeds it. */
export const annotationHolds = findingRule({
  name: "annotation-holds",
  code: "HF035",
  title: "An annotation that keeps a node from its maintenance",
  explain: `Some who maintain nodes leave a node alone as long as one of its pods carries an annotation: karpenter.sh/do-not-disrupt, cluster-autoscaler.kubernetes.io/safe-to-evict: "false", and others. It protects the pod, and it holds the maintenance for as long as it is there, which for a model server is for ever. Where the actor has a limit, the pod goes then, whatever budgets say.

Protect the part by a second replica under a budget of maxUnavailable 1 instead, and take the annotation off; or take it off for the maintenance alone.

It is an error where a likely maintenance stalls on it, else a note.`,
  messages: {
    heeded: (f: { part: string; pod: string; annotation: string; actor: string; node: string }) => ({
      message: `${f.pod} of ${f.part} carries ${f.annotation}: ${f.actor} leaves node ${f.node} alone for as long as it does.`,
      remedy,
    }),
    heededUpTo: (f: {
      part: string;
      pod: string;
      annotation: string;
      actor: string;
      node: string;
      minutes: number;
    }) => ({
      message: `${f.pod} of ${f.part} carries ${f.annotation}: ${f.actor} waits for it no longer than ${f.minutes} min, then it deletes what is left on node ${f.node}, whatever budgets say.`,
      remedy,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      for (const actor of maintainersOf(scene, stop)) {
        for (const pod of stop.pods) {
          const annotation = heeded(actor, pod);
          if (annotation === null || pod.node === null) continue;
          const about = { severity: severityOf(stop.shown, "note", "stalled") };
          const facts = { part: nameOf(stop), pod: pod.key, annotation, actor: actor.title, node: pod.node.name };
          const { then, holdsForMs } = actor.drain;
          return then === "deletes" && holdsForMs !== null
            ? [say.of(stop, about, "heededUpTo", { ...facts, minutes: Math.round(holdsForMs / 60_000) })]
            : [say.of(stop, about, "heeded", facts)];
        }
      }
      return [];
    }),
});

/** Whether some likely actor leaves a node of the part alone because of an annotation. */
export function isHeldByAnnotation(scene: Scene, stop: Stop): boolean {
  return maintainersOf(scene, stop).some((actor) => stop.pods.some((pod) => heeded(actor, pod) !== null));
}

/** As it stands on the pod; null: nothing that this actor goes by. */
function heeded({ drain, passesOver }: Actor, { template: { annotations } }: PodView): string | null {
  const rules = [
    ...drain.waitsForAnnotations,
    ...passesOver.flatMap((rule) => (rule.on === "podAnnotation" ? [rule] : [])),
  ];
  const rule = rules.find((each) => says(annotations.get(each.key), each));
  return rule === undefined ? null : `${rule.key}: ${annotations.get(rule.key) ?? ""}`;
}
