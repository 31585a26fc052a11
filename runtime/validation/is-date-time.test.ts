import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSchemaCompiler } from './compile-schema.ts';
import { isDateTime } from './is-date-time.ts';

describe('a date-time', () => {
  test.each([
    '2026-11-20T23:59:59Z',
    '2026-11-20t23:59:59z',
    '2026-11-20 00:00:00+14:00',
    '2026-11-20T00:00:00-00:00',
    '2026-11-20T00:00:00.5+23:59',
    '2026-11-20T00:00:00.12399999999999+01:00',
    '2024-02-29T00:00:00Z',
    '0000-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-23:59',
  ])('%s', (text) => {
    expect(isDateTime(text)).toBe(true);
    expect(validate(text)).toBeUndefined();
  });

  test.each([
    ['an hour that only a leap second would have', '2026-11-20T24:59:00+01:00'],
    ['minutes of any size there', '2026-11-20T23:99:00+00:40'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a leap second at an offset', '2017-01-01T00:59:60.5+01:00'],
    ['24:00', '2026-11-20T24:00:00Z'],
    ['30 February', '2026-02-30T00:00:00Z'],
    ['29 February of no leap year', '2026-02-29T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['an offset of a day', '2026-11-20T00:00:00+24:00'],
    ['an offset without minutes', '2026-11-20T00:00:00+01'],
    ['an offset without a colon', '2026-11-20T00:00:00+0100'],
    ['no offset', '2026-11-20T00:00:00'],
    ['a day alone', '2026-11-20'],
    ['another blank between', '2026-11-20\u00a000:00:00Z'],
    ['a tab between', '2026-11-20\t00:00:00Z'],
    ['a line after it', '2026-11-20T00:00:00Z\n'],
    ['a year of six digits', '+002026-11-20T00:00:00Z'],
    ['a zone after it', '2026-11-20T00:00:00Z[UTC]'],
    ['nothing', ''],
  ])('is not %s', (_, text) => {
    expect(isDateTime(text)).toBe(false);
    expect(validate(text)).toMatchObject([{ keyword: 'format' }]);
  });

  test('that passes is an instant, the one that its digits say', () => {
    const number = (most: number, width: number) =>
      fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(width, '0'));
    const parts = fc.tuple(number(9999, 4), number(13, 2), number(32, 2), number(25, 2), number(61, 2), number(61, 2));
    const offset = fc.oneof(
      fc.constant('Z'),
      fc.tuple(fc.constantFrom('+', '-'), number(25, 2), number(61, 2)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    );
    let passed = 0;
    fc.assert(
      fc.property(parts, offset, ([year, month, day, hour, minute, second], zone) => {
        const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
        if (!isDateTime(`${local}${zone}`)) return;
        passed += 1;
        // Parsed without its offset, so that valid digits are printed unchanged, and an invalid day becomes another.
        const shown = new Date(`${local}Z`).toISOString();
        expect(shown.slice(0, local.length)).toBe(local);
      }),
      { numRuns: 3000 },
    );
    expect(passed).toBeGreaterThan(1000);
  });
});

function validate(text: string) {
  return createSchemaCompiler({})({ type: 'string', format: 'date-time' })(text);
}
