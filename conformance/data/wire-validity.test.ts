import { type Arbitrary, array, assert, boolean, constantFrom, integer, oneof, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Contract } from '../contract/contract.ts';
import type { Draft, Polarity } from '../execute/exchange.ts';
import { createJudge } from '../schema/create-judge.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { buildFrom } from './value-candidates.ts';
import { validityOf } from './wire-validity.ts';

interface Given {
  readonly path?: string;
  readonly parameters?: readonly object[];
  /** By name of the parameter; others are omitted. */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly requestBody?: object;
  readonly body?: unknown;
}

function draftOf(contract: Contract, { values = {}, body }: Given): Draft {
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const parameters = operation.parameters
    .filter(({ name }) => Object.hasOwn(values, name))
    .map((parameter) => ({ parameter, value: values[parameter.name] }));
  const [content] = operation.body?.contents ?? [];
  return {
    ...{ operation, parameters, label: 'x' },
    body: content === undefined || body === undefined ? undefined : { content, value: body },
  };
}

function contractFor({ path = '/a', parameters = [], requestBody }: Given): Contract {
  return contractOf({ [path]: { post: { parameters, requestBody, responses: {} } } });
}

function polarityOf(given: Given): Polarity {
  const contract = contractFor(given);
  return validityOf(createJudge(contract), draftOf(contract, given), contract);
}

const whole = { type: 'integer', minimum: 1, maximum: 9 };
const number = { type: 'number' };
const word = { type: 'string', minLength: 2, maxLength: 5 };
const flag = { type: 'boolean' };
const colour = { enum: ['red', 'green'] };
const words = { type: 'array', items: word, minItems: 2 };
const numbers = { type: 'array', items: whole, maxItems: 2 };
const size = { type: 'object', required: ['w'], properties: { w: whole, unit: word }, additionalProperties: false };

type Row = readonly [place: object | string, schema: object, value: unknown, want: Polarity];

/** Without the schema, and of a long value the beginning. */
const titleOf = ([place, , value, want]: Row): string =>
  `${JSON.stringify(place)} ${JSON.stringify(value).slice(0, 40)} is ${want}`;

function polarityIn([place, schema, value]: Row): Polarity {
  const at = typeof place === 'string' ? { in: place } : place;
  const path = JSON.stringify(place).includes('path') ? '/a/{p}' : '/a';
  return polarityOf({ path, parameters: [{ name: 'p', required: true, schema, ...at }], values: { p: value } });
}

describe('a parameter is valid or invalid if it is so in every reading of its text', () => {
  const rows: readonly Row[] = [
    ['query', whole, 5, 'valid'],
    ['query', whole, 10, 'invalid'],
    ['query', whole, 1.5, 'invalid'],
    ['query', whole, 'x', 'invalid'],
    ['query', whole, true, 'invalid'],
    // Typed as a text, but the integer 5 on the wire.
    ['query', whole, '5', 'grey'],
    ['query', whole, '10', 'invalid'],
    ['query', number, 1e-7, 'valid'],
    ['query', { type: 'string', maxLength: 1 }, 5, 'grey'],
    ['query', word, 'ab', 'valid'],
    ['query', word, '12', 'valid'],
    ['query', word, 'a', 'invalid'],
    ['query', word, 'a&b=,', 'valid'],
    ['query', flag, true, 'valid'],
    ['query', flag, 'maybe', 'invalid'],
    ['query', colour, 'red', 'valid'],
    ['query', colour, 'Red', 'invalid'],
    ['query', { enum: [1, 2] }, 2, 'valid'],
    ['query', { enum: [1, 2] }, 3, 'invalid'],
    ['query', { anyOf: [whole, { type: 'null' }] }, 5, 'valid'],
    ['query', { anyOf: [whole, { type: 'null' }] }, 10, 'invalid'],
    // The text 12 is also a number, which has a bound.
    ['query', { type: ['string', 'integer'], maximum: 9 }, '12', 'grey'],
    ['query', {}, 'anything', 'valid'],
    ['query', { pattern: '^a' }, 'b', 'invalid'],
    ['query', { pattern: '^a' }, '7', 'grey'],
    ['query', words, ['ab', 'cd'], 'valid'],
    ['query', words, ['ab'], 'invalid'],
    ['query', words, ['ab', 'c'], 'invalid'],
    ['query', words, ['ab', 'c,d'], 'valid'],
    ['query', numbers, [1, 2, 3], 'invalid'],
    ['query', numbers, [1, 'x'], 'invalid'],
    ['query', size, { w: 5 }, 'valid'],
    ['query', size, { w: 10 }, 'invalid'],
    ['query', size, { unit: 'cm' }, 'invalid'],
    ['query', size, { w: 5, more: 1 }, 'invalid'],
    ['query', size, 5, 'grey'],
    // Its members are other parameters, and this one is missing.
    ['query', whole, { a: 1 }, 'invalid'],
    [{ in: 'query', explode: false }, words, ['ab', 'cd'], 'valid'],
    [{ in: 'query', explode: false }, words, ['ab'], 'invalid'],
    // Servers that decode first read three items.
    [{ in: 'query', explode: false }, words, ['ab', 'c,d'], 'grey'],
    [{ in: 'query', explode: false }, size, { w: 5, unit: 'cm' }, 'valid'],
    [{ in: 'query', explode: false }, size, { w: 10 }, 'invalid'],
    [{ in: 'query', style: 'spaceDelimited', explode: false }, words, ['ab', 'cd'], 'valid'],
    [{ in: 'query', style: 'spaceDelimited', explode: false }, words, ['ab', 'c'], 'invalid'],
    [{ in: 'query', style: 'pipeDelimited', explode: false }, numbers, [1, 2], 'valid'],
    [{ in: 'query', style: 'pipeDelimited', explode: false }, numbers, [1, 2, 3], 'invalid'],
    [{ in: 'query', style: 'deepObject' }, size, { w: 5, unit: 'cm' }, 'valid'],
    [{ in: 'query', style: 'deepObject' }, size, { w: 10 }, 'invalid'],
    [{ in: 'query', style: 'deepObject' }, size, 'x', 'grey'],
    ['path', whole, 5, 'valid'],
    ['path', whole, 'x', 'invalid'],
    ['path', words, ['ab', 'cd'], 'valid'],
    [{ in: 'path', style: 'label' }, whole, 10, 'invalid'],
    [{ in: 'path', style: 'label' }, numbers, [1, 2], 'valid'],
    [{ in: 'path', style: 'label', explode: true }, numbers, [1, 2, 3], 'invalid'],
    [{ in: 'path', style: 'matrix' }, whole, 5, 'valid'],
    [{ in: 'path', style: 'matrix' }, words, ['ab', 'c'], 'invalid'],
    [{ in: 'path', style: 'matrix', explode: true }, words, ['ab', 'cd'], 'valid'],
    [{ in: 'path', style: 'matrix', explode: true }, size, { w: 10 }, 'invalid'],
    ['header', whole, 5, 'valid'],
    ['header', whole, 10, 'invalid'],
    ['header', words, ['ab', 'cd'], 'valid'],
    ['header', size, { w: 5, unit: 'cm' }, 'valid'],
    [{ in: 'header', explode: true }, size, { w: 5, unit: 'c' }, 'invalid'],
    ['cookie', whole, 5, 'valid'],
    ['cookie', word, 'abcdef', 'invalid'],
    // Not every server decodes a cookie.
    ['cookie', word, 'ab cd', 'grey'],
  ];
  test.each(rows.map((row) => [titleOf(row), row] as const))('%s', (_, row) => expect(polarityIn(row)).toBe(row[3]));

  test.each<readonly [string, unknown, Polarity]>([
    ['valid', { w: 5 }, 'valid'],
    ['invalid', { w: 10 }, 'invalid'],
    ['lenient', { w: '5' }, 'grey'],
  ])('a document of JSON is as exact as a body: %s', (_, value, want) => {
    const parameters = [{ name: 'p', in: 'query', content: { 'application/json': { schema: size } } }];
    expect(polarityOf({ parameters, values: { p: value } })).toBe(want);
  });
});

describe('an omitted part is invalid if it is required', () => {
  const required = { name: 'p', in: 'query', required: true };
  const requestBody = { content: { 'application/json': {} } };
  test.each<readonly [string, Given, Polarity]>([
    ['a parameter', { parameters: [{ ...required, schema: whole }] }, 'invalid'],
    ['an optional parameter', { parameters: [{ ...required, required: false, schema: whole }] }, 'valid'],
    ['a body', { requestBody: { ...requestBody, required: true } }, 'invalid'],
    ['an optional body', { requestBody }, 'valid'],
    ['an empty list', { parameters: [{ ...required, schema: words }], values: { p: [] } }, 'invalid'],
    ['an empty list that is valid', { parameters: [{ ...required, schema: numbers }], values: { p: [] } }, 'grey'],
    [
      'an empty list, optional',
      { parameters: [{ name: 'p', in: 'query', schema: numbers }], values: { p: [] } },
      'valid',
    ],
  ])('%s', (_, given, want) => {
    expect(polarityOf(given)).toBe(want);
  });
});

describe('servers differ in these requests, whatever the contract allows', () => {
  const instant = { type: 'string', format: 'date-time' };
  const rows: readonly Row[] = [
    ['query', instant, '2026-11-22T09:00:60Z', 'grey'],
    ['query', instant, '2026-11-22t09:00:00z', 'grey'],
    ['query', instant, '0000-11-22T09:00:00Z', 'grey'],
    ['query', instant, '10000-11-22T09:00:00Z', 'grey'],
    ['query', instant, 'tomorrow', 'invalid'],
    ...['1.0', '1e0', '+1', '-0', '01', ' 1', '１'].map((text): Row => ['query', { type: 'integer' }, text, 'grey']),
    ['query', number, '1.0', 'grey'],
    ['query', number, 'NaN', 'grey'],
    ['query', { type: 'integer' }, 2 ** 53, 'grey'],
    ['query', { type: 'integer', maximum: 100 }, 2 ** 53, 'invalid'],
    ['query', { type: 'integer', maximum: 2 ** 31 - 1 }, 2 ** 31, 'grey'],
    ['query', { type: 'integer', maximum: 2 ** 31 - 1 }, 2 ** 31 - 1, 'valid'],
    ['query', { type: 'integer', format: 'int32' }, 2 ** 31, 'grey'],
    ['query', { type: 'integer', minimum: 0 }, 2 ** 31, 'valid'],
    ['query', whole, '', 'grey'],
    ['query', whole, null, 'grey'],
    ['query', word, '', 'invalid'],
    [{ in: 'query', allowEmptyValue: true }, word, '', 'grey'],
    ['query', { not: { type: ['string', 'number'] }, enum: [5, true] }, '5', 'invalid'],
    ['query', { type: 'array', items: whole }, [''], 'grey'],
    ...['True', '1', '0', 'yes', 'on'].map((text): Row => ['query', flag, text, 'grey']),
    ...['a\0', 'a\ud83d', 'a\uffff', 'a\ufdd0'].map((text): Row => ['query', word, text, 'grey']),
    ...['', '.', '..', 'a/b', 'a%b'].map((text): Row => ['path', { type: 'string' }, text, 'grey']),
    ['path', whole, '', 'grey'],
    ...[' ab', 'ab ', 'äb', ''].map((text): Row => ['header', word, text, 'grey']),
    ['query', { type: 'string' }, 'a'.repeat(9_000), 'grey'],
    ['query', { type: 'string' }, 'a'.repeat(7_000), 'valid'],
    ['query', whole, [1, 2], 'grey'],
    [{ in: 'query', explode: false }, whole, [1, 2], 'grey'],
    [{ in: 'query', style: 'deepObject' }, { type: 'object' }, { a: { b: 1 } }, 'grey'],
  ];
  test.each(rows.map((row) => [titleOf(row), row] as const))('%s', (_, row) => expect(polarityIn(row)).toBe(row[3]));

  test('a value that is a fixed segment of another path', () => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 2 } }];
    const get = { responses: {} };
    const contract = contractOf({ '/books/{id}': { parameters, get }, '/books/new': { get }, '/50%/{id}': { get } });
    const judge = createJudge(contract);
    const want = { new: 'grey', New: 'grey', old: 'invalid', ab: 'valid' };
    for (const [id, polarity] of Object.entries(want))
      expect(validityOf(judge, draftOf(contract, { values: { id } }), contract)).toBe(polarity);
  });

  test('one invalid part is enough, next to a grey one', () => {
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'p', in: 'query', schema: whole },
    ];
    expect(polarityOf({ path: '/{id}', parameters, values: { id: 'a/b', p: 5 } })).toBe('grey');
    expect(polarityOf({ path: '/{id}', parameters, values: { id: 'a/b', p: 10 } })).toBe('invalid');
    expect(polarityOf({ path: '/{id}', parameters, values: { id: '..', p: 10 } })).toBe('grey');
  });

  test('a parameter that is a credential', () => {
    const parameters = [{ name: 'X-Key', in: 'header', required: true, schema: {} }];
    const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'x-key' } };
    const contract = contractOf({ '/a': { get: { parameters, responses: {} } } }, { securitySchemes });
    expect(validityOf(createJudge(contract), draftOf(contract, {}), contract)).toBe('grey');
  });

  test('two values in one segment of a path', () => {
    const parameters = ['a', 'b'].map((name) => ({ name, in: 'path', required: true, schema: whole }));
    expect(polarityOf({ path: '/{a}-{b}', parameters, values: { a: 'x', b: 5 } })).toBe('grey');
  });

  test('the members of two exploded objects', () => {
    const parameters = ['a', 'b'].map((name) => ({ name, in: 'query', schema: size }));
    expect(polarityOf({ parameters, values: { a: { w: 1 }, b: { w: 10 } } })).toBe('grey');
  });

  test('a request that was edited after encoding', () => {
    const contract = contractFor({});
    expect(validityOf(createJudge(contract), { ...draftOf(contract, {}), edits: { method: 'PUT' } })).toBe('grey');
  });
});

describe('a body is judged by its media type', () => {
  const form = 'application/x-www-form-urlencoded';
  const multipart = 'multipart/form-data';
  const parcel = {
    type: 'object',
    required: ['w'],
    properties: { w: whole, tags: words, on: flag, size, photo: { type: 'string', format: 'binary' } },
    additionalProperties: false,
  };
  const optional = { type: 'object', properties: { w: whole } };
  const rows: readonly (Row & readonly [type: string, ...unknown[]])[] = [
    ['application/json', parcel, { w: 5, tags: ['ab', 'cd'] }, 'valid'],
    ['application/json', parcel, { w: 10 }, 'invalid'],
    ['application/json', parcel, { tags: ['ab', 'cd'] }, 'invalid'],
    ['application/json', parcel, { w: 5, on: 'x' }, 'invalid'],
    ['application/json', word, 12, 'invalid'],
    ['application/json', whole, '5', 'grey'],
    ['application/json', whole, '10', 'invalid'],
    ['application/json', parcel, { w: 5, size: { w: '1' } }, 'grey'],
    ['application/json', parcel, { w: 5, on: 'true' }, 'grey'],
    ['application/json', parcel, { w: 5, on: 1 }, 'grey'],
    ['application/json', parcel, { w: 5, tags: ['ab', 'c\0'] }, 'grey'],
    ['application/json', optional, { 'a\0': 1 }, 'grey'],
    ['application/json', { type: 'integer' }, 2 ** 60, 'grey'],
    ['application/json', { type: 'array', items: { oneOf: [whole, { type: 'object' }] } }, [{}, 2 ** 60], 'invalid'],
    ['application/json', { items: { type: 'integer', format: 'int32' } }, [2 ** 31], 'grey'],
    ['application/json', { enum: [2 ** 60] }, 2 ** 60, 'valid'],
    ['application/merge-patch+json', parcel, { w: 5, on: null }, 'grey'],
    ['application/merge-patch+json', parcel, { w: 10, on: null }, 'invalid'],
    [form, parcel, { w: 5, tags: ['ab', 'cd'], on: true }, 'valid'],
    [form, parcel, { w: 10 }, 'invalid'],
    [form, parcel, { w: 'x' }, 'invalid'],
    [form, parcel, { w: '5' }, 'grey'],
    [form, parcel, { w: '' }, 'grey'],
    [form, parcel, { w: null }, 'grey'],
    [form, parcel, { tags: ['ab', 'cd'] }, 'invalid'],
    [form, parcel, { w: 5, tags: ['ab'] }, 'invalid'],
    [form, parcel, { w: 5, more: 1 }, 'invalid'],
    [form, parcel, { w: 5, size: { w: 5 } }, 'valid'],
    [form, parcel, { w: 5, size: { w: 10 } }, 'invalid'],
    [form, parcel, { w: [1, 2] }, 'grey'],
    [form, parcel, 'x', 'invalid'],
    [form, optional, {}, 'valid'],
    [multipart, optional, {}, 'grey'],
    [form, { type: 'object', properties: { a: { type: 'string', const: 'a+b &=ü' } } }, { a: 'a+b &=ü' }, 'valid'],
    [multipart, parcel, { w: 5, photo: 'x', size: { w: 5 } }, 'valid'],
    [multipart, parcel, { w: 10, photo: 'x' }, 'invalid'],
    [multipart, parcel, { photo: 'x' }, 'invalid'],
    [multipart, parcel, { w: 5, size: { w: 10 } }, 'invalid'],
    [multipart, parcel, { w: '5' }, 'grey'],
    ['application/xml', parcel, { w: 5, tags: ['ab', 'cd'] }, 'valid'],
    ['application/xml', parcel, { w: 'x' }, 'invalid'],
    ['application/xml', parcel, { tags: ['ab', 'cd'] }, 'invalid'],
    ['application/xml', parcel, { w: '' }, 'grey'],
    ['application/xml', parcel, { w: 5, size: {} }, 'grey'],
    ['application/xml', parcel, '<parcel/>', 'grey'],
    ['text/plain', word, 'ab', 'valid'],
    ['text/plain', word, 'a', 'invalid'],
    ['text/plain', whole, 10, 'invalid'],
    ['text/plain', parcel, { w: 10 }, 'grey'],
    ['application/yaml', parcel, { w: 10 }, 'invalid'],
    ['application/x-ndjson', parcel, 'w: 10', 'grey'],
    ['application/octet-stream', word, 'ab', 'valid'],
    ['application/octet-stream', word, 'a', 'grey'],
  ];
  test.each(rows.map((row) => [titleOf(row), row] as const))('%s', (_, [type, schema, value, want]) => {
    expect(polarityOf({ requestBody: { content: { [type]: { schema } } }, body: value })).toBe(want);
  });

  test.each<readonly [unknown, Polarity]>([
    [['ab', 'cd'], 'valid'],
    [['ab', 'c'], 'invalid'],
    [['ab', 'c,d'], 'grey'],
  ])('a list of a form with commas is %j: %s', (tags, want) => {
    const content = { [form]: { schema: parcel, encoding: { tags: { explode: false } } } };
    expect(polarityOf({ requestBody: { content }, body: { w: 5, tags } })).toBe(want);
  });

  test('a form without a member is no body', () => {
    const requestBody = { required: true, content: { [form]: { schema: optional } } };
    expect(polarityOf({ requestBody, body: {} })).toBe('grey');
  });

  test('without a schema, any body is valid', () => {
    expect(polarityOf({ requestBody: { content: { 'application/json': {} } }, body: { a: 1 } })).toBe('valid');
  });
});

/** Schemas without a union: each text has one reading. */
const scalar: Arbitrary<object> = oneof(
  integer({ min: -50, max: 50 }).map((minimum) => ({ type: 'integer', minimum, maximum: minimum + 9 })),
  integer({ min: 1, max: 20 }).map((minLength) => ({ type: 'string', pattern: '^[a-z]+$', minLength, maxLength: 30 })),
  constantFrom({ type: 'boolean' }, { enum: ['a', 'b-c'] }, { type: 'string', format: 'uuid' }),
);
const nested: Arbitrary<object> = oneof(
  scalar,
  scalar.map((items) => ({ type: 'array', items, minItems: 1, maxItems: 3 })),
  record({ a: scalar, b: scalar }).map((properties) => ({ type: 'object', properties, required: ['a', 'b'] })),
);

const places = [
  { in: 'query' },
  { in: 'query', explode: false },
  { in: 'path' },
  { in: 'path', style: 'label' },
  { in: 'path', style: 'matrix', explode: true },
  { in: 'header', explode: true },
  { in: 'cookie', explode: false },
];

test('a built value without a second reading is valid in every place', () => {
  assert(
    property(nested, constantFrom(...places), integer({ min: 0, max: 1e6 }), (schema, place, seed) => {
      const parameters = [{ name: 'p', required: true, schema, ...place }];
      const contract = contractFor({ path: '/{p}', parameters });
      const judge = createJudge(contract);
      const tools = { contract, judge, now: 0, tag: 't', seed };
      const value = buildFrom(tools, contract.operations[0]?.parameters[0]?.schema, { optional: true });
      expect([validityOf(judge, draftOf(contract, { values: { p: value } })), value]).toEqual(['valid', value]);
    }),
  );
});

/** Values without a text and without 0 and 1, which some readers accept in place of another type. */
const exact = oneof(integer({ min: 2, max: 99 }), array(oneof(integer({ min: 2, max: 9 }), boolean())), boolean());

test('the polarity of a JSON body is that of the judge', () => {
  assert(
    property(nested, oneof(exact, record({ a: exact, b: exact })), (schema, value) => {
      const contract = contractFor({ requestBody: { content: { 'application/json': { schema } } } });
      const judge = createJudge(contract);
      const draft = draftOf(contract, { body: value });
      const isValid = judge.accepts(draft.body?.content.schema ?? '', 'request', value);
      expect(validityOf(judge, draft)).toBe(isValid ? 'valid' : 'invalid');
    }),
    { numRuns: 50 },
  );
});

test('a hostile schema or value has a polarity', () => {
  const branch = { type: ['array', 'string', 'number'], items: { $ref: '#/components/schemas/S' } };
  const S = { oneOf: Array.from({ length: 30 }, (_, index) => ({ ...branch, maxItems: index })) };
  const parameters = [{ name: 'p', in: 'query', schema: { $ref: '#/components/schemas/S' } }];
  const contract = contractOf({ '/a': { get: { parameters, responses: {} } } }, { schemas: { S } });
  const judge = createJudge(contract);
  const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 1);
  const values = [Array.from({ length: 40 }, () => '1'), [[[[['1', '2'], '3'], '4'], '5'], '6'], deep];
  for (const p of values) expect(validityOf(judge, draftOf(contract, { values: { p } }))).toBe('grey');
});
