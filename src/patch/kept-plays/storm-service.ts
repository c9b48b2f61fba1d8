import { scaledValue } from "../../model/int-or-percent.ts";
import type { ObjectKey } from "../../model/key.ts";
import { parseIntOrPercent } from "../../model/parse-int-or-percent.ts";
import { Fields } from "../../wire/fields.ts";
import { sameJson } from "../../wire/object-path.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { type KeptKind, keptPods } from "../../workload/kept-pods.ts";
import type { KeptSets } from "../../workload/set-keeper.ts";
import { aspectsBelow, type EditedKeeper, edited, type KeptPlay, noPlay, otherOwner, templateWith } from "./play.ts";

const roleLabel = "role-name";
const setLabel = "roleset-name";

/**
 * A StormService after an edit. Its number alone makes sets come and go; anything of its template is a new revision: by default
 * whole sets are replaced (with no surge stated the old one goes first), with InPlaceUpdate each set is changed where it stands.
 * Mirrors: AIBrix v0.7 stormservice/{sync,revision,utils}.go.
 */
export function stormServicePlay(keeper: EditedKeeper): KeptPlay {
  const { cluster, key, before, after } = keeper;
  const owner = otherOwner(cluster, key);
  const sets = [...cluster.workloads.values()].filter((workload) => workload.owner === key);
  const [like] = sets;
  if (owner === null || like === undefined) return noPlay;
  const spec = fieldsOf(after).object("spec");
  const template = spec.object("template").object("spec");
  const wanted = kindsOf(keeper, template, new Set(sets.map((set) => set.key)), "spec.template.spec");
  if (wanted === null || spec.flag("paused")) return noPlay;
  const count = spec.count("replicas") ?? 1;
  const strategy = spec.object("updateStrategy");
  const inPlace = strategy.text("type") === "InPlaceUpdate";
  const { surge, unavailable } = inPlace ? { surge: 0, unavailable: count } : fenceposts(strategy, count);
  const isSame = sameJson(fieldsOf(before).object("spec").raw("template"), spec.raw("template"));
  const memory: KeptSets = {
    kind: "kept-sets",
    of: { apiVersion: like.ref.apiVersion, kind: like.ref.kind },
    setLabel,
    count,
    surge,
    unavailable,
    inPlace,
    revision: isSame ? "" : edited,
    wanted,
    inTurn: isInTurn(template),
    made: 0,
  };
  return { changes: [{ what: "kept", spec: owner, memory }], rolled: [key], moves: [] };
}

/** A RoleSet that nobody made: its roles are changed where they stand. */
export function roleSetPlay(keeper: EditedKeeper): KeptPlay {
  const { cluster, key, after } = keeper;
  const owner = otherOwner(cluster, key);
  const spec = fieldsOf(after).object("spec");
  const wanted = kindsOf(keeper, spec, new Set([key]), "spec");
  if (owner === null || wanted === null) return noPlay;
  const memory = keptPods(wanted, { revision: "", inTurn: isInTurn(spec) });
  return { changes: [{ what: "kept", spec: owner, memory }], rolled: [key], moves: [] };
}

/** Null: a role whose pods are not known, or that are groups of pods. */
function kindsOf(
  { cluster, edits, retemplated }: EditedKeeper,
  spec: Fields,
  sets: ReadonlySet<ObjectKey>,
  at: string,
): readonly KeptKind[] | null {
  const kinds: KeptKind[] = [];
  for (const role of spec.objects("roles")) {
    const of = { label: roleLabel, value: role.text("name") };
    const count = role.count("replicas") ?? 0;
    const base = templateWith(cluster, sets, of);
    if ((base === null && count > 0) || (role.count("podGroupSize") ?? 1) > 1) return null;
    if (base === null) continue;
    const aspects = aspectsBelow(edits, `${at}.roles[name=${of.value}].template`);
    const isEdited = aspects.size > 0;
    kinds.push({
      of,
      count,
      template: isEdited ? retemplated(base, role.object("template"), aspects) : base,
      revision: isEdited ? edited : "",
      ...fenceposts(role.object("updateStrategy"), count),
    });
  }
  return kinds;
}

/** Where neither is stated, or both come to nothing, one may be unavailable. */
function fenceposts(strategy: Fields, count: number): Pick<KeptKind, "surge" | "unavailable"> {
  const stated = (name: string, round: "up" | "down"): number => {
    const value = parseIntOrPercent(strategy, name);
    return value === null ? 0 : scaledValue(value, count, round);
  };
  const surge = stated("maxSurge", "up");
  const unavailable = Math.min(count, stated("maxUnavailable", "down"));
  return surge === 0 && unavailable === 0 ? { surge, unavailable: Math.min(1, count) } : { surge, unavailable };
}

function isInTurn(spec: Fields): boolean {
  const strategy = spec.text("updateStrategy");
  return strategy === "" || strategy === "Sequential";
}

function fieldsOf(object: WireObject): Fields {
  return Fields.of(object, () => {});
}
