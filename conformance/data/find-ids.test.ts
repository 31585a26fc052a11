import { describe, expect, test } from 'vitest';
import type { Operation } from '../contract/contract.ts';
import { readContract } from '../contract/read-contract.ts';
import { findIds } from './find-ids.ts';
import { readRecords } from './records.ts';

function operation(method: string, path: string): Operation {
  const document = { openapi: '3.1.0', info: {}, paths: { [path]: { [method]: { responses: {} } } } };
  const [found] = readContract('a.json', JSON.stringify(document)).operations;
  if (found === undefined) throw new Error(`no operation at ${path}`);
  return found;
}

function answered(method: string, path: string, responseBody: unknown, more: object = {}) {
  const seen = { path: {}, query: {}, requestHeaders: {}, requestBody: undefined, status: 200, responseBody, ...more };
  return { operation: operation(method, path), seen };
}

const machines = [
  { machineId: 'm1', kind: 'Printer', hubId: 'h1' },
  { machineId: 'h1', kind: 'Hub', hubId: null },
];

describe('ids for a path', () => {
  const rows = [
    {
      name: 'by the name of the parameter',
      known: [answered('get', '/machines', { payload: machines })],
      path: '/machines/{machineId}',
      want: { machineId: 'm1' },
    },
    {
      name: 'by id, of the collection above',
      known: [answered('get', '/pets', [{ id: 7 }])],
      path: '/pets/{petId}',
      want: { petId: 7 },
    },
    {
      name: 'not by the id of another collection',
      known: [answered('get', '/shops', [{ id: 7 }])],
      path: '/pets/{petId}',
      want: undefined,
    },
    {
      name: 'two that belong together',
      known: [answered('get', '/machines', machines)],
      path: '/machines/{machineId}/via/{hubId}',
      want: { machineId: 'm1', hubId: 'h1' },
    },
    {
      name: 'a kind that the name speaks of',
      known: [answered('get', '/machines', machines)],
      path: '/machines/{hubId}/jobs',
      want: { hubId: 'h1' },
    },
    {
      name: 'a kind that the name speaks of, behind items of other kinds',
      known: [
        answered('get', '/machines', [
          { id: 'm1', kind: 'Printer' },
          { id: 'h1', kind: 'Hub' },
          { id: 'm2', kind: 'Scanner' },
        ]),
      ],
      path: '/machines/{hubId}/jobs',
      want: { hubId: 'h1' },
    },
    {
      name: 'from Location',
      known: [
        answered('post', '/orders', undefined, { status: 201, responseHeaders: { location: '/v1/orders/o%2D9/' } }),
      ],
      path: '/orders/{orderId}',
      want: { orderId: 'o-9' },
    },
  ];
  test.each(rows)('$name', ({ known, path, want }) => {
    expect(findIds(operation('get', path), readRecords(known))[0]?.values).toEqual(want);
  });

  test('what a POST answered with is owned, what stood in a list is not', () => {
    const owned = (known: ReturnType<typeof answered>) =>
      findIds(operation('delete', '/pets/{petId}'), readRecords([known]))[0]?.owned;
    expect(owned(answered('post', '/pets', { data: { id: 1 } }))).toBe(true);
    expect(owned(answered('get', '/pets', [{ id: 1 }]))).toBe(false);
  });
});
