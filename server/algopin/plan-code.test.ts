import { describe, expect, test } from 'vitest';
import { Temporal } from '../temporal.ts';
import { type CodeRequest, planCode } from './plan-code.ts';
import { formatTime } from './rules/window-fault.ts';

interface Given {
  readonly kind: CodeRequest['kind'];
  readonly start?: string;
  readonly end?: string;
  readonly durationHours?: number;
  readonly variance?: number;
}

const instant = (text: string | undefined) => (text === undefined ? undefined : Temporal.Instant.from(text));

function plan({ kind, start, end, durationHours, variance }: Given, now: string, timeZone: string) {
  const written = { startDate: start, endDate: end };
  const request = { kind, startDate: instant(start), endDate: instant(end), durationHours, variance, written };
  return planCode(request, Temporal.Instant.from(now).toZonedDateTimeISO(timeZone));
}

const berlin = 'Europe/Berlin';
const kathmandu = 'Asia/Kathmandu';
const lordHowe = 'Australia/Lord_Howe';
/** The last second of an hour, in winter. */
const now = '2026-11-20T18:59:59+01:00';
const noon = '2026-12-01T12:00:00+01:00';

describe('a request with a kind alone', () => {
  test.each([
    { kind: 'hourly' as const, end: '2026-11-20T19:00:00+01:00', activateBy: '2026-11-20T19:00:00+01:00', duration: 1 },
    { kind: 'daily' as const, end: '2026-12-19T18:00:00+01:00', activateBy: '2026-11-21T18:00:00+01:00', duration: 29 },
    {
      kind: 'onetime' as const,
      end: '2026-11-21T18:00:00+01:00',
      activateBy: '2026-11-21T18:00:00+01:00',
      duration: 0,
    },
    { kind: 'permanent' as const, end: null, activateBy: '2026-11-21T18:00:00+01:00', duration: 0 },
    {
      kind: 'passage' as const,
      end: '2026-11-21T18:00:00+01:00',
      activateBy: '2026-11-21T18:00:00+01:00',
      duration: 1,
    },
  ])(
    '$kind has the current hour, the shortest duration and the first variance',
    ({ kind, end, activateBy, duration }) => {
      const answer = plan({ kind }, now, berlin);
      if (answer.kind === 'fault') throw new Error(answer.fault.text);
      expect({ ...answer.code }).toEqual({ kind, startsAt: instant('2026-11-20T17:00:00Z'), duration, variance: 1 });
      const { window } = answer;
      expect(formatTime(window.start)).toBe('2026-11-20T18:00:00+01:00');
      expect(window.end && formatTime(window.end)).toBe(end);
      expect(formatTime(window.activateBy)).toBe(activateBy);
    },
  );

  test.each([
    {
      name: 'an hour repeated for the first time',
      at: '2027-10-31T02:10:00+02:00',
      zone: berlin,
      want: '2027-10-31T02:00:00+02:00',
    },
    { name: 'an hour repeated', at: '2027-10-31T02:10:00+01:00', zone: berlin, want: '2027-10-31T02:00:00+01:00' },
    {
      name: 'the hour after a skipped one',
      at: '2027-03-28T03:10:00+02:00',
      zone: berlin,
      want: '2027-03-28T03:00:00+02:00',
    },
    { name: 'an hour at +05:45', at: '2026-11-20T04:14:59Z', zone: kathmandu, want: '2026-11-20T09:00:00+05:45' },
    {
      name: 'half an hour repeated',
      at: '2027-04-04T01:40:00+10:30',
      zone: lordHowe,
      want: '2027-04-04T01:00:00+11:00',
    },
    {
      name: 'the rest of an hour whose first half is skipped',
      at: '2027-10-03T02:40:00+11:00',
      zone: lordHowe,
      want: '2027-10-03T01:00:00+10:30',
    },
    {
      name: 'the first instant of an hour',
      at: '2026-11-20T18:00:00+01:00',
      zone: berlin,
      want: '2026-11-20T18:00:00+01:00',
    },
    {
      name: 'the last nanosecond of an hour',
      at: '2026-11-20T18:59:59.999999999+01:00',
      zone: berlin,
      want: '2026-11-20T18:00:00+01:00',
    },
  ])('begins at the full hour before: $name', ({ at, zone, want }) => {
    const answer = plan({ kind: 'onetime' }, at, zone);
    expect(answer.kind === 'planned' && formatTime(answer.window.start)).toBe(want);
  });
});

describe('accepted', () => {
  test.each([
    { name: '1 hour', given: { kind: 'hourly', start: noon, end: '2026-12-01T13:00:00+01:00' }, duration: 1 },
    { name: '672 hours', given: { kind: 'hourly', start: noon, end: '2026-12-29T12:00:00+01:00' }, duration: 672 },
    {
      name: 'an hour of length 23 across clocks going forward',
      given: { kind: 'hourly', start: '2027-03-27T15:00:00+01:00', end: '2027-03-28T15:00:00+02:00' },
      duration: 23,
    },
    {
      name: 'a day of 25 hours',
      given: { kind: 'hourly', start: '2027-10-30T15:00:00+02:00', end: '2027-10-31T15:00:00+01:00' },
      duration: 25,
    },
    { name: '29 days', given: { kind: 'daily', start: noon, end: '2026-12-30T12:00:00+01:00' }, duration: 29 },
    { name: '367 days', given: { kind: 'daily', start: noon, end: '2027-12-03T12:00:00+01:00' }, duration: 367 },
    {
      name: '29 days of which one has 23 hours',
      given: { kind: 'daily', start: '2027-03-01T12:00:00+01:00', end: '2027-03-30T12:00:00+02:00' },
      duration: 29,
    },
    {
      name: '29 days of which one has 25 hours',
      given: { kind: 'daily', start: '2027-10-10T12:00:00+02:00', end: '2027-11-08T12:00:00+01:00' },
      duration: 29,
    },
    {
      name: 'an end in a skipped hour',
      given: { kind: 'daily', start: '2027-02-27T02:00:00+01:00', end: '2027-03-28T03:00:00+02:00' },
      duration: 29,
    },
    {
      name: 'the first of two repeated hours as an end',
      given: { kind: 'daily', start: '2027-10-02T02:00:00+02:00', end: '2027-10-31T02:00:00+02:00' },
      duration: 29,
    },
    {
      name: 'the first of two repeated hours as a start',
      given: { kind: 'daily', start: '2027-10-31T02:00:00+02:00' },
      duration: 29,
    },
    { name: 'the second of them', given: { kind: 'daily', start: '2027-10-31T02:00:00+01:00' }, duration: 29 },
    {
      name: 'the current hour in its last second',
      given: { kind: 'hourly', start: '2026-11-20T18:00:00+01:00' },
      duration: 1,
    },
    { name: '367 days ahead', given: { kind: 'permanent', start: '2027-11-22T18:00:00+01:00' }, duration: 0 },
    {
      name: 'a passage of 24 hours, third variance',
      given: { kind: 'passage', durationHours: 24, variance: 3 },
      duration: 24,
    },
    { name: 'any offset', given: { kind: 'onetime', start: '2026-12-01T15:30:00+04:30', variance: 5 }, duration: 0 },
    { name: 'Kathmandu as Z', given: { kind: 'onetime', start: '2026-12-01T04:15:00Z' }, duration: 0, zone: kathmandu },
    {
      name: 'Kathmandu as +05:45',
      given: { kind: 'onetime', start: '2026-12-01T10:00:00+05:45' },
      duration: 0,
      zone: kathmandu,
    },
    {
      name: 'Kathmandu as +01:00',
      given: { kind: 'onetime', start: '2026-12-01T05:15:00+01:00' },
      duration: 0,
      zone: kathmandu,
    },
    {
      name: 'hours across half an hour that is skipped',
      given: { kind: 'hourly', start: '2027-10-03T01:00:00+10:30', end: '2027-10-03T03:30:00+11:00' },
      duration: 2,
      zone: lordHowe,
      at: '2027-09-01T00:00:00Z',
    },
    {
      name: 'days of which one has 23 and a half hours',
      given: { kind: 'daily', start: '2027-09-10T10:00:00+10:30', end: '2027-10-09T10:00:00+11:00' },
      duration: 29,
      zone: lordHowe,
    },
    {
      name: 'an end pushed into the next day',
      given: { kind: 'daily', start: '2027-02-26T23:00:00-02:00', end: '2027-03-28T00:00:00-01:00' },
      duration: 29,
      zone: 'America/Nuuk',
    },
    {
      name: '367 days, the last pushed into the next day',
      given: { kind: 'daily', start: '2027-03-25T23:00:00-02:00', end: '2028-03-26T00:00:00-01:00' },
      duration: 366,
      zone: 'America/Nuuk',
    },
    {
      name: 'an end in the second of two skipped hours',
      given: { kind: 'daily', start: '2027-02-27T02:00:00+00:00', end: '2027-03-28T03:00:00+02:00' },
      duration: 29,
      zone: 'Antarctica/Troll',
    },
  ] as readonly { name: string; given: Given; duration: number; zone?: string; at?: string }[])(
    '$name',
    ({ given, duration, zone = berlin, at = now }) => {
      const answer = plan(given, at, zone);
      if (answer.kind === 'fault') throw new Error(answer.fault.text);
      expect(answer.code).toMatchObject({ duration, variance: given.variance ?? 1 });
      if (given.start !== undefined) expect(answer.code.startsAt).toEqual(instant(given.start));
      if (given.end !== undefined) expect(answer.window.end?.toInstant()).toEqual(instant(given.end));
    },
  );
});

describe('rejected, with the nearest valid times', () => {
  test.each([
    {
      name: 'half past',
      given: { kind: 'hourly', start: '2026-12-01T15:30:00+01:00' },
      rule: 'window_not_aligned',
      nearest: ['2026-12-01T15:00:00+01:00', '2026-12-01T16:00:00+01:00'],
    },
    {
      name: 'half past, across midnight',
      given: { kind: 'hourly', start: '2026-12-01T23:30:00+01:00' },
      rule: 'window_not_aligned',
      nearest: ['2026-12-01T23:00:00+01:00', '2026-12-02T00:00:00+01:00'],
    },
    {
      name: 'half past, before a skipped hour',
      given: { kind: 'hourly', start: '2027-03-28T01:30:00+01:00' },
      rule: 'window_not_aligned',
      nearest: ['2027-03-28T01:00:00+01:00', '2027-03-28T03:00:00+02:00'],
    },
    {
      name: 'half past, in the skipped half hour of Lord Howe',
      given: { kind: 'hourly', start: '2027-10-02T15:30:00Z' },
      zone: lordHowe,
      rule: 'window_not_aligned',
      nearest: ['2027-10-03T01:00:00+10:30', '2027-10-03T03:00:00+11:00'],
    },
    {
      name: 'a whole hour of UTC in Kathmandu',
      given: { kind: 'onetime', start: '2026-12-01T04:00:00Z' },
      zone: kathmandu,
      rule: 'window_not_aligned',
      nearest: ['2026-12-01T09:00:00+05:45', '2026-12-01T10:00:00+05:45'],
    },
    {
      name: 'half past the furthest hour but one',
      given: { kind: 'onetime', start: '2027-11-22T17:30:00+01:00' },
      rule: 'window_not_aligned',
      nearest: ['2027-11-22T17:00:00+01:00', '2027-11-22T18:00:00+01:00'],
    },
    {
      name: 'an hour ago',
      given: { kind: 'hourly', start: '2026-11-20T17:00:00+01:00' },
      rule: 'window_in_past',
      nearest: ['2026-11-20T18:00:00+01:00'],
    },
    {
      name: 'half past an hour ago',
      given: { kind: 'hourly', start: '2026-11-20T17:30:00+01:00' },
      rule: 'window_in_past',
      nearest: ['2026-11-20T18:00:00+01:00'],
    },
    {
      name: 'year 1',
      given: { kind: 'permanent', start: '0001-01-01T00:00:00Z' },
      rule: 'window_in_past',
      nearest: ['2026-11-20T18:00:00+01:00'],
    },
    {
      name: 'an hour more than 367 days ahead',
      given: { kind: 'passage', start: '2027-11-22T19:00:00+01:00' },
      rule: 'window_too_far',
      nearest: ['2027-11-22T18:00:00+01:00'],
    },
    {
      name: 'half an hour more than 367 days ahead',
      given: { kind: 'passage', start: '2027-11-22T18:30:00+01:00' },
      rule: 'window_too_far',
      nearest: ['2027-11-22T18:00:00+01:00'],
    },
    {
      name: 'a cycle ahead',
      given: { kind: 'hourly', start: '2058-11-20T18:00:00+01:00' },
      rule: 'window_too_far',
      nearest: ['2027-11-22T18:00:00+01:00'],
    },
    {
      name: 'year 9999',
      given: { kind: 'hourly', start: '9999-12-31T22:00:00Z' },
      rule: 'window_too_far',
      nearest: ['2027-11-22T18:00:00+01:00'],
    },
    {
      name: 'an end in year 9999',
      given: { kind: 'daily', start: noon, end: '9999-12-31T22:00:00Z' },
      rule: 'window_length',
      nearest: ['2027-12-02T12:00:00+01:00', '2027-12-03T12:00:00+01:00'],
    },
    {
      name: 'an end in year 1',
      given: { kind: 'daily', start: noon, end: '0001-01-01T00:00:00Z' },
      rule: 'window_length',
      nearest: ['2026-12-30T12:00:00+01:00', '2026-12-31T12:00:00+01:00'],
    },
    {
      name: '673 hours',
      given: { kind: 'hourly', start: noon, end: '2026-12-29T13:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2026-12-29T12:00:00+01:00', '2026-12-30T12:00:00+01:00'],
    },
    {
      name: '28 days and an hour',
      given: { kind: 'daily', start: noon, end: '2026-12-29T13:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2026-12-29T12:00:00+01:00', '2026-12-30T12:00:00+01:00'],
    },
    {
      name: '28 days that have 673 hours',
      given: { kind: 'hourly', start: '2027-10-10T12:00:00+02:00', end: '2027-11-07T12:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2027-11-07T11:00:00+01:00', '2027-11-08T12:00:00+01:00'],
    },
    {
      name: 'a minute less than 29 days',
      given: { kind: 'daily', start: noon, end: '2026-12-30T11:59:00+01:00' },
      rule: 'window_length',
      nearest: ['2026-12-29T12:00:00+01:00', '2026-12-30T12:00:00+01:00'],
    },
    {
      name: 'end = start',
      given: { kind: 'hourly', start: noon, end: noon },
      rule: 'window_length',
      nearest: ['2026-12-01T13:00:00+01:00', '2026-12-01T14:00:00+01:00'],
    },
    {
      name: 'end before start',
      given: { kind: 'hourly', start: noon, end: '2026-11-30T12:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2026-12-01T13:00:00+01:00', '2026-12-01T14:00:00+01:00'],
    },
    {
      name: 'a minute more than an hour',
      given: { kind: 'hourly', start: noon, end: '2026-12-01T13:01:00+01:00' },
      rule: 'window_length',
      nearest: ['2026-12-01T13:00:00+01:00', '2026-12-01T14:00:00+01:00'],
    },
    {
      name: '29 days as hours',
      given: { kind: 'hourly', start: noon, end: '2026-12-30T12:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2026-12-29T11:00:00+01:00', '2026-12-29T12:00:00+01:00'],
    },
    {
      name: '672 hours as days',
      given: { kind: 'daily', start: noon, end: '2026-12-29T12:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2026-12-30T12:00:00+01:00', '2026-12-31T12:00:00+01:00'],
    },
    {
      name: '368 days',
      given: { kind: 'daily', start: noon, end: '2027-12-04T12:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2027-12-02T12:00:00+01:00', '2027-12-03T12:00:00+01:00'],
    },
    {
      name: 'another time of day',
      given: { kind: 'daily', start: noon, end: '2027-01-10T13:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2027-01-10T12:00:00+01:00', '2027-01-11T12:00:00+01:00'],
    },
    {
      name: 'an earlier time of day',
      given: { kind: 'daily', start: noon, end: '2027-01-10T11:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2027-01-09T12:00:00+01:00', '2027-01-10T12:00:00+01:00'],
    },
    {
      name: 'an hour more than 367 days that one change of clocks makes an hour shorter',
      given: { kind: 'onetime', start: '2027-03-30T13:00:00+02:00' },
      at: '2026-03-28T12:30:00+01:00',
      rule: 'window_too_far',
      nearest: ['2027-03-30T12:00:00+02:00'],
    },
    {
      name: 'the first hour after 367 days that end in the skipped half hour of Lord Howe',
      given: { kind: 'onetime', start: '2027-10-03T03:00:00+11:00' },
      at: '2026-10-01T02:30:00+10:30',
      zone: lordHowe,
      rule: 'window_too_far',
      nearest: ['2027-10-03T01:00:00+10:30'],
    },
    {
      name: 'the second of two repeated hours',
      given: { kind: 'daily', start: '2027-10-02T02:00:00+02:00', end: '2027-10-31T02:00:00+01:00' },
      rule: 'window_length',
      nearest: ['2027-10-31T02:00:00+02:00', '2027-11-01T02:00:00+01:00'],
    },
    {
      name: 'elapsed days where a day has 23 hours',
      given: { kind: 'daily', start: '2027-03-01T12:00:00+01:00', end: '2027-03-30T13:00:00+02:00' },
      rule: 'window_length',
      nearest: ['2027-03-30T12:00:00+02:00', '2027-03-31T12:00:00+02:00'],
    },
  ] as readonly { name: string; given: Given; zone?: string; at?: string; rule: string; nearest: string[] }[])(
    '$name',
    ({ given, zone = berlin, at = now, rule, nearest }) => {
      const answer = plan(given, at, zone);
      const faults = answer.kind === 'fault' ? [answer.fault] : [];
      const field = rule === 'window_length' ? 'endDate' : 'startDate';
      expect(faults).toMatchObject([{ rule, field, nearest }]);
      expect(faults[0]?.text).toMatch(new RegExp(`^${field} \\S+( \\(\\S+\\))? is .*use `));
    },
  );

  test.each([
    { name: 'a start', given: { kind: 'hourly', start: '2026-12-01T15:30:00+01:00' } },
    { name: 'an end', given: { kind: 'daily', start: noon, end: '2027-01-10T13:00:00+01:00' } },
    { name: 'the furthest start', given: { kind: 'onetime', start: '9999-12-31T22:00:00Z' } },
    { name: 'the first start', given: { kind: 'onetime', start: '0001-12-31T22:00:00Z' } },
  ] as readonly { name: string; given: Given }[])(
    'the times that are named instead of $name are accepted',
    ({ given }) => {
      const answer = plan(given, now, berlin);
      const [fault] = answer.kind === 'fault' ? [answer.fault] : [];
      const repaired =
        fault?.nearest.map((time) => ({ ...given, [fault.field === 'startDate' ? 'start' : 'end']: time })) ?? [];
      expect(repaired.length).toBeGreaterThan(0);
      expect(repaired.filter((again) => plan(again, now, berlin).kind === 'fault')).toEqual([]);
    },
  );
});

test("has the messages of the contract's examples", () => {
  const [short] = faultsOf({ kind: 'hourly', start: '2026-12-01T15:30:00+01:00' });
  expect(short).toMatchObject({
    says: 'must be a whole hour in Europe/Berlin',
    text: 'startDate 15:30 is not a whole hour in Europe/Berlin, use 15:00 or 16:00',
  });
  const [elsewhere] = faultsOf({ kind: 'hourly', start: '2026-12-01T14:30:00Z' });
  expect(elsewhere?.text).toBe(
    'startDate 2026-12-01T14:30:00Z (15:30) is not a whole hour in Europe/Berlin, use 15:00 or 16:00',
  );
  const [gap] = faultsOf({ kind: 'hourly', start: '2026-12-01T15:00:00+01:00', end: '2026-12-29T18:00:00+01:00' });
  expect(gap).toMatchObject({
    says: 'must be 672 hours (hourly) or 29 days (daily) after startDate',
    text:
      'endDate 2026-12-29T18:00:00+01:00 is 675 hours after startDate, use 672 hours (hourly) or 29 days (daily): ' +
      '2026-12-29T15:00:00+01:00 or 2026-12-30T15:00:00+01:00',
  });
  const [long] = faultsOf({ kind: 'hourly', start: noon, end: '2026-12-30T12:00:00+01:00' });
  expect(long?.text).toContain('; for 29 to 367 days create a daily code');
});

function faultsOf(given: Given) {
  const answer = plan(given, now, berlin);
  return answer.kind === 'fault' ? [answer.fault] : [];
}

test.each([
  {
    name: 'another offset',
    given: { kind: 'onetime', start: '2026-12-01T15:00:00+01:00' },
    zone: kathmandu,
    text: 'startDate 2026-12-01T15:00:00+01:00 (19:45) is not a whole hour in Asia/Kathmandu, use 19:00 or 20:00',
  },
  {
    name: 'an offset that gives another date',
    given: { kind: 'onetime', start: '2026-12-02T15:00:00+23:59' },
    text:
      'startDate 2026-12-02T15:00:00+23:59 (2026-12-01T16:01:00+01:00) is not a whole hour in Europe/Berlin, ' +
      'use 2026-12-01T16:00:00+01:00 or 2026-12-01T17:00:00+01:00',
  },
  {
    name: 'a fraction, on the local clock',
    given: { kind: 'onetime', start: '2026-12-01T15:30:00.000+01:00' },
    text: 'startDate 15:30 is not a whole hour in Europe/Berlin, use 15:00 or 16:00',
  },
  {
    name: 'Z where clocks show UTC',
    given: { kind: 'onetime', start: '2026-12-01T15:30:00Z' },
    zone: 'UTC',
    text: 'startDate 2026-12-01T15:30:00Z (15:30) is not a whole hour in UTC, use 15:00 or 16:00',
  },
  {
    name: 'the past',
    given: { kind: 'onetime', start: '2026-11-20T16:00:00Z' },
    text: 'startDate 2026-11-20T16:00:00Z (2026-11-20T17:00:00+01:00) is in the past, use 2026-11-20T18:00:00+01:00 or later',
  },
  {
    name: 'a local time beyond all years',
    given: { kind: 'onetime', start: '9999-12-31T23:00:00Z' },
    text: 'startDate 9999-12-31T23:00:00Z is more than 367 days ahead, use 2027-11-22T18:00:00+01:00 or earlier',
  },
  {
    name: 'an offset that is a local time but for its seconds',
    given: { kind: 'onetime', start: '0000-01-01T00:53:00+00:53' },
    text: 'startDate 0000-01-01T00:53:00+00:53 (0000-01-01T00:53:28+00:53) is in the past, use 2026-11-20T18:00:00+01:00 or later',
  },
  {
    name: 'an end',
    given: { kind: 'hourly', start: noon, end: '2026-12-01T12:30:00Z' },
    text:
      'endDate 2026-12-01T12:30:00Z (2026-12-01T13:30:00+01:00) is not 1 to 672 whole hours after startDate ' +
      '(2026-12-01T12:00:00+01:00), use 2026-12-01T13:00:00+01:00 or 2026-12-01T14:00:00+01:00',
  },
  {
    name: "the last half hour of year 9999, without a time that a client can't send",
    given: { kind: 'onetime', start: '9999-12-31T23:30:00+00:00' },
    zone: 'UTC',
    at: '9999-12-31T20:00:00Z',
    text: 'startDate 23:30 is not a whole hour in UTC, use 23:00',
  },
] as readonly { name: string; given: Given; zone?: string; at?: string; text: string }[])(
  'quotes the text that was sent: $name',
  ({ given, zone = berlin, at = now, text }) => {
    const answer = plan(given, at, zone);
    expect(answer.kind === 'fault' && answer.fault.text).toBe(text);
  },
);

test.each([
  { name: 'an end for a one-time code', given: { kind: 'onetime', end: noon } },
  { name: 'a duration for a daily code', given: { kind: 'daily', durationHours: 3 } },
  { name: 'a passage of 0 hours', given: { kind: 'passage', durationHours: 0 } },
  { name: 'a passage of 25 hours', given: { kind: 'passage', durationHours: 25 } },
  { name: 'variance 0', given: { kind: 'hourly', variance: 0 } },
  { name: 'variance 4 of 3', given: { kind: 'hourly', variance: 4 } },
  { name: 'variance 6 of 5', given: { kind: 'permanent', variance: 6 } },
] as readonly { name: string; given: Given }[])('takes $name for a bug of the caller', ({ given }) => {
  expect(() => plan(given, now, berlin)).toThrow(RangeError);
});
