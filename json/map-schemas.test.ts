import { describe, expect, test } from 'vitest';
import { mapSchemas, type SchemaPlace } from './map-schemas.ts';

const seen = (document: object): string[] => {
  const places: string[] = [];
  mapSchemas({ ...document }, (schema, { pointer }: SchemaPlace) => {
    places.push(pointer);
    return schema;
  });
  return places;
};

const cases = [
  {
    name: 'a parameter and what stands in it',
    given: { parameters: [{ name: 'a', required: true, schema: { items: { type: 'string' } } }] },
    want: ['#/parameters/0/schema', '#/parameters/0/schema/items'],
  },
  {
    name: 'components, by whatever name',
    given: { components: { schemas: { schema: {}, 'a/b': {} }, responses: { schema: { content: { x: {} } } } } },
    want: ['#/components/schemas/schema', '#/components/schemas/a~1b'],
  },
  {
    name: 'members, and no data',
    given: { schema: { properties: { default: { default: { items: {} } }, enum: { enum: [{}] } } } },
    want: ['#/schema', '#/schema/properties/default', '#/schema/properties/enum'],
  },
  { name: 'no extension, and no example', given: { 'x-a': { schema: {} }, example: { schema: {} } }, want: [] },
  {
    name: 'none where a schema is true',
    given: { schema: { allOf: [true, {}] } },
    want: ['#/schema', '#/schema/allOf/1'],
  },
];

describe('mapSchemas', () => {
  for (const { name, given, want } of cases) {
    test(`finds ${name}`, () => expect(seen(given)).toEqual(want));
  }

  test('passes the whole that a part belongs to', () => {
    const member = { title: 'member' };
    const part = { title: 'part', properties: { a: { allOf: [member] } } };
    const whole = { allOf: [part] };
    const wholes: unknown[] = [];
    mapSchemas({ schema: whole }, (schema, place) => {
      wholes.push([schema.title, place.whole]);
      return schema;
    });
    expect(wholes).toEqual([
      [undefined, whole],
      ['part', whole],
      [undefined, part.properties.a],
      ['member', part.properties.a],
    ]);
  });

  test('shares what it does not change', () => {
    const document = { a: { schema: { type: 'string' } }, b: { schema: { type: 'null' }, c: [{}] } };
    const mapped = mapSchemas(document, (schema) => (schema.type === 'string' ? { type: 'integer' } : schema));
    expect(mapped).toEqual({ a: { schema: { type: 'integer' } }, b: document.b });
    expect(mapped.b).toBe(document.b);
    expect(mapSchemas(document, (schema) => schema)).toBe(document);
  });
});
