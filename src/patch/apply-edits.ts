import { buildCluster } from "../model/build.ts";
import { asAdmitted } from "../model/changed-on-admission.ts";
import type { Cluster } from "../model/cluster.ts";
import { groupOf, type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import type { PodTemplate, Toleration } from "../model/pod-template.ts";
import type { Autoscaler } from "../model/policy.ts";
import { notInterned, templateContent } from "../model/template-content.ts";
import type { Workload } from "../model/workload.ts";
import type { ObjectChange } from "../sim/object-change.ts";
import type { Attach } from "../systems/knobs.ts";
import { budgetFor, projected } from "../systems/projections/projection.ts";
import { projectionOf } from "../systems/projections/registry.ts";
import { ownWays } from "../systems/projections/workload.ts";
import { type Fields, isJsonList } from "../wire/fields.ts";
import { pathSteps, valueAt, withValue } from "../wire/object-path.ts";
import type { Json, SnapshotItem, WireObject } from "../wire/snapshot.ts";
import type { Act, Aspect, Edit, FieldEdit } from "./edit.ts";
import { asWireObject, type KeptObjects, refOf } from "./kept-objects.ts";
import { type KeptMove, type KeptPlay, noPlay } from "./kept-plays/play.ts";
import { keptPlay } from "./kept-plays/registry.ts";
import { isThere } from "./place.ts";
import { sameRef } from "./site.ts";
import { yamlTextWith } from "./yaml-text.ts";

/** What edits make of the objects, and what that means to the model. */
export interface Applied {
  /** Every object that is another afterwards, owners and what is made of them; null: gone. */
  readonly objects: ReadonlyMap<ObjectKey, WireObject | null>;
  readonly changes: readonly ObjectChange[];
  /** Workloads whose own spec changes: their rollout has to finish. */
  readonly rolled: readonly ObjectKey[];
  /** What puts back those changes whose owners' operators make pods themselves. */
  readonly back: readonly ObjectChange[];
  /** Whole sets of pods that take over from others once they are ready. */
  readonly moves: readonly KeptMove[];
}

const nothing: Applied = { objects: new Map(), changes: [], rolled: [], back: [], moves: [] };

export class EditApplier {
  readonly #cluster: Cluster;
  readonly #kept: KeptObjects;
  #templates: ReadonlyMap<string, PodTemplate> | null = null;

  constructor(cluster: Cluster, kept: KeptObjects) {
    this.#cluster = cluster;
    this.#kept = kept;
  }

  apply(edits: readonly Edit[]): Applied {
    if (edits.length === 0) return nothing;
    const objects = this.objectsAfter(edits);
    const { changes, rolled } = this.#changes(objects, edits);
    const kept = this.#keptPlays(objects, edits, "forward");
    return {
      objects,
      changes: [...changes, ...kept.changes, ...this.#autoscalers(edits)],
      rolled: [...rolled, ...kept.rolled],
      back: this.#keptPlays(objects, edits, "back").changes,
      moves: kept.moves,
    };
  }

  /** Every object that the edits change, as it is afterwards. */
  objectsAfter(edits: readonly Edit[]): ReadonlyMap<ObjectKey, WireObject | null> {
    const after = new Map<ObjectKey, WireObject | null>();
    const now = (ref: ObjectRef): WireObject | undefined => {
      const key = objectKey(ref);
      return after.has(key) ? (after.get(key) ?? undefined) : this.#kept.get(ref);
    };
    const put = (object: WireObject): void => {
      after.set(objectKey(refOf(object)), object);
    };
    for (const edit of edits) {
      const { act, target } = edit;
      if (act.do === "create") put(act.object);
      else if (act.do === "delete") after.set(objectKey(target), null);
      else if (act.do === "set") {
        const object = now(target);
        if (object !== undefined) put(withFields(object, act.fields));
      } else if (act.do === "createWith") put(withFields(now(target) ?? emptyObject(target), act.fields));
      else if (act.do === "setText") {
        const object = now(target);
        if (object !== undefined || act.attach !== null)
          put(withText(object ?? emptyObject(target), act.key, act.fields));
      }
      const attach = attachOf(act);
      const named = attach === null ? undefined : now(attach.target);
      if (attach !== null && named !== undefined) put(withFields(named, [attach]));
    }
    for (const edit of edits) this.#project(edit, { now, put });
    return after;
  }

  /** What the owner's controller makes of the edit, on the workload it is for. */
  #project(
    edit: Edit,
    { now, put }: { now(ref: ObjectRef): WireObject | undefined; put(object: WireObject): void },
  ): void {
    const { act, target, siteRef } = edit;
    if (act.do === "create" || act.do === "delete") return;
    if (act.do === "set" && (sameRef(target, siteRef) || target.kind === "PodDisruptionBudget")) return;
    const made = now(siteRef);
    if (made === undefined || target.kind === "HorizontalPodAutoscaler" || target.kind === "ScaledObject") return;
    const projection = act.do === "set" || act.do === "createWith" ? projectionOf(target) : undefined;
    const [before, after] = [this.#kept.get(target) ?? emptyObject(target), now(target)];
    if (projection !== undefined && after !== undefined) {
      put(projected(projection, { before, after }, made));
      if (edit.aspect === "budget") for (const object of projection.objects(after, made)) put(object);
      return;
    }
    put(direct(edit, made));
    if (edit.aspect === "budget") for (const object of budgetFor(made, edit.value)) put(object);
  }

  #changes(
    objects: ReadonlyMap<ObjectKey, WireObject | null>,
    edits: readonly Edit[],
  ): { readonly changes: readonly ObjectChange[]; readonly rolled: readonly ObjectKey[] } {
    const read = this.#read(this.#kept.with(objects), objects);
    const changes: ObjectChange[] = [];
    const rolled: ObjectKey[] = [];
    const scaled = new Set(
      edits.filter(({ aspect }) => aspect === "replicas").map(({ siteRef }) => objectKey(siteRef)),
    );
    for (const [key, object] of objects) {
      if (key.startsWith("PodDisruptionBudget.policy/")) {
        const budget = read.budgets.find((each) => each.key === key) ?? null;
        const known = this.#cluster.budgets.find((each) => each.key === key);
        const generation = (known?.generation ?? 0) + 1;
        if (object !== null || known !== undefined)
          changes.push({ what: "budget", key, budget: budget === null ? null : { ...budget, generation } });
        continue;
      }
      const spec = read.workloads.get(key);
      const before = this.#cluster.workloads.get(key);
      if (spec === undefined || before === undefined || spec.kind === "Other") continue;
      const { changedOnAdmission } = this.#cluster;
      const admitted = asAdmitted({ ...spec, owner: before.owner }, changedOnAdmission, (template) => template);
      const rebased = this.#rebased(admitted);
      changes.push({ what: "workload", key, spec: rebased, keepReplicas: !scaled.has(key) });
      rolled.push(key);
    }
    return { changes, rolled };
  }

  /** What operators that make pods themselves do about edits of their objects. */
  #keptPlays(
    objects: ReadonlyMap<ObjectKey, WireObject | null>,
    edits: readonly Edit[],
    way: "forward" | "back",
  ): KeptPlay {
    let play = noPlay;
    for (const [key, own] of Map.groupBy(edits, ({ target }) => objectKey(target))) {
      const ref = own[0]?.target;
      const [was, is] = [ref === undefined ? undefined : this.#kept.get(ref), objects.get(key)];
      if (ref === undefined || was === undefined || is === undefined || is === null) continue;
      const [before, after] = way === "forward" ? [was, is] : [is, was];
      const one = keptPlay({
        cluster: this.#cluster,
        ...{ key, ref, before, after },
        edits: own,
        retemplated: (template, written, aspects) => this.#retemplated(template, written, aspects),
      });
      play = {
        changes: [...play.changes, ...one.changes],
        rolled: [...play.rolled, ...one.rolled],
        moves: [...play.moves, ...one.moves],
      };
    }
    return play;
  }

  #retemplated(template: PodTemplate, written: Fields, aspects: ReadonlySet<Aspect>): PodTemplate {
    const spec = written.object("spec").wire;
    const containers = isJsonList(spec["containers"]) ? spec["containers"] : [{ name: "main", image: "x" }];
    const pod: WireObject = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "next", namespace: template.namespace, labels: Object.fromEntries(template.labels) },
      spec: { ...spec, containers },
    };
    const made = new Map([[objectKey(refOf(pod)), pod]]);
    const [read] = this.#read(this.#kept.with(made), made).pods;
    return read === undefined ? template : withAspects(template, read.template, aspects);
  }

  /** The changed objects alone, read as the whole cluster would be. */
  #read(all: Iterable<SnapshotItem>, objects: ReadonlyMap<ObjectKey, WireObject | null>): Cluster {
    const context = new Set(["LimitRange", "PriorityClass", "RuntimeClass", "Namespace"]);
    const items: SnapshotItem[] = [...all].filter(
      ({ object }) => context.has(object.kind) || objects.get(objectKey(refOf(object))) === object,
    );
    return buildCluster({
      source: "",
      serverVersion: `v1.${this.#cluster.version.minor}.0`,
      problems: [],
      notSeen: [],
      secretsDropped: 0,
      [Symbol.iterator]: () => items[Symbol.iterator](),
    });
  }

  #autoscalers(edits: readonly Edit[]): readonly ObjectChange[] {
    const wanted = new Map<ObjectKey, number>();
    for (const { aspect, siteRef, value } of edits) {
      if (aspect === "replicas" && typeof value === "number") wanted.set(objectKey(siteRef), value);
    }
    const raised = (autoscaler: Autoscaler): Autoscaler => {
      const least = wanted.get(autoscaler.target);
      if (least === undefined || autoscaler.minReplicas >= least) return autoscaler;
      return { ...autoscaler, minReplicas: least, maxReplicas: Math.max(least, autoscaler.maxReplicas) };
    };
    const autoscalers = this.#cluster.autoscalers.map(raised);
    const same = autoscalers.every((autoscaler, index) => autoscaler === this.#cluster.autoscalers[index]);
    return same ? [] : [{ what: "autoscalers", autoscalers }];
  }

  #rebased(spec: Workload): Workload {
    if (spec.kind === "LeaderWorkerSet") {
      return {
        ...spec,
        leaderTemplate: this.#known(spec.leaderTemplate),
        workerTemplate: this.#known(spec.workerTemplate),
      };
    }
    return "template" in spec ? { ...spec, template: this.#known(spec.template) } : spec;
  }

  /** Templates are told apart by identity: the same content is the same object as in the cluster that is played. */
  #known(template: PodTemplate): PodTemplate {
    this.#templates ??= new Map(
      [
        ...this.#cluster.pods.map((pod) => pod.template),
        ...[...this.#cluster.workloads.values()].flatMap((workload) =>
          "template" in workload
            ? [workload.template]
            : workload.kind === "LeaderWorkerSet"
              ? [workload.leaderTemplate, workload.workerTemplate]
              : [],
        ),
      ].map((each) => [templateContent(each), each]),
    );
    return this.#templates.get(templateContent(template)) ?? { ...template, id: notInterned };
  }
}

/** Pods as they are, but for what the edited template says about these aspects. */
function withAspects(as: PodTemplate, written: PodTemplate, aspects: ReadonlySet<Aspect>): PodTemplate {
  const has = (...any: readonly Aspect[]): boolean => any.some((aspect) => aspects.has(aspect));
  const { topologySpread, terminationGraceMs, priority, priorityClassName, preemptionPolicy } = written;
  const { requiredNodeAffinity, preferredNodeAffinity, requiredPodAffinity, requiredPodAntiAffinity } = written;
  const { preferredPodAffinity, preferredPodAntiAffinity } = written;
  const more = written.tolerations.filter((one) => !as.tolerations.some((other) => sameToleration(one, other)));
  return {
    ...as,
    id: notInterned,
    ...(has("spread") ? { topologySpread } : {}),
    ...(has("nodeAffinity") ? { requiredNodeAffinity, preferredNodeAffinity } : {}),
    ...(has("affinity")
      ? { requiredPodAffinity, requiredPodAntiAffinity, preferredPodAffinity, preferredPodAntiAffinity }
      : {}),
    ...(has("tolerations") ? { tolerations: [...as.tolerations, ...more] } : {}),
    ...(has("grace") ? { terminationGraceMs } : {}),
    ...(has("priority") ? { priority, priorityClassName, preemptionPolicy } : {}),
  };
}

function sameToleration(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.operator === b.operator && a.value === b.value && a.effect === b.effect;
}

export function withFields(object: WireObject, fields: readonly FieldEdit[]): WireObject {
  let value: Json = object;
  for (const { path, value: wanted } of fields) {
    value = withValue(value, pathSteps(path), wanted ?? undefined) ?? value;
  }
  return asWireObject(value, object);
}

/** The object before anything is in it. */
export function emptyObject({ apiVersion, kind, namespace, name }: ObjectRef): WireObject {
  return { apiVersion, kind, metadata: { ...(namespace === "" ? {} : { namespace }), name } };
}

export function attachOf(act: Act): Attach | null {
  return act.do === "createWith" || act.do === "setText" ? act.attach : null;
}

/** The YAML text in a field, with fields set in it; what else stands in it stays. */
function withText(object: WireObject, key: string, fields: readonly FieldEdit[]): WireObject {
  const text = valueAt(object, pathSteps(key));
  return withFields(object, [{ path: key, value: yamlTextWith(typeof text === "string" ? text : "", fields) }]);
}

/** Where the way from owner to workload is not modelled, the knob says what arrives. */
function direct(edit: Edit, made: WireObject): WireObject {
  const aspect = edit.aspect === "nodeAffinity" ? "affinity" : edit.aspect;
  if (aspect === "containers") return withFields(made, [{ path: "spec.template.spec.containers", value: edit.value }]);
  const ways = ownWays(made.kind).filter((each) => each.aspect === aspect && isThere(made, each.to));
  const part = edit.aspect === "affinity" ? ".podAntiAffinity" : edit.aspect === "nodeAffinity" ? ".nodeAffinity" : "";
  return withFields(
    made,
    ways.map(({ to }) => ({ path: `${to}${part}`, value: edit.value })),
  );
}

export function kindOf(ref: ObjectRef): string {
  return `${ref.kind}.${groupOf(ref.apiVersion)}`;
}
