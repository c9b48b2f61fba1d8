import type { PodTemplate } from "../model/pod-template.ts";
import { isHealthy, stageOf } from "./pod-stage.ts";
import type { CohortRecord, PodRecord } from "./records.ts";

/** The pods of one namespace by template. Cohorts are only ever added, past any journal; what is in them goes through it. */
export class Cohorts {
  readonly all: CohortRecord[] = [];
  readonly #byTemplate = new Map<PodTemplate, CohortRecord>();

  /** Pods in order of creation. */
  constructor(pods: readonly PodRecord[]) {
    for (const pod of pods) {
      const cohort = this.of(pod);
      cohort.pods.push(pod);
      if (isHealthy(stageOf(pod))) cohort.healthy += 1;
    }
  }

  /** The one this pod belongs to. */
  of({ template, owner }: PodRecord): CohortRecord {
    let cohort = this.#byTemplate.get(template);
    if (cohort === undefined) {
      cohort = { template, pods: [], healthy: 0, owner };
      this.#byTemplate.set(template, cohort);
      this.all.push(cohort);
    }
    if (cohort.owner !== owner) cohort.owner = undefined;
    return cohort;
  }
}
