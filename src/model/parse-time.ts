/** Unix ms of an RFC 3339 time as Kubernetes writes it, or null. The core has no calendar of its own to ask. */
export function parseTime(text: string): number | null {
  const parts = pattern.exec(text);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  if (hour === undefined || minute === undefined || second === undefined) return null;
  const ms = unixMs(year, month, day, hour, minute, second);
  if (Number.isNaN(ms)) return null;
  const fractionMs = Math.floor(Number(`0.${parts[7] ?? "0"}`) * 1000);
  return ms + fractionMs - zoneOffsetMs(parts[8] ?? "Z");
}

const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** Of a moment in UTC; NaN: there is none such, or one of its parts is NaN. */
export function unixMs(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  // NaN compares false.
  const isTime = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 23 && minute <= 59 && second <= 60;
  if (!isTime) return Number.NaN;
  return daysSinceEpoch(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Days of the Gregorian calendar; the year starts in March, so that the leap day comes last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function zoneOffsetMs(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}
