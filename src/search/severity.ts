/** From best to worst; a break shows on a trace, so it outweighs what was left open. */
const bestFirst = ["safe", "undecided", "stalls", "unsafe"] as const;

export type Severity = (typeof bestFirst)[number];

export function isWorse(a: Severity, b: Severity): boolean {
  return bestFirst.indexOf(a) > bestFirst.indexOf(b);
}

/** Of none: safe. */
export function worstOf(all: Iterable<Severity>): Severity {
  let worst: Severity = "safe";
  for (const one of all) if (isWorse(one, worst)) worst = one;
  return worst;
}
