import { describe, expect, test } from 'vitest';
import type { Draft, NumberedExchange, Polarity } from '../execute/exchange.ts';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { refusalWrong } from './refusal-wrong.ts';

const error = {
  type: 'object',
  properties: { reason: { type: 'string', 'x-fault': 'text' }, name: { type: 'string', 'x-fault': 'code' } },
};
const body = { 'application/json': { schema: { oneOf: [error, { type: 'null' }] } } };
const contract = contractOf({
  '/orders/{id}': {
    get: {
      operationId: 'read',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, 'x-invalid-status': 422 },
        { name: 'size', in: 'query', schema: { type: 'integer' } },
      ],
      responses: {
        200: { description: '' },
        404: { description: '', content: body, 'x-error-codes': ['order_not_found', 'shop_not_found'] },
        '4XX': { description: '', content: body },
      },
    },
  },
});
const context = contextOf(contract);
const [operation] = contract.operations;

/** Verdicts as `place: message`, without a message if the law is met. */
function judge(exchange: NumberedExchange): readonly string[] {
  return refusalWrong.judge([exchange], context).map(({ place, failures: [failure] }) => {
    return failure === undefined ? place : `${place}: ${failure.keyword} at ${failure.pointer}, ${failure.message}`;
  });
}

describe('the code of an error', () => {
  const at = '#/paths/~1orders~1{id}/get/responses/404/x-error-codes';
  test.each<{ name: string; status?: number; sent: unknown; polarity?: Polarity; want: readonly string[] }>([
    { name: 'listed', sent: { name: 'shop_not_found' }, want: ['code of response 404'] },
    {
      name: 'not listed',
      sent: { name: 'gone' },
      want: [`code of response 404: error-code at ${at}, the code "gone" is none of order_not_found, shop_not_found`],
    },
    { name: 'in no member of its role', sent: { code: 'gone', reason: 'gone' }, want: [] },
    { name: 'in a response that lists none', status: 409, sent: { name: 'gone' }, want: [] },
    {
      name: 'in the answer to a request that is neither valid nor invalid',
      sent: { name: 'x' },
      polarity: 'grey',
      want: [],
    },
  ])('$name', ({ status = 404, sent, polarity = 'valid', want }) => {
    const headers = { 'content-type': 'application/json' };
    const exchange = exchangeOf(contract, { status, headers, body: JSON.stringify(sent), intent: { polarity } });
    expect(judge(exchange)).toEqual(want);
  });
});

describe('the status of an invalid value', () => {
  const at = '#/paths/~1orders~1{id}/get/parameters/0/x-invalid-status';
  const place = 'invalid value of id';
  const message = `invalid-status at ${at}, an invalid value of id was answered 400; the contract declares 422`;
  test.each<{
    name: string;
    id: unknown;
    size?: unknown;
    status: number;
    polarity?: Polarity;
    want: readonly string[];
  }>([
    { name: 'as declared', id: 'x', status: 422, want: [place] },
    { name: 'another one', id: 'x', status: 400, want: [`${place}: ${message}`] },
    { name: 'about the address', id: 'x', status: 404, want: [] },
    { name: 'about the caller', id: 'x', status: 401, want: [] },
    { name: 'of a parameter that declares none', id: 1, size: 'x', status: 400, want: [] },
    { name: 'of two faults', id: 'x', size: 'x', status: 400, want: [] },
    { name: 'of a value that some servers accept', id: 'x', status: 400, polarity: 'grey', want: [] },
  ])('$name', ({ id, size, status, polarity = 'invalid', want }) => {
    const parameters = operation?.parameters.flatMap((parameter) => {
      const value = parameter.name === 'id' ? id : size;
      return value === undefined ? [] : [{ parameter, value }];
    });
    const draft = { operation, parameters, body: undefined, label: '' } as Draft;
    expect(judge({ ...exchangeOf(contract, { status, intent: { polarity } }), draft })).toEqual(want);
  });
});
