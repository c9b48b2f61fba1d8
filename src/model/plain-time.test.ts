import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTime } from "./parse-time.ts";
import { plainTime } from "./plain-time.ts";

function readPlain(text: string): number | null {
  const bytes = new TextEncoder().encode(`"${text}"\0\0\0\0\0\0\0\0`);
  return plainTime({ bytes, view: new DataView(bytes.buffer) }, 1, text.length + 1);
}

test("law: what it reads is what the text is, as written by servers or with a character changed", () => {
  const range = { min: new Date("1970-01-01T00:00:00Z"), max: new Date("2199-12-31T23:59:59Z"), noInvalidDate: true };
  const change = fc.record({ at: fc.nat(19), to: fc.constantFrom(..."0123456789-:TZ. +") });
  fc.assert(
    fc.property(fc.date(range), fc.option(change), (date, changed) => {
      const written = date.toISOString().replace(/\.\d+Z$/, "Z");
      if (changed === null) return assert.equal(readPlain(written), parseTime(written));
      const odd = written.slice(0, changed.at) + changed.to + written.slice(changed.at + 1);
      const read = readPlain(odd);
      if (read !== null) assert.equal(read, parseTime(odd), odd);
      else if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(odd)) assert.equal(parseTime(odd), null, odd);
    }),
  );
});

test("what is longer or shorter is another one's to read", () => {
  for (const text of ["", "2026-11-01T08:00:00.1Z", "2026-11-01T08:00:00+02:00", "2026-11-01"]) {
    assert.equal(readPlain(text), null, text);
  }
});
