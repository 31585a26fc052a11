import { describe, expect, test } from 'vitest';
import type { Contract } from '../contract/contract.ts';
import { readContract } from '../contract/read-contract.ts';
import { rejectionOf } from '../planted/by-hand.ts';
import { type Constraints, noConstraints } from './constraints.ts';
import { inferConstraints } from './infer-constraints.ts';
import { readRejection } from './read-rejection.ts';

const schema = {
  type: 'object',
  required: ['kind', 'name'],
  properties: {
    kind: { enum: ['TEXT', 'CHAT', 'KIND_UNSPECIFIED'] },
    name: { type: 'string' },
    provider: { type: 'string' },
    returnRefreshToken: { type: 'boolean' },
    result: { type: 'object' },
    error: { type: 'string' },
    note: { type: 'string' },
  },
};
const document = {
  openapi: '3.1.0',
  info: {},
  paths: {
    '/prompts': {
      post: {
        parameters: [{ name: 'projectId', in: 'query', schema: { type: 'integer' } }],
        requestBody: { content: { 'application/json': { schema } } },
      },
    },
  },
};
const contract = readContract('a.json', JSON.stringify(document));

function infer(
  rejection: unknown,
  requestBody: unknown,
  { status = 400, known = noConstraints, of = contract as Contract } = {},
): Constraints {
  const exchange = rejectionOf(of, rejection, { status, requestBody });
  return inferConstraints(of, exchange, readRejection(of, exchange), known).constraints;
}

describe('what a refusal names without a form is', () => {
  const sent = { kind: 'TEXT', name: 'a', provider: 'p', returnRefreshToken: true };
  const rows: readonly (readonly [name: string, refusal: unknown, place: string, want: object | undefined])[] = [
    [
      'what was sent, where it names nothing',
      'No prompt with returnRefreshToken found, it does not exist',
      'body /returnRefreshToken',
      { reference: 1 },
    ],
    [
      'one of several that were left out',
      "Either 'result' or 'error' must be provided",
      'body /result',
      { required: true },
    ],
    [
      'another value of an enumeration',
      'Only CHAT templates are supported',
      'body /kind',
      { keywords: { enum: ['CHAT'] } },
    ],
    [
      'the value that was sent',
      'TEXT is not implemented',
      'body /kind',
      { keywords: { enum: ['CHAT', 'KIND_UNSPECIFIED'] } },
    ],
    [
      'one that does not fit another',
      'Kind does not match result',
      'body /kind',
      { keywords: { enum: ['CHAT', 'KIND_UNSPECIFIED'] } },
    ],
    [
      'a member without need',
      'Setting a custom "provider" is not part of the licence',
      'body /provider',
      { forbidden: true },
    ],
    [
      'a member that is no word',
      'returnRefreshToken is not implemented yet.',
      'body /returnRefreshToken',
      { forbidden: true },
    ],
    [
      'what it was not found under',
      'No Project matches the given query.',
      'query projectId',
      { required: true, reference: 1 },
    ],
    ['nothing, where it is a word of the sentence', 'take note of the manual', 'body /note', undefined],
  ];
  test.each(rows)('%s', (_, refusal, place, want) => {
    const constraint = infer(refusal, sent, { status: 404 }).get(place);
    if (want === undefined) expect(constraint).toBeUndefined();
    else expect(constraint).toMatchObject(want);
  });

  test('another value, and not the one that was refused before', () => {
    const first = infer('TEXT is not implemented', sent);
    const second = infer('CHAT is not implemented', { ...sent, kind: 'CHAT' }, { known: first });
    expect(second.get('body /kind')?.keywords).toEqual({ enum: ['KIND_UNSPECIFIED'] });
  });
});

test('what an answer only repeats of the request is no word of refusal', () => {
  const msg = 'the result is missing';
  const refusal = { detail: [{ type: 'value_error', loc: ['body'], msg, input: { kind: 'TEXT', note: 'CHAT' } }] };
  expect([...infer(refusal, { kind: 'TEXT', name: 'a' }, { status: 422 }).keys()]).toEqual(['body /result']);
});

describe('what is left to try where nothing is named:', () => {
  const own = {
    openapi: '3.1.0',
    info: {},
    paths: {
      '/hooks': {
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['url', 'team_id'],
                  properties: { url: { type: 'string' }, id: { type: 'integer' }, team_id: { type: 'integer' } },
                },
              },
            },
          },
        },
      },
    },
  };
  const contract = readContract('a.json', JSON.stringify(own));
  const inferred = (rejection: unknown, status: number): Constraints =>
    infer(rejection, { url: 'https://example.com/x', id: 1, team_id: 2 }, { status, of: contract });

  test('no id that is not needed, where a path without ids answers 404', () => {
    expect([...inferred('Not found.', 404)]).toMatchObject([['body /id', { forbidden: true }]]);
  });

  test('and the id of the error itself says nothing', () => {
    const refusal = { id: '0eace323-d0eb-43a8-9424-55766d5a2a12', version: '1.2.3', detail: 'Validation error' };
    expect([...inferred(refusal, 400)]).toEqual([]);
  });
});

describe('an error code', () => {
  test('that misses what had to go wants it, with another value', () => {
    const first = infer({ error: 'INVALID_PROVIDER' }, { provider: 'p' });
    expect(first.get('body /provider')).toMatchObject({ forbidden: true });
    const second = infer({ error: 'MISSING_PROVIDER' }, {}, { known: first });
    expect(second.get('body /provider')).toMatchObject({ forbidden: false, required: true, wrong: 1 });
  });

  test('that finds nothing wants the value of something that exists', () => {
    expect(infer({ error: 'PROVIDER_NOT_FOUND' }, { provider: 'p' }).get('body /provider')).toMatchObject({
      reference: 1,
    });
  });
});
