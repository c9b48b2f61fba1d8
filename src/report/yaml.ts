import { asciiControls } from "./json.ts";

/** The same data as the JSON, as YAML 1.2: block style, strings in double quotes wherever they could be read as anything else. */
export function yamlText(value: unknown): string {
  return isEmptyOrScalar(value) ? `${inline(value)}\n` : block(value, "");
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.map((item) => `${indent}- ${under(item, `${indent}  `)}`).join("");
  return entriesOf(value)
    .map(([field, inner]) =>
      isEmptyOrScalar(inner)
        ? `${indent}${scalar(field)}: ${inline(inner)}\n`
        : `${indent}${scalar(field)}:\n${block(inner, Array.isArray(inner) ? indent : `${indent}  `)}`,
    )
    .join("");
}

/** After `- `: the first line goes on where the dash stands. */
function under(value: unknown, indent: string): string {
  return isEmptyOrScalar(value) ? `${inline(value)}\n` : block(value, indent).slice(indent.length);
}

function entriesOf(value: unknown): [string, unknown][] {
  return value !== null && typeof value === "object" ? Object.entries(value).filter(([, v]) => v !== undefined) : [];
}

function isEmptyOrScalar(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || typeof value !== "object" || entriesOf(value).length === 0;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return "[]";
  if (typeof value === "string") return scalar(value);
  if (value === null || value === undefined) return "null";
  return typeof value === "object" ? "{}" : String(value);
}

/** Plain only where no YAML reader, of 1.1 or 1.2, could see a number, a truth value or syntax in it. */
function scalar(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)) return text;
  return asciiControls(JSON.stringify(text));
}
