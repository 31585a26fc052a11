import { describe, expect, test } from 'vitest';
import { tameSchemas } from './tame-schemas.ts';

const cases = [
  { name: 'a long list', given: { type: 'array', maxItems: 300 }, want: { type: 'array', maxItems: 3 } },
  { name: 'a list without bound', given: { type: 'array' }, want: { type: 'array', maxItems: 3 } },
  {
    name: 'a list that may be null',
    given: { type: ['array', 'null'] },
    want: { type: ['array', 'null'], maxItems: 3 },
  },
  { name: 'a short list', given: { type: 'array', maxItems: 2 }, want: { type: 'array', maxItems: 2 } },
  {
    name: 'a list that needs more',
    given: { type: 'array', minItems: 7, maxItems: 9 },
    want: { type: 'array', minItems: 7, maxItems: 7 },
  },
  { name: 'a list further in', given: { a: [{ b: { maxItems: 9 } }] }, want: { a: [{ b: { maxItems: 3 } }] } },
  { name: 'an example, left as it is', given: { example: { maxItems: 9 } }, want: { example: { maxItems: 9 } } },
  {
    name: 'properties named as keywords are',
    given: { properties: { example: { maxItems: 9 }, maxItems: { type: 'integer' } } },
    want: { properties: { example: { maxItems: 3 }, maxItems: { type: 'integer' } }, additionalProperties: false },
  },
  {
    name: 'an object whose other members are described',
    given: { a: { properties: { b: {} }, additionalProperties: { type: 'string' } } },
    want: { a: { properties: { b: {} }, additionalProperties: { type: 'string' } } },
  },
  {
    name: 'a list in a response by default',
    given: { responses: { default: { schema: { maxItems: 9 } } } },
    want: { responses: { default: { schema: { maxItems: 3 } } } },
  },
  {
    name: 'text of a format and a pattern',
    given: { a: { format: 'date', pattern: '^2', example: '2026-11-21' } },
    want: { a: { example: '2026-11-21', enum: ['2026-11-21'] } },
  },
  {
    name: 'a pattern of more text than memory holds',
    given: {
      a: { type: 'string', pattern: '^((a{1000}){1000}){1000}$' },
      b: { patternProperties: { '(b{9}){1,99999}': {} } },
    },
    want: { a: { type: 'string' }, b: {} },
  },
  { name: 'a length of more', given: { a: { minLength: 1e9, maxLength: 1e9 } }, want: { a: {} } },
  {
    name: 'a pattern without end',
    given: { a: { pattern: '^[a-z]+@[a-z]+$' } },
    want: { a: { pattern: '^[a-z]+@[a-z]+$' } },
  },
  {
    name: 'text of a format alone',
    given: { a: { format: 'date', example: '2026-11-21' } },
    want: { a: { format: 'date', example: '2026-11-21' } },
  },
];

describe('tameSchemas', () => {
  for (const { name, given, want } of cases) {
    test(`takes ${name}`, () => expect(tameSchemas({ given })).toEqual({ given: want }));
  }
});
