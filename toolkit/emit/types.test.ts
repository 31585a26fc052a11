import { expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { deriveTypes } from '../derive.ts';

const typesOf = async (schemas: object): Promise<string> => {
  const document = { openapi: '3.1.1', info: { title: 'T', version: '1' }, paths: {}, components: { schemas } };
  return deriveTypes(await readContract('contract.json', { text: JSON.stringify(document) }));
};

test('a component that is a list of itself is typed as a list of unknown values', async () => {
  const value = { oneOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/components/schemas/Value' } }] };
  const tree = {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
  };
  const types = await typesOf({ Value: value, Tree: tree });
  expect(types).toContain('Value: string | unknown[];');
  expect(types).toContain('children?: components["schemas"]["Tree"][];');
});

test('the definitions of a schema are no members of its values', async () => {
  const list = { type: 'object', properties: { first: { $ref: '#/components/schemas/List/$defs/item' } } };
  const types = await typesOf({ List: { ...list, $defs: { item: { type: 'string' } } } });
  expect(types).toContain('List: {\n            first?: components["schemas"]["List/$defs/item"];\n        };');
  expect(types).toContain('"List/$defs/item": string;');
});

test('an enum of texts under the type object is typed by its values', async () => {
  expect(await typesOf({ Push: { type: 'object', enum: ['PUSH', 'DONT_PUSH'] } })).toContain(
    'Push: "PUSH" | "DONT_PUSH";',
  );
});
