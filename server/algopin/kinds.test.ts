import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { codesPerHour, hoursPerCycle, indices } from './codec/code-index.ts';
import { codeKinds } from './kinds.ts';

// If these fail, the contract allows codes that the digits can't encode, or the digits of codes in use change.

const { schemas } = contract.components;
const requests = {
  hourly: schemas.CreateHourlyAlgoPinRequest,
  daily: schemas.CreateDailyAlgoPinRequest,
  onetime: schemas.CreateOneTimeAlgoPinRequest,
  permanent: schemas.CreatePermanentAlgoPinRequest,
  passage: schemas.CreatePassageAlgoPinRequest,
};

test.each(Object.entries(requests))('%s codes have the variances of the contract', (kind, { properties }) => {
  const name = properties.variance.$ref.split('/').at(-1) as 'VarianceOf3' | 'VarianceOf5';
  const { minimum, maximum } = schemas[name];
  expect({ minimum, maximum }).toEqual({ minimum: 1, maximum: codeKinds[kind as keyof typeof codeKinds].variances });
});

test.each(Object.entries(requests))(
  '%s codes take their duration from the member that the contract has',
  (kind, given) => {
    const { durationFrom } = codeKinds[kind as keyof typeof codeKinds];
    const members = Object.keys(given.properties).filter((name) => name === 'endDate' || name === 'durationHours');
    expect(members).toEqual(durationFrom === null ? [] : [durationFrom]);
  },
);

test('durations have the bounds of the contract', () => {
  const { hourly, daily, passage } = codeKinds;
  const { minimum, maximum } = schemas.DurationHours;
  expect({ minimum, maximum }).toEqual({ minimum: passage.shortest, maximum: passage.longest });
  const rule = (kind: 'hourly' | 'daily') => requests[kind].properties.endDate['x-rule'].says;
  expect(rule('hourly')).toBe(`${hourly.shortest} to ${hourly.longest} whole hours after the start`);
  expect(rule('daily')).toContain(`${daily.shortest} to ${daily.longest} days after the start`);
});

test('the layout of version 1 is unchanged', () => {
  const layout = Object.entries(codeKinds).map(([kind, { shortest, longest, variances }]) => ({
    kind,
    codes: (longest - shortest + 1) * variances,
  }));
  expect(layout).toEqual([
    { kind: 'hourly', codes: 2016 },
    { kind: 'daily', codes: 1017 },
    { kind: 'onetime', codes: 5 },
    { kind: 'permanent', codes: 5 },
    { kind: 'passage', codes: 72 },
  ]);
  expect({ codesPerHour, hoursPerCycle, indices }).toEqual({
    codesPerHour: 3115,
    hoursPerCycle: 280_512,
    indices: 873_794_880,
  });
});
