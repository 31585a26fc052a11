/** Milliseconds since 1970. */
export type Instant = number;

const hour = 3_600_000;
export const day = 24 * hour;

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
