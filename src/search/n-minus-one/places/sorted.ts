/** Where a value stands in the sorted part of a list, or would stand. */
export function lowerBound(list: Int32Array, end: number, value: number, start = 0): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Smaller numbers first: in place, and without a copy where there are few, as there nearly always are. */
export function ascending(list: number[]): readonly number[] {
  if (list.length > fewMax) return list.sort((a, b) => a - b);
  for (let i = 1; i < list.length; i += 1) {
    const value = list[i] ?? 0;
    let place = i;
    for (; place > 0 && (list[place - 1] ?? 0) > value; place -= 1) list[place] = list[place - 1] ?? 0;
    list[place] = value;
  }
  return list;
}

const fewMax = 24;
