import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { upgradeDocument } from './upgrade-document.ts';

/** One schema as a component, before and after. */
function upgradeSchema(schema: object): unknown {
  const { document } = upgradeDocument({ openapi: '3.0.3', components: { schemas: { A: schema } } });
  return (document as { components: { schemas: { A: unknown } } }).components.schemas.A;
}

describe('a schema of 3.0 becomes one of 3.1:', () => {
  test.each([
    { name: 'nullable joins the type', given: { type: 'string', nullable: true }, want: { type: ['string', 'null'] } },
    { name: 'nullable: false goes', given: { type: 'string', nullable: false }, want: { type: 'string' } },
    {
      name: 'nullable joins the enum',
      given: { type: 'string', nullable: true, enum: ['a'] },
      want: { type: ['string', 'null'], enum: ['a', null] },
    },
    {
      name: 'an enum that has null already keeps its order',
      given: { type: 'string', nullable: true, enum: [null, 'a'] },
      want: { type: ['string', 'null'], enum: [null, 'a'] },
    },
    {
      name: 'nullable joins an enum without a type',
      given: { nullable: true, enum: ['a'] },
      want: { enum: ['a', null] },
    },
    { name: 'nullable alone goes', given: { nullable: true, description: 'Any' }, want: { description: 'Any' } },
    {
      name: 'a nullable composition is a choice, with what is said of it outside',
      given: {
        nullable: true,
        description: 'Owner',
        readOnly: true,
        'x-a': 1,
        allOf: [{ $ref: '#/components/schemas/B' }],
      },
      want: {
        description: 'Owner',
        readOnly: true,
        'x-a': 1,
        anyOf: [{ allOf: [{ $ref: '#/components/schemas/B' }] }, { type: 'null' }],
      },
    },
    {
      name: 'a type next to a nullable composition goes inside',
      given: { type: 'object', nullable: true, oneOf: [{ type: 'object' }], discriminator: { propertyName: 'kind' } },
      want: {
        anyOf: [
          { type: 'object', oneOf: [{ type: 'object' }], discriminator: { propertyName: 'kind' } },
          { type: 'null' },
        ],
      },
    },
    {
      name: 'a nullable anyOf has one more alternative',
      given: { nullable: true, anyOf: [{ type: 'string' }], title: 'T' },
      want: { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'T' },
    },
    {
      name: 'exclusive bounds take over the number',
      given: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
      want: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 },
    },
    {
      name: 'bounds that are not exclusive, or exclude nothing, stay or go',
      given: { minimum: 0, exclusiveMinimum: false, exclusiveMaximum: true },
      want: { minimum: 0 },
    },
    {
      name: 'binary is a media type',
      given: { type: 'string', format: 'binary', maxLength: 9 },
      want: { type: 'string', contentMediaType: 'application/octet-stream', maxLength: 9 },
    },
    {
      name: 'byte is an encoding',
      given: { type: 'string', format: 'byte', nullable: true },
      want: { type: ['string', 'null'], contentEncoding: 'base64' },
    },
    {
      name: 'another format stays',
      given: { type: 'integer', format: 'int64' },
      want: { type: 'integer', format: 'int64' },
    },
    {
      name: 'only annotations and extensions count next to a $ref',
      given: { $ref: '#/components/schemas/B', nullable: true, type: 'string', description: 'B', 'x-a': 1 },
      want: { $ref: '#/components/schemas/B', description: 'B', 'x-a': 1 },
    },
    {
      name: 'data stays as it is',
      given: {
        example: { nullable: true },
        default: { nullable: true },
        enum: [{ nullable: true }],
        'x-a': { nullable: true },
      },
      want: {
        example: { nullable: true },
        default: { nullable: true },
        enum: [{ nullable: true }],
        'x-a': { nullable: true },
      },
    },
    {
      name: 'members may be called as keywords are',
      given: {
        properties: { nullable: { type: 'string', nullable: true }, format: { type: 'string', format: 'byte' } },
      },
      want: {
        properties: { nullable: { type: ['string', 'null'] }, format: { type: 'string', contentEncoding: 'base64' } },
      },
    },
    {
      name: 'parts at any depth are upgraded',
      given: { items: { additionalProperties: { not: { allOf: [{ type: 'string', nullable: true }] } } } },
      want: { items: { additionalProperties: { not: { allOf: [{ type: ['string', 'null'] }] } } } },
    },
  ])('$name', ({ given, want }) => {
    const kept = structuredClone(given);
    const upgraded = upgradeSchema(given);
    expect(upgraded).toEqual(want);
    expect(Object.keys(upgraded as object)).toEqual(Object.keys(want));
    expect(given).toEqual(kept);
  });
});

test('schemas are found wherever a document has them, and nothing else is changed', () => {
  const schema = { type: 'string', nullable: true };
  const upgraded = { type: ['string', 'null'] };
  const media = (given: object) => ({ 'application/json': { schema: given, example: { schema } } });
  const make = (given: object, openapi: string) => ({
    openapi,
    info: { title: 'T', version: '1', 'x-schema': { schema } },
    paths: {
      '/a': {
        parameters: [{ name: 'schema', in: 'query', schema: given }],
        post: {
          requestBody: { content: media(given) },
          responses: { 200: { headers: { schema: { schema: given } }, content: media(given) } },
          callbacks: { done: { '{$request.body#/url}': { post: { requestBody: { content: media(given) } } } } },
        },
      },
    },
    components: {
      schemas: { schema: given },
      parameters: { schemas: { name: 'b', in: 'query', content: media(given) } },
      examples: { A: { value: { schema } } },
    },
  });
  expect(upgradeDocument(make(schema, '3.0.3')).document).toEqual(make(upgraded, '3.1.1'));
});

test('a document that has nothing to change shares all with the one before', () => {
  const paths = { '/a': { $ref: '#/paths/~1b', summary: 'A' }, '/b': { get: { responses: {} } } };
  expect((upgradeDocument({ openapi: '3.0.0', paths }).document as { paths: unknown }).paths).toBe(paths);
});

describe('what has moved', () => {
  const ref = (to: string) => ({ $ref: to });
  const a = '#/components/schemas/A';
  const { document, originOf } = upgradeDocument({
    openapi: '3.0.3',
    components: {
      schemas: {
        A: {
          nullable: true,
          description: 'A',
          allOf: [{ properties: { inner: { nullable: true, oneOf: [{ type: 'string' }, { type: 'integer' }] } } }],
        },
        B: ref(`${a}/allOf/0/properties/inner/oneOf/1`),
        C: ref(`${a}/allOf/0`),
        D: ref(a),
        E: ref(`${a}/allOf/0/properties/inner`),
        F: { example: ref(`${a}/allOf/0`) },
      },
    },
  });

  test('is found by references', () => {
    expect((document as { components: { schemas: object } }).components.schemas).toMatchObject({
      B: ref(`${a}/anyOf/0/allOf/0/properties/inner/anyOf/0/oneOf/1`),
      C: ref(`${a}/anyOf/0/allOf/0`),
      D: ref(a),
      E: ref(`${a}/anyOf/0/allOf/0/properties/inner`),
      F: { example: ref(`${a}/allOf/0`) },
    });
  });

  test.each([
    [`${a}/anyOf/0/allOf/0/properties/inner/anyOf/0/oneOf/1`, `${a}/allOf/0/properties/inner/oneOf/1`],
    [`${a}/anyOf/0/allOf/0/properties/inner/anyOf/1`, `${a}/allOf/0/properties/inner`],
    [`${a}/anyOf/0`, a],
    [`${a}/description`, `${a}/description`],
    ['#/components/schemas/B', '#/components/schemas/B'],
  ])('%s stood at %s', (now, before) => {
    expect(originOf(now)).toBe(before);
  });
});

/** A second, slow validator of 3.0 schemas without any step to 3.1 (3.0.3, Schema Object). */
function isValidAs30(schema: Schema30, value: unknown): boolean {
  const composed = [schema.allOf, schema.anyOf, schema.oneOf].some((parts) => parts !== undefined);
  if (
    value === null &&
    schema.nullable === true &&
    (schema.type !== undefined || composed || schema.enum !== undefined)
  )
    return true;
  if (schema.type !== undefined && !isOfType(schema.type, value)) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    if (minimum !== undefined && (value < minimum || (exclusiveMinimum === true && value === minimum))) return false;
    if (maximum !== undefined && (value > maximum || (exclusiveMaximum === true && value === maximum))) return false;
  }
  const count = (parts: readonly Schema30[]) => parts.filter((part) => isValidAs30(part, value)).length;
  if (schema.allOf !== undefined && count(schema.allOf) < schema.allOf.length) return false;
  if (schema.anyOf !== undefined && count(schema.anyOf) === 0) return false;
  return schema.oneOf === undefined || count(schema.oneOf) === 1;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return type === typeof value;
}

interface Schema30 {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly allOf?: readonly Schema30[];
  readonly anyOf?: readonly Schema30[];
  readonly oneOf?: readonly Schema30[];
}

const values: readonly unknown[] = [null, 'a', 'b', 0, 1, 2, 0.5, true, {}];
/** Schemas of two levels: a part of a composition is composed of nothing. */
function schemasOf(parts: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema30> {
  const model = {
    type: fc.constantFrom('string', 'integer', 'number', 'object', 'boolean'),
    nullable: fc.boolean(),
    enum: fc.uniqueArray(fc.constantFrom<unknown>(null, 'a', 0, 1), { minLength: 1 }),
    minimum: fc.constantFrom(0, 1),
    maximum: fc.constantFrom(1, 2),
    exclusiveMinimum: fc.boolean(),
    exclusiveMaximum: fc.boolean(),
    ...parts,
  };
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Schema30>;
}
const some = fc.array(schemasOf({}), { minLength: 1, maxLength: 2 });
const schemas = schemasOf({ allOf: some, anyOf: some, oneOf: some });

/** A schema is compiled once for all values: compiling takes 9 ms. */
function takesTheSameValues(numRuns: number): void {
  const ajv = new Ajv2020({ strict: false });
  fc.assert(
    fc.property(schemas, (schema) => {
      const isValid = ajv.compile(upgradeSchema(schema) as object);
      ajv.removeSchema();
      for (const value of values) expect([value, isValid(value)]).toEqual([value, isValidAs30(schema, value)]);
    }),
    { numRuns },
  );
}

test('a schema takes the same values before and after', () => takesTheSameValues(200));
test('a thousand schemas take the same values before and after', { tags: ['full'] }, () => takesTheSameValues(1000));

test('a path item keeps the members next to its reference, in a callback too', () => {
  const item = { $ref: '#/paths/~1b', post: { responses: { 200: { description: 'OK' } } } };
  const callbacks = { told: { '{$request.body#/url}': item } };
  const given = { openapi: '3.0.3', paths: { '/a': { get: { callbacks } }, '/b': item }, components: { callbacks } };
  expect(upgradeDocument(given).document).toEqual({ ...given, openapi: '3.1.1' });
});
