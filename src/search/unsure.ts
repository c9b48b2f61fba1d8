import { matchesRequiredNodeAffinity } from "../model/node-selector.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { repelled } from "../model/taints.ts";
import type { NodeView, PodView } from "../model/view.ts";
import { unitsOf } from "../sim/monitor.ts";
import type { PlannedStep } from "../sim/program.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { isOfNewPods, type KeptBy, keptBy } from "../systems/pod-keepers.ts";
import { answer } from "./answer.ts";
import type { Judgement, Watch } from "./judge.ts";
import { type Ground, groundOf } from "./n-minus-one/ground.ts";
import { allLeave, type Loss, lossOf } from "./n-minus-one/loss.ts";
import type { Standing } from "./n-minus-one/standing.ts";
import { addRests, type Rest } from "./rests-on.ts";

/** Whether all that is not modelled about it is when new pods serve. */
export function isOnlyUnsure({ notModelled }: Endpoint): boolean {
  const gaps = notModelled.filter(({ couldChange }) => couldChange !== "");
  return gaps.length > 0 && gaps.every(isOfNewPods);
}

/**
 * Of some operators it is not known when the pods they make serve, only that they are made: a play that lets them serve once
 * they are Ready may show that an endpoint breaks, never that it does not. So what such a play calls safe is asked again as if no
 * new pod ever served: is what stands elsewhere enough, and is every pod let go without waiting for a new one?
 */
export class Unsure {
  readonly #watch: Watch;
  #known: Ground | null;

  /** `ground`: of the same watch, where there is one already. */
  constructor(watch: Watch, ground: Ground | null = null) {
    this.#watch = watch;
    this.#known = ground;
  }

  /** Only few clusters need it. */
  get #ground(): Ground {
    this.#known ??= groundOf(this.#watch);
    return this.#known;
  }

  get #standing(): Standing {
    return this.#ground.standing;
  }

  /** Adds what the endpoints that are safe in all these maintenances rest on, and returns those whose safety hangs on no new pod. */
  sureOf(
    judgement: Judgement,
    variants: readonly (readonly PlannedStep[])[],
    rests: Map<Endpoint, readonly Rest[]>,
  ): ReadonlySet<Endpoint> {
    const sure = new Set<Endpoint>();
    for (const { endpoint, verdict, now } of judgement.endpoints) {
      if (verdict !== "safe" || now === "idle" || !isOnlyUnsure(endpoint)) continue;
      const found = variants.map((steps) => this.restsOf(endpoint, steps));
      if (found.includes(null)) continue;
      sure.add(endpoint);
      addRests(
        rests,
        endpoint,
        found.flatMap((one) => one ?? []),
      );
    }
    return sure;
  }

  /** What the endpoint's safety in this maintenance rests on, whenever new pods serve; null: on their serving, as far as is known. */
  restsOf(endpoint: Endpoint, steps: readonly PlannedStep[]): readonly Rest[] | null {
    const loss = lossOf(this.#standing, steps);
    if (loss === null) return null;
    const hops = endpoint.hops.filter((hop) => this.#keptOf(hop).length > 0);
    if (!hops.every((hop) => this.#standing.part(hop).quiet)) return null;
    const staying = hops.flatMap((hop) => this.#standing.part(hop).pods).filter((pod) => !loss.pods.has(pod));
    if (staying.some((pod) => this.#isThreatened(pod, loss))) return null;
    const rests: Rest[] = [];
    for (const hop of hops) {
      const own = this.#standing.part(hop).pods.filter((pod) => loss.pods.has(pod));
      const found = own.length === 0 ? [] : this.#restsOfHop({ endpoint, hop, own, loss, steps });
      if (found === null) return null;
      rests.push(...found);
    }
    return rests;
  }

  #restsOfHop({ endpoint, hop, own, loss, steps }: Touched): readonly Rest[] | null {
    const [delay] = this.#keptOf(hop).flatMap(({ patienceMs }) => patienceMs ?? []);
    if (delay !== undefined && hop.unit.kind === "pod") {
      const slowestMs = Math.max(...own.map((pod) => this.#watch.timing.podStart(pod).mostMs));
      return slowestMs > delay ? null : [{ kind: "time", hop, atMostMs: delay }];
    }
    if (!allLeave(this.#standing, loss, own)) return null;
    if (!hop.needed && hop.outlivedMs !== null) return this.#restsOfOutlived(endpoint, hop, steps);
    const left = (of: Hop): number => this.#leftOf(of, loss);
    const isEnough = this.#standing.unitsWith(endpoint, hop, left) >= this.#standing.needOf(endpoint, hop);
    return isEnough ? [] : null;
  }

  /** A pod that looks for a place may find none but this one's. */
  #isThreatened({ node, template }: PodView, loss: Loss): boolean {
    if (this.#standing.looking.length > 0 || this.#standing.anyMayLook) return true;
    return loss
      .movers()
      .some(
        (mover) =>
          mover.template.priority > template.priority &&
          node !== null &&
          mayReach(mover.template, node) &&
          !this.#ground.rooms.alwaysFinds(mover.template, loss),
      );
  }

  /** The others wait for it for a time: whether it is back by then. */
  #restsOfOutlived(endpoint: Endpoint, hop: Hop, steps: readonly PlannedStep[]): readonly Rest[] | null {
    const alone: Endpoint = {
      ...endpoint,
      hops: [{ ...hop, needed: true }],
      maxDownMs: hop.outlivedMs ?? 0,
      minAvailable: "",
    };
    const { judgement, rests } = answer({
      ...this.#watch,
      ...{ endpoints: [alone], supporting: [], steps, choices: [] },
    });
    const isSafe = judgement.endpoints.every(({ verdict }) => verdict === "safe");
    return isSafe ? (rests.get(alone) ?? []) : null;
  }

  /** Ready units none of whose pods goes. */
  #leftOf(hop: Hop, loss: Loss): number {
    const { pods } = this.#standing.part(hop);
    const serving = pods.filter(({ ready, terminatingSinceMs }) => ready && terminatingSinceMs === null);
    const staying = serving.filter((pod) => !loss.pods.has(pod));
    return unitsOf(hop, staying);
  }

  #keptOf(hop: Hop): readonly KeptBy[] {
    return this.#standing.part(hop).pods.flatMap((pod) => this.#keptByOf(pod) ?? []);
  }

  #keptByOf({ owner, template }: PodView): KeptBy | null {
    const spec = owner === null ? undefined : this.#standing.view.workload(owner)?.spec;
    return spec?.kind === "Other" ? keptBy(this.#watch.cluster, spec, template) : null;
  }
}

/** Nothing about the node itself keeps the pod off it. */
function mayReach(template: PodTemplate, { node, taints }: NodeView): boolean {
  return matchesRequiredNodeAffinity(template, node) && !repelled(taints, template.tolerations);
}

interface Touched {
  readonly endpoint: Endpoint;
  readonly hop: Hop;
  readonly own: readonly PodView[];
  readonly loss: Loss;
  readonly steps: readonly PlannedStep[];
}
