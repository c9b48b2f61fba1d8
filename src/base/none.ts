/** The empty list. Most lists of a large cluster are empty, and one for each would take more room than the full ones. */
export const none: readonly never[] = [];

export function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list;
}
