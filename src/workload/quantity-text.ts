/**
 * An amount of a resource as the API writes it. CPU is in milli; memory and storage are written in powers of 1024 where
 * that is no longer than in thousands: the format the object was written in is not kept.
 * Mirrors: apimachinery pkg/api/resource Quantity.String, 0.36.3.
 */
export function quantityText(resource: string, amount: number): string {
  if (/(^|\.)cpu$/.test(resource)) return amount % 1000 === 0 ? withSuffix(amount / 1000, 1000, decimal) : `${amount}m`;
  const isBytes = /(^|\.)(memory|ephemeral-storage|storage)$/.test(resource) || resource.includes("hugepages-");
  const inThousands = withSuffix(amount, 1000, decimal);
  const inPowersOf1024 = withSuffix(amount, 1024, binary);
  return isBytes && inPowersOf1024.length <= inThousands.length ? inPowersOf1024 : inThousands;
}

const decimal: readonly string[] = ["", "k", "M", "G", "T", "P", "E"];
const binary: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** The largest suffix with which the number is whole. */
function withSuffix(amount: number, base: number, suffixes: readonly string[]): string {
  let rest = amount;
  let step = 0;
  while (rest !== 0 && rest % base === 0 && step < suffixes.length - 1) {
    rest /= base;
    step += 1;
  }
  return `${rest}${suffixes[step] ?? ""}`;
}
