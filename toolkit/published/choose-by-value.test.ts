import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { chooseByValue } from './choose-by-value.ts';

const open = '#/components/schemas/OpenData';
const none = '#/components/schemas/NoData';
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const cases = [
  { values: ['open', '2'], schemas: { '/data': open } },
  { values: ['shut'], schemas: { '/data': none } },
  { values: ['look', '3'], schemas: { '/data': none } },
];

/** A contract of one operation with this body, this rule and these schemas. */
function makeDocument(
  schema: unknown,
  schemas: object,
  rule: object = { at: '$request.body#/kind', cases },
  paths = {},
) {
  const post = {
    operationId: 'do',
    responses: {},
    'x-by-value': [rule],
    requestBody: { content: { 'application/json': { schema } } },
  };
  const components = {
    schemas: {
      OpenData: { type: 'object', required: ['hours'], properties: { hours: { type: 'integer', example: 3 } } },
      NoData: { type: 'object', additionalProperties: false },
      ...schemas,
    },
  };
  return {
    openapi: '3.1.0',
    info: {},
    paths: { '/doors': { post }, ...paths },
    components,
  } as unknown as OpenApiDocument;
}

const kind = { enum: ['open', 'shut', 'look', 2, 3] };
const body = {
  type: 'object',
  required: ['kind'],
  properties: { kind, data: { type: 'object' }, note: { type: 'string' } },
};
const note = { type: 'string' };

const schemaOf = (document: OpenApiDocument) =>
  (
    document as unknown as {
      paths: Record<string, { post: { requestBody: { content: Record<string, { schema: unknown }> } } }>;
    }
  ).paths['/doors']?.post.requestBody.content['application/json']?.schema;

describe('chooseByValue', () => {
  test('makes a branch for each set of values that ask for the same schemas', () => {
    const chosen = chooseByValue(makeDocument({ ...body, description: 'A task.' }, {}));
    expect(schemaOf(chosen)).toEqual({
      description: 'A task.',
      oneOf: [
        {
          title: 'open',
          type: 'object',
          required: ['kind', 'data'],
          properties: { kind: { enum: ['open', 2], example: 'open' }, data: { $ref: open }, note },
        },
        {
          title: 'shut, look',
          type: 'object',
          required: ['kind'],
          properties: { kind: { enum: ['shut', 'look', 3], example: 'shut' }, data: { $ref: none }, note },
        },
      ],
    });
  });

  test('keeps the choice that a value had of its own, and its example where it still fits', () => {
    const given = {
      anyOf: [
        { type: 'string', enum: ['open', 'shut', 'look'] },
        { type: 'integer', enum: [2, 3] },
      ],
      example: 'look',
    };
    const chosen = chooseByValue(
      makeDocument({ ...body, properties: { ...body.properties, kind: ref('Kind') } }, { Kind: given }),
    );
    expect(schemaOf(chosen)).toMatchObject({
      oneOf: [
        {
          properties: {
            kind: {
              anyOf: [
                { type: 'string', enum: ['open'] },
                { type: 'integer', enum: [2] },
              ],
              example: 'open',
            },
          },
        },
        { properties: { kind: { anyOf: [{ enum: ['shut', 'look'] }, { enum: [3] }], example: 'look' } } },
      ],
    });
  });

  test('leaves out what no value is left of', () => {
    const given = {
      anyOf: [
        { type: 'string', enum: ['shut', 'look'] },
        { type: 'integer', enum: [2] },
      ],
    };
    const chosen = chooseByValue(makeDocument({ ...body, properties: { ...body.properties, kind: given } }, {}));
    expect(schemaOf(chosen)).toMatchObject({
      oneOf: [
        { properties: { kind: { anyOf: [{ enum: [2] }] } } },
        { properties: { kind: { anyOf: [{ enum: ['shut', 'look'] }] } } },
      ],
    });
  });

  test.each([
    {
      type: 'string',
      named: ['open', '2'],
      others: { type: 'string', not: { enum: ['open', '2', 'shut', 'look', '3'] } },
    },
    { type: 'integer', named: [2], others: { type: 'integer', not: { enum: [2, 3] } } },
    {
      type: ['string', 'integer'],
      named: ['open', '2', 2],
      others: { not: { enum: expect.arrayContaining(['3', 3]) } },
    },
  ])('takes the values as type $type has them, and leaves all others as they were', ({ type, named, others }) => {
    const chosen = chooseByValue(makeDocument({ ...body, properties: { ...body.properties, kind: { type } } }, {}));
    const { oneOf } = schemaOf(chosen) as { oneOf: { title: string; properties: { kind: object; data: object } }[] };
    expect(oneOf[0]?.properties.kind).toEqual({ type, enum: named });
    expect(oneOf.at(-1)).toMatchObject({ title: 'any other', properties: { kind: others, data: { type: 'object' } } });
  });

  test('leaves values of an enum that no case names in a branch of their own', () => {
    const given = { enum: ['open', 'shut', 'look', 'ring'] };
    const chosen = chooseByValue(makeDocument({ ...body, properties: { ...body.properties, kind: given } }, {}));
    expect(schemaOf(chosen)).toMatchObject({
      oneOf: [{}, {}, { title: 'any other', properties: { kind: { enum: ['ring'] } } }],
    });
  });

  test('reads a body behind a reference, and leaves that as it is for others', () => {
    const document = makeDocument(body, {}) as unknown as {
      paths: { '/doors': { post: { requestBody: object } } };
      components: object;
    };
    const { post } = document.paths['/doors'];
    Object.assign(document.components, { requestBodies: { Task: post.requestBody } });
    post.requestBody = { $ref: '#/components/requestBodies/Task' };
    const chosen = chooseByValue(document as unknown as OpenApiDocument);
    expect(schemaOf(chosen)).toMatchObject({ oneOf: [{ title: 'open' }, { title: 'shut, look' }] });
    expect(chosen.components?.requestBodies).toEqual(
      (document as unknown as OpenApiDocument).components?.requestBodies,
    );
  });

  test('names the schema of text that is parsed, with an example of it', () => {
    const data = {
      description: 'Data.',
      anyOf: [
        { type: 'string', maxLength: 9 },
        { ...ref('OpenData'), 'x-extension': true },
      ],
      example: 'x',
    };
    const chosen = chooseByValue(makeDocument({ ...body, properties: { ...body.properties, data } }, {}));
    const text = { type: 'string', maxLength: 9, contentSchema: { $ref: open }, example: '{"hours":3}' };
    expect(schemaOf(chosen)).toMatchObject({
      oneOf: [
        {
          properties: {
            data: { description: 'Data.', anyOf: [text, { $ref: open, 'x-extension': true }], example: '{"hours":3}' },
          },
        },
        { properties: { data: { anyOf: [{ contentSchema: { $ref: none }, example: '{}' }, { $ref: none }] } } },
      ],
    });
  });

  test('replaces a named schema where this body alone has it, so that its name stays good', () => {
    const chosen = chooseByValue(makeDocument(ref('Task'), { Task: body }));
    expect(schemaOf(chosen)).toEqual(ref('Task'));
    expect(chosen.components?.schemas?.Task).toMatchObject({ oneOf: [{ title: 'open' }, { title: 'shut, look' }] });
  });

  test('leaves a named schema as it is where something else has it too', () => {
    const chosen = chooseByValue(
      makeDocument(ref('Task'), { Task: body, Tasks: { type: 'array', items: ref('Task') } }),
    );
    expect(schemaOf(chosen)).toMatchObject({ oneOf: [{ title: 'open' }, { title: 'shut, look' }] });
    expect(chosen.components?.schemas?.Task).toEqual(body);
  });

  test.each([
    { name: 'a query', rule: { at: '$request.query.kind', cases } },
    { name: 'a place below a member', rule: { at: '$request.body#/a/kind', cases } },
    { name: 'scopes alone', rule: { at: '$request.body#/kind', cases: [{ values: ['open'], scopes: ['a'] }] } },
  ])('has nothing to say about $name', ({ rule }) => {
    const document = makeDocument(body, {}, rule);
    expect(chooseByValue(document)).toBe(document);
  });

  test('changes nothing of what it was given', () => {
    const document = makeDocument(ref('Task'), { Task: body });
    const before = structuredClone(document);
    chooseByValue(document);
    expect(document).toEqual(before);
  });

  describe('a member that is written plainer than it is', () => {
    const plainKind = { type: 'string', enum: ['open', 'shut', 'look'], 'x-exact': kind };
    const plain = { ...body, properties: { ...body.properties, kind: plainKind }, additionalProperties: false };

    test('is a discriminator of components, and the given schema is kept', () => {
      const chosen = chooseByValue(makeDocument(ref('Task'), { Task: { ...plain, description: 'A task.' } }));
      const schemas = (chosen.components as unknown as { schemas: Record<string, unknown> }).schemas;
      const [opened, others] = ['TaskWithOpenData', 'TaskWithNoData'].map((name) => ref(name).$ref);
      expect(schemas.Task).toEqual({
        description: 'A task.',
        oneOf: [{ $ref: opened }, { $ref: others }],
        discriminator: { propertyName: 'kind', mapping: { open: opened, shut: others, look: others } },
        'x-exact': { ...plain, description: 'A task.' },
      });
      expect(schemas.TaskWithOpenData).toMatchObject({
        required: ['kind', 'data'],
        properties: { kind: { type: 'string', enum: ['open'], example: 'open' }, data: { $ref: open }, note },
      });
      // A job without data has no member for them.
      expect(Object.keys((schemas.TaskWithNoData as { properties: object }).properties)).toEqual(['kind', 'note']);
    });

    test('stays a choice without a discriminator where it takes values that no case names', () => {
      const wide = { ...plain, properties: { ...plain.properties, kind: { ...plainKind, enum: ['open', 'else'] } } };
      const { components } = chooseByValue(makeDocument(ref('Task'), { Task: wide }));
      const { Task } = (components as unknown as { schemas: { Task: object } }).schemas;
      expect(Object.keys(Task)).toEqual(['oneOf', 'x-exact']);
    });
  });
});
