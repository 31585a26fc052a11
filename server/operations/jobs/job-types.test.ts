import { operations } from '@lockstep/contract/operations';
import { expect, test } from 'vitest';
import { jobTypes, listJobTypes, readJobType } from './job-types.ts';

interface Case {
  readonly values: readonly string[];
  readonly effect: string;
}

test('names, codes and effects are those of the contract', () => {
  const [{ cases }] = operations.createBridgeProxiedJob.extensions['x-by-value'] as unknown as [{ cases: Case[] }];
  expect(cases.map(({ values, effect }) => [...values, effect])).toEqual(
    Object.entries(jobTypes).map(([name, { code, effect }]) => [name, String(code), effect]),
  );
});

test('a job is read from its name, its code as text and its code as a number', () => {
  for (const [name, { code }] of Object.entries(jobTypes))
    expect([name, String(code), code].map(readJobType)).toEqual([name, name, name]);
});

test.each(['unlock', '', '02', '3', 3, 2.5])('%j is no job', (sent) => {
  expect(() => readJobType(sent)).toThrow(RangeError);
});

test('a keypad has nothing to lock, a bridge has its own state alone', () => {
  expect(listJobTypes('Lock')).toEqual(Object.keys(jobTypes));
  expect(listJobTypes('Keypad')).toEqual(Object.keys(jobTypes).slice(2));
  expect(listJobTypes('Bridge')).toEqual(['GET_DEVICE_STATUS']);
});
