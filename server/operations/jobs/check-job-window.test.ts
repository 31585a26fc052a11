import { expect, test } from 'vitest';
import { checkJobWindow } from './check-job-window.ts';

const now = Date.UTC(2026, 10, 21, 8);

test.each([
  { startDate: '2027-01-01T10:00:00Z', endDate: '2027-01-01T10:00:00Z', want: ['2027-01-01T10:01:00+00:00'] },
  { startDate: '9999-12-31T23:58:00Z', endDate: '9999-12-31T23:58:00Z', want: ['9999-12-31T23:59:00+00:00'] },
  { startDate: '9999-12-31T23:59:00Z', endDate: '9999-12-31T23:59:00Z', want: [] },
  { startDate: '9999-12-31T23:59:00Z', endDate: '9999-12-31T23:59:00-01:00', want: undefined },
  { startDate: '9999-12-31T23:59:00Z', endDate: '9999-12-31T23:58:00-00:00', want: [] },
])('an end of $endDate after $startDate is offered $want', ({ startDate, endDate, want }) => {
  const answer = checkJobWindow({ startDate, endDate }, { startDate, endDate }, now);
  expect(answer?.body.details?.[0]?.nearest).toEqual(want);
});
