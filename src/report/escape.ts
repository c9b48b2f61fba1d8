import { printable } from "./columns.ts";

/** For Markdown text and table cells: nothing in a name can be markup, HTML, a link or a mention. */
export function markdownEscaped(text: string): string {
  return printable(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replace(/[\\`*_{}[\]#|~]/g, (character) => `\\${character}`)
    .replace(/^(\s*)([-+=]|\d+\.)/, (_, blanks: string, mark: string) => `${blanks}\\${mark}`)
    .replace(/\b(https?|www)(:|\.)/gi, "$1&#8203;$2");
}

/** For XML text and attribute values. Control characters are shown, since XML 1.0 has no way to hold them. */
export function xmlEscaped(text: string): string {
  return printable(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;")
    .replace(/[\ufffe\uffff]/g, "?");
}
