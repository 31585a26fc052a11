/** Milliseconds since 1970. */
export type Instant = number;

const hour = 3_600_000;
export const day = 24 * hour;

/** The next whole hour plus two hours: near enough for rules about the near future, and still in the future during the run. */
export function soon(now: Instant): Instant {
  return Math.ceil(now / hour) * hour + 2 * hour;
}

/** Spellings of an instant, the most common first; the schema decides which one is valid. */
export function spellInstant(instant: Instant): readonly (string | number)[] {
  const iso = new Date(instant).toISOString();
  const seconds = iso.replace(/\.\d+Z$/, 'Z');
  const zoned = seconds.replace('Z', '+00:00');
  return [seconds, iso, zoned, iso.replace('Z', '+00:00'), iso.slice(0, 10), instant, Math.floor(instant / 1000)];
}

/** An ISO 8601 duration in milliseconds; a month has 30 days, a year 365. Undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const match = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text);
  if (match === null || text.length < 3) return undefined;
  const units = [365 * day, 30 * day, 7 * day, day, hour, 60_000, 1_000];
  return units.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
}
