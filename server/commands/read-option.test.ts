import { describe, expect, test } from 'vitest';
import { readDays, readGeneration, readInstant, readLimit, readOverlap } from './read-option.ts';

const day = 86_400;

describe('an option', () => {
  test.each([
    { read: readLimit, text: '1', want: 1 },
    { read: readLimit, text: '999999', want: 999_999 },
    { read: readDays, text: '1', want: 1 },
    { read: readDays, text: '9999', want: 9999 },
    { read: readInstant, text: '2000-01-01T00:00:00Z', want: Date.UTC(2000) },
    { read: readInstant, text: '2100-01-01T01:00:00+01:00', want: Date.UTC(2100) },
    { read: readGeneration, text: '1', want: 1 },
    { read: readGeneration, text: '999999999', want: 999_999_999 },
    { read: readOverlap, text: '0', want: 0 },
    { read: readOverlap, text: '36h', want: 1.5 * day },
    { read: readOverlap, text: '90d', want: 90 * day },
  ])('$read.name takes $text', ({ read, text, want }) => {
    expect(read(text)).toBe(want);
  });

  test.each([
    { read: readLimit, texts: ['0', '1000000', '1.5', '-1', ''], message: 'a whole number from 1 to 999999.' },
    { read: readDays, texts: ['0', '10000', '1d', ''], message: 'a whole number of days from 1 to 9999.' },
    {
      read: readInstant,
      texts: ['1999-12-31T23:59:59Z', '2100-01-01T00:00:00.001Z', '2026-12-31', ''],
      message: 'a time from 2000 to 2100, as 2026-12-31T23:00:00Z.',
    },
    {
      read: readGeneration,
      texts: ['0', '01', '1000000000'],
      message: 'a whole number from 1, as device key prints it.',
    },
    {
      read: readOverlap,
      texts: ['91d', '2161h', '7', '7w', '00', ''],
      message: 'hours or days, as 36h or 7d, at most 90d; or 0.',
    },
  ])('$read.name refuses $texts', ({ read, texts, message }) => {
    for (const text of texts) expect(() => read(text), text).toThrow(message);
  });
});
