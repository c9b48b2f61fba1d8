const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** `90s`, `1h30m`, `1.5s`, `0` as Go reads them, to the millisecond; null when it is none. Longer than ten years is none. */
export function parseDuration(text: string): number | null {
  if (text === "0") return 0;
  if (!/^(?:\d{1,12}(?:\.\d{1,9})?(?:ms|s|m|h))+$/.test(text)) return null;
  let ms = 0;
  for (const [, number = "", unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    ms += Number(number) * (units.get(unit) ?? 0);
  }
  ms = Math.round(ms);
  return ms <= 10 * 365 * 86_400_000 ? ms : null;
}
