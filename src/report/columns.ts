import { columnsOf, visible, wrapped } from "./text.ts";

export type Tone = "plain" | "bad" | "good" | "warn" | "strong" | "dim";

export interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

/** What the terminal can do. Neither when piped: the same bytes everywhere. */
export interface Look {
  readonly colour: boolean;
  /** Null: tables are as wide as they need to be, and only what is indented wraps. */
  readonly width: number | null;
}

const codes: ReadonlyMap<Tone, string> = new Map([
  ["bad", "31"],
  ["good", "32"],
  ["warn", "33"],
  ["strong", "1"],
  ["dim", "2"],
]);

/** Takes text that is already visible. */
export function painted(text: string, tone: Tone, look: Look): string {
  const code = codes.get(tone);
  return look.colour && code !== undefined && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}

export function cell(text: string, tone: Tone = "plain"): Cell {
  return { text, tone };
}

/** Longer text helps nobody and could make a hostile name costly. */
const longestText = 2000;

/** Safe to print: escapes shown, and not endless. */
export function printable(text: string): string {
  return visible(text.length > longestText ? `${text.slice(0, longestText)}…` : text);
}

/** Rows under each other with two blanks between; where the width does not suffice, the widest columns wrap. */
export function aligned(rows: readonly (readonly Cell[])[], indent: string, look: Look): string[] {
  const clean = rows.map((row) => row.map(({ text, tone }) => ({ text: printable(text), tone })));
  const room = look.width === null ? null : look.width - columnsOf(indent);
  const widths = fitting(widthsOf(clean, columnsOf), widthsOf(clean, longestWord), room);
  return clean.flatMap((row) => linesOf(row, widths, indent, look));
}

function widthsOf(rows: readonly (readonly Cell[])[], measure: (text: string) => number): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach(({ text }, index) => {
      widths[index] = Math.max(widths[index] ?? 0, measure(text));
    });
  }
  return widths;
}

/** A column may get as narrow as this without cutting a word; very long words are cut. */
function longestWord(text: string): number {
  return Math.min(30, Math.max(...text.split(" ").map(columnsOf)));
}

const gap = 2;

/** Takes from the column that has most to give until it fits, or nothing is left to give. */
function fitting(natural: readonly number[], least: readonly number[], room: number | null): readonly number[] {
  if (room === null) return natural;
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1) - room;
  while (excess > 0) {
    const slack = widths.map((width, index) => width - (least[index] ?? 0));
    const most = Math.max(...slack);
    if (most <= 0) break;
    const index = slack.indexOf(most);
    const second = Math.max(0, ...slack.filter((value) => value < most));
    const cut = Math.min(excess, most - second);
    widths[index] = (widths[index] ?? 0) - cut;
    excess -= cut;
  }
  return widths;
}

function linesOf(row: readonly Cell[], widths: readonly number[], indent: string, look: Look): string[] {
  const folded = row.map(({ text }, index) => wrapped(text, look.width === null ? null : (widths[index] ?? null)));
  const height = Math.max(1, ...folded.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = row.map(({ tone }, index) => {
      const text = folded[index]?.[line] ?? "";
      const pad = index === row.length - 1 ? 0 : (widths[index] ?? 0) + gap - columnsOf(text);
      return painted(text, tone, look) + " ".repeat(Math.max(0, pad));
    });
    return (indent + parts.join("")).trimEnd();
  });
}

/** Wide enough to read in a file or a log. */
const columnsOfProse = 100;

/**
 * A paragraph; blanks at its start stay, lines after the first hang under `hang` blanks. Where lines may be as long as they
 * need to be, a sentence at the margin is one line, which scripts can take; what hangs deeper is for reading and wraps, names
 * in it uncut.
 */
export function paragraph(text: string, hang: number, look: Look, tone: Tone = "plain"): string[] {
  const indent = /^ */.exec(text)?.[0] ?? "";
  const columns = look.width ?? (hang > 2 ? columnsOfProse : null);
  const width = columns === null ? null : Math.max(20, columns - hang);
  return wrapped(printable(text.slice(indent.length)), width, look.width !== null).map(
    (line, index) => (index === 0 ? indent : " ".repeat(hang)) + painted(line, tone, look),
  );
}
