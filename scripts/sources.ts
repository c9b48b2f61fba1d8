import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

/** A source file as the tidy test looks at it. */
export interface Source {
  /** From the repository's root: `src/sim/ledger.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments and without what stands in strings. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** From the root, for relative ones; "" else. */
  readonly path: string;
  readonly typeOnly: boolean;
  readonly lazy: boolean;
}

export const root = dirname(import.meta.dirname);

/** TypeScript files below a folder, in order of path. */
export function sourcesBelow(folder: string): readonly Source[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
    .sort();
  return paths.map(readSource);
}

function readSource(path: string): Source {
  return sourceOf(path, readFileSync(join(root, path), "utf8"));
}

export function sourceOf(path: string, text: string): Source {
  return { path, text, code: bareCode(text), imports: importsOf(path, text) };
}

function importsOf(path: string, text: string): readonly Import[] {
  const code = withoutComments(text);
  const statements = [...code.matchAll(/^\s*(import|export)\s+(type\s)?(?:[^"'`;]*?\sfrom\s+)?["']([^"']+)["']/gm)].map(
    ([, , type, specifier = ""]) => importOf(path, specifier, { typeOnly: type !== undefined, lazy: false }),
  );
  const lazy = [...code.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)].map(([, specifier = ""]) =>
    importOf(path, specifier, { typeOnly: false, lazy: true }),
  );
  return [...statements, ...lazy];
}

function importOf(path: string, specifier: string, how: Pick<Import, "typeOnly" | "lazy">): Import {
  const target = specifier.startsWith(".") ? relative(".", normalize(join(dirname(path), specifier))) : "";
  return { specifier, path: target, ...how };
}

/** Comments become blanks; strings stay. */
function withoutComments(text: string): string {
  return scanned(text, false);
}

function bareCode(text: string): string {
  return scanned(text, true);
}

/** A small scanner, enough for code that Biome has formatted: comments, three kinds of quotes, regular expressions. */
function scanned(text: string, dropStrings: boolean): string {
  let out = "";
  let at = 0;
  /** Depth of braces inside each open template's `${`. */
  const templates: number[] = [];
  const blank = (piece: string): string => piece.replace(/[^\n]/g, " ");
  while (at < text.length) {
    const rest = text.slice(at, at + 2);
    const character = text.charAt(at);
    let end = at + 1;
    let kept = true;
    if (rest === "//") {
      end = endOf(text, "\n", at) - 1;
      kept = false;
    } else if (rest === "/*") {
      end = endOf(text, "*/", at + 2);
      kept = false;
    } else if (character === '"' || character === "'") {
      end = endOfQuoted(text, at, character);
      kept = !dropStrings;
    } else if (character === "`" || (character === "}" && templates.at(-1) === 0)) {
      if (character === "}") templates.pop();
      end = endOfTemplate(text, at + 1);
      if (text.startsWith("${", end - 2)) templates.push(0);
      kept = !dropStrings;
    } else if (character === "/" && startsRegex(out)) {
      end = endOfRegex(text, at);
      kept = false;
    } else if (templates.length > 0 && (character === "{" || character === "}")) {
      const depth = templates.pop() ?? 0;
      templates.push(character === "{" ? depth + 1 : depth - 1);
    }
    const piece = text.slice(at, end);
    out += kept ? piece : blank(piece);
    at = end;
  }
  return out;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length + mark.length - 1 : found + mark.length;
}

function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === quote || text.charAt(at) === "\n") return at + 1;
  }
  return text.length;
}

/** After the closing backquote, or after the next `${`. */
function endOfTemplate(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === "`") return at + 1;
    else if (text.startsWith("${", at)) return at + 2;
  }
  return text.length;
}

function startsRegex(before: string): boolean {
  return /(?:^|[(,=:[!&|?{};+\-*%~<>^\n]|\breturn|\btypeof|\bcase)\s*$/.test(before.slice(-40));
}

function endOfRegex(text: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if (character === "/" && !inClass) return at + 1;
    else if (character === "\n") return at;
  }
  return text.length;
}
