import { parseDocument } from "yaml";
import { pathSteps } from "../wire/object-path.ts";
import type { FieldEdit } from "./edit.ts";

/** YAML text with fields set in it; comments, order and everything else stay. Text that is no YAML stays as it is. */
export function yamlTextWith(text: string, fields: readonly FieldEdit[]): string {
  const document = parseDocument(text === "" ? "{}" : text);
  if (document.errors.length > 0) return text;
  // Lists stand as they stood in the text.
  const indentSeq = text !== "" && document.toString({ ...asWritten, indentSeq: true }) === text;
  // Who reads JSON reads no other YAML.
  const isJson = text.replace(/\s/g, "") === JSON.stringify(document.toJS()).replace(/\s/g, "");
  for (const { path, value } of fields) {
    const names = pathSteps(path).flatMap((step) => (step.by === "field" ? [step.name] : []));
    document.setIn(names, document.createNode(value, { flow: false }));
  }
  if (text === "") blockStyle(document.contents);
  return isJson ? JSON.stringify(document.toJS()) : document.toString({ ...asWritten, indentSeq });
}

const asWritten = { lineWidth: 0, nullStr: "null" } as const;

/** What began as `{}` would stay on one line. */
function blockStyle(node: unknown): void {
  if (typeof node === "object" && node !== null && "flow" in node) node.flow = false;
}
