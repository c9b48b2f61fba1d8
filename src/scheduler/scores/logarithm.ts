const ln2High = 0.6931471803691238;
const ln2Low = 1.9082149292705877e-10;

/**
 * The natural logarithm to the last bit as Go computes it: Math.log of the engines rounds differently for some numbers, and
 * a score may round the other way then. The classic reduction to [√½, √2) and an odd series in f / (2 + f), for x ≥ 1.
 */
export function logarithm(x: number): number {
  let exponent = 0;
  let fraction = x;
  while (fraction >= 1) {
    fraction /= 2;
    exponent += 1;
  }
  if (fraction < Math.SQRT1_2) {
    fraction *= 2;
    exponent -= 1;
  }
  const f = fraction - 1;
  const s = f / (2 + f);
  const s2 = s * s;
  const s4 = s2 * s2;
  const odd =
    s2 * (0.6666666666666735 + s4 * (0.2857142874366239 + s4 * (0.1818357216161805 + s4 * 0.14798198605116586)));
  const even = s4 * (0.3999999999940942 + s4 * (0.22222198432149784 + s4 * 0.15313837699209373));
  const halfSquare = 0.5 * f * f;
  return exponent * ln2High - (halfSquare - (s * (halfSquare + (odd + even)) + exponent * ln2Low) - f);
}
