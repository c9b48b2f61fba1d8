import { visible } from "../report/text.ts";

/** What a mistake of the program itself leaves to say. What it names may come from a cluster: shown as data, line by line. */
export function mistakeInWords(error: unknown): string {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = told.split("\n").map((line) => visible(line));
  return `holdfast: this is a mistake in holdfast itself, and no answer. Please report it with these lines:\n${lines.join("\n")}\n`;
}
