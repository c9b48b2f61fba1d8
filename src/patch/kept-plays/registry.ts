import { groupOf } from "../../model/key.ts";
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
  const { kind, apiVersion } = keeper.ref;
  return plays.get(`${kind}.${groupOf(apiVersion)}`)?.(keeper) ?? noPlay;
}
