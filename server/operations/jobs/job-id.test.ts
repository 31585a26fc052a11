import { expect, test } from 'vitest';
import { makeJobId } from './job-id.ts';

test.each([
  { at: '1970-01-01T00:00:00Z', want: '000000000102030405060708' },
  { at: '2026-11-21T08:00:00.999Z', want: '6b014f800102030405060708' },
  { at: '2106-02-07T06:28:15Z', want: 'ffffffff0102030405060708' },
  { at: '2106-02-07T06:28:16Z', want: '000000000102030405060708' },
])('a job of $at is $want', ({ at, want }) => {
  const random = (size: number) => Uint8Array.from({ length: size }, (_, index) => index + 1);
  expect(makeJobId(Date.parse(at), random)).toBe(want);
});
