import { isJsonObject } from "../wire/fields.ts";
import { pathSteps, withValue } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { shellQuoted } from "./text.ts";
import type { Change, FixReport } from "./types.ts";
import { yamlText } from "./yaml.ts";

/** A file to be written: a name without folders that lead anywhere, and its text. */
export interface NewFile {
  readonly name: string;
  readonly text: string;
}

/** One patch a change, with the command that applies it. */
export function patchFiles({ changes }: Pick<FixReport, "changes">): readonly NewFile[] {
  return changes.map((change) => ({ name: `${fileName(change)}.yaml`, text: commented(change) + bodyOf(change) }));
}

function bodyOf(change: Change): string {
  if (change.do === "delete") return `# kubectl delete ${resource(change)}\n`;
  const body: Json = JSON.parse(change.patch);
  if (change.do === "edit" && change.patchType !== "") {
    return `# kubectl patch ${resource(change)} --type ${change.patchType} --patch-file ${fileName(change)}.yaml\n${yamlText(body)}`;
  }
  return yamlText(body);
}

function resource({ target }: Change): string {
  const namespace = target.namespace === "" ? "" : `-n ${shellQuoted(target.namespace)} `;
  return `${namespace}${shellQuoted(target.kind.toLowerCase())} ${shellQuoted(target.name)}`;
}

function commented({ holds, why, manager }: Change): string {
  const by = manager === "" ? "" : ` (${manager})`;
  return `# ${holds}${by}: ${why.replaceAll(/\s+/g, " ")}\n`;
}

/** A component: patches of what is there, resources that are new. */
export function kustomizeFiles({ changes }: Pick<FixReport, "changes">): readonly NewFile[] {
  const patches = changes.filter(
    (change) => (change.do === "edit" && change.patchType !== "") || change.do === "delete",
  );
  const created = changes.filter((change) => change.do === "create");
  const names = new Map([...patches, ...created].map((change) => [change, `${fileName(change)}.yaml`]));
  const files = [...patches, ...created].map((change) => ({
    name: names.get(change) ?? "",
    text: kustomizeBody(change),
  }));
  const component: JsonObject = {
    apiVersion: "kustomize.config.k8s.io/v1alpha1",
    kind: "Component",
    ...(created.length === 0 ? {} : { resources: created.map((change) => names.get(change) ?? "") }),
    ...(patches.length === 0
      ? {}
      : {
          patches: patches.map((change) => ({
            path: names.get(change) ?? "",
            target: { kind: change.target.kind, name: change.target.name, ...namespaceOf(change) },
          })),
        }),
  };
  return [{ name: "kustomization.yaml", text: yamlText(component) }, ...files];
}

function namespaceOf({ target }: Change): JsonObject {
  return target.namespace === "" ? {} : { namespace: target.namespace };
}

function kustomizeBody(change: Change): string {
  const { apiVersion, kind, namespace, name } = change.target;
  const identity = { apiVersion, kind, metadata: { name, ...(namespace === "" ? {} : { namespace }) } };
  if (change.do === "delete") return yamlText({ $patch: "delete", ...identity });
  const body: Json = JSON.parse(change.patch);
  if (change.do === "create" || change.patchType === "json" || !isJsonObject(body)) return yamlText(body);
  return yamlText({ ...identity, ...body });
}

/** Values for each release; changes that are no value of a chart are left out. */
export function helmFiles({ changes }: Pick<FixReport, "changes">): readonly NewFile[] {
  const charts = Map.groupBy(
    changes.filter((change) => change.do === "helm"),
    ({ manager }) => manager,
  );
  return [...charts].map(([release, group]) => {
    let values: Json = {};
    for (const change of group) {
      for (const { path, value } of change.fields) values = withValue(values, pathSteps(path), value) ?? values;
    }
    const why = group.map(commented).join("");
    return { name: `values-${safe(release.replace(/^helm release /, ""))}.yaml`, text: why + yamlText(values) };
  });
}

/** No value of a chart leads there: said, so that nobody thinks the values are all. */
export function notInCharts({ changes }: Pick<FixReport, "changes">): readonly Change[] {
  return changes.filter((change) => change.do !== "helm");
}

/** Whole objects, each in a file of its own, where the input was no file. */
export function objectFile(change: Change): NewFile | null {
  if (change.object === null) return null;
  return { name: `${fileName(change)}.yaml`, text: yamlText(change.object) };
}

export function fileName({ target, do: what, holds }: Change): string {
  const parts = [target.namespace, target.kind.toLowerCase(), target.name].filter((part) => part !== "").map(safe);
  return `${holds === "live" ? "" : `${holds}-`}${what === "edit" || what === "create" ? "" : `${what}-`}${parts.join("-")}`.slice(
    0,
    200,
  );
}

/** Names come from a cluster: nothing in one may lead out of a folder. */
function safe(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.-]/g, "_").replace(/^\.+/, "_");
}
