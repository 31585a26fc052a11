import { operations } from '@lockstep/contract/operations';
import { findCases, readValueRules } from '@lockstep/runtime/validation/by-value';
import { describe, expect, test } from 'vitest';

const jobRules = readValueRules(operations.createBridgeProxiedJob);
const deviceRules = readValueRules(operations.getDevice);

const cases = [
  {
    name: 'a name',
    rules: jobRules,
    given: { body: { jobType: 'UNLOCK' } },
    want: ['serviceapi/unlock-bridge-proxied-job'],
  },
  {
    name: 'a code as text',
    rules: jobRules,
    given: { body: { jobType: '2' } },
    want: ['serviceapi/unlock-bridge-proxied-job'],
  },
  {
    name: 'a code as a number',
    rules: jobRules,
    given: { body: { jobType: 2 } },
    want: ['serviceapi/unlock-bridge-proxied-job'],
  },
  { name: 'another case', rules: jobRules, given: { body: { jobType: 'unlock' } }, want: [] },
  { name: 'no value', rules: jobRules, given: { body: {} }, want: [] },
  { name: 'no object', rules: jobRules, given: { body: 'UNLOCK' }, want: [] },
  {
    name: 'a query value',
    rules: deviceRules,
    given: { query: { admin_key: '1' } },
    want: ['serviceapi/create-ekey-access'],
  },
  {
    name: 'its other spelling',
    rules: deviceRules,
    given: { query: { admin_key: 'true' } },
    want: ['serviceapi/create-ekey-access'],
  },
  { name: 'a query value that asks for nothing', rules: deviceRules, given: { query: { admin_key: '0' } }, want: [] },
  { name: 'no query', rules: deviceRules, given: {}, want: [] },
];

describe('what a value asks for', () => {
  for (const { name, rules, given, want } of cases) {
    test(`is found for ${name}`, () => expect(findCases(rules, given).flatMap(({ scopes }) => scopes)).toEqual(want));
  }

  test('can stand in a header', () => {
    const rules = readValueRules({
      ...operations.getDevice,
      extensions: { 'x-by-value': [{ at: '$request.header.X-Mode', cases: [{ values: ['a'], scopes: ['s'] }] }] },
    });
    expect(findCases(rules, { headers: { 'x-mode': 'a' } })).toHaveLength(1);
  });

  for (const at of ['$response.body#/jobType', '$request.cookie.a', '/jobType', '$request.body#jobType']) {
    test(`can't stand at ${at}`, () => {
      const extensions = { 'x-by-value': [{ at, cases: [] }] };
      expect(() => readValueRules({ ...operations.getDevice, extensions })).toThrow(
        `a place that no request has: ${at}`,
      );
    });
  }
});
