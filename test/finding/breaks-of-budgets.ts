import { object } from "../support/serving.ts";
import { labelsOf, metadataOf, nameOf, specOf } from "../support/trees.ts";
import {
  add,
  addOther,
  budgetsOf,
  isGroup,
  isScaleless,
  onEveryPath,
  type Part,
  podSpecsOf,
  podsOf,
  remove,
  setBudget,
} from "./part.ts";
import { type Excuse, none, type Twin } from "./twin.ts";

const envoyLabel = "gateway.envoyproxy.io/owning-gateway-name";
const groupLabel = "leaderworkerset.sigs.k8s.io";

const noGroups: Excuse = {
  reason: "no part runs in groups",
  isSo: (parts) => parts.every(({ things }) => things.every(({ kind }) => kind !== "LeaderWorkerSet")),
};
const noPickers: Excuse = {
  reason: "no picker of a Deployment is needed on the path",
  isSo: (parts) => !parts.some(isPicker),
};

function isPicker({ hop }: Part): boolean {
  return hop.hop === "picker" && hop.needed && hop.ref.kind === "Deployment";
}

/** All but the leader stand by, and a change stops all of them first. */
export function electLeader(part: Part): void {
  for (const spec of podSpecsOf(part)) {
    for (const container of [...(Array.isArray(spec["containers"]) ? spec["containers"] : [])].slice(0, 1))
      container["args"] = [...(container["args"] ?? []), "--ha-enable-leader-election"];
  }
  const [, standby] = podsOf(part);
  if (standby !== undefined) setReady(standby, false);
  remove(part, budgetsOf(part));
  for (const thing of part.things)
    if (thing["kind"] === "Deployment" && nameOf(thing) === part.name) specOf(thing)["strategy"] = { type: "Recreate" };
}

function setReady(pod: Part["things"][number], ready: boolean): void {
  pod["status"] = { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] };
}

const budgetName = (part: Part): string => budgetsOf(part).map(nameOf).join();

export const breaksOfBudgets: readonly Twin[] = [
  {
    id: "no-budget/unguarded",
    about: "its budget is gone",
    severity: "note",
    on: () => true,
    unless: none,
    change: (part) => remove(part, budgetsOf(part)),
  },
  {
    id: "budget-never-allows/allNeeded",
    about: "its budget wants all",
    severity: "warning",
    on: () => true,
    unless: none,
    change: (part) => {
      const all = podsOf(part).length;
      setBudget(part, isScaleless(part) ? { minAvailable: all } : { maxUnavailable: 0 });
    },
  },
  {
    id: "budget-never-allows/roundsUp",
    about: "a percentage that rounds against it",
    severity: "warning",
    on: (part) => !isScaleless(part) && !isGroup(part),
    unless: none,
    change: (part) => setBudget(part, { minAvailable: "51%" }),
  },
  {
    id: "budget-never-allows/unhealthyHold",
    about: "nothing is Ready",
    severity: "warning",
    on: () => true,
    unless: none,
    change: (part) => {
      for (const pod of podsOf(part)) setReady(pod, false);
    },
  },
  {
    id: "budget-never-allows/noneToSpare",
    about: "one of them is not Ready, and the budget wants the others",
    severity: "note",
    on: () => true,
    unless: none,
    change: (part) => {
      for (const pod of podsOf(part).slice(0, 1)) setReady(pod, false);
    },
  },
  {
    id: "budget-never-allows/notOnPath",
    about: "somebody else's budget wants all, on its nodes",
    severity: "note",
    component: () => "other",
    once: true,
    on: () => true,
    unless: none,
    prepare: addOther,
    change: ({ things }) => {
      for (const thing of things)
        if (thing["kind"] === "PodDisruptionBudget" && nameOf(thing) === "other")
          thing["spec"] = { selector: specOf(thing)["selector"], minAvailable: 2 };
    },
  },
  {
    id: "budget-lets-too-many/tooMany",
    about: "its budget lets all of them go",
    severity: "note",
    on: (part) => !isScaleless(part) && !isGroup(part),
    unless: none,
    change: (part) => setBudget(part, { maxUnavailable: "100%" }),
  },
  {
    id: "two-budgets/both",
    about: "a second budget",
    severity: "warning",
    on: () => true,
    unless: none,
    change: (part) => {
      for (const budget of budgetsOf(part)) {
        const second = structuredClone(budget);
        metadataOf(second)["name"] = "second";
        part.things.push(second);
      }
    },
  },
  {
    id: "budget-selects-nothing/nothing",
    about: "a slip in its budget's selector",
    severity: "warning",
    component: budgetName,
    on: () => true,
    unless: none,
    change: (part) => {
      for (const budget of budgetsOf(part)) {
        const { matchLabels } = { matchLabels: {}, ...Object(specOf(budget)["selector"]) };
        const [key = "app", value = ""] = Object.entries(matchLabels)[0] ?? [];
        specOf(budget)["selector"] = { matchLabels: { ...matchLabels, [key]: `${String(value)}-old` } };
      }
    },
  },
  {
    id: "budget-too-wide/shared",
    about: "its budget takes the whole namespace, whose others have none",
    severity: "warning",
    // Told of the engines, if it is over any, else of the first.
    component: (part) => {
      const inIt = onEveryPath(part).filter(({ namespace }) => namespace === part.namespace);
      const sorted = inIt.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return (sorted.find(({ hop }) => hop.hop === "engine") ?? sorted[0] ?? part).name;
    },
    on: (part) => !isGroup(part) && neighboursOf(part).length > 1 && neighboursOf(part).every((one) => !isGroup(one)),
    unless: [
      {
        reason: "no two parts, not counting groups, are in one namespace",
        isSo: (parts) =>
          !parts.some((part) => neighboursOf(part).length > 1 && neighboursOf(part).every((one) => !isGroup(one))),
      },
    ],
    change: (part) => {
      const [own] = budgetsOf(part);
      const { namespace } = part;
      remove(
        part,
        part.things.filter(
          (thing) =>
            thing["kind"] === "PodDisruptionBudget" && thing !== own && metadataOf(thing)["namespace"] === namespace,
        ),
      );
      if (own !== undefined) own["spec"] = { selector: {}, minAvailable: 1 };
    },
  },
  {
    id: "budget-will-be-deleted/looksOwned",
    about: "its budget carries Envoy Gateway's labels",
    severity: "warning",
    component: () => "by-hand",
    on: (part) => part.hop.hop === "gateway" && podsOf(part).some((pod) => labelsOf(pod)[envoyLabel] !== undefined),
    unless: [
      {
        reason: "no proxy is Envoy Gateway's",
        isSo: (parts) =>
          parts.every(({ things }) => things.every((thing) => labelsOf(thing)[envoyLabel] === undefined)),
      },
    ],
    change: (part) => {
      for (const budget of budgetsOf(part)) {
        metadataOf(budget)["name"] = "by-hand";
        labelsOf(budget)[envoyLabel] = "g";
      }
    },
  },
  {
    id: "budget-without-scale/noScale",
    about: "a budget that has to know the scale",
    severity: "warning",
    on: isScaleless,
    unless: [
      {
        reason: "all pods of the path belong to kinds with a scale",
        isSo: (parts) =>
          parts.every(({ things }) => things.every(({ kind }) => !["RayCluster", "RoleSet"].includes(String(kind)))),
      },
    ],
    change: (part) => setBudget(part, { maxUnavailable: 1 }),
  },
  {
    id: "picker-standby-budget/leaderHeld",
    about: "a budget over a leader and its standby",
    severity: "warning",
    on: isPicker,
    unless: [noPickers],
    prepare: electLeader,
    change: (part) => {
      const [pod] = podsOf(part);
      const { "pod-template-hash": _, ...matchLabels } = pod === undefined ? {} : labelsOf(pod);
      const marks = { namespace: part.namespace };
      add(
        part,
        object("policy/v1", "PodDisruptionBudget", part.name, { maxUnavailable: 1, selector: { matchLabels } }, marks),
      );
    },
  },
  {
    id: "rollout-cannot-finish/standbys",
    about: "a leader and its standby that roll",
    severity: "warning",
    on: isPicker,
    unless: [noPickers],
    prepare: electLeader,
    change: ({ things, name }) => {
      for (const thing of things)
        if (thing["kind"] === "Deployment" && nameOf(thing) === name)
          specOf(thing)["strategy"] = { type: "RollingUpdate", rollingUpdate: {} };
    },
  },
  {
    id: "group-budget/countsPods",
    about: "a budget that counts pods of groups",
    severity: "warning",
    on: isGroup,
    unless: [noGroups],
    change: (part) => setBudget(part, { minAvailable: 2 }),
  },
  {
    id: "group-budget/perGroup",
    about: "a budget for one group",
    severity: "warning",
    on: isGroup,
    unless: [noGroups],
    change: (part) => select(part, { [`${groupLabel}/name`]: part.name, [`${groupLabel}/group-index`]: "0" }),
  },
  {
    id: "group-budget/leadersOnly",
    about: "a budget over leaders",
    severity: "warning",
    on: isGroup,
    unless: [noGroups],
    change: (part) => select(part, { [`${groupLabel}/name`]: part.name, [`${groupLabel}/worker-index`]: "0" }),
  },
];

function select(part: Part, matchLabels: Record<string, string>): void {
  for (const budget of budgetsOf(part)) specOf(budget)["selector"] = { matchLabels };
}

/** Needed parts in its namespace, itself among them. */
function neighboursOf(part: Part): readonly Part[] {
  return part.endpoint.hops
    .filter(({ needed, outside, ref }) => needed && outside === "" && ref.namespace === part.namespace)
    .map((hop) => ({ ...part, hop, name: hop.ref.name }));
}
