import { type Fields, quoted, typeName } from "../wire/fields.ts";
import type { IntOrPercent } from "./workload.ts";

/** A number, or a text such as "25%"; null when missing or unreadable. */
export function parseIntOrPercent(fields: Fields, name: string): IntOrPercent | null {
  const value = fields.raw(name);
  if (value === undefined) return null;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return { percent: false, value };
  if (typeof value === "string" && /^\d{1,9}%$/.test(value))
    return { percent: true, value: Number(value.slice(0, -1)) };
  const found = typeof value === "string" ? quoted(value) : typeName(value);
  fields.problem(name, `a whole number or a percentage such as "25%" was expected, not ${found}`);
  return null;
}
