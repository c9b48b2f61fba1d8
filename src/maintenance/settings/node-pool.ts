import { fieldsOf } from "../../systems/facts.ts";
import type { NodeCount } from "../actor.ts";
import { nodeCount } from "../node-count.ts";
import { goDurationMs, intOrPercent, objectsOf, type SettingReader } from "./setting.ts";

/**
 * A Karpenter NodePool's disruption budgets (the tightest that holds always and for drift; those with a schedule are told and
 * left out) and its terminationGracePeriod, behind which drift goes ahead whatever holds a pod.
 */
export const nodePool: SettingReader = (cluster, pool, actor) => {
  const object = objectsOf(cluster, "NodePool", "karpenter.sh").find(({ ref }) => ref.name === pool.name);
  if (object === undefined) return null;
  const spec = fieldsOf(object).object("spec");
  const name = `NodePool ${pool.name}`;
  const said: string[] = [];
  let nodesAtOnce: NodeCount | null = null;
  for (const budget of actor.pools === "independent" ? spec.object("disruption").objects("budgets") : []) {
    const text = String(budget.raw("nodes") ?? "10%");
    const count = intOrPercent(text, { rounds: "up", least: 0 });
    const reasons = budget.texts("reasons");
    if (count === null || (reasons.length > 0 && !reasons.includes("Drifted"))) continue;
    if (budget.text("schedule") !== "") {
      said.push(`${name}: a budget of ${text} nodes by schedule is left out`);
      continue;
    }
    said.push(`${name}: budget of ${text} nodes`);
    if (nodesAtOnce === null || nodeCount(count, pool.nodes) < nodeCount(nodesAtOnce, pool.nodes)) nodesAtOnce = count;
  }
  const grace = spec.object("template").object("spec").text("terminationGracePeriod");
  const graceMs = goDurationMs(grace);
  if (graceMs !== null) said.push(`${name}: terminationGracePeriod ${grace}`);
  const limited = graceMs === null ? {} : behindLimit(actor, graceMs);
  return {
    actor: { ...actor, ...limited, nodesAtOnce: nodesAtOnce ?? actor.nodesAtOnce },
    said,
    held: nodesAtOnce !== null && nodeCount(nodesAtOnce, pool.nodes) === 0 ? `${name}: its budget is 0 nodes` : "",
  };
};

function behindLimit(actor: Parameters<SettingReader>[2], holdsForMs: number): Partial<Parameters<SettingReader>[2]> {
  return {
    passesOver: actor.passesOver.filter(({ on }) => on !== "budget" && on !== "podAnnotation"),
    drain: { ...actor.drain, holdsForMs, then: "deletes", deletesEarly: true },
  };
}
