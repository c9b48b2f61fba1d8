/** Bytes, and the words they make wherever those begin. */
export interface Viewed {
  readonly bytes: Uint8Array;
  /** Of the same bytes, and of at least `spareBytes` more where `plainEnd` is asked. */
  readonly view: DataView;
}

/** How far a loop over words looks past the NUL it ends at. */
export const spareBytes = 8;

/**
 * True when so many bytes of JSON are the same in both from these places on: eight at a time, as numbers. Of what is no
 * JSON (NaN in eight bytes, zeros) it may say either.
 */
export function areSame(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  if (length < 8) return areFewSame(a, aStart, b, bStart, length);
  const last = length - 8;
  for (let at = 0; at < last; at += 8) {
    if (a.getFloat64(aStart + at, true) !== b.getFloat64(bStart + at, true)) return false;
  }
  // The last eight overlap those before.
  return a.getFloat64(aStart + last, true) === b.getFloat64(bStart + last, true);
}

function areFewSame(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  if (length < 4) {
    for (let at = 0; at < length; at += 1) if (a.getUint8(aStart + at) !== b.getUint8(bStart + at)) return false;
    return true;
  }
  const last = length - 4;
  return (
    a.getInt32(aStart, true) === b.getInt32(bStart, true) &&
    a.getInt32(aStart + last, true) === b.getInt32(bStart + last, true)
  );
}

/**
 * The first byte from there on that does not stand for itself in a JSON text, or is not printable ASCII. Four bytes are
 * looked at at a time: in `odd` the highest bit of each such byte is set, and perhaps some behind the first of them.
 */
export function plainEnd(view: DataView, start: number): number {
  for (let at = start; ; at += 4) {
    const word = view.getInt32(at, true);
    const quotes = word ^ 0x22222222;
    const slashes = word ^ 0x5c5c5c5c;
    const odd =
      (((quotes - 0x01010101) & ~quotes) |
        ((slashes - 0x01010101) & ~slashes) |
        (word - 0x20202020) |
        (word + 0x01010101) |
        word) &
      0x80808080;
    if (odd !== 0) return at + ((31 - Math.clz32(odd & -odd)) >>> 3);
  }
}
