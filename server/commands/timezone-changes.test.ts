import { expect, test } from 'vitest';
import { describeTimezone, isTimezone } from './timezone-changes.ts';

test.each(['Europe/Berlin', 'Asia/Kathmandu', 'UTC'])('%s is one', (name) => expect(isTimezone(name)).toBe(true));

const form = ': give one like Europe/Berlin';
test.each([
  ['Europe/Berln', ', nearest: Europe/Berlin'],
  ['berlin', ', nearest: Europe/Berlin'],
  ['CEST', form],
  ['MSK', form],
  ['+01:00', form],
  ['GMT+1', form],
  ['W. Europe Standard Time', form],
  ['', form],
])('%o is none, and the message names an alternative', (name, fix) => {
  expect(isTimezone(name)).toBe(false);
  expect(describeTimezone(name)).toBe(`${name} is no IANA timezone${fix}`);
});
