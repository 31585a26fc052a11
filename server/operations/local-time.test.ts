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

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const recent = fc.integer({ min: at('1925-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') });
const instants = fc.oneof(
  recent,
  fc.integer({ min: at('1800-01-01T00:00:00Z'), max: at('2200-01-01T00:00:00Z') }),
  fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
);

function formatSlowly(instant: number, timeZone: string): string {
  const format = { smallestUnit: 'second', roundingMode: 'floor', timeZone } as const;
  return Temporal.Instant.fromEpochMilliseconds(instant).toString(format);
}

describe('local time', () => {
  for (const { name, given, want } of cases) {
    test(name, () => expect(formatLocalTime(at(given[0]), given[1])).toBe(want));
  }

  test.each([
    { name: 'the year 1000', at: -30_610_224_000_000, zone: 'UTC', want: '1000-01-01T00:00:00+00:00' },
    { name: 'before it', at: -30_610_224_001_000, zone: 'UTC', want: '0999-12-31T23:59:59+00:00' },
    { name: 'before Christ', at: -62_167_219_200_001, zone: 'UTC', want: '-000001-12-31T23:59:59+00:00' },
    { name: 'after 9999', at: 253_402_300_800_000, zone: 'UTC', want: '+010000-01-01T00:00:00+00:00' },
    {
      name: 'the last instant',
      at: 8_640_000_000_000_000,
      zone: 'Asia/Kathmandu',
      want: '+275760-09-13T05:45:00+05:45',
    },
    { name: 'the first', at: -8_640_000_000_000_000, zone: 'America/New_York', want: '-271821-04-19T19:03:58-04:56' },
    { name: 'an offset of seconds', at: Date.UTC(1890, 0), zone: 'Europe/Berlin', want: '1890-01-01T00:53:28+00:53' },
  ])('$name', ({ at, zone, want }) => {
    for (const _ of ['read', 'remembered']) expect(formatLocalTime(at, zone)).toBe(want);
  });

  test('is what Temporal writes, for any instant of any zone', () => {
    fc.assert(
      fc.property(zones, instants, (zone, at) => {
        expect(formatLocalTime(at, zone)).toBe(formatSlowly(at, zone));
      }),
      { numRuns: 2000 },
    );
  });

  test('is what Temporal writes within seconds of a change, and on the days around it', () => {
    const changing = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Asia/Kathmandu',
    ];
    const near = fc.constantFrom(-86_400_001, -86_400_000, -1001, -1000, -1, 0, 1, 999, 1000, 3_600_000, 86_400_000);
    let changes = 0;
    fc.assert(
      fc.property(fc.constantFrom(...changing), recent, fc.array(near), (zone, from, distances) => {
        const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
        const change = start.getTimeZoneTransition('previous')?.epochMilliseconds;
        if (change === undefined) return;
        changes += 1;
        for (const at of distances.map((distance) => change + distance))
          expect(formatLocalTime(at, zone)).toBe(formatSlowly(at, zone));
      }),
      { numRuns: 200 },
    );
    expect(changes).toBeGreaterThan(100);
  });

  test('a zone that nobody knows is an error', () => {
    expect(() => formatLocalTime(0, 'Mars/Olympus')).toThrow(RangeError);
  });

  test('reads back as the same second in every zone', () => {
    const span = { min: at('1973-01-01T00:00:00Z'), max: at('2099-12-31T23:59:59Z') };
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
