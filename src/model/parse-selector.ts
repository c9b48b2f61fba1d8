import { byCodeUnit } from "../base/ordering.ts";
import { underKey } from "../base/under-key.ts";
import { type Fields, quoted } from "../wire/fields.ts";
import type { LabelSelector, Labels, Requirement } from "./labels.ts";
import type { NodeSelectorTerm } from "./pod-template.ts";

/**
 * A label selector (matchLabels, matchExpressions); null when the field is missing. One unreadable requirement makes
 * the whole selector invalid: it matches nothing, as for the controllers that read it.
 * Mirrors apimachinery meta/v1 LabelSelectorAsSelector, 1.36.
 */
export function parseLabelSelector(fields: Fields, name: string): LabelSelector | null {
  const selector = fields.optionalObject(name);
  if (selector === null) return null;
  const labels = selector.textMap("matchLabels");
  return selector.has("matchExpressions") ? selectorOf(selector, labels) : selectorOfLabels(labels);
}

function selectorOf(selector: Fields, labels: Labels): LabelSelector {
  const requirements: Requirement[] = [...selectorOfLabels(labels).requirements];
  let invalid = false;
  for (const expression of selector.objects("matchExpressions")) {
    const requirement = parseRequirement(expression, labelOperators);
    if (requirement === null) invalid = true;
    else requirements.push(requirement);
  }
  return { requirements: sortRequirements(requirements), invalid };
}

/** The plain map form (a Service's, a ReplicationController's selector) as a selector. */
export function selectorOfLabels(labels: Labels): LabelSelector {
  return underKey(selectors, labels, () => {
    const requirements: Requirement[] = [];
    labels.forEach((value, key) => {
      requirements.push({ key, operator: "In", values: [value] });
    });
    // A copy: a list that grew has room for many more.
    return { requirements: sortRequirements(requirements.slice()), invalid: false };
  });
}

/** Of maps of labels, which are immutable: a Deployment, its budget and its own affinity have the same. */
const selectors = new WeakMap<Labels, LabelSelector>();

/** Adds requirements that are not there yet, keeping the order by key. */
export function withRequirements(selector: LabelSelector, added: readonly Requirement[]): LabelSelector {
  const fresh = added.filter(
    (requirement) => !selector.requirements.some((known) => sameRequirement(known, requirement)),
  );
  if (fresh.length === 0) return selector;
  return { requirements: sortRequirements([...selector.requirements, ...fresh]), invalid: selector.invalid };
}

function sameRequirement(a: Requirement, b: Requirement): boolean {
  return (
    a.key === b.key &&
    a.operator === b.operator &&
    a.values.length === b.values.length &&
    a.values.every((value, index) => value === b.values[index])
  );
}

function sortRequirements(requirements: readonly Requirement[]): readonly Requirement[] {
  for (let at = 1; at < requirements.length; at += 1) {
    if (byCodeUnit(requirements[at - 1]?.key ?? "", requirements[at]?.key ?? "") > 0) {
      return [...requirements].sort((a, b) => byCodeUnit(a.key, b.key));
    }
  }
  return requirements;
}

const labelOperators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;
const nodeOperators = [...labelOperators, "Gt", "Lt"] as const;

function parseRequirement(expression: Fields, operators: readonly Requirement["operator"][]): Requirement | null {
  const key = expression.text("key");
  const written = expression.text("operator");
  const operator = operators.find((known) => known === written);
  if (operator === undefined) {
    expression.problem("operator", `${quoted(written)} is not one of ${operators.join(", ")}; nothing matches`);
    return null;
  }
  const values = expression.texts("values");
  const fault = faultOf(key, operator, values);
  if (fault === null) return { key, operator, values };
  expression.problem(fault.field, `${fault.message}; nothing matches`);
  return null;
}

function faultOf(
  key: string,
  operator: Requirement["operator"],
  values: readonly string[],
): { readonly field: string; readonly message: string } | null {
  if (key === "") return { field: "key", message: "a requirement needs a key" };
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? null : { field: "values", message: `${operator} needs at least one value` };
    case "Exists":
    case "DoesNotExist":
      return values.length === 0 ? null : { field: "values", message: `${operator} takes no values` };
    case "Gt":
    case "Lt":
      return values.length === 1 ? null : { field: "values", message: `${operator} takes exactly one value` };
  }
}

/** nodeSelectorTerms of a required node affinity, a volume, a slice. Terms are ORed. */
export function parseNodeSelector(selector: Fields): readonly NodeSelectorTerm[] {
  return selector.each("nodeSelectorTerms", parseNodeSelectorTerm);
}

/** A term with an unreadable requirement matches no node; an empty term matches none either. */
export function parseNodeSelectorTerm(term: Fields): NodeSelectorTerm {
  const expressions = term.each("matchExpressions", (each) => parseRequirement(each, nodeOperators));
  const fields = term.each("matchFields", (each) => parseRequirement(each, nodeOperators));
  if (expressions.includes(null) || fields.includes(null)) return { matchExpressions: [], matchFields: [] };
  return {
    matchExpressions: expressions.filter((each) => each !== null),
    matchFields: fields.filter((each) => each !== null),
  };
}
