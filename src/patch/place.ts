import type { ObjectRef } from "../model/key.ts";
import type { Attach, Knob } from "../systems/knobs.ts";
import type { FieldWay, ProjectedAspect, Shape } from "../systems/projections/projection.ts";
import { projectionOf } from "../systems/projections/registry.ts";
import { ownWays } from "../systems/projections/workload.ts";
import { isJsonObject } from "../wire/fields.ts";
import { pathSteps, valueAt } from "../wire/object-path.ts";
import type { Json, WireObject } from "../wire/snapshot.ts";
import { type Act, type Aspect, type Edit, type FieldEdit, type Holds, noCost } from "./edit.ts";
import type { KeptObjects } from "./kept-objects.ts";
import { type Site, sameRef } from "./site.ts";

/** Where a part's property is changed so that it holds, or why nowhere. */
export type Place =
  | {
      readonly can: true;
      readonly target: ObjectRef;
      act(value: Json): Act;
      /** What is stated there now. */
      readonly now: Json | undefined;
      readonly holds: Holds;
      readonly manager: string;
      /** What a person should know about this place, a sentence; "" nothing. */
      readonly note: string;
    }
  | { readonly can: false; readonly why: string };

/** The field of the true owner for one property of a site. */
export function placeOf(site: Site, aspect: Exclude<Aspect, "budget">, kept: KeptObjects): Place {
  const { knobs } = site.hop;
  const knob = aspect === "replicas" ? knobs.replicas : knobs.spread;
  // Whoever makes the workload writes its containers whole: an edit of them holds no better than one of its replicas.
  if (aspect === "containers" && knobs.replicas.by === "code") return codePlace(site, aspect, knobs.replicas.what);
  switch (knob.by) {
    case "field":
      return fieldPlace(site, aspect, knob, kept);
    case "text": {
      const path = aspect === "replicas" ? knob.path : besideSpread(knob.path, aspect);
      if (path === null) return noField(knob.target, aspect);
      return {
        can: true,
        target: knob.target,
        act: (value) => ({ do: "setText", key: knob.key, fields: [{ path, value }], attach: knob.attach }),
        now: undefined,
        ...holdOf(kept.get(knob.target), knobs.managedBy),
        note: knob.note,
      };
    }
    case "helm":
      return helmPlace(site, aspect, knob);
    case "code":
      return codePlace(site, aspect, knob.what);
    case "budget":
      return { can: false, why: "A budget is an object of its own." };
    case "none":
      return { can: false, why: knob.why };
  }
}

/** A change made there that costs no room. */
export function editAt(
  site: Site,
  { target, act, holds, manager }: Extract<Place, { can: true }>,
  edit: Pick<Edit, "remedy" | "aspect" | "value" | "why">,
): Edit {
  return { ...edit, site: site.key, siteRef: site.hop.ref, target, act: act(edit.value), holds, manager, cost: noCost };
}

function fieldPlace(
  site: Site,
  aspect: Exclude<Aspect, "budget">,
  knob: Extract<Knob, { by: "field" }>,
  kept: KeptObjects,
): Place {
  const { target } = knob;
  const own = sameRef(target, site.hop.ref);
  const [way, ...others] = waysOf(site, knob, aspect);
  // Of an owner that is known to the end, a field that leads nowhere is none.
  if (way === undefined && aspect !== "containers" && !own && site.made !== null && projectionOf(target) !== undefined)
    return noField(target, aspect);
  const path = way?.from ?? (aspect === "replicas" ? knob.path : besideSpread(knob.path, aspect));
  if (path === null) return noField(target, aspect);
  const act = (value: Json): Act =>
    setOrCreate(
      [
        ...needsOf(target, kept),
        { path: pathFor(path, aspect), value: shaped(value, way?.shape ?? null) },
        ...others.map(({ from, shape }) => ({ path: pathFor(from, aspect), value: shaped(value, shape) })),
      ],
      knob.attach,
    );
  const hold = own
    ? holdOf(site.made ?? undefined, site.hop.knobs.managedBy)
    : holdOf(kept.get(target), site.hop.knobs.managedBy);
  const now = valueAt(kept.get(target), pathSteps(pathFor(path, aspect)));
  return { can: true, target, act, now, ...hold, note: knob.note };
}

/** Fields without which the API server would refuse the owner, as far as it lacks them. */
export function needsOf(target: ObjectRef, kept: KeptObjects): readonly FieldEdit[] {
  const needs = projectionOf(target)?.needs ?? [];
  return needs.filter(({ path }) => valueAt(kept.get(target), pathSteps(path)) === undefined);
}

/** Fields of an object that is there, or of one that is made with them. */
export function setOrCreate(fields: readonly FieldEdit[], attach: Attach | null): Act {
  return attach === null ? { do: "set", fields } : { do: "createWith", fields, attach };
}

/** Of an owner of several parts, the one that lies where the knob does; of a group, its leader's and its workers' template. */
function waysOf(
  site: Site,
  { target, path }: Extract<Knob, { by: "field" }>,
  aspect: Exclude<Aspect, "budget">,
): readonly FieldWay[] {
  const { made } = site;
  if (aspect === "containers") return [];
  const wanted: ProjectedAspect = aspect === "nodeAffinity" ? "affinity" : aspect;
  const all = sameRef(target, site.hop.ref)
    ? ownWays(target.kind)
    : made === null
      ? []
      : (projectionOf(target)?.ways(made, target.apiVersion) ?? []);
  const ways = all.filter((way) => way.aspect === wanted);
  if (site.hop.ref.kind === "LeaderWorkerSet") return ways.filter(({ to }) => isThere(made, to));
  const beside = aspect === "replicas" ? path : besideSpread(path, aspect);
  const found = ways.find(({ from }) => from === beside) ?? ways[0];
  return found === undefined ? [] : [found];
}

/** A set without a template for leaders makes them of the workers'. */
export function isThere(made: WireObject | null, path: string): boolean {
  const leader = "spec.leaderWorkerTemplate.leaderTemplate";
  return !path.startsWith(`${leader}.`) || valueAt(made ?? undefined, pathSteps(leader)) !== undefined;
}

/** Anti-affinity and node affinity are parts of `affinity`: only the part is set, so that the rest stays. */
function pathFor(path: string, aspect: Aspect): string {
  if (aspect === "affinity") return `${path}.podAntiAffinity`;
  return aspect === "nodeAffinity" ? `${path}.nodeAffinity` : path;
}

function shaped(value: Json, shape: Shape | null): Json {
  return shape === null ? value : shape.toOwner(value);
}

const podFields: ReadonlyMap<Aspect, string> = new Map([
  ["spread", "topologySpreadConstraints"],
  ["affinity", "affinity"],
  ["nodeAffinity", "affinity"],
  ["tolerations", "tolerations"],
  ["grace", "terminationGracePeriodSeconds"],
  ["priority", "priorityClassName"],
  ["containers", "containers"],
]);

/** The field beside the one for spread, in the same pod spec. Null: it is not in a pod spec. */
function besideSpread(path: string, aspect: Aspect): string | null {
  const field = podFields.get(aspect);
  const last = "topologySpreadConstraints";
  if (field === undefined || !path.endsWith(last)) return null;
  return `${path.slice(0, -last.length)}${field}`;
}

function helmPlace(site: Site, aspect: Aspect, knob: Extract<Knob, { by: "helm" }>): Place {
  const release = site.hop.knobs.managedBy;
  const value = aspect === "replicas" ? knob.value : helmValueBeside(knob.value, aspect);
  if (value === null) return codePlace(site, aspect, `the chart, which has no value for it (${release})`);
  const to = (wanted: Json): Json => (aspect === "affinity" ? { podAntiAffinity: wanted } : wanted);
  return {
    can: true,
    target: site.hop.ref,
    act: (wanted) => ({ do: "helm", value, to: to(wanted), release }),
    now: undefined,
    holds: "upstream",
    manager: release,
    note: "",
  };
}

function helmValueBeside(value: string, aspect: Aspect): string | null {
  if (aspect === "strategy" || aspect === "nodeAffinity") return null;
  const wanted = podFields.get(aspect);
  const at = value.lastIndexOf(".");
  const [before, last] = [value.slice(0, at + 1), value.slice(at + 1)];
  if (last === wanted) return value;
  // Charts that know spread know affinity beside it; one that only has affinity has no value for spread.
  return last === "topologySpreadConstraints" && aspect === "affinity" ? `${before}affinity` : null;
}

/** No field of a user leads there: the object as it should be made is given, to be written into what makes it. */
function codePlace(site: Site, aspect: Aspect, what: string): Place {
  const to =
    aspect === "containers"
      ? "spec.template.spec.containers"
      : ownWays(site.hop.ref.kind).find((each) => each.aspect === (aspect === "nodeAffinity" ? "affinity" : aspect))
          ?.to;
  if (to === undefined) return noField(site.hop.ref, aspect);
  return {
    can: true,
    target: site.hop.ref,
    act: (value) => ({ do: "set", fields: [{ path: pathFor(to, aspect), value }] }),
    now: undefined,
    holds: isComposed(site) ? "composition" : "upstream",
    manager: site.hop.knobs.managedBy,
    note: `To be made in ${what}.`,
  };
}

/** Written by a function of a control plane that writes it again: Crossplane's objects. */
function isComposed(site: Site): boolean {
  const { managedBy, overwrites } = site.hop.knobs;
  return /provider-kubernetes|Crossplane/.test(`${managedBy} ${overwrites}`);
}

function noField({ kind }: ObjectRef, aspect: Aspect): Place {
  return { can: false, why: `${kind} has no field for ${aspect}.` };
}

/** Whether an edit of this object stays, by who is known to write it. */
export function holdOf(
  object: WireObject | undefined,
  managedBy: string,
): { readonly holds: Holds; readonly manager: string } {
  const tool = object === undefined ? "" : toolOf(object);
  if (tool !== "") return { holds: "upstream", manager: tool };
  const upstream = /^(?:Argo CD|Flux|helm)/i.test(managedBy);
  return { holds: upstream ? "upstream" : "live", manager: object === undefined ? managedBy : managersOf(object) };
}

/** A tool that puts back what differs from its source; "" when no mark of one is there. */
export function toolOf({ metadata }: WireObject): string {
  const marks = (field: "labels" | "annotations", name: string): string => {
    const map = metadata[field];
    const value = isJsonObject(map) ? map[name] : undefined;
    return typeof value === "string" ? value : "";
  };
  const tracking = marks("annotations", "argocd.argoproj.io/tracking-id");
  if (tracking !== "") return `Argo CD application ${tracking.split(":")[0] ?? ""}`;
  const flux = marks("labels", "kustomize.toolkit.fluxcd.io/name");
  if (flux !== "") return `Flux Kustomization ${flux}`;
  const fluxHelm = marks("labels", "helm.toolkit.fluxcd.io/name");
  if (fluxHelm !== "") return `Flux HelmRelease ${fluxHelm}`;
  const release = marks("annotations", "meta.helm.sh/release-name");
  return release === "" ? "" : `helm release ${release}`;
}

/** Field managers of the object's spec, as the server recorded them. */
export function managersOf({ metadata }: WireObject): string {
  const entries = metadata["managedFields"];
  if (!Array.isArray(entries)) return "";
  const names = entries.flatMap((entry: Json) => {
    if (!isJsonObject(entry) || (typeof entry["subresource"] === "string" && entry["subresource"] !== "")) return [];
    return typeof entry["manager"] === "string" ? [entry["manager"]] : [];
  });
  return [...new Set(names)].join(", ");
}
