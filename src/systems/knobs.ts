import { groupOf, type ObjectKey, type ObjectRef } from "../model/key.ts";
import type { Labels } from "../model/labels.ts";
import type { Json } from "../wire/snapshot.ts";

/**
 * Where one property of a part is set. `path` is dotted from the object's root, lists by a key: `spec.template.spec.engines[name=main].copies`.
 * - `field`: a field of an object in the cluster.
 * - `text`: YAML text inside a field (`key`) of an object; `path` is inside that text.
 * - `helm`: a value of a Helm chart; `live` is the field it ends up in, which the next upgrade overwrites.
 * - `budget`: a PodDisruptionBudget of our own; nobody overwrites it.
 * - `code`: no user field leads there; `what` names the code or the platform setting to change.
 * - `none`: this part should not have it, or cannot; `why` says so.
 */
export type Knob =
  | {
      readonly by: "field";
      readonly target: ObjectRef;
      readonly path: string;
      readonly note: string;
      readonly attach: Attach | null;
      /** A field that has to say the same; null: there is none. */
      readonly also: Also | null;
      /** The object that comes again as a whole with each one more; null: only the part itself. */
      readonly scales: ObjectKey | null;
    }
  | {
      readonly by: "text";
      readonly attach: Attach | null;
      readonly target: ObjectRef;
      readonly key: string;
      readonly path: string;
      readonly note: string;
    }
  | {
      readonly by: "helm";
      readonly value: string;
      readonly live: { readonly target: ObjectRef; readonly path: string } | null;
      readonly note: string;
    }
  /** `over`: labels of all pods that may only go one at a time, this part's among them; null: exactly this part's. */
  | { readonly by: "budget"; readonly note: string; readonly over: Labels | null }
  | { readonly by: "code"; readonly what: string }
  | { readonly by: "none"; readonly why: string };

/** The target is not there yet: it is created, and this field names it, so that its controller looks at it. */
export interface Attach {
  readonly target: ObjectRef;
  readonly path: string;
  readonly value: Json;
}

/** Where the same has to be said once more, and why, a sentence. */
export interface Also {
  readonly target: ObjectRef;
  readonly path: string;
  readonly why: string;
}

export interface Knobs {
  readonly replicas: Knob;
  readonly budget: Knob;
  readonly spread: Knob;
  /** What happens to an edit of the generated object itself, one sentence; "" when nobody overwrites it. */
  readonly overwrites: string;
  /** Who wrote the object: a tool and the release, application or object it belongs to; "" when nothing says. */
  readonly managedBy: string;
}

export function field(
  target: ObjectRef,
  path: string,
  note = "",
  more: { readonly attach?: Attach | null; readonly also?: Also; readonly scales?: ObjectKey } = {},
): Knob {
  const { attach = null, also = null, scales = null } = more;
  return { by: "field", target, path, note, attach, also, scales };
}

/** Gateway API's own way to name an object of parameters, in the Gateway's namespace. */
export function namedByGateway(gateway: ObjectRef, { apiVersion, kind, name }: ObjectRef): Attach {
  return {
    target: gateway,
    path: "spec.infrastructure.parametersRef",
    value: { group: groupOf(apiVersion), kind, name },
  };
}

export function createBudget(note = "", over: Labels | null = null): Knob {
  return { by: "budget", note, over };
}

export function code(what: string): Knob {
  return { by: "code", what };
}

export function none(why: string): Knob {
  return { by: "none", why };
}

/** The knobs of a workload that nothing stands above: its own fields. */
export function ownKnobs(ref: ObjectRef, managedBy = ""): Knobs {
  if (ref.kind === "Pod" || ref.kind === "Job") {
    const why = none(
      `${ref.kind === "Pod" ? "Nobody makes a pod like it" : "A Job is there to end"}: run it under a Deployment first.`,
    );
    return { replicas: why, budget: createBudget(), spread: why, overwrites: "", managedBy };
  }
  const template = ref.kind === "LeaderWorkerSet" ? "spec.leaderWorkerTemplate.workerTemplate" : "spec.template";
  return {
    replicas: ref.kind === "DaemonSet" ? none("A DaemonSet runs one pod a node.") : field(ref, "spec.replicas"),
    budget: createBudget(),
    spread:
      ref.kind === "DaemonSet"
        ? none("A DaemonSet runs one pod a node.")
        : field(ref, `${template}.spec.topologySpreadConstraints`),
    overwrites: "",
    managedBy,
  };
}

/** A part that runs outside the cluster. */
export function outsideKnobs(why: string): Knobs {
  return { replicas: none(why), budget: none(why), spread: none(why), overwrites: "", managedBy: "" };
}

/** Values of a Helm chart, with the fields of the workload they end up in. Null: the chart has no such value. */
export function helmKnobs(
  ref: ObjectRef,
  release: string,
  values: { readonly replicas: string | null; readonly budget: string | null; readonly spread: string | null },
): Knobs {
  const own = ownKnobs(ref);
  const helm = (value: string | null, live: Knob): Knob =>
    value === null || live.by === "none"
      ? live
      : {
          by: "helm",
          value,
          live: live.by === "field" ? { target: live.target, path: live.path } : null,
          note: "",
        };
  return {
    replicas: helm(values.replicas, own.replicas),
    budget: helm(values.budget, own.budget),
    spread: helm(values.spread, own.spread),
    overwrites: "The next Helm upgrade puts the chart's values back.",
    managedBy: release === "" ? "helm" : `helm release ${release}`,
  };
}
