import { groupOf, type ObjectRef } from "../../model/key.ts";
import { type EditedKeeper, type KeptPlay, noPlay } from "./play.ts";
import { rayClusterPlay, rayServicePlay } from "./ray.ts";
import { roleSetPlay, stormServicePlay } from "./storm-service.ts";

const plays: ReadonlyMap<string, (keeper: EditedKeeper) => KeptPlay> = new Map([
  ["StormService.orchestration.aibrix.ai", stormServicePlay],
  ["RoleSet.orchestration.aibrix.ai", roleSetPlay],
  ["RayService.ray.io", rayServicePlay],
  ["RayCluster.ray.io", rayClusterPlay],
]);

/** Edits of owners whose operator makes pods itself, as that operator carries them out. */
export function keptPlay(keeper: EditedKeeper): KeptPlay {
  return plays.get(kindOf(keeper.ref))?.(keeper) ?? noPlay;
}

export function isKeeper(ref: ObjectRef): boolean {
  return plays.has(kindOf(ref));
}

function kindOf({ kind, apiVersion }: ObjectRef): string {
  return `${kind}.${groupOf(apiVersion)}`;
}
