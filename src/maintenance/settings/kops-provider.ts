import type { SettingReader } from "./setting.ts";

/** On AWS kOps detaches one node and brings another up first; elsewhere one at a time is simply away. */
export const kopsProvider: SettingReader = (_cluster, pool, actor) => {
  const node = pool.nodes.find(({ providerId }) => providerId !== "");
  if (node === undefined || node.providerId.startsWith("aws:")) return null;
  const said = [`node ${node.name}: provider ${node.providerId.split(":")[0]}, where no node joins first`];
  return { actor: { ...actor, surge: null, nodesAtOnce: 1 }, said, held: "" };
};
