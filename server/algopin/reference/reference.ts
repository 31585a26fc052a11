// A second implementation of the scheme, from docs/algopin.md alone and by other means: lists instead of arithmetic, its own cipher, a wall
// clock that is read minute by minute. It is slow and obvious, for tests alone. Times are milliseconds since 1970.
import { decryptFf1, encryptFf1 } from './ff1.ts';
import { fullHoursWithin, sameTimeLater } from './wall-clock.ts';

export interface ReferenceCode {
  readonly kind: string;
  readonly start: number;
  readonly duration: number;
  readonly variance: number;
}

const hour = 3_600_000;
const epoch = Date.UTC(2024, 0, 1);
const cycleHours = 32 * 8766;

/** All codes that can start in one hour, in the order of the scheme. */
const codesOfAnHour: readonly Omit<ReferenceCode, 'start'>[] = [
  ...list('hourly', 1, 672, 3),
  ...list('daily', 29, 367, 3),
  ...list('onetime', 0, 0, 5),
  ...list('permanent', 0, 0, 5),
  ...list('passage', 1, 24, 3),
];

function list(kind: string, shortest: number, longest: number, variances: number) {
  const codes: Omit<ReferenceCode, 'start'>[] = [];
  for (let duration = shortest; duration <= longest; duration += 1) {
    for (let variance = 1; variance <= variances; variance += 1) codes.push({ kind, duration, variance });
  }
  return codes;
}

export function referenceIndex(code: ReferenceCode): number {
  let hours = Math.floor((code.start - epoch) / hour);
  while (hours < 0) hours += cycleHours;
  while (hours >= cycleHours) hours -= cycleHours;
  const place = codesOfAnHour.findIndex(
    ({ kind, duration, variance }) => kind === code.kind && duration === code.duration && variance === code.variance,
  );
  if (place < 0) throw new Error('no such code');
  return hours * codesOfAnHour.length + place;
}

export function referencePin(key: Uint8Array, code: ReferenceCode): string {
  let digits = [...String(100_000_000 + referenceIndex(code))].map(Number);
  do digits = encryptFf1({ key, radix: 10, tweak: Uint8Array.of(1) }, digits);
  while (digits[0] === 0);
  return digits.join('');
}

/** @returns undefined for the digits of no code */
export function referenceCode(key: Uint8Array, pin: string, now: number, timeZone: string): ReferenceCode | undefined {
  let digits = [...pin].map(Number);
  do digits = decryptFf1({ key, radix: 10, tweak: Uint8Array.of(1) }, digits);
  while (digits[0] === 0);
  const index = Number(digits.join('')) - 100_000_000;
  const hours = Math.floor(index / codesOfAnHour.length);
  const code = codesOfAnHour[index % codesOfAnHour.length];
  if (hours >= cycleHours || code === undefined) return undefined;
  // The latest cycle comes first: sorting keeps the order of equally near ones.
  const hoursOfCycles = [3, 2, 1, 0, -1, -2, -3].map((cycle) => epoch + (hours + cycle * cycleHours) * hour);
  const nearest = hoursOfCycles.sort((one, other) => Math.abs(one - now) - Math.abs(other - now))[0] ?? 0;
  const [start] = fullHoursWithin(nearest, timeZone);
  return start === undefined ? undefined : { ...code, start };
}

export function referenceWindow({ kind, start, duration }: ReferenceCode, timeZone: string) {
  const ends: Readonly<Record<string, () => number>> = {
    hourly: () => start + duration * hour,
    daily: () => sameTimeLater(start, duration, timeZone),
    permanent: () => Number.POSITIVE_INFINITY,
  };
  const end = ends[kind]?.() ?? start + 24 * hour;
  return { start, end, activateBy: Math.min(end, start + 24 * hour) };
}

export interface ReferenceLock {
  readonly key: Uint8Array;
  readonly timeZone: string;
  readonly toleranceSeconds: number;
}

/** @returns `accepted`, or the reason for a refusal. `isUsed`: the lock remembers a first use. */
export function referenceVerdict(lock: ReferenceLock, pin: string, now: number, isUsed: boolean): string {
  const { key, timeZone } = lock;
  const tolerance = lock.toleranceSeconds * 1000;
  if (pin.length !== 9 || pin.startsWith('0') || [...pin].some((digit) => digit < '0' || digit > '9'))
    return 'malformed';
  const code = referenceCode(key, pin, now, timeZone);
  if (code === undefined) return 'unknown';
  const { start, end, activateBy } = referenceWindow(code, timeZone);
  if (now < start - tolerance) return 'too_early';
  if (now >= end + tolerance) return 'expired';
  if (!isUsed) return now < activateBy + tolerance ? 'accepted' : 'lapsed';
  return code.kind === 'onetime' ? 'spent' : 'accepted';
}
