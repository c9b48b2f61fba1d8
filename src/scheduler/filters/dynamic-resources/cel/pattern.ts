/**
 * Regular expressions with the meaning and the linear time of RE2, which CEL's `matches` uses: an automaton walks the text
 * once, so no pattern can make it hang. A subset of the syntax; null for what is outside it.
 */
export interface Pattern {
  /** Somewhere in the text, as RE2's MatchString. */
  matches(text: string): boolean;
}

type Node =
  | { readonly kind: "set"; readonly has: (codePoint: number) => boolean }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly items: readonly Node[] }
  /** max null: no bound. */
  | { readonly kind: "repeat"; readonly item: Node; readonly min: number; readonly max: number | null }
  | { readonly kind: "assert"; readonly what: "start" | "end" | "word" | "notWord" };

type Instruction =
  | { readonly op: "set"; readonly has: (codePoint: number) => boolean }
  | { readonly op: "split"; readonly to: number }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "assert"; readonly what: "start" | "end" | "word" | "notWord" }
  | { readonly op: "match" };

/** RE2 refuses larger counts as well. */
const repeatMax = 1000;
const programMax = 20_000;
const depthMax = 200;

export function parsePattern(source: string): Pattern | null {
  const parser = new Parser(source);
  const tree = parser.parse();
  if (tree === null) return null;
  const program: Instruction[] = [];
  if (!compile(tree, program, 1)) return null;
  program.push({ op: "match" });
  return { matches: (text) => run(program, text) };
}

class Parser {
  readonly #characters: readonly string[];
  #at = 0;
  #depth = 0;
  #failed = false;
  #ignoreCase = false;

  constructor(source: string) {
    this.#characters = [...source];
  }

  parse(): Node | null {
    const tree = this.#choice();
    return this.#failed || this.#at < this.#characters.length ? null : tree;
  }

  #choice(): Node {
    this.#depth += 1;
    if (this.#depth > depthMax) this.#failed = true;
    const items = [this.#sequence()];
    while (!this.#failed && this.#take("|")) items.push(this.#sequence());
    this.#depth -= 1;
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: "choice", items };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (!this.#failed && this.#at < this.#characters.length && !this.#is("|") && !this.#is(")")) {
      items.push(this.#repeated(this.#single()));
    }
    return { kind: "sequence", items };
  }

  #repeated(item: Node): Node {
    let min: number;
    let max: number | null;
    if (this.#take("*")) [min, max] = [0, null];
    else if (this.#take("+")) [min, max] = [1, null];
    else if (this.#take("?")) [min, max] = [0, 1];
    else {
      const counted = this.#count();
      if (counted === null) return item;
      ({ min, max } = counted);
    }
    // Lazy or not is the same for a yes or no. Two operators in a row are refused, as by RE2.
    this.#take("?");
    if (["*", "+", "?"].some((operator) => this.#is(operator)) || min > repeatMax || (max ?? 0) > repeatMax) {
      this.#failed = true;
    }
    if (max !== null && max < min) this.#failed = true;
    return { kind: "repeat", item, min, max };
  }

  #count(): { min: number; max: number | null } | null {
    const rest = this.#characters.slice(this.#at, this.#at + 12).join("");
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(rest);
    if (match === null) return null;
    this.#at += match[0].length;
    const min = Number(match[1]);
    if (match[2] === undefined) return { min, max: min };
    return { min, max: match[3] === "" || match[3] === undefined ? null : Number(match[3]) };
  }

  #single(): Node {
    const character = this.#characters[this.#at] ?? "";
    this.#at += 1;
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#set();
      case ".":
        return { kind: "set", has: (codePoint) => codePoint !== 10 };
      case "^":
        return { kind: "assert", what: "start" };
      case "$":
        return { kind: "assert", what: "end" };
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        this.#failed = true;
        return { kind: "sequence", items: [] };
      default:
        return this.#literal(character);
    }
  }

  #group(): Node {
    const before = this.#ignoreCase;
    if (this.#take("?")) {
      if (this.#takeAll("i)")) {
        this.#ignoreCase = true;
        return { kind: "sequence", items: [] };
      }
      if (this.#takeAll("i:")) this.#ignoreCase = true;
      else if (this.#takeAll("P<") || this.#takeAll("<")) this.#groupName();
      else if (!this.#take(":")) this.#failed = true;
    }
    const inner = this.#choice();
    if (!this.#take(")")) this.#failed = true;
    this.#ignoreCase = before;
    return inner;
  }

  #groupName(): void {
    let length = 0;
    while (/^\w$/.test(this.#characters[this.#at] ?? "")) {
      this.#at += 1;
      length += 1;
    }
    if (length === 0 || !this.#take(">")) this.#failed = true;
  }

  #set(): Node {
    const negated = this.#take("^");
    const parts: ((codePoint: number) => boolean)[] = [];
    let first = true;
    while (!this.#failed && (first || !this.#is("]"))) {
      first = false;
      const part = this.#setPart();
      if (part === null) this.#failed = true;
      else parts.push(part);
    }
    if (!this.#take("]")) this.#failed = true;
    return { kind: "set", has: (codePoint) => parts.some((part) => part(codePoint)) !== negated };
  }

  #setPart(): ((codePoint: number) => boolean) | null {
    const from = this.#setCharacter();
    if (from === null || typeof from === "function") return from;
    const isRange = this.#is("-") && this.#characters[this.#at + 1] !== "]";
    if (!isRange) return this.#between(from, from);
    this.#at += 1;
    const to = this.#setCharacter();
    return to === null || typeof to === "function" || to < from ? null : this.#between(from, to);
  }

  /** A code point, a class such as \d, or null: not understood. */
  #setCharacter(): number | ((codePoint: number) => boolean) | null {
    const character = this.#characters[this.#at];
    if (character === undefined) return null;
    this.#at += 1;
    // [:alpha:] and the like are outside the subset.
    if (character === "[" && this.#is(":")) return null;
    if (character !== "\\") return character.codePointAt(0) ?? null;
    const escaped = this.#characters[this.#at] ?? "";
    this.#at += 1;
    return classes.get(escaped) ?? plainEscape(escaped);
  }

  #escape(): Node {
    const escaped = this.#characters[this.#at] ?? "";
    this.#at += 1;
    if (escaped === "A") return { kind: "assert", what: "start" };
    if (escaped === "z") return { kind: "assert", what: "end" };
    if (escaped === "b") return { kind: "assert", what: "word" };
    if (escaped === "B") return { kind: "assert", what: "notWord" };
    const has = classes.get(escaped);
    if (has !== undefined) return { kind: "set", has };
    const codePoint = plainEscape(escaped);
    if (codePoint === null) this.#failed = true;
    return this.#literal(String.fromCodePoint(codePoint ?? 0));
  }

  #literal(character: string): Node {
    const codePoint = character.codePointAt(0) ?? 0;
    return { kind: "set", has: this.#between(codePoint, codePoint) };
  }

  #between(from: number, to: number): (codePoint: number) => boolean {
    const exact = (codePoint: number): boolean => codePoint >= from && codePoint <= to;
    if (!this.#ignoreCase) return exact;
    return (codePoint) => exact(codePoint) || exact(otherCase(codePoint));
  }

  #is(character: string): boolean {
    return this.#characters[this.#at] === character;
  }

  #take(character: string): boolean {
    if (!this.#is(character)) return false;
    this.#at += 1;
    return true;
  }

  #takeAll(characters: string): boolean {
    if (this.#characters.slice(this.#at, this.#at + characters.length).join("") !== characters) return false;
    this.#at += characters.length;
    return true;
  }
}

function isDigit(codePoint: number): boolean {
  return codePoint >= 48 && codePoint <= 57;
}

function isWord(codePoint: number): boolean {
  return isDigit(codePoint) || codePoint === 95 || isLetter(codePoint);
}

function isLetter(codePoint: number): boolean {
  return (codePoint >= 65 && codePoint <= 90) || (codePoint >= 97 && codePoint <= 122);
}

function isSpace(codePoint: number): boolean {
  return codePoint === 32 || codePoint === 9 || codePoint === 10 || codePoint === 12 || codePoint === 13;
}

const classes: ReadonlyMap<string, (codePoint: number) => boolean> = new Map([
  ["d", isDigit],
  ["D", (codePoint: number) => !isDigit(codePoint)],
  ["w", isWord],
  ["W", (codePoint: number) => !isWord(codePoint)],
  ["s", isSpace],
  ["S", (codePoint: number) => !isSpace(codePoint)],
]);

/** Punctuation stands for itself, a few letters for control characters; every other escape is outside the subset. */
function plainEscape(escaped: string): number | null {
  const control = new Map([
    ["n", 10],
    ["r", 13],
    ["t", 9],
    ["f", 12],
    ["v", 11],
    ["a", 7],
  ]).get(escaped);
  if (control !== undefined) return control;
  const codePoint = escaped.codePointAt(0);
  return codePoint !== undefined && codePoint < 128 && !isWord(codePoint) ? codePoint : null;
}

/** Cases of ASCII letters only. */
function otherCase(codePoint: number): number {
  return isLetter(codePoint) ? codePoint ^ 32 : codePoint;
}

/** False: the program grows too large, or nested counts multiply beyond what RE2 takes. `times` is their product so far. */
function compile(node: Node, program: Instruction[], times: number): boolean {
  if (program.length > programMax || times > repeatMax) return false;
  switch (node.kind) {
    case "set":
      program.push({ op: "set", has: node.has });
      return true;
    case "assert":
      program.push({ op: "assert", what: node.what });
      return true;
    case "sequence":
      return node.items.every((item) => compile(item, program, times));
    case "choice":
      return compileChoice(node.items, program, times);
    case "repeat":
      return compileRepeat(node, program, times * Math.max(1, node.max ?? node.min));
  }
}

function compileChoice(items: readonly Node[], program: Instruction[], times: number): boolean {
  const ends: number[] = [];
  for (const [index, item] of items.entries()) {
    const isLast = index === items.length - 1;
    const split = program.length;
    if (!isLast) program.push({ op: "split", to: 0 });
    if (!compile(item, program, times)) return false;
    if (isLast) continue;
    ends.push(program.length);
    program.push({ op: "jump", to: 0 });
    program[split] = { op: "split", to: program.length };
  }
  for (const end of ends) program[end] = { op: "jump", to: program.length };
  return true;
}

function compileRepeat(node: Extract<Node, { kind: "repeat" }>, program: Instruction[], times: number): boolean {
  for (let index = 0; index < node.min; index += 1) if (!compile(node.item, program, times)) return false;
  if (node.max === null) {
    const split = program.length;
    program.push({ op: "split", to: 0 });
    if (!compile(node.item, program, times)) return false;
    program.push({ op: "jump", to: split });
    program[split] = { op: "split", to: program.length };
    return true;
  }
  const splits: number[] = [];
  for (let index = node.min; index < node.max; index += 1) {
    splits.push(program.length);
    program.push({ op: "split", to: 0 });
    if (!compile(node.item, program, times)) return false;
  }
  for (const split of splits) program[split] = { op: "split", to: program.length };
  return true;
}

function run(program: readonly Instruction[], text: string): boolean {
  const codePoints = [...text].map((character) => character.codePointAt(0) ?? 0);
  let threads = new Set<number>();
  for (let at = 0; at <= codePoints.length; at += 1) {
    // A match may start anywhere.
    if (follow(program, threads, 0, codePoints, at)) return true;
    const next = new Set<number>();
    for (const thread of threads) {
      const instruction = program[thread];
      const codePoint = codePoints[at];
      if (instruction?.op !== "set" || codePoint === undefined || !instruction.has(codePoint)) continue;
      if (follow(program, next, thread + 1, codePoints, at + 1)) return true;
    }
    threads = next;
  }
  return false;
}

/** Adds all instructions reachable without reading; true: the pattern has matched. */
function follow(
  program: readonly Instruction[],
  threads: Set<number>,
  start: number,
  codePoints: readonly number[],
  at: number,
): boolean {
  const open = [start];
  for (let counter = open.pop(); counter !== undefined; counter = open.pop()) {
    if (threads.has(counter)) continue;
    threads.add(counter);
    const instruction = program[counter];
    if (instruction === undefined) continue;
    if (instruction.op === "match") return true;
    if (instruction.op === "jump") open.push(instruction.to);
    if (instruction.op === "split") open.push(instruction.to, counter + 1);
    if (instruction.op === "assert" && holds(instruction.what, codePoints, at)) open.push(counter + 1);
  }
  return false;
}

function holds(what: "start" | "end" | "word" | "notWord", codePoints: readonly number[], at: number): boolean {
  if (what === "start") return at === 0;
  if (what === "end") return at === codePoints.length;
  const before = codePoints[at - 1];
  const after = codePoints[at];
  const isBoundary = (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after));
  return isBoundary === (what === "word");
}
