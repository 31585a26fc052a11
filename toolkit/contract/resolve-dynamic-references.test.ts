import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveDynamicReferences } from './resolve-dynamic-references.ts';

type Schemas = Readonly<Record<string, unknown>>;

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const bind = (name: string, schema: object) => ({ [name]: { $dynamicAnchor: name, ...schema } });
const page = {
  properties: { items: { items: { $dynamicRef: '#item' } }, next: { type: 'string' } },
  $defs: bind('item', { type: 'object' }),
};
const pageOf = (name: string) => ({ ...to('Page'), $defs: bind('item', to(name)) });

const resolveSchemas = (schemas: Schemas): Schemas => {
  const resolved = resolveDynamicReferences({ components: { schemas } });
  return (resolved?.document.components as { schemas: Schemas } | undefined)?.schemas ?? {};
};

describe('a dynamic reference becomes a reference', () => {
  const items = (schemas: Schemas, name: string) => (schemas[name] as typeof page).properties.items.items;

  test.each<[string, Schemas]>([
    ['by definitions next to the reference', { Page: page, BookPage: pageOf('Book') }],
    [
      'by definitions in a part',
      { Page: page, BookPage: { allOf: [to('Page'), { $defs: bind('item', to('Book')) }] } },
    ],
    [
      'through a schema between',
      {
        Page: page,
        Envelope: { properties: { data: to('Page') } },
        BookPage: { ...pageOf('Book'), ...to('Envelope') },
      },
    ],
    [
      'by an anchor at any place of a schema with an $id',
      { Page: page, BookPage: { $id: 'book-page', ...to('Page'), properties: { one: bind('item', to('Book')).item } } },
    ],
    ['without a default in the page', { Page: { properties: page.properties }, BookPage: pageOf('Book') }],
  ])('%s', (_, schemas) => {
    const resolved = resolveSchemas({ ...schemas, Book: { type: 'object' } });
    expect(items(resolved, 'Page-Book')).toEqual(to('Book'));
    expect(JSON.stringify(resolved)).not.toContain('$dynamicAnchor');
  });

  test('to the default, if nothing replaces it', () => {
    const resolved = resolveSchemas({ Page: page });
    expect(Object.keys(resolved)).toEqual(['Page']);
    expect(items(resolved, 'Page')).toEqual(to('Page/$defs/item'));
  });

  test('in a response, once for each target, next to a component of the same name', () => {
    const content = (schema: object) => ({ 'application/json': { schema } });
    const resolved = resolveDynamicReferences({
      paths: {
        '/books': { get: { responses: { 200: { content: content(pageOf('Book')) } } } },
        '/all': {
          get: { responses: { 200: { content: content({ properties: { b: pageOf('Book'), a: pageOf('Author') } }) } } },
        },
      },
      components: { schemas: { Page: page, 'Page-Book': {}, Book: {}, Author: {} } },
    });
    const text = JSON.stringify(resolved?.document.paths);
    expect(text.match(/Page-\w+(-\d)?/g)).toEqual(['Page-Book-2', 'Page-Book-2', 'Page-Author']);
    expect(resolved?.originOf('#/components/schemas/Page-Author/properties/items')).toBe(
      '#/components/schemas/Page/properties/items',
    );
    expect(resolved?.originOf('#/components/schemas/Page/properties/items')).toBe(
      '#/components/schemas/Page/properties/items',
    );
  });

  test('to the extension of a tree, at every depth', () => {
    const tree = { $dynamicAnchor: 'node', properties: { children: { items: { $dynamicRef: '#node' } } } };
    const strict = { $dynamicAnchor: 'node', ...to('Tree'), unevaluatedProperties: false };
    const resolved = resolveSchemas({ Tree: tree, Strict: strict });
    expect(resolved.Tree).toEqual({ properties: { children: { items: to('Tree') } } });
    expect(resolved.Strict).toEqual({ ...to('Tree-Strict'), unevaluatedProperties: false });
    expect(resolved['Tree-Strict']).toEqual({ properties: { children: { items: to('Strict') } } });
  });

  test('inside a schema that a reference enters at a part', () => {
    const box = {
      not: { anyOf: [{ $dynamicRef: '#item' }, { $dynamicRef: '#other' }] },
      $defs: bind('item', to('Book')),
    };
    const part = { $ref: '#/components/schemas/Box/not', $defs: bind('other', to('Author')) };
    const resolved = resolveSchemas({ Page: page, Box: box, Part: part, Book: {}, Author: {} });
    expect(resolved['Box-Author']).toEqual({ anyOf: [to('Book'), to('Author')] });
  });

  test('to an $anchor of the same document, and by a pointer', () => {
    const schemas = { A: { $anchor: 'a' }, B: { $dynamicRef: '#a' }, C: { ...to('A'), $dynamicRef: to('B').$ref } };
    expect(resolveSchemas(schemas)).toEqual({ ...schemas, B: to('A'), C: { ...to('A'), allOf: [to('B')] } });
  });

  test('to any value, if several schemas have the name and none of them leads to it', () => {
    const schemas = { Page: { properties: page.properties }, BookPage: pageOf('Book'), AuthorPage: pageOf('Author') };
    expect(items(resolveSchemas(schemas), 'Page')).toEqual({});
  });
});

const names = ['A', 'B', 'C', 'D'];

/** Schemas that a value passes in at most as many steps as it has members. */
const schemas = fc.record(
  Object.fromEntries(
    names.map((own, index) => {
      const fixed = fc.constantFrom<object>({ type: 'string' }, { type: 'integer' }, ...names.map(to));
      const any = fc.oneof(fixed, fc.constantFrom({ $dynamicRef: '#x' }, { $dynamicRef: '#y' }));
      const members = fc.record({ a: any, b: any }, { requiredKeys: [] });
      const definitions = fc.record({ x: fixed, y: fixed }, { requiredKeys: [] });
      const next = fc.constantFrom({}, ...names.slice(index + 1).map(to));
      return [
        own,
        fc.tuple(next, members, definitions).map(([reference, properties, defs]) => {
          const bound = Object.entries(defs).map(([name, schema]) => bind(name, schema));
          // By the letter, a dynamic reference needs a default in its own resource.
          const defaults = ['x', 'y'].filter((name) => JSON.stringify(properties).includes(`#${name}`));
          const $defs = Object.assign({}, ...defaults.map((name) => bind(name, {})), ...bound);
          return { ...reference, properties, $defs };
        }),
      ];
    }),
  ),
);

const { value } = fc.letrec((tie) => {
  const member = fc.oneof({ maxDepth: 4 }, fc.constantFrom('', 0), tie('value'));
  return { value: fc.record({ a: member, b: member }, { requiredKeys: [] }) };
});

/** The judgement of a second validator on the schemas A to D, each a resource of its own. */
async function judge(schemas: Schemas, host: string, given: unknown): Promise<readonly boolean[]> {
  const addressOf = (name: string) => `https://${host}.example/${name}`;
  const text = JSON.stringify(schemas)
    .replaceAll('#/components/schemas/', addressOf(''))
    .replaceAll(/(example\/\w)\/\$defs/g, '$1#/$defs');
  const found: boolean[] = [];
  try {
    for (const [name, schema] of Object.entries(JSON.parse(text)))
      registerSchema(schema as boolean, addressOf(name), 'https://json-schema.org/draft/2020-12/schema');
    for (const name of names) found.push((await validate(addressOf(name), given as string)).valid);
  } finally {
    for (const name of Object.keys(schemas)) unregisterSchema(addressOf(name));
  }
  return found;
}

test('the resolved schemas accept the same values', () =>
  fc.assert(
    fc.asyncProperty(schemas, value, async (given, one) => {
      expect(await judge(resolveSchemas(given), 'resolved', one)).toEqual(await judge(given, 'given', one));
    }),
  ));
