import { describe, expect, test } from 'vitest';
import { createSchemaCompiler } from './compile-schema.ts';
import { describeFault } from './describe-fault.ts';

const compile = createSchemaCompiler({});
const grants = {
  oneOf: [
    {
      type: 'object',
      required: ['grant', 'code'],
      properties: { grant: { enum: ['code'] }, code: { type: 'string' } },
    },
    { type: 'object', required: ['grant'], properties: { grant: { const: 'own' } } },
  ],
};
/** One schema is composed: it reports a missing member before its fixed value. */
const pets = {
  oneOf: [
    { allOf: [{ type: 'object', required: ['name'] }, { properties: { kind: { const: 'cat' } } }] },
    { type: 'object', required: ['kind', 'breed'], properties: { kind: { const: 'dog' } } },
  ],
  discriminator: { propertyName: 'kind', mapping: { cat: '#/cat', dog: '#/dog' } },
};
const closed = {
  type: 'object',
  additionalProperties: false,
  required: ['accessName'],
  properties: { accessName: { type: 'string' }, size: { type: 'object', required: ['height'] } },
};
const secret = { type: 'object', properties: { pin: { type: 'string', pattern: '^\\d{4}$', 'x-sensitive': true } } };

const cases = [
  {
    name: 'a value where only no text is allowed',
    schema: { enum: [''] },
    given: 'x',
    at: '',
    says: 'body "x" is not a known value: use ""',
  },
  {
    name: 'a value that the discriminator does not map',
    schema: pets,
    given: { kind: 'fish' },
    at: '/kind',
    says: 'kind "fish" is not a known value: use cat or dog',
  },
  {
    name: 'a composed form that lacks a member',
    schema: pets,
    given: { kind: 'cat' },
    at: '/name',
    says: 'name is required',
  },
  { name: 'a missing member', schema: closed, given: {}, at: '/accessName', says: 'accessName is required' },
  {
    name: 'a missing member that was misspelt',
    schema: closed,
    given: { acessName: 'x' },
    at: '/accessName',
    says: 'accessName is required, did you mean it by acessName?',
  },
  {
    name: 'a missing member further in',
    schema: closed,
    given: { accessName: 'x', size: {} },
    at: '/size/height',
    says: 'size/height is required',
  },
  {
    name: 'an unknown member',
    schema: closed,
    given: { accessName: 'x', sise: 1 },
    at: '/sise',
    says: 'sise is not known, did you mean size?',
  },
  {
    name: 'a member named as every object has it',
    schema: closed,
    given: JSON.parse('{"accessName":"x","__proto__":1}'),
    at: '/__proto__',
    says: '__proto__ is not known, known here: accessName or size',
  },
  {
    name: 'another type',
    schema: { type: 'integer' },
    given: 'abc',
    at: '',
    says: 'body must be an integer, not "abc"',
  },
  { name: 'null', schema: { type: 'object' }, given: null, at: '', says: 'body must be an object, not null' },
  {
    name: 'a value beyond a range',
    schema: { minimum: 1, maximum: 300 },
    given: 301,
    at: '',
    says: 'body must be from 1 to 300, not 301',
  },
  {
    name: 'a value beyond one bound',
    schema: { exclusiveMinimum: 0 },
    given: 0,
    at: '',
    says: 'body must be more than 0, not 0',
  },
  {
    name: 'empty text',
    schema: { minLength: 1, example: 'abc' },
    given: '',
    at: '',
    says: 'body must not be empty, for example abc',
  },
  {
    name: 'long text, by characters',
    schema: { maxLength: 2 },
    given: '🐢🐢🐢',
    at: '',
    says: 'body is too long, 3 characters: at most 2',
  },
  {
    name: 'long text, cut',
    schema: { type: 'integer' },
    given: 'x'.repeat(1000),
    at: '',
    says: `body must be an integer, not "${'x'.repeat(60)}…"`,
  },
  {
    name: 'a value outside a list',
    schema: { enum: ['LOCK', 'UNLOCK'] },
    given: 'unlock',
    at: '',
    says: 'body "unlock" is not a known value: use LOCK or UNLOCK',
  },
  {
    name: 'a form',
    schema: { format: 'date-time', example: '2026-11-20T10:00:00Z' },
    given: '2019-02-30T10:00:00Z',
    at: '',
    says: 'body "2019-02-30T10:00:00Z" is not a valid date-time, for example 2026-11-20T10:00:00Z',
  },
  {
    name: 'a pattern',
    schema: { pattern: '^https://' },
    given: 'http://x',
    at: '',
    says: 'body "http://x" does not have the right form: it must match ^https://',
  },
  {
    name: 'a secret, without repeating it',
    schema: secret,
    given: { pin: '12345' },
    at: '/pin',
    says: 'pin does not have the right form: it must match ^\\d{4}$',
  },
  {
    name: 'a secret of another type, without repeating it',
    schema: secret,
    given: { pin: 12345 },
    at: '/pin',
    says: 'pin must be a string',
  },
  {
    name: 'a body that was encoded twice, without repeating the secret in it',
    schema: secret,
    given: '{"pin":"1234"}',
    at: '',
    says: 'body must be an object, not a string',
  },
  {
    name: 'a secret in place of the object that has it, without repeating it',
    schema: { properties: { jobData: secret } },
    given: { jobData: 1234 },
    at: '/jobData',
    says: 'jobData must be an object, not an integer',
  },
  {
    name: 'a list of several types',
    schema: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    given: [],
    at: '',
    says: 'body must be a string or an integer, not a list',
  },
  {
    name: 'lists of several types together',
    schema: { anyOf: [{ enum: ['a'] }, { enum: [1] }] },
    given: 'b',
    at: '',
    says: 'body "b" is not a known value: use a or 1',
  },
  {
    name: 'the form that a fixed member chose',
    schema: grants,
    given: { grant: 'code' },
    at: '/code',
    says: 'code is required',
  },
  {
    name: 'a fixed member that chooses none',
    schema: grants,
    given: { grant: 'x' },
    at: '/grant',
    says: 'grant "x" is not a known value: use code or own',
  },
  { name: 'no fixed member', schema: grants, given: {}, at: '/grant', says: 'grant is required' },
  {
    name: 'what a condition asks for',
    schema: JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}'),
    given: { a: 1 },
    at: '/b',
    says: 'b is required',
  },
  {
    name: 'what a condition forbids',
    schema: JSON.parse('{"if":{"required":["a"]},"then":{"properties":{"b":false}}}'),
    given: { a: 1, b: 1 },
    at: '/b',
    says: 'b is not allowed here',
  },
  {
    name: 'a keyword without words of ours',
    schema: { dependentRequired: { a: ['b'] } },
    given: { a: 1 },
    at: '/b',
    says: 'body must have property b when property a is present',
  },
];

describe('describeFault', () => {
  for (const { name, schema, given, at, says } of cases) {
    test(`reports ${name}`, () => {
      const described = describeFault(compile(schema)(given) ?? [], 'body');
      expect({ at: described.at, says: described.says }).toEqual({ at, says });
    });
  }

  test('calls a parameter by its name', () => {
    expect(describeFault(compile({ items: { type: 'integer' } })(['x']) ?? [], 'page').says).toBe(
      'page/0 must be an integer, not "x"',
    );
  });

  test('gives the values that would do, nearest first', () => {
    const nearest = (schema: object, value: unknown) => describeFault(compile(schema)(value) ?? [], 'body').nearest;
    expect(nearest({ enum: ['title', '-title', 'century'] }, 'titel')).toEqual(['title']);
    expect(nearest({ minimum: 1, maximum: 50 }, 0)).toEqual(['1', '50']);
    expect(nearest({ enum: Array.from({ length: 99 }, (_, index) => index) }, 'x')).toHaveLength(10);
  });

  const examples: readonly { name: string; schema: object; given: unknown; want?: readonly string[] }[] = [
    { name: 'of another type', schema: { type: 'integer', example: 7 }, given: 'x', want: ['7'] },
    { name: 'that is empty', schema: { minLength: 1, example: 'abc' }, given: '' },
    { name: 'that is too short', schema: { minLength: 3, example: 'abc' }, given: 'x' },
    { name: 'of another form', schema: { pattern: '^a', example: 'abc' }, given: 'x' },
    { name: 'of no valid format', schema: { format: 'date', example: '2026-11-20' }, given: 'x', want: ['2026-11-20'] },
    {
      name: 'of another form, for a list of them',
      schema: { pattern: '^a', examples: ['a', 'ab'] },
      given: 'x',
      want: ['a', 'ab'],
    },
    {
      name: 'of another form, without those that are no text',
      schema: { pattern: '^a', examples: ['a', null, {}, 1] },
      given: 'x',
      want: ['a', '1'],
    },
    { name: 'of another form, for none where the schema has none', schema: { pattern: '^a' }, given: 'x', want: [] },
    {
      name: 'with too few members, for their names',
      schema: { minProperties: 1, properties: { a: {}, b: {} } },
      given: {},
      want: ['a', 'b'],
    },
  ];
  for (const { name, schema, given, want = ['abc'] } of examples) {
    test(`gives the examples of the schema for a value ${name}`, () => {
      expect(describeFault(compile(schema)(given) ?? [], 'body').nearest).toEqual(want);
    });
  }

  test('gives the examples of the form that was meant, among several', () => {
    const schema = { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^a', example: 'abc' }] };
    expect(describeFault(compile(schema)('x') ?? [], 'body').nearest).toEqual(['abc']);
  });
});
