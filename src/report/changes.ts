import { type ObjectKey, objectKey } from "../model/key.ts";
import { attachOf, type EditApplier, withFields } from "../patch/apply-edits.ts";
import { type Edit, noCost, sumOfCosts } from "../patch/edit.ts";
import { jsonPatchOf } from "../patch/json-patch.ts";
import type { KeptObjects } from "../patch/kept-objects.ts";
import { holdOf } from "../patch/place.ts";
import { unifiedDiff } from "../patch/unified-diff.ts";
import { isJsonObject } from "../wire/fields.ts";
import { patchOf, pathSteps, valueAt, withValue } from "../wire/object-path.ts";
import type { Json, JsonObject, WireObject } from "../wire/snapshot.ts";
import type { Change } from "./types.ts";
import { yamlText } from "./yaml.ts";

/** Edits as changes: one for each object, in the order the edits came. */
export function changesOf(edits: readonly Edit[], kept: KeptObjects, applier: EditApplier): readonly Change[] {
  const groups = Map.groupBy(
    edits,
    ({ target, act, holds }) => `${act.do === "setText" ? "createWith" : act.do} ${holds} ${objectKey(target)}`,
  );
  return [...groups.values()].flatMap((group) => [changeOf(group, kept, applier), ...attachments(group, kept)]);
}

/** The field that names an object which is created here. */
function attachments(group: readonly Edit[], kept: KeptObjects): readonly Change[] {
  const [first] = group;
  const attach = first === undefined ? null : attachOf(first.act);
  if (first === undefined || attach === null) return [];
  const before = kept.get(attach.target);
  const fields = [{ path: attach.path, value: attach.value }];
  const after = before === undefined ? undefined : withFields(before, fields);
  return [
    {
      target: attach.target,
      ...holdOf(before, ""),
      remedies: [...new Set(group.map(({ remedy }) => remedy))],
      source: kept.sourceOf(attach.target),
      why: `It names ${first.target.kind} ${first.target.namespace}/${first.target.name}, so that its controller reads it.`,
      cost: noCost,
      do: "edit",
      fields,
      patchType: "merge",
      patch: JSON.stringify(mergePatchOf(fields)),
      diff: before === undefined ? fieldDiff(fields) : diffOf(before, after),
      object: after === undefined ? null : shownObject(after),
    },
  ];
}

function changeOf(group: readonly Edit[], kept: KeptObjects, applier: EditApplier): Change {
  const [first] = group;
  if (first === undefined) throw new RangeError("a group of edits has one");
  const { target, manager, holds } = first;
  const base = {
    target,
    manager,
    holds,
    remedies: [...new Set(group.map(({ remedy }) => remedy))],
    source: kept.sourceOf(target),
    why: [...new Set(group.map(({ why }) => why))].join(" "),
    cost: sumOfCosts(group.map(({ cost }) => cost)),
  };
  const known = kept.get(target);
  const { act } = first;
  switch (act.do) {
    case "create":
      return { ...base, ...madeChange(act.object) };
    case "delete":
      return {
        ...base,
        do: "delete",
        fields: [],
        patchType: "",
        patch: "",
        diff: diffOf(known, undefined),
        object: null,
      };
    case "helm":
      return { ...base, ...helmChange(group) };
    default: {
      const after = applier.objectsAfter(group).get(objectKey(target)) ?? undefined;
      return {
        ...base,
        ...(known === undefined && after !== undefined ? madeChange(after) : editChange(group, known, after)),
      };
    }
  }
}

type Form = Pick<Change, "do" | "fields" | "patchType" | "patch" | "diff" | "object">;

function madeChange(object: WireObject): Form {
  return {
    do: "create",
    fields: leavesOf(object),
    patchType: "",
    patch: JSON.stringify(object),
    diff: diffOf(undefined, object),
    object,
  };
}

function editChange(group: readonly Edit[], before: WireObject | undefined, after: WireObject | undefined): Form {
  const fields = group.flatMap(({ act }) => fieldsOf(act, after));
  const single = fields.filter(({ path }, index) => fields.findLastIndex((each) => each.path === path) === index);
  const patch = mergePatchOf(single) ?? jsonPatchOf(single, before ?? {});
  return {
    do: "edit",
    fields: single,
    patchType: Array.isArray(patch) ? "json" : "merge",
    patch: JSON.stringify(patch),
    diff: before === undefined ? fieldDiff(single) : diffOf(before, after),
    object: after === undefined ? null : shownObject(after),
  };
}

/** A text is one value: whole, as it is after all edits. */
function fieldsOf(act: Edit["act"], after: WireObject | undefined): Change["fields"] {
  if (act.do === "set" || act.do === "createWith") return act.fields;
  if (act.do !== "setText") return [];
  const text = valueAt(after, pathSteps(act.key));
  return text === undefined
    ? act.fields.map(({ path, value }) => ({ path: `${act.key}: ${path}`, value }))
    : [{ path: act.key, value: text }];
}

/** Values a chart is given, one tree. */
function helmChange(group: readonly Edit[]): Form {
  let values: Json = {};
  const fields = group.flatMap(({ act }) => (act.do === "helm" ? [{ path: act.value, value: act.to }] : []));
  for (const { path, value } of fields) values = withValue(values, pathSteps(path), value) ?? values;
  const diff = unifiedDiff("", yamlText(values), { from: "/dev/null", to: "values.yaml" });
  return { do: "helm", fields, patchType: "", patch: JSON.stringify(values), diff, object: null };
}

function fieldDiff(fields: Change["fields"]): string {
  let tree: Json = {};
  for (const { path, value } of fields) tree = withValue(tree, pathSteps(path), value) ?? tree;
  return unifiedDiff("", yamlText(tree), { from: "/dev/null", to: "fields to set" });
}

/** Null: a path goes into a list. */
function mergePatchOf(fields: Change["fields"]): JsonObject | null {
  let patch: Json = {};
  for (const { path, value } of fields) {
    const steps = pathSteps(path);
    if (patchOf(steps, value) === null) return null;
    patch = withValue(patch, steps, value) ?? patch;
  }
  return isJsonObject(patch) ? patch : {};
}

function leavesOf(object: WireObject): Change["fields"] {
  return Object.entries(object).flatMap(([path, value]) => (value === undefined ? [] : [{ path, value }]));
}

function diffOf(before: WireObject | undefined, after: WireObject | undefined): string {
  const object = after ?? before;
  if (object === undefined) return "";
  const name = nameOf(object);
  const text = (one: WireObject | undefined): string => (one === undefined ? "" : yamlText(shownObject(one)));
  return unifiedDiff(text(before), text(after), {
    from: before === undefined ? "/dev/null" : `a/${name}`,
    to: after === undefined ? "/dev/null" : `b/${name}`,
  });
}

export function nameOf({ kind, metadata }: WireObject): string {
  const part = (value: Json | undefined): string => (typeof value === "string" && value !== "" ? `${value}/` : "");
  return `${kind}/${part(metadata["namespace"])}${typeof metadata["name"] === "string" ? metadata["name"] : ""}.yaml`;
}

const kubectlApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Without what the server adds. */
export function shownObject({ status: _, ...object }: WireObject): WireObject {
  const left = new Set(["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"]);
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([field]) => !left.has(field)));
  const annotations = metadata["annotations"];
  const kept = isJsonObject(annotations)
    ? { annotations: Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== kubectlApplied)) }
    : {};
  return { ...object, apiVersion: object.apiVersion, kind: object.kind, metadata: { ...metadata, ...kept } };
}

export function keyOf(change: Change): ObjectKey {
  return objectKey(change.target);
}
