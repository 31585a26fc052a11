import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Temporal } from '../temporal.ts';
import { formatLocalTime } from './local-time.ts';

const at = (text: string) => Date.parse(text);

const cases = [
  { name: 'winter', given: ['2026-12-01T14:00:00Z', 'Europe/Berlin'], want: '2026-12-01T15:00:00+01:00' },
  { name: 'summer', given: ['2026-07-01T13:00:00Z', 'Europe/Berlin'], want: '2026-07-01T15:00:00+02:00' },
  { name: 'quarter hours', given: ['2026-12-01T14:00:00Z', 'Asia/Kathmandu'], want: '2026-12-01T19:45:00+05:45' },
  { name: 'west', given: ['2026-12-01T03:00:00Z', 'America/New_York'], want: '2026-11-30T22:00:00-05:00' },
  { name: 'half hours west', given: ['2026-12-01T14:00:00Z', 'America/St_Johns'], want: '2026-12-01T10:30:00-03:30' },
  { name: 'UTC', given: ['2026-12-01T14:00:00Z', 'UTC'], want: '2026-12-01T14:00:00+00:00' },
  { name: 'no timezone', given: ['2026-12-01T14:00:00Z', null], want: '2026-12-01T14:00:00+00:00' },
  { name: 'milliseconds cut', given: ['2026-12-01T14:00:00.999Z', 'UTC'], want: '2026-12-01T14:00:00+00:00' },
  { name: 'before 1970', given: ['1969-12-31T23:59:59.001Z', 'UTC'], want: '1969-12-31T23:59:59+00:00' },
  { name: 'repeated hour, first', given: ['2026-10-25T00:30:00Z', 'Europe/Berlin'], want: '2026-10-25T02:30:00+02:00' },
  { name: 'repeated hour, again', given: ['2026-10-25T01:30:00Z', 'Europe/Berlin'], want: '2026-10-25T02:30:00+01:00' },
] as const;

describe('local time', () => {
  for (const { name, given, want } of cases) {
    test(name, () => expect(formatLocalTime(at(given[0]), given[1])).toBe(want));
  }

  test('a zone that nobody knows is an error', () => {
    expect(() => formatLocalTime(0, 'Mars/Olympus')).toThrow(RangeError);
  });

  test('reads back as the same second in every zone', () => {
    const span = { min: at('1973-01-01T00:00:00Z'), max: at('2099-12-31T23:59:59Z') };
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(fc.integer(span), zones, (instant, zone) => {
        const text = formatLocalTime(instant, zone);
        expect(text).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/);
        expect(Temporal.Instant.from(text).epochMilliseconds).toBe(Math.floor(instant / 1000) * 1000);
        expect(text.slice(0, 19)).toBe(new Date(instant).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T'));
      }),
      { numRuns: 1000 },
    );
  });
});
