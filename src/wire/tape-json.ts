import type { Json } from "./snapshot.ts";
import { kindOf, type Tape } from "./tape.ts";

/** A value on a tape, whole. */
export function tapeJson(tape: Tape, cell: number): Json {
  switch (tape.kind(cell)) {
    case kindOf.text:
    case kindOf.oddText:
      return tape.text(cell);
    case kindOf.yes:
      return true;
    case kindOf.no:
      return false;
    case kindOf.null:
      return null;
    case kindOf.number:
      return tape.number(cell);
    default: {
      const source = tape.source(cell);
      return source.includes("\\") ? madeOf(tape, cell) : JSON.parse(source);
    }
  }
}

/**
 * Piece by piece. Node 26's `JSON.parse` gives a name with an escape for another one of its length, when objects before had that
 * one in its place.
 */
function madeOf(tape: Tape, cell: number): Json {
  if (tape.kind(cell) === kindOf.object)
    return Object.fromEntries([...tape.fields(cell)].map(([name, field]) => [name, tapeJson(tape, field)]));
  const elements: Json[] = [];
  for (let at = tape.first(cell); at < tape.next(cell); at = tape.next(at)) elements.push(tapeJson(tape, at));
  return elements;
}
