// Next to the toolkit and not in fixtures/, because test runs exclude fixtures/.
import { describe, expect, test } from 'vitest';
import { stripProse } from './fixtures/strip-prose.ts';

const info = { title: 'Untitled', version: '1' };

const table = [
  {
    name: 'keeps the version and replaces the title',
    given: { info: { title: 'Flowers', version: '1', summary: 's', contact: { name: 'n' }, license: { name: 'MIT' } } },
    want: { info },
  },
  {
    name: 'drops prose and every extension of an operation',
    given: {
      info,
      paths: { '/a': { get: { operationId: 'a', summary: 's', description: 'd', externalDocs: {}, 'x-any': 1 } } },
    },
    want: { info, paths: { '/a': { get: { operationId: 'a' } } } },
  },
  {
    name: 'keeps properties that are called like prose',
    given: {
      info,
      components: { schemas: { A: { title: 'A', properties: { title: { type: 'string', description: 'd' } } } } },
    },
    want: { info, components: { schemas: { A: { properties: { title: { type: 'string' } } } } } },
  },
  {
    name: 'keeps a header and a definition that are called like prose',
    given: { info, components: { headers: { example: { example: 1 } }, schemas: { A: { $defs: { summary: {} } } } } },
    want: { info, components: { headers: { example: {} }, schemas: { A: { $defs: { summary: {} } } } } },
  },
  {
    name: 'keeps defaults, constants and enums as written',
    given: {
      info,
      components: { schemas: { A: { default: { title: 't' }, const: { 'x-a': 1 }, enum: ['summary'] } } },
    },
    want: { info, components: { schemas: { A: { default: { title: 't' }, const: { 'x-a': 1 }, enum: ['summary'] } } } },
  },
  {
    name: 'describes responses by status, range and name',
    given: {
      info,
      paths: {
        '/a': { get: { responses: { 404: { description: 'Gone fishing' }, '5XX': {}, default: { $ref: '#/r' } } } },
      },
      components: {
        responses: { Teapot: { description: 'Short and stout', content: { 'text/plain': { example: 'x' } } } },
      },
    },
    want: {
      info,
      paths: {
        '/a': {
          get: {
            responses: {
              404: { description: 'Not Found' },
              '5XX': { description: 'Server Error' },
              default: { $ref: '#/r' },
            },
          },
        },
      },
      components: { responses: { Teapot: { description: 'Teapot', content: { 'text/plain': {} } } } },
    },
  },
  {
    name: 'keeps the names of scopes and drops their words',
    given: { info, components: { securitySchemes: { o: { flows: { password: { scopes: { read: 'may read' } } } } } } },
    want: { info, components: { securitySchemes: { o: { flows: { password: { scopes: { read: '' } } } } } } },
  },
  {
    name: 'keeps schemes that are named like prose in requirements',
    given: { info, security: [{ description: ['a'] }] },
    want: { info, security: [{ description: ['a'] }] },
  },
];

describe('stripProse', () => {
  for (const { name, given, want } of table) {
    test(name, () => {
      const before = structuredClone(given);
      const stripped = stripProse({ openapi: '3.1.0', ...given });
      expect(stripped).toEqual({ openapi: '3.1.0', ...want });
      expect(stripProse(stripped)).toEqual(stripped);
      expect(given).toEqual(before);
    });
  }
});
