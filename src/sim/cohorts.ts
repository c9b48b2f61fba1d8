import type { PodTemplate } from "../model/pod-template.ts";
import { isHealthy, stageAsRead } from "./pod-stage.ts";
import type { PodKind, PodsRead } from "./pods-read.ts";
import type { CohortRecord, PodRecord } from "./records.ts";

/** Who has the pods of a cohort as they were read. */
interface AsRead {
  readonly read: PodsRead;
  recordsOf(uids: Int32Array): PodRecord[];
}

/** The pods of one namespace by template. Cohorts are only ever added, past any journal; what is in them goes through it. */
export class Cohorts {
  readonly all: LateCohort[] = [];
  readonly #byTemplate = new Map<PodTemplate, LateCohort>();
  readonly #records: AsRead["recordsOf"];

  /** Before any of these pods changes. */
  constructor(namespace: string, { read, recordsOf }: AsRead) {
    this.#records = recordsOf;
    for (const kind of read.kindsIn(namespace)) {
      // Whether they are on a node that is there is nothing to budgets.
      const isUp = isHealthy(stageAsRead(kind.kin, true));
      for (const [template, uids] of byTemplate(read, kind)) {
        const cohort = this.of({ template, owner: kind.kin.owner });
        cohort.take(uids);
        if (isUp) cohort.healthy += uids.length;
      }
    }
  }

  /** The one this pod belongs to. */
  of({ template, owner }: Pick<PodRecord, "template" | "owner">): LateCohort {
    let cohort = this.#byTemplate.get(template);
    if (cohort === undefined) {
      cohort = new LateCohort(template, owner, this.#records);
      this.#byTemplate.set(template, cohort);
      this.all.push(cohort);
    }
    if (cohort.owner !== owner) cohort.owner = undefined;
    return cohort;
  }
}

/** Those of a kind have one template, or each that of its node. */
function byTemplate(read: PodsRead, { kin, uids }: PodKind): Iterable<readonly [PodTemplate, Int32Array]> {
  const [first] = uids;
  if (first === undefined || read.at(first).template === kin.template) return [[kin.template, uids]];
  return Array.from(uids, (uid) => [read.at(uid).template, Int32Array.of(uid)] as const);
}

/** A cohort of which views are made when somebody asks for its pods: who changes them does. */
class LateCohort implements CohortRecord {
  readonly template: PodTemplate;
  owner: CohortRecord["owner"];
  healthy = 0;
  readonly #records: AsRead["recordsOf"];
  #uids: Int32Array = none;
  #pods: PodRecord[] | null = null;

  constructor(template: PodTemplate, owner: CohortRecord["owner"], records: AsRead["recordsOf"]) {
    this.template = template;
    this.owner = owner;
    this.#records = records;
  }

  get pods(): PodRecord[] {
    this.#pods ??= this.#records(this.#uids);
    return this.#pods;
  }

  get size(): number {
    return this.#pods?.length ?? this.#uids.length;
  }

  /** More that were read. */
  take(uids: Int32Array): void {
    this.#uids = this.#uids.length === 0 ? uids : Int32Array.from([...this.#uids, ...uids]).sort();
  }
}

const none = new Int32Array(0);
