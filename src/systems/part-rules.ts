import { groupOf, type ObjectRef } from "../model/key.ts";
import type { Workload } from "../model/workload.ts";
import type { Facts, Part } from "./facts.ts";
import { code, createBudget, field, helmKnobs, type Knob, type Knobs, none, ownKnobs } from "./knobs.ts";
import type { Match } from "./match.ts";
import type { PartRule } from "./system.ts";

interface Common {
  readonly hop: string;
  readonly component: string;
  readonly match: Match;
  /** Given: the part is not on the path, and this is what stands still while it is gone. */
  readonly whileGone?: string;
}

/** Values of the chart that set replicas, budget and spread; null: the chart has none, the object's own field is left. */
interface HelmValues {
  readonly replicas: string | null;
  readonly budget: string | null;
  readonly spread: string | null;
}

/** A part installed by a Helm chart and reconciled by nobody. */
export function helmPart(
  options: Common & {
    readonly values: HelmValues;
    readonly budget?: Knob;
    /** Also installed by plain manifests: without a mark of Helm its own fields set it. */
    readonly orPlain?: boolean;
  },
): PartRule {
  return {
    ...common(options),
    owner: ({ workload }, facts) => packagedChart(workload, facts) ?? helmRelease(workload),
    knobs: (part, facts) => {
      const { workload } = part;
      const knobs =
        options.orPlain !== true || isCharted(part)
          ? helmKnobs(workload.ref, releaseName(workload), options.values)
          : ownKnobs(workload.ref, managedBy(workload));
      const packaged = packagedChart(workload, facts);
      return {
        ...knobs,
        ...(options.budget === undefined ? {} : { budget: options.budget }),
        ...(packaged === null ? {} : { overwrites: installedAgain, managedBy: `HelmChartConfig ${packaged.name}` }),
      };
    },
  };
}

/** By what Helm writes on what it installs, or the labels that charts put on what they render for other tools to install. */
function isCharted({ workload, labels }: Part): boolean {
  return (
    releaseName(workload) !== "" ||
    labels.has("helm.sh/chart") ||
    helmMarks.some(([key, value]) => labels.get(key) === value)
  );
}

const helmMarks = [
  ["app.kubernetes.io/managed-by", "Helm"],
  ["heritage", "Helm"],
] as const;

/** A part a custom resource makes; `owner` finds it. Paths are on the custom resource; null: it has no such field. */
export function ownedPart(
  options: Common & {
    readonly owner: (part: Part, facts: Facts) => ObjectRef | null;
    readonly replicas: string | null;
    readonly spread: string | null;
    readonly budget?: Knob;
    readonly overwrites: string;
  },
): PartRule {
  return {
    ...common(options),
    owner: options.owner,
    knobs: (part, facts) => {
      const owner = options.owner(part, facts);
      const { replicas, spread, budget, overwrites } = options;
      return ownedKnobs(part.workload, owner, { replicas, spread, budget: budget ?? createBudget(), overwrites });
    },
  };
}

/** A part nothing stands above. */
export function plainPart(options: Common): PartRule {
  return {
    ...common(options),
    owner: () => null,
    knobs: (part) => ownKnobs(part.workload.ref, managedBy(part.workload)),
  };
}

/** A part no system knows. Where a custom resource makes it, its controller may put an edit back: only there it lasts. */
export function unknownPart(options: Common): PartRule {
  return {
    ...plainPart(options),
    owner: ({ workload }, facts) => customOwner(workload, facts),
    knobs: ({ workload }, facts) => {
      const own = ownKnobs(workload.ref, managedBy(workload));
      const owner = customOwner(workload, facts);
      if (owner === null) return own;
      const named = `${owner.kind} ${owner.namespace === "" ? "" : `${owner.namespace}/`}${owner.name}`;
      const what = `${named}, whose controller makes this ${workload.ref.kind}, if it has a field for it`;
      return {
        ...own,
        replicas: code(what),
        spread: code(what),
        overwrites: `The controller of ${named} may put the ${workload.ref.kind} back.`,
        managedBy: `${owner.kind} ${owner.name}`,
      };
    },
  };
}

/** The custom resource that controls a workload of Kubernetes' own; null: there is none. */
function customOwner({ kind, owner }: Workload, facts: Facts): ObjectRef | null {
  const [type = "", namespace = "", name] = (owner ?? "").split("/");
  const dot = type.indexOf(".");
  const group = type.slice(dot + 1);
  if (kind === "Other" || name === undefined || dot < 0 || group === "" || ownGroups.has(group)) return null;
  return refOf(facts, { apiVersion: `${group}/v1`, kind: type.slice(0, dot), namespace, name });
}

const ownGroups: ReadonlySet<string> = new Set(["apps", "batch", "leaderworkerset.x-k8s.io"]);

export function ownedKnobs(
  workload: Workload,
  owner: ObjectRef | null,
  paths: {
    readonly replicas: string | null;
    readonly spread: string | null;
    readonly budget: Knob;
    readonly overwrites: string;
  },
): Knobs {
  if (owner === null) return ownKnobs(workload.ref, managedBy(workload));
  const at = (path: string | null): Knob =>
    path === null ? none(`${owner.kind} has no field for it.`) : field(owner, path);
  return {
    replicas: at(paths.replicas),
    budget: paths.budget,
    spread: at(paths.spread),
    overwrites: paths.overwrites,
    managedBy: `${owner.kind} ${owner.name}`,
  };
}

/** The object of this kind that a label of the part names, in its namespace; it need not be in the input. */
export function labelledOwner(
  kind: string,
  apiVersion: string,
  label: string,
): (part: Part, facts: Facts) => ObjectRef | null {
  return (part, facts) => {
    const name = part.labels.get(label);
    return name === undefined ? null : refOf(facts, { apiVersion, kind, namespace: part.workload.ref.namespace, name });
  };
}

/** The custom resource in the part's controlling ownerReference. */
export function directOwner(kind: string, apiVersion: string): (part: Part, facts: Facts) => ObjectRef | null {
  return (part, facts) => {
    const [type, namespace, name] = (part.workload.owner ?? "").split("/");
    if (name === undefined || type !== `${kind}.${groupOf(apiVersion)}`) return null;
    return refOf(facts, { apiVersion, kind, namespace: namespace ?? "", name });
  };
}

/** The reference as the cluster has it: the version served there wins over the one named here. */
export function refOf(facts: Facts, ref: ObjectRef): ObjectRef {
  return facts.other(ref.kind, groupOf(ref.apiVersion), ref.namespace, ref.name)?.ref ?? ref;
}

export function helmRelease(workload: Workload): ObjectRef | null {
  const name = workload.annotations.get("meta.helm.sh/release-name");
  if (name === undefined) return null;
  const namespace = workload.annotations.get("meta.helm.sh/release-namespace") ?? workload.ref.namespace;
  return { apiVersion: "helm", kind: "Release", namespace, name };
}

const installedAgain = "The cluster's own Helm controller installs it again with the values of its HelmChartConfig.";

/**
 * RKE2 and k3s install charts of their own from HelmChart objects; what a person sets of them is in the HelmChartConfig of that name.
 * Mirrors: helm-controller's helm.cattle.io/v1, RKE2's packaged charts.
 */
export function packagedChart(workload: Workload, facts: Facts): ObjectRef | null {
  const name = releaseName(workload);
  if (name === "") return null;
  const isPackaged = facts.others("HelmChart", "helm.cattle.io").some(({ ref }) => ref.name === name);
  if (!isPackaged && !name.startsWith("rke2-")) return null;
  return { apiVersion: "helm.cattle.io/v1", kind: "HelmChartConfig", namespace: "kube-system", name };
}

/** The tool behind the object, by the marks each leaves; "" when nothing says. */
export function managedBy(workload: Workload): string {
  const { labels, annotations } = workload;
  const tracking = annotations.get("argocd.argoproj.io/tracking-id");
  if (tracking !== undefined) return `Argo CD application ${tracking.split(":")[0]}`;
  for (const [label, tool] of [
    ["kustomize.toolkit.fluxcd.io/name", "Flux Kustomization"],
    ["helm.toolkit.fluxcd.io/name", "Flux HelmRelease"],
    ["crossplane.io/composite", "Crossplane composite"],
  ] as const) {
    const name = labels.get(label);
    if (name !== undefined) return `${tool} ${name}`;
  }
  const release = releaseName(workload);
  if (release !== "") return `helm release ${release}`;
  return labels.get("app.kubernetes.io/managed-by") === "Helm" ? "helm" : "";
}

function releaseName(workload: Workload): string {
  return workload.annotations.get("meta.helm.sh/release-name") ?? "";
}

function common(options: Common): Pick<PartRule, "hop" | "component" | "onPath" | "match" | "whileGone"> {
  const { hop, component, match, whileGone } = options;
  return { hop, component, match, onPath: whileGone === undefined, whileGone: whileGone ?? "" };
}
