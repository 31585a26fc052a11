import { describe, expect, test } from 'vitest';
import type { Chain } from '../failures/failure-file.ts';
import { createJudge } from '../schema/create-judge.ts';
import { plainIntent, testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { moveTimes, refuseChain } from './send-chain.ts';

// If these fail, a replay asks for a past day, or changes objects that the user did not allow.

const { case: _, step: __, ...intent } = plainIntent;

function chainOf(...requests: readonly Partial<Chain['requests'][number]>[]): Chain {
  return {
    requests: requests.map((one) => ({ operation: 'book', parameters: [], intent, answered: 200, ...one })),
    judged: 0,
    symbols: {},
  };
}

const body = { content: { 'application/json': { schema: { type: 'object' } } } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const paths = {
  '/bookings': { post: { operationId: 'book', requestBody: body, responses: { 201: { description: '' } } } },
  '/bookings/{id}': {
    parameters: [id],
    put: { operationId: 'change', requestBody: body, responses: { 200: { description: '' } } },
    get: { operationId: 'read', responses: { 200: { description: '' } } },
  },
  '/doors/open': { post: { operationId: 'open', 'x-effect': 'physical', responses: { 202: { description: '' } } } },
};
const contract = contractOf(paths, { schemas: { Day: { enum: ['2026-04-02'] } } });

describe('times that lay ahead of the run keep their distance to the present', () => {
  const [foundAt, now] = [Date.parse('2026-04-01T09:30:00Z'), Date.parse('2026-04-11T07:10:00Z')];
  const cases = [
    {
      name: 'by whole hours, in their spelling and zone',
      value: { start: '2026-04-01T14:00:00+02:00', end: ['2026-04-01T13:00:00.000Z'] },
      moved: { start: '2026-04-11T12:00:00+02:00', end: ['2026-04-11T11:00:00.000Z'] },
    },
    {
      name: 'by whole days if one of them is a day',
      value: { day: '2026-04-02', start: '2026-04-02T14:00:00Z' },
      moved: { day: '2026-04-12', start: '2026-04-12T14:00:00Z' },
    },
    {
      name: 'but not those of the past, of a far future, and numbers',
      value: { born: '1990-05-01', never: '9999-12-31T00:00:00Z', at: 1_775_000_000 },
      moved: { born: '1990-05-01', never: '9999-12-31T00:00:00Z', at: 1_775_000_000 },
    },
  ];
  test.each(cases)('$name', ({ value, moved }) => {
    const chain = chainOf({ body: { mediaType: 'application/json', value } });
    expect(moveTimes(chain, foundAt, now, createJudge(contract))(value, undefined)).toEqual(moved);
  });

  test('and stay where the contract allows no other', () => {
    const chain = chainOf({ parameters: [{ in: 'query', name: 'day', value: '2026-04-02' }] });
    const move = moveTimes(chain, foundAt, now, createJudge(contract));
    expect(move('2026-04-02', '#/components/schemas/Day')).toBe('2026-04-02');
  });
});

describe('a chain needs the permissions of its requests', () => {
  const value = { mediaType: 'application/json', value: {} };
  const change = { operation: 'change', parameters: [{ in: 'path', name: 'id', value: '7' }], body: value };
  const own = { ...change, parameters: [{ in: 'path', name: 'id', value: '{{booking#1.id}}' }] };
  const undeclared = { operation: 'read', parameters: own.parameters, edits: { method: 'DELETE' } };
  const [owned, all, readOnly] = [
    { effects: [], readOnly: false, writes: 'owned' as const },
    { effects: [], readOnly: false, writes: 'all' as const },
    { effects: [], readOnly: true, writes: 'all' as const },
  ];
  test.each([
    {
      name: 'an object of others',
      request: change,
      permissions: owned,
      reason: /did not create .*: pass --writes all/,
    },
    { name: 'an object of others, with all writes', request: change, permissions: all, reason: undefined },
    { name: 'an object of the chain', request: own, permissions: owned, reason: undefined },
    { name: 'an undeclared method', request: undeclared, permissions: readOnly, reason: /--read-only was given/ },
    { name: 'an effect', request: { operation: 'open' }, permissions: all, reason: /pass --allow-effects physical/ },
    {
      name: 'an operation that is gone',
      request: { operation: 'x' },
      permissions: all,
      reason: /has no operation x any more/,
    },
  ])('$name', ({ request, permissions, reason }) => {
    const chain = { ...chainOf(request), symbols: { 'booking#1.id': { request: 0, member: 'id' } } };
    const refused = refuseChain(chain, contract, testOptions('library', 'http://localhost', { permissions }));
    if (reason === undefined) expect(refused).toBe(undefined);
    else expect(refused).toMatch(reason);
  });
});
