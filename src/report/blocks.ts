import type { Cell } from "./columns.ts";
import type { CheckEndpoint, Trace } from "./types.ts";

/**
 * A report as pages show it, whatever they are written in: Markdown and HTML render the same blocks, so that both say
 * the same. Texts are data as they are; whoever renders escapes them.
 */
export type Block =
  /** 1 is the page's own. */
  | { readonly kind: "title"; readonly level: 1 | 2; readonly text: string }
  | { readonly kind: "words"; readonly words: Words }
  | { readonly kind: "list"; readonly items: readonly Item[] }
  | { readonly kind: "table"; readonly heads: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "diff"; readonly text: string }
  | { readonly kind: "step"; readonly step: StepWords }
  /** Drawings, where a page can hold them. */
  | { readonly kind: "path"; readonly endpoint: CheckEndpoint }
  | { readonly kind: "course"; readonly endpoint: string; readonly trace: Trace };

/** Running text; `strong` pieces stand out. */
export type Words = readonly Cell[];

/** Lines under each other. */
export type Item = readonly Words[];

/** A step of a runbook. */
export interface StepWords {
  readonly n: number;
  readonly head: string;
  /** What it is about and by when it is done. */
  readonly about: string;
  readonly within: string;
  /** "" where somebody else acts. */
  readonly command: string;
  readonly expect: string;
  readonly undo: string;
}

export function title(level: 1 | 2, text: string): Block {
  return { kind: "title", level, text };
}

export function words(text: string, tone: Cell["tone"] = "plain"): Block {
  return { kind: "words", words: [{ text, tone }] };
}

export function list(items: readonly Item[]): Block {
  return { kind: "list", items };
}

/** An item of one line. */
export function line(text: string, tone: Cell["tone"] = "plain"): Item {
  return [[{ text, tone }]];
}

/** Nothing at all where there are no items. */
export function titledList(text: string, items: readonly Item[]): readonly Block[] {
  return items.length === 0 ? [] : [title(2, text), list(items)];
}
