import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { writeRequest } from './write-request.ts';

const anonymous = { headers: [], query: [], cookies: [], scopes: undefined };

describe('what stands behind ? or # of a path is sent as a query, since a fragment never is (RFC 3986, 3.5)', () => {
  test.each([
    { path: '/#Action=Stop', given: {}, want: '/?Action=Stop' },
    { path: '/jobs?kind=a&b', given: {}, want: '/jobs?kind=a&b=' },
    { path: '/#Action=Stop', given: { Action: 'Stop' }, want: '/?Action=Stop' },
    { path: '/jobs#a=1=2', given: { page: 3 }, want: '/jobs?a=1=2&page=3' },
    { path: '/jobs', given: {}, want: '/jobs' },
  ])('$path with $given', ({ path, given, want }) => {
    const parameters = Object.keys(given).map((name) => ({ name, in: 'query', schema: {} }));
    const paths = { [path]: { get: { parameters, responses: {} } } };
    const { operations } = readContract(
      'api.json',
      JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths }),
    );
    const [operation] = operations;
    if (operation === undefined) throw new Error('no operation');
    const values = operation.parameters.map((parameter) => ({
      parameter,
      value: given[parameter.name as keyof typeof given],
    }));
    const draft = { operation, parameters: values, body: undefined, label: 'polite' };
    expect(writeRequest(draft, 'http://a', anonymous).path).toBe(want);
  });
});
