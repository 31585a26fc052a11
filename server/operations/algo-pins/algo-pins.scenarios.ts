import type { Scenario, Scenarios } from '../fixtures/scenario.ts';

const starts = (startDate: string) => ({ accessName: 'Cleaner', startDate });

/** For every kind. The time is 09:00 in Berlin on 21 November 2026. */
const windows: readonly Scenario[] = [
  { name: 'half past', status: 400, code: 'window_not_aligned', body: starts('2026-11-21T15:30:00+01:00') },
  { name: 'an hour ago', status: 400, code: 'window_in_past', body: starts('2026-11-21T08:00:00+01:00') },
  { name: 'a start in over a year', status: 400, code: 'window_too_far', body: starts('2027-12-01T09:00:00+01:00') },
];
const windowsWithEnd: readonly Scenario[] = [
  ...windows,
  {
    name: '28 days and an hour, a length of no kind',
    status: 400,
    code: 'window_length',
    body: { ...starts('2026-11-21T10:00:00+01:00'), endDate: '2026-12-19T11:00:00+01:00' },
  },
];

export const scenarios: Scenarios = {
  createDailyAlgoPin: windowsWithEnd,
  createHourlyAlgoPin: windowsWithEnd,
  createOneTimeAlgoPin: windows,
  createPassageAlgoPin: [
    ...windows,
    { name: 'old firmware', status: 400, code: 'passage_not_supported', ids: { deviceId: 'LK1A00000002' } },
  ],
  createPermanentAlgoPin: windows,
};
