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
