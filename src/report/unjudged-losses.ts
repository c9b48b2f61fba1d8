import type { Cluster } from "../model/cluster.ts";
import { hasLabels } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { Service } from "../model/policy.ts";
import type { PodView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import type { Routes } from "../route/build.ts";
import type { Judgement } from "../search/judge.ts";
import { asItStands } from "../sim/as-it-stands.ts";
import type { Ledger } from "../sim/ledger.ts";
import { podsOf } from "../sim/monitor.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import { keptBy } from "../systems/pod-keepers.ts";
import { endpointAnnotation } from "../systems/service.ts";
import type { NotModelled } from "./types.ts";

/** Services with nothing ready for a time, where no endpoint speaks for them. */
export interface Losses {
  /** No model endpoint is known: these are what there is to lose, and a trace loses them. */
  readonly unjudged: readonly Service[];
  /** They may or may not be in front of an endpoint, or somebody not modelled would have brought them back. */
  readonly unexplained: readonly NotModelled[];
}

/**
 * Where no model endpoint is known, a Service that loses everything is as bad as an endpoint that does. Where plain Services
 * are the endpoints, nothing says what stands in front of them: a neighbour that loses everything leaves it open whether they
 * can be reached. A Service annotated `holdfast.dev/endpoint: "false"` is nobody's business.
 */
export function lossesBeside(judgement: Judgement, cluster: Cluster, routes: Routes): Losses {
  const lost = [...judgement.lost.keys()].filter((service) => service.annotations.get(endpointAnnotation) !== "false");
  if (lost.length === 0) return { unjudged: [], unexplained: [] };
  const view = asItStands(cluster);
  const selectedBy = ({ ref, selector }: Service): readonly PodView[] =>
    selector === null
      ? []
      : view.podsIn(ref.namespace ?? "").filter(({ template }) => hasLabels(template.labels, selector));
  if (routes.endpoints.every(({ idle }) => idle)) {
    const isReplacedByOthers = (pod: PodView): boolean =>
      isLeftGone(cluster, pod.template, pod.owner === null ? undefined : view.workload(pod.owner)?.spec);
    const doubtful = lost.filter((service) => selectedBy(service).some(isReplacedByOthers));
    return {
      unjudged: lost.filter((service) => !doubtful.includes(service)),
      unexplained: doubtful.map((service) => ({
        what: `the owner of the pods behind Service ${nameOf(service)}, which have nobody to make them again here`,
        ref: `Service/${nameOf(service)}`,
        couldChange: "for how long it has nothing ready",
      })),
    };
  }
  const plain = routes.endpoints.filter(({ system, idle }) => system === "service" && !idle);
  const onPath = new Set(routes.endpoints.flatMap((endpoint) => podsOnPath(view, endpoint)));
  return {
    unjudged: [],
    unexplained: lost.flatMap((service) => {
      const behind = plain.filter(({ namespace }) => namespace === service.ref.namespace);
      if (behind.length === 0 || selectedBy(service).some(({ uid }) => onPath.has(uid))) return [];
      const names = behind.map(({ namespace, name }) => `${namespace}/${name}`).join(", ");
      return [
        {
          what: `whether requests to ${names} pass Service ${nameOf(service)}, which has nothing ready for a time,`,
          ref: `Service/${nameOf(service)}`,
          couldChange: `whether they arrive; annotate it ${endpointAnnotation}: "false" if none does`,
        },
      ];
    }),
  };
}

/** Its owner is not modelled: the play does not bring it back, and the owner may have. */
function isLeftGone(cluster: Cluster, template: PodTemplate, owner: Workload | undefined): boolean {
  return owner?.kind === "Other" && keptBy(cluster, owner, template) === null;
}

function podsOnPath(view: Ledger, endpoint: Endpoint): readonly number[] {
  return endpoint.hops.flatMap((hop) => podsOf(view, hop.pods).map(({ uid }) => uid));
}

function nameOf({ ref }: Service): string {
  return `${ref.namespace}/${ref.name}`;
}
