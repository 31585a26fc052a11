import { describe, expect, test } from 'vitest';
import { contractOf } from '../seeded/by-hand.ts';
import { createJudge } from './create-judge.ts';
import type { Direction } from './dialect.ts';
import { createKeywordCoverage } from './keyword-coverage.ts';

const root = '#/components/schemas/Root';

/** The coverage of a schema `Root`, with other schemas of the same contract. */
function coverageOf(schemas: Readonly<Record<string, unknown>>, direction: Direction = 'request', version = '3.1.0') {
  const contract = contractOf({ '/a': { get: { responses: {} } } }, { schemas }, version);
  return createKeywordCoverage(contract, createJudge(contract), direction, []);
}

/** Places after `Root` where keywords are met and open, by valid values. */
function walked(
  schemas: Readonly<Record<string, unknown>>,
  values: readonly unknown[],
  direction?: Direction,
  version?: string,
) {
  const coverage = coverageOf(schemas, direction, version);
  for (const value of values) coverage.meet(root, () => value);
  const places = (isMet: boolean) =>
    coverage
      .list([root])
      .filter((one) => one.isMet === isMet)
      .map(({ pointer }) => pointer.replace('#/components/schemas/', ''));
  return { met: places(true), open: places(false) };
}

interface Row {
  readonly name: string;
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  readonly direction?: Direction;
  readonly version?: string;
  readonly met: readonly string[];
  readonly open: readonly string[];
}

const ring = { type: 'object', properties: { next: { $ref: '#/components/schemas/Root' } } };

describe('keywords of valid values', () => {
  test.each<Row>([
    {
      name: 'keywords of other types stay open',
      schemas: { Root: { type: ['string', 'integer'], minLength: 1, maximum: 9, pattern: 'a', format: 'date' } },
      values: ['a'],
      met: ['Root/type', 'Root/minLength', 'Root/pattern', 'Root/format'],
      open: ['Root/maximum'],
    },
    {
      name: 'keywords without effect are not counted',
      schemas: { Root: { minLength: 0, required: [], uniqueItems: false, additionalProperties: true, title: 'a' } },
      values: [{}],
      met: [],
      open: [],
    },
    {
      name: 'formats that nobody can break are not counted',
      schemas: { Root: { type: 'integer', format: 'int64' } },
      values: [1],
      met: ['Root/type'],
      open: [],
    },
    {
      name: 'members that were not sent stay open',
      schemas: {
        Root: {
          required: ['a'],
          properties: { a: { type: 'string' }, b: { maximum: 5 } },
          patternProperties: { '^x': { const: 1 } },
          additionalProperties: { minimum: 1 },
          propertyNames: { maxLength: 9 },
        },
      },
      values: [{ a: '', c: 3 }],
      met: [
        'Root/required',
        'Root/properties/a/type',
        'Root/additionalProperties/minimum',
        'Root/propertyNames/maxLength',
      ],
      open: ['Root/properties/b/maximum', 'Root/patternProperties/^x/const'],
    },
    {
      name: 'a closed object, a closed tuple and counts',
      schemas: { Root: { additionalProperties: false, minProperties: 1, items: false, prefixItems: [{ const: 1 }] } },
      values: [[1]],
      met: ['Root/items', 'Root/prefixItems/0/const'],
      open: ['Root/additionalProperties', 'Root/minProperties'],
    },
    {
      name: 'only branches that match count',
      schemas: {
        Root: {
          oneOf: [
            { type: 'string', maxLength: 3 },
            { type: 'number', maximum: 3 },
          ],
          allOf: [{ not: {} }],
        },
      },
      values: [1],
      met: ['Root/oneOf', 'Root/allOf/0/not', 'Root/oneOf/1/type', 'Root/oneOf/1/maximum'],
      open: ['Root/oneOf/0/type', 'Root/oneOf/0/maxLength'],
    },
    {
      name: 'conditions and dependencies',
      schemas: {
        Root: {
          if: { required: ['a'] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { maxProperties: 2 },
          else: { minProperties: 1 },
          dependentSchemas: { a: { maxProperties: 3 }, b: { maxProperties: 4 } },
        },
      },
      values: [{ a: 1 }],
      met: ['Root/then/maxProperties', 'Root/dependentSchemas/a/maxProperties'],
      open: ['Root/else/minProperties', 'Root/dependentSchemas/b/maxProperties'],
    },
    {
      name: 'a component counts once',
      schemas: {
        Root: { properties: { a: { $ref: '#/components/schemas/Id' }, b: { $ref: '#/components/schemas/Id' } } },
        Id: { type: 'string' },
      },
      values: [{ b: 'x' }],
      met: ['Id/type'],
      open: [],
    },
    {
      name: 'a schema that contains itself',
      schemas: { Root: { ...ring, required: ['next'], allOf: [{ $ref: '#/components/schemas/Root' }] } },
      values: [{ next: { next: {} } }],
      met: ['Root/type', 'Root/required'],
      open: [],
    },
    {
      name: 'a request leaves out what is read-only',
      schemas: {
        Root: { properties: { id: { type: 'string', readOnly: true }, key: { type: 'string', writeOnly: true } } },
      },
      values: [{ key: 'a' }],
      met: ['Root/properties/key/type'],
      open: [],
    },
    {
      name: 'an answer leaves out what is write-only, and has open enums',
      schemas: {
        Root: {
          properties: {
            id: { enum: ['a'], 'x-open-enum': true, minLength: 1 },
            key: { type: 'string', writeOnly: true },
          },
        },
      },
      values: [{ id: 'b' }],
      direction: 'response',
      met: ['Root/properties/id/minLength'],
      open: [],
    },
    {
      name: 'OpenAPI 3.0: nullable, exclusive bounds, siblings of a reference',
      schemas: {
        Root: { type: 'object', nullable: true, properties: { a: { $ref: '#/components/schemas/A', maxLength: 1 } } },
        A: { minimum: 5, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      },
      values: [null, { a: 6 }],
      version: '3.0.3',
      met: ['Root/type', 'A/exclusiveMinimum', 'A/maximum'],
      open: [],
    },
    {
      name: 'unevaluated properties',
      schemas: { Root: { unevaluatedProperties: false, unevaluatedItems: { type: 'string' }, properties: { a: {} } } },
      values: [{ a: 1 }],
      met: ['Root/unevaluatedProperties'],
      open: [],
    },
    {
      name: 'broken schemas',
      schemas: {
        Root: {
          allOf: 'all',
          properties: [1],
          anyOf: [1, null],
          items: 3,
          $ref: '#/nowhere',
          type: 5,
          maximum: 'high',
        },
      },
      values: [{ a: 1 }],
      met: ['Root/anyOf'],
      open: [],
    },
  ])('$name', ({ schemas, values, direction, version, met, open }) => {
    expect(walked(schemas, values, direction, version)).toEqual({ met, open });
  });
});

test('a value that breaks a keyword is recorded at its place, by the pointer of the keyword or of its schema', () => {
  const coverage = coverageOf({
    Root: { type: 'string', maxLength: 3, properties: { maxLength: { type: 'string' } } },
  });
  coverage.breakAt(`${root}/maxLength`, 'maxLength');
  coverage.breakAt(`${root}/properties/maxLength`, 'type');
  coverage.breakAt(`${root}/minLength`, 'minLength');
  const broken = coverage.list([root]).filter(({ isBroken }) => isBroken);
  expect(broken.map(({ pointer }) => pointer)).toEqual([`${root}/maxLength`, `${root}/properties/maxLength/type`]);
});

test('a parameter or header counts as present, even if its value could not be read', () => {
  const schemas = { Root: { type: 'string' } };
  const contract = contractOf({ '/a': { get: { responses: {} } } }, { schemas });
  const holder = { pointer: '#/components/parameters/P', required: true, schema: root };
  const metBy = (value: unknown) => {
    const coverage = createKeywordCoverage(contract, createJudge(contract), 'request', [holder]);
    coverage.meet(holder.pointer, () => value);
    return coverage.list([holder.pointer]).filter(({ isMet }) => isMet);
  };
  expect(metBy(undefined).map(({ pointer }) => pointer)).toEqual(['#/components/parameters/P/required']);
  expect(metBy('a').map(({ keyword }) => keyword)).toEqual(['required', 'type']);
});

test('places that were listed before are left out', () => {
  const coverage = coverageOf({ Root: { type: 'object', properties: { a: { type: 'string' } } } });
  const listed = new Set();
  expect(coverage.list([`${root}/properties/a`], listed)).toHaveLength(1);
  expect(coverage.list([root], listed).map(({ pointer }) => pointer)).toEqual([`${root}/type`]);
});

describe('large and hostile schemas', () => {
  test('each keyword of 10,000 nodes is listed and walked', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { maxLength: 9 }]),
    );
    const coverage = coverageOf({ Root: { properties, additionalProperties: { $ref: root } } });
    const countMet = (): number => coverage.list([root]).filter(({ isMet }) => isMet).length;
    const value = Object.fromEntries(Object.keys(properties).map((name) => [name, 'a']));
    coverage.meet(root, () => value);
    // One walk is bounded, so that a large body does not delay the run; the next one goes on.
    expect(countMet()).toBe(399);
    coverage.meet(root, () => value);
    expect(countMet()).toBe(798);
    expect(coverage.list([root])).toHaveLength(10_000);
  });

  test('schemas that refer to each other in every branch do not multiply the work', () => {
    const names = Array.from({ length: 12 }, (_, index) => `N${index}`);
    const all = ['Root', ...names].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const node = { type: 'object', anyOf: [...all, {}], properties: { a: { allOf: all }, b: { allOf: all } } };
    const schemas = Object.fromEntries(['Root', ...names].map((name) => [name, node]));
    const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => ({ a: inner, b: {} }), {});
    const { met } = walked(schemas, [deep]);
    expect(met).toHaveLength(26);
  });

  test('a deep value does not overflow the stack', () => {
    const deep = Array.from({ length: 5_000 }).reduce<unknown>((inner) => ({ next: inner }), {});
    expect(walked({ Root: { ...ring, maxProperties: 1 } }, [deep]).open).toEqual([]);
  });

  test('a deeply nested schema does not overflow the stack', () => {
    const schema = Array.from({ length: 500 }).reduce<unknown>((inner) => ({ items: inner }), { type: 'string' });
    expect(walked({ Root: schema }, []).open).toHaveLength(1);
  });
});
