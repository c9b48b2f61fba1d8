import { stringify } from "yaml";
import type { Fields, Item } from "./objects.ts";
import { namespace } from "./objects.ts";

/** One recording: a cluster and what is done to it. */
export interface Recording {
  readonly name: string;
  /** One sentence: what the recording shows. */
  readonly about: string;
  readonly cluster: readonly Item[];
  readonly steps: readonly Fields[];
  readonly timing?: Fields;
  /** How long nothing may happen before the recorder believes that nothing will. */
  readonly quiet?: string;
}

/** Objects, or lists of them, as deep as is handy. */
export type Items = Item | readonly Items[];

export function recording(
  name: string,
  about: string,
  cluster: readonly Items[],
  steps: readonly Fields[],
  extra: Partial<Recording> = {},
): Recording {
  const items = cluster.flatMap(flatten);
  const spaces = [
    ...new Set(["serving", ...items.map((item) => item.metadata.namespace).filter((ns) => ns !== undefined)]),
  ];
  const given = new Set(items.filter((item) => item.kind === "Namespace").map((item) => item.metadata.name));
  return {
    name,
    about,
    cluster: [...spaces.filter((ns) => !given.has(ns)).map((ns) => namespace(ns)), ...items],
    steps,
    ...extra,
  };
}

function flatten(items: Items): readonly Item[] {
  return isItem(items) ? [items] : items.flatMap(flatten);
}

function isItem(items: Items): items is Item {
  return !Array.isArray(items);
}

const flow = {
  collectionStyle: "flow",
  lineWidth: 0,
  flowCollectionPadding: false,
  aliasDuplicateObjects: false,
  // Go reads the older YAML, in which a bare yes is true.
  version: "1.1",
} as const;

/** One document an object, one line a field: short files that still read as Kubernetes. */
export function clusterText(made: Recording): string {
  return made.cluster.map((item) => `---\n${fieldsText(item)}`).join("");
}

export function scenarioText(made: Recording): string {
  const timing = { podStart: { "*": "3s" }, podStop: { "*": "1s" }, retry: "1s", ...made.timing };
  const annotations = {
    "rig.holdfast.dev/about": made.about,
    ...(made.quiet === undefined ? {} : { "rig.holdfast.dev/quiet": made.quiet }),
  };
  return [
    "apiVersion: holdfast.dev/v1alpha1\nkind: Scenario\nmetadata:\n",
    `  name: ${made.name}\n  annotations:\n`,
    ...Object.entries(annotations).map(([key, value]) => `    ${key}: ${stringify(value, flow)}`),
    "spec:\n",
    `  timing: ${stringify(timing, flow)}`,
    "  steps:\n",
    ...made.steps.map((step) => `    - ${stringify(step, flow)}`),
  ].join("");
}

function fieldsText(item: Item): string {
  return Object.entries(item)
    .map(([key, value]) => (isListOfObjects(value) ? listText(key, value) : `${key}: ${stringify(value, flow)}`))
    .join("");
}

function isListOfObjects(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "object" && one !== null);
}

function listText(key: string, values: readonly Fields[]): string {
  return `${key}:\n${values.map((value) => `  - ${stringify(value, flow)}`).join("")}`;
}
