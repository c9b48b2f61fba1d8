import type { Json } from "../wire/snapshot.ts";
import { parseFlow } from "./plain-flow.ts";
import { Bail, parseQuoted, plainEnd, resolvePlain } from "./plain-scalar.ts";

/** A value and the line it starts on, counted from 1 within the text. */
export interface PlainValue {
  readonly value: Json;
  readonly line: number;
}

export interface PlainDocument {
  /** Null for a document without content. */
  readonly root: PlainValue | null;
  /** The elements of the top-level `items`, or of a top-level sequence, with their lines. */
  readonly elements: readonly PlainValue[];
}

type Mutable = { [field: string]: Json };

/**
 * Reads the YAML that kubectl, Helm and people write: block mappings and sequences, scalars, flow collections on one
 * line. Gives null for a text with anything else in it (anchors, tags, folded blocks, odd indentation, errors), which
 * the full parser then reads: whatever this one reads, both read alike. It is there because it is many times faster.
 */
export function parsePlainYaml(text: string): PlainDocument | null {
  if (unusual.test(text)) return null;
  try {
    return new PlainParser(text).document();
  } catch (error) {
    if (error instanceof Bail) return null;
    throw error;
  }
}

/** The line of the deepest part of a path that is there. Found by reading again: only problems ask. */
export function lineInPlainYaml(
  text: string,
  root: readonly (string | number)[],
  path: readonly (string | number)[],
): number | null {
  const parser = new PlainParser(text);
  parser.locate([...root, ...path]);
  try {
    parser.document();
  } catch (error) {
    if (!(error instanceof Bail)) throw error;
  }
  return parser.located;
}

/** Characters whose treatment is not worth repeating here, byte order marks and carriage returns among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const unusual = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

const deepest = 100;

class PlainParser {
  readonly #text: string;
  /** Start and end of the current line that has content, and where its content begins. */
  #start = 0;
  #end = 0;
  #content = 0;
  #line = 0;
  #atEnd = false;
  #depth = 0;
  #elements: PlainValue[] = [];
  /** Way to the present node, kept only while a line is looked for. */
  #wanted: readonly (string | number)[] | null = null;
  #way: (string | number)[] = [];
  located: number | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  locate(path: readonly (string | number)[]): void {
    this.#wanted = path;
  }

  document(): PlainDocument {
    this.#end = -1;
    this.#next();
    if (!this.#atEnd && this.#text.startsWith("---", this.#start)) this.#passSeparator();
    if (this.#atEnd) return { root: null, elements: [] };
    const line = this.#line;
    const value = this.#node(this.#indent());
    if (!this.#atEnd || typeof value !== "object") throw new Bail();
    if (Array.isArray(value) && this.#elements.length === 0) return { root: { value, line }, elements: [] };
    return { root: { value, line }, elements: this.#elements };
  }

  #passSeparator(): void {
    this.#endOfValue(this.#start + 3);
  }

  #indent(): number {
    return this.#content - this.#start;
  }

  /** Goes to the next line that is neither empty nor a comment. */
  #next(): void {
    for (;;) {
      this.#start = this.#end + 1;
      if (this.#start > this.#text.length) {
        this.#atEnd = true;
        return;
      }
      const end = this.#text.indexOf("\n", this.#start);
      this.#end = end < 0 ? this.#text.length : end;
      this.#line += 1;
      let at = this.#start;
      while (at < this.#end && this.#text.charCodeAt(at) === 0x20) at += 1;
      this.#content = at;
      if (at === this.#end) continue;
      const first = this.#text.charCodeAt(at);
      if (first === 0x23) continue;
      if (first === 0x09) throw new Bail();
      if (at === this.#start && (first === 0x25 || first === 0x2e)) throw new Bail();
      return;
    }
  }

  /** The node whose first character is the current content. */
  #node(indent: number): Json {
    this.#depth += 1;
    if (this.#depth > deepest) throw new Bail();
    this.#note();
    const value = this.#isDash(this.#content) ? this.#sequence(indent) : this.#mappingOrScalar(indent);
    this.#depth -= 1;
    return value;
  }

  #isDash(at: number): boolean {
    if (this.#text.charCodeAt(at) !== 0x2d) return false;
    return at + 1 >= this.#end || this.#text.charCodeAt(at + 1) === 0x20;
  }

  #sequence(indent: number): Json {
    const list: Json[] = [];
    const isTop = this.#depth === 1 || (this.#depth === 2 && this.#topKey === "items");
    while (!this.#atEnd && this.#indent() === indent && this.#isDash(this.#content)) {
      const line = this.#line;
      this.#enter(list.length);
      const value = this.#sequenceElement(indent);
      this.#leave();
      list.push(value.value);
      if (isTop) this.#elements.push({ value: value.value, line: value.line ?? line });
    }
    if (!this.#atEnd && this.#indent() > indent) throw new Bail();
    return list;
  }

  #topKey = "";

  #sequenceElement(indent: number): { readonly value: Json; readonly line: number | null } {
    let at = this.#content + 1;
    while (at < this.#end && this.#text.charCodeAt(at) === 0x20) at += 1;
    if (at >= this.#end || this.#text.charCodeAt(at) === 0x23) {
      this.#next();
      if (this.#atEnd || this.#indent() <= indent) return { value: null, line: null };
      return { line: this.#line, value: this.#node(this.#indent()) };
    }
    // The element goes on in this line: its content stands at its own column.
    this.#content = at;
    return { line: null, value: this.#node(at - this.#start) };
  }

  #mappingOrScalar(indent: number): Json {
    const key = this.#key();
    if (key === null) return this.#value(this.#content, indent - 1);
    return this.#mapping(indent, key);
  }

  #mapping(indent: number, firstKey: Key): Json {
    const map: Mutable = {};
    let key: Key | null = firstKey;
    const isTop = this.#depth === 1;
    for (;;) {
      if (key === null || key.name === "__proto__" || Object.hasOwn(map, key.name)) throw new Bail();
      if (isTop) this.#topKey = key.name;
      this.#enter(key.name);
      map[key.name] = this.#value(key.valueAt, indent);
      this.#leave();
      if (this.#atEnd || this.#indent() < indent) return map;
      if (this.#indent() > indent || this.#isDash(this.#content)) throw new Bail();
      key = this.#key();
    }
  }

  /** The key at the current content and where its value begins; null when this is no mapping entry. */
  #key(): Key | null {
    const first = this.#text.charCodeAt(this.#content);
    if (first === 0x22 || first === 0x27) {
      const quoted = parseQuoted(this.#text, this.#content, this.#end);
      if (quoted === null || this.#text.charCodeAt(quoted.end) !== 0x3a) return null;
      return this.#keyWith(quoted.text, quoted.end);
    }
    // Whether an indicator may start a plain text is the value's business; a key that starts with one is unusual.
    if (indicators.has(first)) return null;
    const colon = this.#colon();
    if (colon < 0) return null;
    const name = this.#text.slice(this.#content, colon).trimEnd();
    if (name === "" || name === "<<" || name.includes(" #") || name.includes("\t")) throw new Bail();
    const resolved = resolvePlain(name);
    // A number or a flag written otherwise than it would be printed has another name afterwards.
    if (resolved === null || String(resolved) !== name) throw new Bail();
    return this.#keyWith(name, colon);
  }

  #keyWith(name: string, colon: number): Key | null {
    const after = colon + 1;
    if (after < this.#end && this.#text.charCodeAt(after) !== 0x20) return null;
    return { name, valueAt: after };
  }

  /** Index of the colon that ends a plain key in the current line; -1: none. */
  #colon(): number {
    for (let at = this.#content; at < this.#end; at += 1) {
      if (this.#text.charCodeAt(at) !== 0x3a) continue;
      if (at + 1 >= this.#end || this.#text.charCodeAt(at + 1) === 0x20) return at;
    }
    return -1;
  }

  /** The value that begins at or after `from` in the current line, inside a node at `indent`. */
  #value(from: number, indent: number): Json {
    let at = from;
    while (at < this.#end && this.#text.charCodeAt(at) === 0x20) at += 1;
    if (at >= this.#end || (this.#text.charCodeAt(at) === 0x23 && at > from)) return this.#nested(indent);
    switch (this.#text.charCodeAt(at)) {
      case 0x22:
      case 0x27:
        return this.#quoted(at, indent);
      case 0x7b:
      case 0x5b:
        return this.#flow(at);
      case 0x7c:
        return this.#literal(at, indent);
      default:
        return this.#plain(at, indent);
    }
  }

  /** What follows `key:` on the next lines. A sequence may stand at the key's own column. */
  #nested(indent: number): Json {
    this.#next();
    if (this.#atEnd || this.#indent() < indent) return null;
    if (this.#indent() > indent) return this.#node(this.#indent());
    return this.#isDash(this.#content) ? this.#node(indent) : null;
  }

  #flow(at: number): Json {
    const flow = parseFlow(this.#text, at, this.#end);
    this.#note();
    this.#endOfValue(flow.end);
    return flow.value;
  }

  /** After a value a line may only have a comment. */
  #endOfValue(end: number): void {
    const rest = this.#text.slice(end, this.#end);
    if (rest.trim() !== "" && !/^ +#/.test(rest)) throw new Bail();
    this.#next();
  }

  #quoted(at: number, indent: number): Json {
    const oneLine = parseQuoted(this.#text, at, this.#end);
    if (oneLine !== null) {
      this.#endOfValue(oneLine.end);
      return oneLine.text;
    }
    return this.#folded(at, indent);
  }

  /** A quoted text over several lines: line ends become spaces, empty lines line ends. */
  #folded(at: number, indent: number): Json {
    const quote = this.#text.charAt(at);
    let text = this.#text.slice(at + 1, this.#end);
    let breaks = 0;
    for (;;) {
      // An escaped space at a line's end stays; which of them are is not decided here.
      if (quote === '"' && /\\[ \t]+$/.test(text)) throw new Bail();
      if (text.length > longestFolded) throw new Bail();
      const isEscaped = quote === '"' && endsEscaped(text);
      if (isEscaped) text = text.slice(0, -1);
      else text = text.trimEnd();
      const line = this.#rawLine();
      if (line === null) throw new Bail();
      const trimmed = line.trimStart();
      if (trimmed === "") {
        if (isEscaped) throw new Bail();
        breaks += 1;
        continue;
      }
      if (line.length - trimmed.length <= indent || line.startsWith("\t")) throw new Bail();
      const joint = breaks > 0 ? "\n".repeat(breaks) : isEscaped ? "" : " ";
      breaks = 0;
      const closing = closingQuote(trimmed, quote);
      if (closing < 0) {
        text += encoded(joint, quote) + trimmed;
        continue;
      }
      text += encoded(joint, quote) + trimmed.slice(0, closing);
      const parsed = parseQuoted(`${quote}${text}${quote}`, 0, text.length + 2);
      if (parsed === null || parsed.end !== text.length + 2) throw new Bail();
      this.#endOfValue(this.#start + (line.length - trimmed.length) + closing + 1);
      return parsed.text;
    }
  }

  /** The next line whatever it holds; null at the end of the text. */
  #rawLine(): string | null {
    this.#start = this.#end + 1;
    if (this.#start > this.#text.length) return null;
    const end = this.#text.indexOf("\n", this.#start);
    this.#end = end < 0 ? this.#text.length : end;
    this.#line += 1;
    return this.#text.slice(this.#start, this.#end);
  }

  /** A plain text, over several lines where the next ones stand deeper. */
  #plain(at: number, indent: number): Json {
    let { text, hadComment } = this.#plainStart(at);
    let isMany = false;
    for (;;) {
      const line = this.#line;
      this.#next();
      if (this.#atEnd || this.#indent() <= indent) break;
      // An empty line inside, or a comment before: the full parser knows.
      if (hadComment || this.#line !== line + 1) throw new Bail();
      const more = this.#plainRest(this.#content);
      text += ` ${more.text}`;
      hadComment = more.hadComment;
      isMany = true;
    }
    return isMany ? text : resolvePlain(text);
  }

  #plainStart(at: number): { readonly text: string; readonly hadComment: boolean } {
    const first = this.#text.charCodeAt(at);
    if (indicators.has(first)) {
      const mayStart = first === 0x2d || first === 0x3f || first === 0x3a;
      if (!mayStart || at + 1 >= this.#end || this.#text.charCodeAt(at + 1) === 0x20) throw new Bail();
    }
    return this.#plainRest(at);
  }

  /** Inside a plain text a line may start with an indicator. */
  #plainRest(at: number): { readonly text: string; readonly hadComment: boolean } {
    const end = plainEnd(this.#text, at, this.#end);
    const text = this.#text.slice(at, end).trimEnd();
    if (text.includes(": ") || text.endsWith(":") || text.includes("\t")) throw new Bail();
    return { text, hadComment: end < this.#end };
  }

  /** A literal block: `|`, `|-`, `|+`. */
  #literal(at: number, indent: number): Json {
    const header = this.#text.slice(at, this.#end).trimEnd();
    const chomp = header === "|" ? "clip" : header === "|-" ? "strip" : header === "|+" ? "keep" : null;
    if (chomp === null) throw new Bail();
    const lines: string[] = [];
    let blockIndent = -1;
    for (;;) {
      const from = this.#end + 1;
      if (from > this.#text.length) break;
      const stop = this.#text.indexOf("\n", from);
      const end = stop < 0 ? this.#text.length : stop;
      let content = from;
      while (content < end && this.#text.charCodeAt(content) === 0x20) content += 1;
      const isBlank = content === end;
      const lineIndent = content - from;
      if (isBlank) {
        // Spaces beyond the block's own column are part of it; before its first line they would settle the column.
        if (blockIndent < 0 && lineIndent > 0) throw new Bail();
        if (stop < 0) {
          // Spaces at the very end belong to the block or not by rules of their own.
          if (lineIndent > 0) throw new Bail();
          break;
        }
        lines.push(blockIndent >= 0 && lineIndent > blockIndent ? this.#text.slice(from + blockIndent, end) : "");
      } else {
        if (blockIndent < 0) {
          if (lineIndent <= indent) break;
          blockIndent = lineIndent;
        }
        if (lineIndent < blockIndent) break;
        if (lines.length === 0 && this.#text.charCodeAt(content) === 0x09) throw new Bail();
        lines.push(this.#text.slice(from + blockIndent, end));
      }
      this.#end = end;
      this.#line += 1;
    }
    this.#next();
    if (!this.#atEnd && blockIndent >= 0 && this.#indent() > indent) throw new Bail();
    return chomped(lines, chomp);
  }

  #enter(segment: string | number): void {
    if (this.#wanted === null) return;
    this.#way.push(segment);
    this.#note();
  }

  #leave(): void {
    if (this.#wanted !== null) this.#way.pop();
  }

  /** Remembers the line of the deepest node on the wanted path. */
  #note(): void {
    if (this.#wanted === null || this.#way.length > this.#wanted.length) return;
    if (this.#way.every((segment, index) => String(segment) === String(this.#wanted?.[index]))) {
      if (this.#way.length > this.#noted) {
        this.#noted = this.#way.length;
        this.located = this.#line;
      }
    }
  }

  #noted = -1;
}

interface Key {
  readonly name: string;
  /** Index just after the colon. */
  readonly valueAt: number;
}

/** Characters that mean something at the start of a node. */
const indicators: ReadonlySet<number> = new Set([..."-?:,[]{}#&*!|>'\"%@`"].map((each) => each.charCodeAt(0)));

/** Quoted texts over many lines that are longer than this are left to the full parser. */
const longestFolded = 65_536;

/** True when an odd number of backslashes ends the text: the last one escapes the line's end. */
function endsEscaped(text: string): boolean {
  let count = 0;
  while (text.charCodeAt(text.length - 1 - count) === 0x5c) count += 1;
  return count % 2 === 1;
}

/** Index of the quote that closes a text begun on an earlier line; -1: not in this line. */
function closingQuote(line: string, quote: string): number {
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (quote === '"' && character === "\\") at += 1;
    else if (character === quote) {
      if (quote === "'" && line[at + 1] === "'") at += 1;
      else return at;
    }
  }
  return -1;
}

/** A joint as it is written inside quotes, so that the whole can be read as one line. */
function encoded(joint: string, quote: string): string {
  if (quote === '"') return joint.replaceAll("\n", "\\n");
  return joint;
}

function chomped(lines: readonly string[], chomp: "clip" | "strip" | "keep"): string {
  let last = lines.length;
  while (last > 0 && lines[last - 1] === "") last -= 1;
  const body = lines.slice(0, last).join("\n");
  if (chomp === "strip") return body;
  if (chomp === "clip") return last === 0 ? "" : `${body}\n`;
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
