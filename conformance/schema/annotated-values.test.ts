import { describe, expect, test } from 'vitest';
import { holdsSecrets, secretsIn } from './annotated-values.ts';

const secret = { type: 'string', writeOnly: true };
const self = { $ref: '#/S' };

function secretsAt(schema: unknown, value: unknown): string[] {
  return [...secretsIn({ S: schema } as never, '#/S', value)].map(({ at, sure }) => `${at}${sure ? '' : ' perhaps'}`);
}

describe('a secret is found wherever the schema has it', () => {
  const rows: readonly [string, unknown, unknown, readonly string[]][] = [
    ['a property', { properties: { a: secret, b: {} } }, { a: 'x', b: 'y' }, ['/a']],
    ['an item', { items: { properties: { a: secret } } }, [{ a: 1 }, {}, { a: 2 }], ['/0/a', '/2/a']],
    ['a fixed item, not the others', { prefixItems: [{}, secret], items: {} }, [1, 2, 3], ['/1']],
    ['the rest of the names', { properties: { a: {} }, additionalProperties: secret }, { a: 1, b: 2 }, ['/b']],
    ['names by a pattern', { patternProperties: { '^k': secret } }, { k1: 1, b: 2 }, ['/k1']],
    ['a branch', { oneOf: [{ properties: { a: secret } }, {}] }, { a: 1 }, ['/a perhaps']],
    ['JSON in a text', { contentSchema: { properties: { a: secret } } }, '{"a":1}', ['/a perhaps']],
    ['a schema that contains itself', { properties: { next: self, a: secret } }, { next: { a: 1 } }, ['/next/a']],
    [
      'a property that a composition holds too',
      { allOf: [{ properties: { a: secret } }], anyOf: [self] },
      { a: 1 },
      ['/a'],
    ],
  ];
  test.each(rows)('%s', (_, schema, value, want) => {
    expect(secretsAt(schema, value)).toEqual(want);
  });
});

test('a schema without a secret is recognized', () => {
  const root = {
    A: { properties: { b: { $ref: '#/B' } } },
    B: { properties: { a: { $ref: '#/A' } } },
    C: { items: secret },
  };
  expect(['#/A', '#/B', '#/C'].map((pointer) => holdsSecrets(root, pointer))).toEqual([false, false, true]);
});

test('branches that lead back to their parent are walked once for each location', () => {
  const tree = { writeOnly: true, anyOf: [1, 2, 3].map(() => ({ properties: { next: self } })) };
  const value = Array.from({ length: 40 }).reduce<unknown>((next) => ({ next }), {});
  expect([...secretsIn({ S: tree }, '#/S', value)].length).toBe(41);
});
