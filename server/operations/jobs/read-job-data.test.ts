import { isDateTime } from '@lockstep/runtime/validation/is-date-time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJobWindow } from './check-job-window.ts';
import { parseJobData, readJobData } from './read-job-data.ts';

const number = (most: number, width: number) =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(width, '0'));
const dateTime = fc
  .tuple(
    fc.oneof(number(9999, 4), fc.constantFrom('0000', '2024', '9999')),
    number(13, 2),
    number(31, 2),
    fc.constantFrom('T', 't', ' '),
    number(24, 2),
    number(60, 2),
    number(60, 2),
    fc.oneof(
      fc.constant(''),
      fc.bigInt({ min: 0n, max: 10n ** 18n }).map((digits) => `.${digits}`),
    ),
    fc.oneof(fc.constantFrom('Z', 'z', '-00:00', '+23:59', '-23:59', '+0545', '+01'), fc.constantFrom('+14:00', '')),
  )
  .map(([year, month, day, separator, hour, minute, second, fraction, offset]) =>
    [`${year}-${month}-${day}`, separator, `${hour}:${minute}:${second}`, fraction, offset].join(''),
  );

test('every time that validation accepts is read', () => {
  let read = 0;
  fc.assert(
    fc.property(dateTime, fc.integer({ min: 0, max: 4_102_444_800_000 }), (text, now) => {
      if (text.length > 40 || !isDateTime(text)) return;
      read += 1;
      const sent = { startDate: text, endDate: text, lockTime: text };
      const data = readJobData(sent);
      expect(data.lockTime).toMatch(/^([+-]\d{2})?\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/);
      expect(checkJobWindow(sent, data, now)).toMatchObject({ status: 400, body: { code: 'window_length' } });
    }),
    { numRuns: 5000 },
  );
  expect(read).toBeGreaterThan(500);
});

describe('job data', () => {
  test.each([
    { name: 'nothing', sent: undefined, want: {} },
    { name: 'empty text', sent: '', want: {} },
    { name: 'the text of an empty object', sent: ' {} ', want: {} },
    { name: 'an object', sent: { pin: '0123' }, want: { pin: '0123' } },
    { name: 'its text', sent: '{"pin":"0123"}', want: { pin: '0123' } },
    {
      name: 'a name with blanks around it, and times at offsets',
      sent: {
        accessName: ' A b ',
        pin: '1234',
        pinType: 4,
        startDate: '2026-12-01T15:00:00+05:45',
        endDate: '2026-12-02T00:00:00.000Z',
      } as const,
      want: {
        accessName: 'A b',
        pin: '1234',
        pinType: 4,
        startDate: '2026-12-01T09:15:00Z',
        endDate: '2026-12-02T00:00:00Z',
      },
    },
    {
      name: 'more digits of a second than are kept',
      sent: { lockTime: '2026-11-20T00:00:00.12399999999999+01:00' },
      want: { lockTime: '2026-11-19T23:00:00.123Z' },
    },
  ])('$name', ({ sent, want }) => expect(readJobData(parseJobData(sent))).toEqual(want));
});
