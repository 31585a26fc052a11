/** Milliseconds since 1970. */
export type Instant = number;

export const hour = 3_600_000;

/** ISO 8601 duration in milliseconds; a month counts 30 days, a year 365. Undefined for text that is none. */
export function readDuration(text: string): number | undefined {
  const match = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text);
  if (match === null || text.length < 3) return undefined;
  const units = [365 * 24 * hour, 30 * 24 * hour, 7 * 24 * hour, 24 * hour, hour, 60_000, 1_000];
  return units.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
}

/** The next whole hour, two hours on: soon enough for any rule about the near future, late enough to stay ahead. */
export function soon(now: Instant): Instant {
  return Math.ceil(now / hour) * hour + 2 * hour;
}

/** Spellings of an instant, the most common first: a schema's pattern decides which of them fits. */
export function spellInstant(instant: Instant): readonly (string | number)[] {
  const iso = new Date(instant).toISOString();
  const seconds = iso.replace(/\.\d+Z$/, 'Z');
  const zoned = seconds.replace('Z', '+00:00');
  return [seconds, iso, zoned, iso.replace('Z', '+00:00'), iso.slice(0, 10), instant, Math.floor(instant / 1000)];
}
