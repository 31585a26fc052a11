import { describe, expect, test } from 'vitest';
import { dayOf, endOf, isReversed, type LogTime, readLogTime, startOf } from './read-log-time.ts';

function read(text: string): LogTime {
  const time = readLogTime(text);
  if (time.kind === 'fault') throw new Error(time.says);
  return time;
}

const hour = 3_600_000;
const days = [
  { zone: 'Asia/Kathmandu', day: '2026-11-20', from: '2026-11-19T18:15:00Z', hours: 24 },
  { zone: 'Europe/Berlin', day: '2026-11-20', from: '2026-11-19T23:00:00Z', hours: 24 },
  { zone: 'Europe/Berlin', day: '2026-03-29', from: '2026-03-28T23:00:00Z', hours: 23 },
  { zone: 'Europe/Berlin', day: '2026-10-25', from: '2026-10-24T22:00:00Z', hours: 25 },
  { zone: 'America/New_York', day: '2026-11-01', from: '2026-11-01T04:00:00Z', hours: 25 },
  { zone: 'Australia/Lord_Howe', day: '2026-10-04', from: '2026-10-03T13:30:00Z', hours: 23.5 },
  // Clocks go forward at midnight: the day begins at 01:00.
  { zone: 'America/Asuncion', day: '2024-10-06', from: '2024-10-06T04:00:00Z', hours: 23 },
  // The island moved over the date line, and had no such day.
  { zone: 'Pacific/Apia', day: '2011-12-30', from: '2011-12-30T10:00:00Z', hours: 0 },
  { zone: 'UTC', day: '2028-02-29', from: '2028-02-29T00:00:00Z', hours: 24 },
  { zone: 'UTC', day: '9999-12-31', from: '9999-12-31T00:00:00Z', hours: 24 },
  { zone: 'UTC', day: '0000-01-01', from: '0000-01-01T00:00:00Z', hours: 24 },
];

describe('a day alone', () => {
  test.each(days)('$day in $zone has $hours hours', ({ zone, day, from, hours }) => {
    const time = read(day);
    expect(startOf(time, zone)).toBe(Date.parse(from));
    expect(endOf(time, zone)).toBe(Date.parse(from) + hours * hour);
    expect(isReversed(time, time, zone)).toBe(false);
  });
});

const instants = [
  ['2026-11-20T15:00:00Z', '2026-11-20T15:00:00Z'],
  ['2026-11-20T15:00:00+01:00', '2026-11-20T14:00:00Z'],
  ['2026-11-20T15:00:00 01:00', '2026-11-20T14:00:00Z'],
  ['2026-11-20T15:00:00-03:30', '2026-11-20T18:30:00Z'],
  ['2026-11-20T15:00:00.5+05:45', '2026-11-20T09:15:00.5Z'],
  ['2026-11-20T23:59:59.999Z', '2026-11-20T23:59:59.999Z'],
  ['2026-11-20T00:00:00+23:59', '2026-11-19T00:01:00Z'],
] as const;

test.each(instants)('%s is the instant %s, from and to', (text, want) => {
  expect(startOf(read(text), 'Asia/Kathmandu')).toBe(Date.parse(want));
  expect(endOf(read(text), 'Asia/Kathmandu')).toBe(Date.parse(want));
});

const faults = [
  ['2026-02-30', 'is no date', '2026-02-28'],
  ['2026-02-29', 'is no date', '2026-02-28'],
  ['2026-13-01', 'is no date', '2026-12-01'],
  ['2026-00-10', 'is no date', '2026-01-10'],
  ['2026-11-00', 'is no date', '2026-11-01'],
  ['2026-02-30T10:00:00Z', 'is no time', '2026-02-28T10:00:00Z'],
  ['2026-11-20T24:00:00Z', 'is no time', '2026-11-21T00:00:00Z'],
  ['2026-11-20T10:60:00+01:00', 'is no time', '2026-11-20T11:00:00+01:00'],
  ['2026-11-20T10:59:60Z', 'is no time', '2026-11-20T11:00:00Z'],
  ['2016-12-31T23:59:60Z', 'is no time', '2017-01-01T00:00:00Z'],
  ['2026-11-20T24:00:00 01:00', 'is no time', '2026-11-21T00:00:00+01:00'],
  ['9999-12-31T24:00:00Z', 'is no time', undefined],
  ['2026-11-20T10:00:00+24:00', 'is no time', undefined],
  ['2026-11-20T10:00:00-01:60', 'is no time', undefined],
] as const;

test.each(faults)('%s %s, and %s would do', (text, says, near) => {
  const time = readLogTime(text);
  const shown = text.replace(' ', '+');
  expect(time).toEqual({
    kind: 'fault',
    says: near === undefined ? `${shown} ${says}` : `${shown} ${says}, use ${near}`,
    nearest: [near ?? []].flat(),
  });
  if (near !== undefined) expect(readLogTime(near).kind).not.toBe('fault');
});

const ranges = [
  { start: '2026-11-20', end: '2026-11-20', want: false },
  { start: '2026-11-20', end: '2026-11-19', want: true },
  { start: '2026-11-20', end: '2026-11-19T18:15:00Z', want: true },
  { start: '2026-11-20', end: '2026-11-19T18:15:00.001Z', want: false },
  { start: '2026-11-20T18:14:59Z', end: '2026-11-20', want: false },
  { start: '2026-11-20T18:15:00Z', end: '2026-11-20', want: true },
  { start: '2026-11-20T15:00:00Z', end: '2026-11-20T15:00:00Z', want: true },
  { start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00+01:00', want: true },
];

test.each(ranges)(
  '$start to $end is reversed in Kathmandu: $want, and the day of the start is always a valid end',
  ({ start, end, want }) => {
    expect(isReversed(read(start), read(end), 'Asia/Kathmandu')).toBe(want);
    const day = dayOf(read(start), 'Asia/Kathmandu');
    expect(isReversed(read(start), read(day ?? ''), 'Asia/Kathmandu')).toBe(false);
  },
);

test('no day is named beyond the last year that a time can have', () => {
  expect(dayOf(read('9999-12-31T23:00:00Z'), 'Asia/Kathmandu')).toBeUndefined();
});
