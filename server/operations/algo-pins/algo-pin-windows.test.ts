import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeDevice, now } from '../fixtures/open-fixture.ts';
import { type Kind, openCodeFixture } from './fixtures/code-fixture.ts';

// Harbour House is in Berlin (+01:00 in winter), Patan Guest House in Kathmandu (+05:45). Clocks in Berlin go forward on
// 2027-03-28 at 02:00 and back on 2027-10-31 at 03:00. Lord Howe moves by half an hour, on 2027-04-04 back at 02:00.

const lordHowe = {
  id: '65a000000000000000000009',
  accountId: 'harbour',
  name: 'Island',
  timezone: 'Australia/Lord_Howe',
};
const fixture = await openCodeFixture({
  properties: [lordHowe],
  devices: [makeDevice({ deviceId: 'LK-island', propertyIds: [lordHowe.id] })],
});
afterAll(() => fixture.store.close());
beforeEach(() => {
  fixture.clock.at = now;
  fixture.written.length = 0;
});

const berlin = 'LK2A00000001';
const kathmandu = 'LK2A00000004';

interface Given {
  readonly kind: Kind;
  /** The server's clock; by default 2026-11-20T17:00:00Z. */
  readonly at?: string;
  readonly device?: string;
  readonly startDate?: string;
  readonly endDate?: string;
}

function create({ kind, at, device = berlin, ...times }: Given) {
  if (at !== undefined) fixture.clock.at = Date.parse(at);
  return fixture.create(kind, device, { accessName: 'A', ...times });
}

const open: readonly (Given & { name: string; want: readonly [start: string, end: string, activateBy?: string] })[] = [
  {
    name: '672 hours',
    kind: 'hourly',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2026-12-29T15:00:00+01:00',
    want: ['2026-12-01T15:00:00+01:00', '2026-12-29T15:00:00+01:00', '2026-12-02T15:00:00+01:00'],
  },
  {
    name: '24 hours: end and last first use are one',
    kind: 'hourly',
    endDate: '2026-11-21T17:00:00Z',
    want: ['2026-11-20T18:00:00+01:00', '2026-11-21T18:00:00+01:00', '2026-11-21T18:00:00+01:00'],
  },
  {
    name: '29 days',
    kind: 'daily',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2026-12-30T15:00:00+01:00',
    want: ['2026-12-01T15:00:00+01:00', '2026-12-30T15:00:00+01:00'],
  },
  {
    name: '367 days',
    kind: 'daily',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2027-12-03T15:00:00+01:00',
    want: ['2026-12-01T15:00:00+01:00', '2027-12-03T15:00:00+01:00'],
  },
  {
    name: 'a start 367 days ahead',
    kind: 'hourly',
    startDate: '2027-11-22T18:00:00+01:00',
    want: ['2027-11-22T18:00:00+01:00', '2027-11-22T19:00:00+01:00'],
  },
  {
    name: 'the current hour, a second before its end',
    kind: 'hourly',
    at: '2026-11-20T17:59:59.999Z',
    startDate: '2026-11-20T17:00:00Z',
    want: ['2026-11-20T18:00:00+01:00', '2026-11-20T19:00:00+01:00'],
  },
  {
    name: 'nothing sent, a second before the end of the hour',
    kind: 'hourly',
    at: '2026-11-20T17:59:59.999Z',
    want: ['2026-11-20T18:00:00+01:00', '2026-11-20T19:00:00+01:00'],
  },
  {
    name: 'hours across spring: elapsed',
    kind: 'hourly',
    at: '2027-03-20T12:00:00Z',
    startDate: '2027-03-27T23:00:00+01:00',
    endDate: '2027-03-28T05:00:00+02:00',
    want: ['2027-03-27T23:00:00+01:00', '2027-03-28T05:00:00+02:00', '2027-03-28T05:00:00+02:00'],
  },
  {
    name: '672 hours across autumn',
    kind: 'hourly',
    at: '2027-10-10T12:00:00Z',
    startDate: '2027-10-10T15:00:00+02:00',
    endDate: '2027-11-07T14:00:00+01:00',
    want: ['2027-10-10T15:00:00+02:00', '2027-11-07T14:00:00+01:00', '2027-10-11T15:00:00+02:00'],
  },
  {
    name: 'days across spring: the same time of day',
    kind: 'daily',
    at: '2027-03-20T12:00:00Z',
    startDate: '2027-03-20T15:00:00+01:00',
    endDate: '2027-04-18T15:00:00+02:00',
    want: ['2027-03-20T15:00:00+01:00', '2027-04-18T15:00:00+02:00'],
  },
  {
    name: 'days across autumn',
    kind: 'daily',
    at: '2027-10-10T12:00:00Z',
    startDate: '2027-10-10T15:00:00+02:00',
    want: ['2027-10-10T15:00:00+02:00', '2027-11-08T15:00:00+01:00'],
  },
  {
    name: 'a daily end in the missing hour: the first valid time after it',
    kind: 'daily',
    at: '2027-02-01T00:00:00Z',
    startDate: '2027-02-27T02:00:00+01:00',
    endDate: '2027-03-28T03:00:00+02:00',
    want: ['2027-02-27T02:00:00+01:00', '2027-03-28T03:00:00+02:00'],
  },
  {
    name: 'a daily end in the repeated hour: the first of the two',
    kind: 'daily',
    at: '2027-10-01T00:00:00Z',
    startDate: '2027-10-02T02:00:00+02:00',
    endDate: '2027-10-31T02:00:00+02:00',
    want: ['2027-10-02T02:00:00+02:00', '2027-10-31T02:00:00+02:00'],
  },
  {
    name: 'a start in the repeated hour, the first',
    kind: 'hourly',
    at: '2027-10-30T12:00:00Z',
    startDate: '2027-10-31T02:00:00+02:00',
    want: ['2027-10-31T02:00:00+02:00', '2027-10-31T02:00:00+01:00'],
  },
  {
    name: 'a start in the repeated hour, the second',
    kind: 'hourly',
    at: '2027-10-30T12:00:00Z',
    startDate: '2027-10-31T02:00:00+01:00',
    want: ['2027-10-31T02:00:00+01:00', '2027-10-31T03:00:00+01:00'],
  },
  {
    name: 'a start in the missing hour, which is the one after it by its offset',
    kind: 'hourly',
    at: '2027-03-27T12:00:00Z',
    startDate: '2027-03-28T02:00:00+01:00',
    want: ['2027-03-28T03:00:00+02:00', '2027-03-28T04:00:00+02:00'],
  },
  {
    name: 'a day from before spring: 24 hours to the first use',
    kind: 'permanent',
    at: '2027-03-27T12:00:00Z',
    startDate: '2027-03-27T15:00:00+01:00',
    want: ['2027-03-27T15:00:00+01:00', 'null', '2027-03-28T16:00:00+02:00'],
  },
  ...['2026-12-01T09:15:00Z', '2026-12-01T15:00:00+05:45', '2026-12-01T10:15:00+01:00'].map((startDate) => ({
    name: `Kathmandu, ${startDate}`,
    kind: 'hourly' as const,
    device: kathmandu,
    startDate,
    want: ['2026-12-01T15:00:00+05:45', '2026-12-01T16:00:00+05:45'] as const,
  })),
  {
    name: 'Kathmandu, nothing sent: its hour began at 16:15 UTC',
    kind: 'hourly',
    device: kathmandu,
    want: ['2026-11-20T22:00:00+05:45', '2026-11-20T23:00:00+05:45'],
  },
  {
    name: 'Lord Howe, across half an hour back: 25 hours are 24 and a half on the clock',
    kind: 'onetime',
    device: 'LK-island',
    at: '2027-04-03T00:00:00Z',
    startDate: '2027-04-03T12:00:00+11:00',
    want: ['2027-04-03T12:00:00+11:00', '2027-04-04T11:30:00+10:30'],
  },
  {
    name: '.000Z',
    kind: 'onetime',
    startDate: '2026-12-01T14:00:00.000Z',
    want: ['2026-12-01T15:00:00+01:00', '2026-12-02T15:00:00+01:00'],
  },
  {
    name: '+23:59',
    kind: 'onetime',
    startDate: '2026-12-02T13:59:00+23:59',
    want: ['2026-12-01T15:00:00+01:00', '2026-12-02T15:00:00+01:00'],
  },
];

describe('a window is taken:', () => {
  test.each(open)('$kind, $name', async ({ name: _, want: [startDate, endDate, activateBy], ...given }) => {
    const { status, body } = await create(given);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { startDate, endDate: endDate === 'null' ? null : endDate, ...(activateBy && { activateBy }) },
    });
    expect(fixture.written).toMatchObject([{ startsAt: Date.parse(startDate), endsAt: Date.parse(endDate) || null }]);
  });

  test('the two hours of one name have two codes', async () => {
    const codes = [];
    for (const offset of ['+02:00', '+01:00'])
      codes.push(
        await create({ kind: 'onetime', at: '2027-10-30T12:00:00Z', startDate: `2027-10-31T02:00:00${offset}` }),
      );
    const pins = codes.map(({ body }) => (body as { pin: string }).pin);
    expect(pins[0]).not.toBe(pins[1]);
  });
});

type Rule = 'window_not_aligned' | 'window_in_past' | 'window_too_far' | 'window_length';
const shut: readonly (Given & { name: string; want: Rule; nearest: readonly string[] })[] = [
  {
    name: '673 hours: less than 29 days fits no kind',
    kind: 'hourly',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2026-12-29T16:00:00+01:00',
    want: 'window_length',
    nearest: ['2026-12-29T15:00:00+01:00', '2026-12-30T15:00:00+01:00'],
  },
  {
    name: '28 days and an hour',
    kind: 'daily',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2026-12-29T16:00:00+01:00',
    want: 'window_length',
    nearest: ['2026-12-29T15:00:00+01:00', '2026-12-30T15:00:00+01:00'],
  },
  {
    name: '368 days',
    kind: 'daily',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2027-12-04T15:00:00+01:00',
    want: 'window_length',
    nearest: ['2027-12-02T15:00:00+01:00', '2027-12-03T15:00:00+01:00'],
  },
  {
    name: 'an end at the start',
    kind: 'hourly',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2026-12-01T15:00:00+01:00',
    want: 'window_length',
    nearest: ['2026-12-01T16:00:00+01:00', '2026-12-01T17:00:00+01:00'],
  },
  {
    name: 'an end at the start',
    kind: 'daily',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2026-12-01T15:00:00+01:00',
    want: 'window_length',
    nearest: ['2026-12-30T15:00:00+01:00', '2026-12-31T15:00:00+01:00'],
  },
  {
    name: 'half an hour',
    kind: 'hourly',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2026-12-01T17:30:00+01:00',
    want: 'window_length',
    nearest: ['2026-12-01T17:00:00+01:00', '2026-12-01T18:00:00+01:00'],
  },
  {
    name: 'another time of day',
    kind: 'daily',
    startDate: '2026-12-01T15:00:00+01:00',
    endDate: '2027-01-15T11:00:00+01:00',
    want: 'window_length',
    nearest: ['2027-01-14T15:00:00+01:00', '2027-01-15T15:00:00+01:00'],
  },
  {
    name: 'the second of the repeated hour as an end',
    kind: 'daily',
    at: '2027-10-01T00:00:00Z',
    startDate: '2027-10-02T02:00:00+02:00',
    endDate: '2027-10-31T02:00:00+01:00',
    want: 'window_length',
    nearest: ['2027-10-31T02:00:00+02:00', '2027-11-01T02:00:00+01:00'],
  },
  {
    name: 'an hour more than 367 days ahead',
    kind: 'hourly',
    startDate: '2027-11-22T19:00:00+01:00',
    want: 'window_too_far',
    nearest: ['2027-11-22T18:00:00+01:00'],
  },
  {
    name: 'year 9999',
    kind: 'permanent',
    startDate: '9999-12-31T23:59:00-23:59',
    want: 'window_too_far',
    nearest: ['2027-11-22T18:00:00+01:00'],
  },
  {
    name: 'year 0',
    kind: 'permanent',
    startDate: '0000-01-01T00:00:00+23:59',
    want: 'window_in_past',
    nearest: ['2026-11-20T18:00:00+01:00'],
  },
  {
    name: 'an end in the year 9999',
    kind: 'daily',
    endDate: '9999-12-31T23:59:00-23:59',
    want: 'window_length',
    nearest: ['2027-11-21T18:00:00+01:00', '2027-11-22T18:00:00+01:00'],
  },
  {
    name: 'an hour ago',
    kind: 'onetime',
    startDate: '2026-11-20T17:00:00+01:00',
    want: 'window_in_past',
    nearest: ['2026-11-20T18:00:00+01:00'],
  },
  {
    name: 'the hour that just ended',
    kind: 'onetime',
    at: '2026-11-20T18:00:00.000Z',
    startDate: '2026-11-20T18:00:00+01:00',
    want: 'window_in_past',
    nearest: ['2026-11-20T19:00:00+01:00'],
  },
  {
    name: 'half past',
    kind: 'passage',
    startDate: '2026-12-01T15:30:00+01:00',
    want: 'window_not_aligned',
    nearest: ['2026-12-01T15:00:00+01:00', '2026-12-01T16:00:00+01:00'],
  },
  {
    name: 'a whole hour in UTC, in Kathmandu',
    kind: 'onetime',
    device: kathmandu,
    startDate: '2026-12-01T09:00:00Z',
    want: 'window_not_aligned',
    nearest: ['2026-12-01T14:00:00+05:45', '2026-12-01T15:00:00+05:45'],
  },
];

describe('a window is rejected, with what would do:', () => {
  test.each(shut)('$kind, $name', async ({ name: _, want, nearest, ...given }) => {
    const { status, body } = await create(given);
    const at = want === 'window_length' ? '/endDate' : '/startDate';
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: want, details: [{ in: 'body', at, nearest }] },
    });
    expect((body as { error: string }).error).toMatch(new RegExp(`^${at.slice(1)} `));
    expect(fixture.written).toEqual([]);
  });

  test.each(shut)('and that does: $kind, $name', async ({ name: _, want, nearest, ...given }) => {
    expect(nearest.length).toBeGreaterThan(0);
    for (const time of nearest) {
      const statuses = ['hourly', 'daily', given.kind].map(async (kind) => {
        const corrected = want === 'window_length' ? { ...given, endDate: time } : { ...given, startDate: time };
        return (await create({ ...corrected, kind: kind as Kind })).status;
      });
      // Between the longest hourly and the shortest daily code, each kind has one of the two nearest values.
      const [hourly, daily, own] = await Promise.all(statuses);
      expect(own === 200 || (nearest.length === 2 && (hourly === 200 || daily === 200))).toBe(true);
    }
  });
});

test('the sentences are those of the documented examples', async () => {
  const given = [
    { kind: 'daily', startDate: '2026-12-01T15:30:00+01:00' },
    { kind: 'daily', startDate: '2026-11-20T16:00:00+01:00' },
    { kind: 'daily', startDate: '2028-01-01T15:00:00+01:00' },
    { kind: 'hourly', startDate: '2026-12-01T15:00:00+01:00', endDate: '2026-12-29T18:00:00+01:00' },
  ] as const;
  const answers = [];
  for (const one of given) answers.push((await create(one)).body);
  expect(answers).toMatchObject([
    {
      error: 'startDate 15:30 is not a whole hour in Europe/Berlin, use 15:00 or 16:00',
      details: [{ says: 'must be a whole hour in Europe/Berlin' }],
    },
    {
      error: 'startDate 2026-11-20T16:00:00+01:00 is in the past, use 2026-11-20T18:00:00+01:00 or later',
      details: [{ says: 'must not be before the current hour' }],
    },
    {
      error:
        'startDate 2028-01-01T15:00:00+01:00 is more than 367 days ahead, use 2027-11-22T18:00:00+01:00 or earlier',
      details: [{ says: 'must be at most 367 days ahead' }],
    },
    {
      error:
        'endDate 2026-12-29T18:00:00+01:00 is 675 hours after startDate, use 672 hours (hourly) or 29 days (daily): ' +
        '2026-12-29T15:00:00+01:00 or 2026-12-30T15:00:00+01:00',
      details: [{ says: 'must be 672 hours (hourly) or 29 days (daily) after startDate' }],
    },
  ]);
});
