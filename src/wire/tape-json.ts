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
    default:
      return JSON.parse(tape.source(cell));
  }
}
