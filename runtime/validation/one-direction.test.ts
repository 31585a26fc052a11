import { describe, expect, test } from 'vitest';
import { readDirection } from './one-direction.ts';

const id = { type: 'string', readOnly: true };
const secret = { type: 'string', writeOnly: true };
const components = { schemas: { Id: id, Base: { properties: { id: { $ref: '#/components/schemas/Id' } } } } };

const cases = [
  {
    name: 'members of its own',
    schema: { required: ['id', 'secret', 'name'], properties: { id, secret } },
    request: { required: ['secret', 'name'] },
    response: { required: ['id', 'name'] },
  },
  {
    name: 'a member that another part describes',
    schema: { allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['id'] }] },
    request: { allOf: [{ $ref: '#/components/schemas/Base' }, { required: [] }] },
    response: {},
  },
  {
    name: 'a member further in',
    schema: { properties: { a: { items: { required: ['secret'], properties: { secret } } } } },
    request: {},
    response: { properties: { a: { items: { required: [], properties: { secret } } } } },
  },
  {
    name: 'no member of the same name further in',
    schema: { required: ['id'], properties: { a: { properties: { id } } } },
    request: {},
    response: {},
  },
];

describe('what does not travel this way is not required', () => {
  for (const { name, schema, request, response } of cases) {
    test(`${name}`, () => {
      const document = { components, given: { schema } };
      expect(readDirection(document, 'request')).toEqual({ components, given: { schema: { ...schema, ...request } } });
      expect(readDirection(document, 'response')).toEqual({
        components,
        given: { schema: { ...schema, ...response } },
      });
    });
  }

  test('a contract that marks nothing stays the same value', () => {
    const document = { schema: { required: ['a'], properties: { a: {} } } };
    expect(readDirection(document, 'request')).toBe(document);
  });
});
