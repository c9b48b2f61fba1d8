/** Where a value stands in the sorted part of a list, or would stand. */
export function lowerBound(list: ArrayLike<number>, end: number, value: number, start = 0): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As `splice`, which makes a list of what it takes out. */
export function insertAt(list: number[], place: number, value: number): void {
  list.push(value);
  for (let at = list.length - 1; at > place; at -= 1) list[at] = list[at - 1] ?? 0;
  list[place] = value;
}

export function removeAt(list: number[], place: number): void {
  for (let at = place + 1; at < list.length; at += 1) list[at - 1] = list[at] ?? 0;
  list.pop();
}
