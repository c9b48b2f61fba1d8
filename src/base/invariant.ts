/** Crashes on our own bugs. Input that may be wrong is never checked with this: see Problem. */
export function invariant(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: expected that ${expectation}`);
}

/** Ends a switch over a closed union; a forgotten member is a type error. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
