import { byCodeUnit } from "../base/ordering.ts";
import type { LabelSelector, Requirement } from "./labels.ts";

export type ParsedSelector =
  | { readonly ok: true; readonly selector: LabelSelector }
  | { readonly ok: false; readonly message: string };

/**
 * A label selector as people type it after `-l`: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Empty text matches everything.
 * Mirrors: apimachinery pkg/labels Parse, 1.36 (requirements sorted by key). `>` and `<` are for node selectors: refused.
 */
export function parseSelectorText(text: string): ParsedSelector {
  const requirements: Requirement[] = [];
  for (const part of splitOutsideParentheses(text)) {
    const requirement = parseRequirement(part.trim());
    if (typeof requirement === "string") return { ok: false, message: requirement };
    if (requirement !== null) requirements.push(requirement);
  }
  requirements.sort((a, b) => byCodeUnit(a.key, b.key));
  return { ok: true, selector: { requirements, invalid: false } };
}

function splitOutsideParentheses(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    else if (text[at] === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.length === 1 && parts[0]?.trim() === "" ? [] : parts;
}

const name = "[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?";
const key = `(?:${name}/)?${name}`;
const presence = new RegExp(`^(!?)\\s*(${key})$`);
const equality = new RegExp(`^(${key})\\s*(==|=|!=)\\s*(${name})?$`);
const set = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);

/** A text says what is wrong. */
function parseRequirement(part: string): Requirement | string | null {
  const present = presence.exec(part);
  if (present !== null) {
    return { key: present[2] ?? "", operator: present[1] === "!" ? "DoesNotExist" : "Exists", values: [] };
  }
  const equal = equality.exec(part);
  if (equal !== null) {
    return { key: equal[1] ?? "", operator: equal[2] === "!=" ? "NotIn" : "In", values: [equal[3] ?? ""] };
  }
  const inSet = set.exec(part);
  if (inSet !== null) {
    const values = (inSet[3] ?? "").split(",").map((value) => value.trim());
    return { key: inSet[1] ?? "", operator: inSet[2] === "in" ? "In" : "NotIn", values: values.sort(byCodeUnit) };
  }
  return `unable to read ${JSON.stringify(part)} as a requirement: write key, !key, key=value, key!=value, key in (a,b) or key notin (a,b)`;
}
