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
