import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { rejectionOf } from '../planted/by-hand.ts';
import { readRejection } from './read-rejection.ts';
import { hasShape, readRejectedAddress } from './rejected-address.ts';

const path = '/shops/{shop}/boxes/{box_id}';
const contract = readContract('a.json', JSON.stringify({ openapi: '3.1.0', info: {}, paths: { [path]: { put: {} } } }));

function read(refusal: unknown, { status = 404, body = undefined as unknown, box_id = 'b-17' } = {}) {
  const exchange = rejectionOf(contract, refusal, { status, requestBody: body, path: { shop: 'corner', box_id } });
  return readRejectedAddress(exchange, readRejection(contract, exchange));
}

describe('a refusal speaks of', () => {
  const rows: readonly (readonly [
    name: string,
    refusal: unknown,
    want: Record<string, unknown> | undefined,
    status?: number,
  ])[] = [
    ['the value that was sent', { message: 'Box [b-17] does not exist' }, { parameter: 'box_id', shape: undefined }],
    ['a value above', 'No shop named corner', { parameter: 'shop', shape: undefined }],
    ['the parameter by its name', { error: 'box_id is invalid' }, { parameter: 'box_id' }, 400],
    [
      'it in plain words, with the shape that it wants',
      { error: 'Box ID is not a valid UUIDv4' },
      { parameter: 'box_id', shape: 'uuid' },
      400,
    ],
    ['a number that it should be', "box_id: 'b-17' is not an integer", { parameter: 'box_id', shape: 'integer' }, 422],
    ['nothing of the path', { message: 'name must not be empty' }, undefined, 400],
    [
      'the path only because it repeats it',
      { status: 400, message: 'colour is wrong', path: '/shops/corner/boxes/b-17' },
      undefined,
      400,
    ],
    ['it, but in a status that is about something else', { message: 'Box b-17 is locked' }, undefined, 409],
  ];
  test.each(rows.map((row) => [row[0], row] as const))('%s', (_, [, refusal, want, status]) => {
    const found = read(refusal, { status: status ?? 404 });
    if (want === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(want);
  });

  test('the body, where the same value stands in it', () => {
    expect(read({ message: 'b-17 is taken' }, { status: 400, body: { name: 'b-17' } })).toBeUndefined();
  });

  test('no shape that the value has already', () => {
    const uuid = '0eace323-d0eb-43a8-9424-55766d5a2a12';
    expect(read({ message: `invalid uuid ${uuid}` }, { status: 400, box_id: uuid })).toMatchObject({
      shape: undefined,
    });
  });
});

test('a value has a shape or not', () => {
  expect([hasShape('uuid', 'my_box'), hasShape('uuid', '0eace323d0eb43a8942455766d5a2a12')]).toEqual([false, true]);
  expect([hasShape('integer', 7), hasShape('integer', '7'), hasShape('integer', '7a')]).toEqual([true, true, false]);
});
