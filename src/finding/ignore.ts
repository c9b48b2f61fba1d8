import { matchesName } from "../base/wildcard.ts";
import type { Finding } from "./finding.ts";

/** A finding a person has looked at and accepted. */
export interface IgnoreRule {
  /** Name or code. */
  readonly rule: string;
  /** `namespace/name` of endpoint or component with `*` in it; `*` all. */
  readonly match: string;
  readonly reason: string;
  /** Last day it holds, `2026-12-31`; "" for ever. */
  readonly until: string;
}

/** Findings that nobody has accepted, or no longer: dates are compared as text, both `YYYY-MM-DD`. */
export function notIgnored(
  findings: readonly Finding[],
  rules: readonly IgnoreRule[],
  today: string,
): readonly Finding[] {
  return findings.filter((finding) => !rules.some((rule) => ignores(rule, finding, today)));
}

function ignores({ rule, match, until }: IgnoreRule, finding: Finding, today: string): boolean {
  if (rule !== finding.rule && rule !== finding.code) return false;
  if (until !== "" && until < today) return false;
  // A component is written `Kind namespace/name`.
  const component = finding.component.slice(finding.component.indexOf(" ") + 1);
  return matchesName(match, finding.endpoint) || matchesName(match, component);
}
