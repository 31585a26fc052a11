import { expect, test } from 'vitest';
import { openClosedParts } from './open-closed-parts.ts';

const closed = { additionalProperties: false };
const a = { properties: { a: {} } };
const b = { properties: { b: {} } };

test.each([
  {
    name: 'a part that rejects what another one requires',
    schema: {
      allOf: [
        { ...a, ...closed },
        { ...b, required: ['b'] },
      ],
    },
    want: { allOf: [a, { ...b, required: ['b'] }] },
  },
  {
    name: 'a closed schema around all its members',
    schema: { ...closed, allOf: [a] },
    want: { unevaluatedProperties: false, allOf: [a] },
  },
  {
    name: 'one that is a part itself',
    schema: { allOf: [{ ...closed, allOf: [a] }, b] },
    want: { allOf: [{ allOf: [a] }, b] },
  },
  {
    name: 'no schema with members of its own',
    schema: { ...a, ...closed, allOf: [b] },
    want: { ...a, ...closed, allOf: [b] },
  },
])('opens $name', ({ schema, want }) => {
  const reported: string[] = [];
  const root = { components: { schemas: { A: schema } } };
  expect(openClosedParts(root, (pointer) => reported.push(pointer))).toEqual({ components: { schemas: { A: want } } });
  expect(reported.length).toBe(want === schema || JSON.stringify(want) === JSON.stringify(schema) ? 0 : 1);
});
