/** Words for people that any room may need. */

/** `0 s`, `4.5 s`, `3 min 40 s`, `1 h 4 min 3 s`. Three decimals below a minute, whole seconds above. */
export function spokenSeconds(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  return spokenMilliseconds(ms < 60_000 ? ms : Math.round(ms / 1000) * 1000);
}

/** The same to the millisecond, however long: `3 min 40.115 s`. */
export function spokenExactly(seconds: number): string {
  return spokenMilliseconds(Math.round(seconds * 1000));
}

function spokenMilliseconds(ms: number): string {
  if (ms < 60_000) return `${ms / 1000} s`;
  const parts = [
    [Math.floor(ms / 3_600_000), "h"],
    [Math.floor((ms % 3_600_000) / 60_000), "min"],
    [(ms % 60_000) / 1000, "s"],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(" ");
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[], word: "and" | "or" = "and"): string {
  if (items.length <= 1) return items[0] ?? "";
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}

/** Like `listed`, but at most `most` names: `a, b and 7 more`. */
export function listedAtMost(items: readonly string[], most: number, word: "and" | "or" = "and"): string {
  if (items.length <= most) return listed(items, word);
  return `${items.slice(0, most).join(", ")} ${word} ${items.length - most} more`;
}
