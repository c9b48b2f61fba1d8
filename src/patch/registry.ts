import { activeActive } from "./remedies/active-active.ts";
import { antiAffinity } from "./remedies/anti-affinity.ts";
import { antiAffinityKeyed } from "./remedies/anti-affinity-keyed.ts";
import { autoscalerFloor } from "./remedies/autoscaler-floor.ts";
import { budget } from "./remedies/budget.ts";
import { drainTimeout } from "./remedies/drain-timeout.ts";
import { fallbackPlace } from "./remedies/fallback-place.ts";
import { grace } from "./remedies/grace.ts";
import { groupsApart } from "./remedies/groups-apart.ts";
import { jointBudget } from "./remedies/joint-budget.ts";
import { priority } from "./remedies/priority.ts";
import { replicas } from "./remedies/replicas.ts";
import { rolloutStrategy } from "./remedies/rollout-strategy.ts";
import { spreadAnyway } from "./remedies/spread-anyway.ts";
import { spreadHonor } from "./remedies/spread-honor.ts";
import { spreadKeys } from "./remedies/spread-keys.ts";
import type { Remedy } from "./remedy.ts";

/** What is done to a site whatever form keeps its pods apart. */
export const foundation: readonly Remedy[] = [replicas, autoscalerFloor, budget];

/** A way to keep pods apart: remedies taken together. */
export interface Form {
  readonly name: string;
  readonly remedies: readonly Remedy[];
  /** In place of the foundation, not on top of it. */
  readonly alone?: boolean;
}

/** Tried in this order: what bars least comes first. None holds everywhere, so each is played. */
export const pathForms: readonly Form[] = [
  { name: "spread-honor", remedies: [spreadHonor] },
  { name: "spread-keys", remedies: [spreadKeys] },
  { name: "anti-affinity-keyed", remedies: [antiAffinityKeyed] },
  { name: "spread-anyway", remedies: [spreadAnyway] },
  { name: "as-it-is", remedies: [] },
  { name: "priority", remedies: [priority] },
  { name: "priority-spread-honor", remedies: [priority, spreadHonor] },
  { name: "anti-affinity", remedies: [antiAffinity, rolloutStrategy] },
  { name: "active-active", remedies: [activeActive] },
  { name: "active-active-spread-keys", remedies: [activeActive, spreadKeys] },
  { name: "active-active-one-by-one", remedies: [activeActive, rolloutStrategy] },
  { name: "spread-keys-fallback", remedies: [spreadKeys, fallbackPlace] },
  { name: "spread-honor-fallback", remedies: [spreadHonor, fallbackPlace] },
];

/** Parts that no request passes: a second one is all they need. */
export const helperForms: readonly Form[] = [{ name: "as-it-is", remedies: [] }];

/** Engines rarely find room for a pod more: what keeps them apart must let them roll one after the other. */
export const engineForms: readonly Form[] = [
  { name: "joint-budget", remedies: [jointBudget], alone: true },
  { name: "anti-affinity", remedies: [antiAffinity] },
  { name: "anti-affinity-one-by-one", remedies: [antiAffinity, rolloutStrategy] },
  { name: "one-by-one", remedies: [rolloutStrategy] },
  { name: "anti-affinity-keyed", remedies: [antiAffinityKeyed] },
  { name: "spread-honor", remedies: [spreadHonor] },
  { name: "spread-honor-one-by-one", remedies: [spreadHonor, rolloutStrategy] },
  { name: "spread-anyway", remedies: [spreadAnyway] },
  { name: "as-it-is", remedies: [] },
  { name: "groups-apart", remedies: [groupsApart] },
  { name: "priority", remedies: [priority] },
  { name: "priority-anti-affinity", remedies: [priority, antiAffinity] },
];

/** What changes no verdict and lets answers in flight finish: offered beside, where it harms nothing. */
export const besides: readonly Remedy[] = [grace, drainTimeout];
