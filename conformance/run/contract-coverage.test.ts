import { describe, expect, test } from 'vitest';
import type { NumberedExchange } from '../execute/exchange.ts';
import { createJudge } from '../schema/create-judge.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { watchCoverage } from './contract-coverage.ts';
import { createStatistics } from './statistics.ts';

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const note = { required: ['text'], properties: { text: { type: 'string', maxLength: 9 } } };

const contract = contractOf(
  {
    '/notes': {
      post: {
        operationId: 'addNote',
        security: [{ Key: [] }, { Login: ['write'], Team: [] }],
        parameters: [
          { name: 'dry', in: 'query', schema: { type: 'boolean' } },
          { name: 'Lang', in: 'header', required: true, schema: { enum: ['de'] } },
          { name: 'page', in: 'cookie', schema: { type: 'integer', maximum: 9 } },
        ],
        requestBody: {
          required: true,
          content: { ...json(note).content, 'text/plain': { schema: { type: 'string' } } },
        },
        responses: {
          200: {
            description: 'OK',
            headers: { Total: { required: true, schema: { type: 'integer', minimum: 0 } } },
            content: { ...json({ type: 'array', minItems: 1 }).content, 'text/csv': { schema: { type: 'integer' } } },
          },
          400: { description: 'Rejected', ...json({ type: 'object' }) },
        },
      },
    },
  },
  {
    securitySchemes: {
      Key: { type: 'apiKey', in: 'query', name: 'key' },
      Login: { type: 'oauth2', flows: {} },
      Team: { type: 'apiKey', in: 'cookie', name: 'team' },
    },
  },
);

type Given = Parameters<typeof exchangeOf>[1] & {
  readonly seen?: Partial<NumberedExchange['seen']>;
  readonly isPause?: boolean;
};

/** The request of the operation as the runner sends it. */
const sent: Given = {
  request: {
    path: '/notes?dry=true',
    headers: [
      ['content-type', 'application/json'],
      ['authorization', 'Bearer T'],
      ['cookie', 'page=3; team=a'],
    ],
  },
  seen: { query: { dry: true }, requestHeaders: { lang: 'de' }, requestBody: { text: 'a' } },
};

function coveredBy(...all: readonly Given[]) {
  const coverage = watchCoverage(contract, createJudge(contract));
  const statistics = createStatistics();
  for (const given of all) {
    const exchange = exchangeOf(contract, given);
    const { seen = {}, isPause = false } = given;
    const whole = { ...exchange, seen: { ...exchange.seen, ...seen }, isPause };
    coverage.onExchange(whole);
    statistics.onExchange(whole);
  }
  return coverage.measure(contract.operations, statistics);
}

/** Places of covered keywords, `200/json/type`. */
function placesOf(...all: readonly Given[]) {
  const { requestKeywords, responseKeywords } = coveredBy(...all);
  const short = (pointer: string): string =>
    pointer
      .replace('#/paths/~1notes/post/', '')
      .replace(/content\/(\w+)~1(\w+)\/schema/, '$2')
      .replace(/^(parameters|responses)\//, '');
  const places = (keywords: readonly { readonly pointer: string }[]) => keywords.map(({ pointer }) => short(pointer));
  return {
    valid: places(requestKeywords.filter(({ valid }) => valid)),
    invalid: places(requestKeywords.filter(({ invalid }) => invalid)),
    seen: places(responseKeywords.filter(({ seen }) => seen)),
  };
}

describe('keywords', () => {
  test('without exchanges nothing is covered, and each keyword has a reason and a line', () => {
    const { requestKeywords, responseKeywords, parts } = coveredBy();
    expect(requestKeywords).toHaveLength(10);
    expect(requestKeywords[0]).toEqual({
      pointer: '#/paths/~1notes/post/parameters/1/required',
      keyword: 'required',
      line: 1,
      valid: false,
      invalid: false,
      reason: 'only in operations that were never accepted',
    });
    expect(responseKeywords.map(({ seen, reason }) => [seen, reason])).toEqual(
      Array(7).fill([false, 'only in responses that were not seen']),
    );
    expect(parts.map(({ kind, covered, all }) => [kind, covered, all])).toEqual([
      ['parameters', 0, 3],
      ['media types', 0, 5],
      ['security schemes', 0, 3],
      ['scopes', 0, 1],
    ]);
  });

  test('an accepted valid request covers its parameters, its headers, its cookies and its body', () => {
    expect(placesOf(sent).valid).toEqual([
      '1/required',
      'requestBody/required',
      'requestBody/json/required',
      '0/schema/type',
      '1/schema/enum',
      '2/schema/type',
      '2/schema/maximum',
      'requestBody/json/properties/text/type',
      'requestBody/json/properties/text/maxLength',
    ]);
  });

  const place = { pointer: '#/paths/~1notes/post/parameters/1/required', keyword: 'required' };
  test.each<{ name: string; given: Given; valid?: string[]; invalid?: string[] }>([
    { name: 'a rejected request', given: { ...sent, status: 400 } },
    { name: 'a grey request', given: { ...sent, intent: { polarity: 'grey' } } },
    {
      name: 'an invalid request that was accepted',
      given: { ...sent, intent: { polarity: 'invalid', place } },
      invalid: ['1/required'],
    },
    {
      name: 'an invalid request that was rejected',
      given: { status: 400, intent: { polarity: 'invalid', place: { ...place, pointer: place.pointer.slice(0, -9) } } },
      invalid: ['1/required'],
    },
    {
      name: 'an invalid request that was only delayed',
      given: { status: 429, isPause: true, intent: { polarity: 'invalid', place } },
    },
    {
      name: 'an invalid request about no keyword of a schema',
      given: { intent: { polarity: 'invalid', place: { pointer: '#/paths/~1notes/post', keyword: 'security' } } },
    },
  ])('$name', ({ given, valid = [], invalid = [] }) => {
    const found = placesOf(given);
    expect([found.valid, found.invalid]).toEqual([valid, invalid]);
  });

  test.each<{ name: string; given: Given; seen: string[] }>([
    {
      name: 'JSON and headers',
      given: { headers: { total: '3', 'content-type': 'application/json' }, body: '[]' },
      seen: [
        '200/headers/Total/required',
        '200/json/type',
        '200/json/minItems',
        '200/headers/Total/schema/type',
        '200/headers/Total/schema/minimum',
      ],
    },
    {
      name: 'a header that cannot be read',
      given: { headers: { total: 'many' } },
      seen: ['200/headers/Total/required'],
    },
    {
      name: 'content that is not JSON',
      given: { headers: { 'content-type': 'application/json' }, body: '[' },
      seen: [],
    },
    { name: 'text that stands for a value', given: { headers: { 'content-type': 'text/csv' }, body: '1' }, seen: [] },
    {
      name: 'the answer to an invalid request',
      given: {
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: '{}',
        intent: { polarity: 'invalid' },
      },
      seen: ['400/json/type'],
    },
    {
      name: 'the answer to a grey request',
      given: { headers: { 'content-type': 'application/json' }, body: '[]', intent: { polarity: 'grey' } },
      seen: [],
    },
  ])('of answers: $name', ({ given, seen }) => {
    expect(placesOf(given).seen).toEqual(seen);
  });
});

describe('parts', () => {
  const uncovered = (...all: readonly Given[]) =>
    Object.fromEntries(
      coveredBy(...all).parts.map(({ kind, uncovered }) => [
        kind,
        uncovered.map(({ name, reason }) => `${name}: ${reason}`),
      ]),
    );

  test('an accepted request covers its parameters, its media type and the alternative of its credentials', () => {
    expect(uncovered(sent)).toEqual({
      parameters: [],
      'media types': [
        'addNote text/plain: not in any accepted request',
        'addNote 200 application/json: not in any answer',
        'addNote 200 text/csv: not in any answer',
        'addNote 400 application/json: only in responses that were not seen',
      ],
      'security schemes': ['Key: not in any accepted request'],
      scopes: [],
    });
  });

  test('a key counts if it was sent, and an answer covers its media type', () => {
    const byKey = { request: { path: '/notes?key=K' }, headers: { 'content-type': 'text/csv' }, body: 'a' };
    const found = uncovered(byKey);
    expect(found['security schemes']).toEqual([
      'Login: not in any accepted request',
      'Team: not in any accepted request',
    ]);
    expect(found.scopes).toEqual(['Login write: not in any accepted request']);
    expect(found['media types']).not.toContain('addNote 200 text/csv: not in any answer');
    expect(found.parameters).toHaveLength(3);
  });
});

test('the count of covered parts rises with each new part, and stays for the same request', () => {
  const coverage = watchCoverage(contract, createJudge(contract));
  const answered = { ...sent, headers: { total: '3', 'content-type': 'application/json' }, body: '[]' };
  const place = { pointer: '#/paths/~1notes/post/parameters/1/required', keyword: 'required' };
  const invalid = { ...sent, intent: { polarity: 'invalid', place } as const };
  const counts = [sent, sent, answered, answered, invalid, invalid].map((given) => {
    const exchange = exchangeOf(contract, given);
    coverage.onExchange({ ...exchange, seen: { ...exchange.seen, ...given.seen } });
    return coverage.count();
  });
  const [first = 0, second, third = 0, fourth, fifth = 0, sixth] = counts;
  expect([second, fourth, sixth]).toEqual([first, third, fifth]);
  expect(first).toBeGreaterThan(0);
  expect(third).toBeGreaterThan(first);
  expect(fifth).toBe(third + 1);
});
