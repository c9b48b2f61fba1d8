import { groupOf, type ObjectRef } from "../../model/key.ts";
import { dynamoGraph } from "./dynamo-graph.ts";
import { envoyProxy } from "./envoy-proxy.ts";
import { agentgatewayParameters, kgatewayParameters } from "./gateway-parameters.ts";
import { inferenceService } from "./inference-service.ts";
import { llmInferenceService } from "./llm-inference-service.ts";
import { vllmRouter, vllmRuntime } from "./production-stack.ts";
import type { Projection } from "./projection.ts";
import { rayService } from "./ray-service.ts";
import { roleSet, stormService } from "./storm-service.ts";

/** Owners whose fields are known all the way to what is made of them. The order decides nothing. */
export const projections: readonly Projection[] = [
  envoyProxy,
  inferenceService,
  llmInferenceService,
  kgatewayParameters,
  agentgatewayParameters,
  dynamoGraph,
  vllmRouter,
  vllmRuntime,
  rayService,
  stormService,
  roleSet,
];

/**
 * Objects a controller makes and then leaves as they are: an edit by others stays.
 * Mirrors: KubeRay v1.6, which writes a RayCluster again only for new groups of workers at the end.
 */
const leftAlone: ReadonlySet<string> = new Set(["RayCluster.ray.io"]);

export function isLeftAlone({ kind, apiVersion }: Pick<ObjectRef, "kind" | "apiVersion">): boolean {
  return leftAlone.has(`${kind}.${groupOf(apiVersion)}`);
}

export function projectionOf(ref: ObjectRef): Projection | undefined {
  return projections.find(({ kind, group }) => kind === ref.kind && group === groupOf(ref.apiVersion));
}
