import type { Cluster } from "../model/cluster.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { notInterned, templateContent } from "../model/template-content.ts";

/** One template for one content, with a number of its own. Contents are only compared where a glance does not tell them apart. */
export class Templates {
  readonly #read: ReadonlyMap<string, ReadonlySet<PodTemplate>>;
  readonly #byContent = new Map<string, Map<string, PodTemplate>>();
  #nextId = 0;

  constructor(cluster: Cluster) {
    const read = new Map<string, Set<PodTemplate>>();
    for (const template of templatesOf(cluster)) {
      // One that a change brought has no number of its own: pods of two such would pass for alike.
      if (template.id === notInterned) continue;
      this.#nextId = Math.max(this.#nextId, template.id + 1);
      const key = glance(template);
      const known = read.get(key);
      if (known === undefined) read.set(key, new Set([template]));
      else known.add(template);
    }
    this.#read = read;
  }

  /** Numbers are only ever added: a template made in one branch of a search may serve another. */
  interned(template: PodTemplate): PodTemplate {
    const key = glance(template);
    let known = this.#byContent.get(key);
    if (known === undefined) {
      const read = this.#read.get(key) ?? [];
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
}

/** The same for templates of the same content. */
function glance({ namespace, requiredNodeAffinity, images }: PodTemplate): string {
  const asked = (requiredNodeAffinity ?? []).flatMap(({ matchExpressions, matchFields }) =>
    [...matchExpressions, ...matchFields].flatMap(({ key, values }) => [key, ...values]),
  );
  return [namespace, ...images, ...asked].join(" ");
}

function* templatesOf({ pods, workloads }: Cluster): Iterable<PodTemplate> {
  for (const { template } of pods) yield template;
  for (const workload of workloads.values()) {
    if ("template" in workload) yield workload.template;
    if (workload.kind !== "LeaderWorkerSet") continue;
    yield workload.leaderTemplate;
    yield workload.workerTemplate;
  }
}
