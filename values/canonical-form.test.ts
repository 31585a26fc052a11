import { expect, test } from 'vitest';
import { createCanonicalForm } from './canonical-form.ts';

const source = { leavesOut: 'writeOnly', resolve: () => ({ type: 'string' }) } as const;

test.each([
  { name: 'the same reference', schemas: [{ $ref: '#/A' }, { $ref: '#/A' }], isOne: true },
  { name: 'other references', schemas: [{ $ref: '#/A' }, { $ref: '#/B' }], isOne: false },
  {
    name: 'the same reference with members next to it',
    schemas: [{ $ref: '#/A' }, { $ref: '#/A', title: 'a' }],
    isOne: false,
  },
])('two schemas with $name have one node: $isOne, if the source shares references', ({ schemas, isOne }) => {
  const nodesOf = (form: ReturnType<typeof createCanonicalForm>) => new Set(schemas.map((schema) => form.join(schema)));
  expect(nodesOf(createCanonicalForm({ ...source, sharesReferences: true })).size).toBe(isOne ? 1 : 2);
  expect(nodesOf(createCanonicalForm(source)).size).toBe(2);
});
