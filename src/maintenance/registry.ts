import type { Actor } from "./actor.ts";
import { kubectlDrain } from "./actors/kubectl-drain.ts";
import { nebius } from "./actors/nebius.ts";
import { openshiftMco } from "./actors/openshift-mco.ts";

/** Every actor; where signs of several are on one cluster, earlier ones decide. */
export const actors: readonly Actor[] = [nebius, openshiftMco, kubectlDrain];

export function actorNamed(name: string): Actor | undefined {
  return actors.find((actor) => actor.name === name);
}
