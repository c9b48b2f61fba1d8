import type { Cluster } from "../../model/cluster.ts";
import type { Workload } from "../../model/workload.ts";

/** Flags of the container that runs an image, by name without dashes; null: no such workload. */
export interface ContainerFlags {
  readonly of: string;
  readonly tag: string;
  /** A flag without a value is `true`. The last one counts. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Of the first workload of the kind with a container whose image is called so. */
export function containerFlags(cluster: Cluster, kind: Workload["kind"], image: string): ContainerFlags | null {
  for (const workload of cluster.workloads.values()) {
    if (workload.kind !== kind || !("template" in workload)) continue;
    const container = workload.template.containers.find((c) => imageName(c.image) === image);
    if (container === undefined) continue;
    const values = new Map<string, readonly string[]>();
    const args = [...container.command, ...container.args];
    for (const [at, arg] of args.entries()) {
      const found = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(arg);
      if (found === null) continue;
      const [, name = "", value] = found;
      const next = args[at + 1];
      const given = value ?? (next === undefined || next.startsWith("-") ? "true" : next);
      values.set(name, [...(values.get(name) ?? []), given]);
    }
    const { ref } = workload;
    return { of: `${ref.kind} ${ref.namespace}/${ref.name}`, tag: imageTag(container.image), values };
  }
  return null;
}

/** `cluster-autoscaler` of `registry.k8s.io/autoscaling/cluster-autoscaler:v1.34.0@sha256:…`. */
export function imageName(image: string): string {
  const [named = ""] = image.split("@");
  const last = named.slice(named.lastIndexOf("/") + 1);
  return last.split(":")[0] ?? "";
}

function imageTag(image: string): string {
  const [named = ""] = image.split("@");
  return named.slice(named.lastIndexOf("/") + 1).split(":")[1] ?? "";
}
