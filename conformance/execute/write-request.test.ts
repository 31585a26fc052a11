import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { contractOf } from '../seeded/by-hand.ts';
import type { Draft } from './exchange.ts';
import { writeRequest } from './write-request.ts';

const anonymous = { headers: [], query: [], cookies: [], scopes: undefined };

describe('the text after ? or # of a path is sent as a query, since a fragment is never sent (RFC 3986, 3.5)', () => {
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

/** A draft of the only operation, with a value for each of its parameters. */
function draftOf(path: string, parameters: readonly object[], value: string): Draft {
  const [operation] = contractOf({ [path]: { get: { parameters, responses: {} } } }).operations;
  if (operation === undefined) throw new Error('no operation');
  return {
    operation,
    parameters: operation.parameters.map((parameter) => ({ parameter, value })),
    body: undefined,
    label: 'polite',
  };
}

test('text that HTTP carries only in ASCII is encoded: a path of the contract, half a character', () => {
  const parameters = ['path', 'query', 'header'].map((where) => ({
    name: `of-${where}`,
    in: where,
    required: true,
    schema: {},
  }));
  const draft = draftOf('/größe mm/日/{of-path}', parameters, '日\ud83d');
  const { path, headers } = writeRequest(draft, 'http://a', anonymous);
  expect(path).toBe('/gr%C3%B6%C3%9Fe%20mm/%E6%97%A5/%E6%97%A5%EF%BF%BD?of-query=%E6%97%A5%EF%BF%BD');
  const sent = headers.find(([name]) => name === 'of-header')?.[1] ?? '';
  expect(sent).toBe('日\ufffd');
});

test('a credential is sent once, even if the contract also has a parameter for it', () => {
  const key = { schema: { type: 'string' }, required: true };
  const parameters = [
    { ...key, name: 'X-Key', in: 'header' },
    { ...key, name: 'key', in: 'query' },
    { ...key, name: 'session', in: 'cookie' },
  ];
  const { path, headers } = writeRequest(draftOf('/a', parameters, 'made-up'), 'http://a', {
    headers: [['x-key', 'real']],
    query: [['key', 'real']],
    cookies: [['session', 'real']],
    scopes: undefined,
  });
  expect([path, JSON.stringify(headers)]).toEqual(['/a?key=real', expect.not.stringContaining('made-up')]);
  expect(headers).toContainEqual(['cookie', 'session=real']);
});

test('headers that frame a message never have a value of the contract', () => {
  const parameters = ['Content-Length', 'Transfer-Encoding', 'Connection', 'Host', 'Expect', 'X-Own'].map((name) => ({
    name,
    in: 'header',
    required: true,
    schema: { type: 'string' },
  }));
  const { headers } = writeRequest(draftOf('/a', parameters, '1'), 'http://a', anonymous);
  expect(headers.map(([name]) => name)).toEqual(['accept', 'X-Own']);
});
