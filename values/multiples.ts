/** Uses decimal arithmetic on JSON numbers as they are written: 4.35 is a multiple of 0.01, despite its binary fraction. */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !(step > 0)) return false;
  // The text 4.35 is parsed as the double nearest to 435/100, and division rounds to the same double.
  const inverse = Math.round(1 / step);
  const count = Math.round(value * inverse);
  if (1 / inverse === step && Math.abs(count) < 1e15) return count / inverse === value;
  const [a, b] = [readDecimal(value), readDecimal(step)];
  const exponent = Math.min(a.exponent, b.exponent);
  return scale(a, exponent) % scale(b, exponent) === 0n;
}

/** The multiple of `step` nearest to `value` from above, or from below. */
export function roundToMultiple(value: number, step: number, side: 'up' | 'down'): number {
  const [a, b] = [readDecimal(value), readDecimal(step)];
  const exponent = Math.min(a.exponent, b.exponent);
  const [whole, unit] = [scale(a, exponent), scale(b, exponent)];
  const rest = ((whole % unit) + unit) % unit;
  const made = rest === 0n ? whole : side === 'down' ? whole - rest : whole - rest + unit;
  return Number(`${made}e${exponent}`);
}

/** The smallest number that is a multiple of both. */
export function commonMultiple(a: number, b: number): number {
  const [x, y] = [readDecimal(a), readDecimal(b)];
  const exponent = Math.min(x.exponent, y.exponent);
  const [m, n] = [scale(x, exponent), scale(y, exponent)];
  let [p, q] = [m, n];
  while (q !== 0n) [p, q] = [q, p % q];
  return Number(`${(m / p) * n}e${exponent}`);
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function readDecimal(value: number): Decimal {
  const [mantissa = '0', power = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
