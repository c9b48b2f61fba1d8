import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { notInterned, templateContent } from "../model/template-content.ts";
import type { Workload } from "../model/workload.ts";
import { PodsRead } from "./pods-read.ts";

/** One template for one content, with a number of its own. Contents are only compared where a glance does not tell them apart. */
export class Templates {
  readonly #cluster: Cluster;
  /** Namespace → glance → those that were read there. */
  readonly #read = new Map<string, ReadonlyMap<string, ReadonlySet<PodTemplate>>>();
  #workloads: ReadonlyMap<string, readonly Workload[]> | null = null;
  readonly #byContent = new Map<string, Map<string, PodTemplate>>();
  #nextId: number;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#nextId = cluster.templateCount;
  }

  /** Numbers are only ever added: a template made in one branch of a search may serve another. */
  interned(template: PodTemplate): PodTemplate {
    const key = glance(template);
    let known = this.#byContent.get(key);
    if (known === undefined) {
      const read =
        underKey(
          this.#read,
          template.namespace,
          (): ReadonlyMap<string, ReadonlySet<PodTemplate>> => this.#readIn(template.namespace),
        ).get(key) ?? [];
      known = new Map(Array.from(read, (one) => [templateContent(one), one]));
      this.#byContent.set(key, known);
    }
    const content = templateContent(template);
    const alike = known.get(content);
    if (alike !== undefined) return alike;
    const made = { ...template, id: this.#nextId };
    this.#nextId += 1;
    known.set(content, made);
    return made;
  }

  #readIn(namespace: string): ReadonlyMap<string, ReadonlySet<PodTemplate>> {
    const read = new Map<string, Set<PodTemplate>>();
    for (const template of new Set(this.#templatesIn(namespace))) {
      // One that a change brought has no number of its own: pods of two such would pass for alike.
      if (template.id !== notInterned) underKey(read, glance(template), () => new Set<PodTemplate>()).add(template);
    }
    return read;
  }

  *#templatesIn(namespace: string): Iterable<PodTemplate> {
    const read = PodsRead.of(this.#cluster);
    for (const uid of read.inNamespace(namespace)) yield read.at(uid).template;
    this.#workloads ??= Map.groupBy(this.#cluster.workloads.values(), ({ ref }) => ref.namespace);
    for (const workload of this.#workloads.get(namespace) ?? []) yield* templatesOf(workload);
  }
}

/** The same for templates of the same content. */
function glance({ namespace, requiredNodeAffinity, images }: PodTemplate): string {
  const asked = (requiredNodeAffinity ?? []).flatMap(({ matchExpressions, matchFields }) =>
    [...matchExpressions, ...matchFields].flatMap(({ key, values }) => [key, ...values]),
  );
  return [namespace, ...images, ...asked].join(" ");
}

function templatesOf(workload: Workload): readonly PodTemplate[] {
  if (workload.kind === "LeaderWorkerSet") return [workload.leaderTemplate, workload.workerTemplate];
  return "template" in workload ? [workload.template] : [];
}
