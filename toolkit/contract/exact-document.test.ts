import { describe, expect, test } from 'vitest';
import { exactDocument } from './exact-document.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const read = (schema: unknown) => {
  const document = { openapi: '3.1.0', info: {}, components: { schemas: { A: schema } } } as unknown as OpenApiDocument;
  return (exactDocument(document) as unknown as { components: { schemas: { A: unknown } } }).components.schemas.A;
};

describe('exactDocument', () => {
  test.each([
    [
      'takes the place of what judges, and leaves what describes',
      {
        type: 'string',
        enum: ['a'],
        description: 'D',
        example: 'a',
        default: 'a',
        'x-rule': {},
        'x-exact': { anyOf: [{ const: 1 }] },
      },
      { description: 'D', example: 'a', default: 'a', 'x-rule': {}, anyOf: [{ const: 1 }] },
    ],
    [
      'replaces an annotation',
      { type: 'string', example: 'a', 'x-exact': { type: 'integer', example: 1 } },
      { type: 'integer', example: 1 },
    ],
    [
      'stands within itself',
      { 'x-exact': { properties: { a: { type: 'string', 'x-exact': { type: 'integer' } } } } },
      { properties: { a: { type: 'integer' } } },
    ],
    [
      'is a name like any other among properties, and in data',
      { properties: { 'x-exact': { type: 'string' } }, example: { 'x-exact': { type: 'integer' } } },
      { properties: { 'x-exact': { type: 'string' } }, example: { 'x-exact': { type: 'integer' } } },
    ],
    ['that is no schema is left', { type: 'string', 'x-exact': true }, { type: 'string', 'x-exact': true }],
  ])('%s', (_, given, want) => expect(read(given)).toEqual(want));
});
