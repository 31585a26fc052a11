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
    reports: /requires b: no value is valid. It is ignored.$/,
  },
  {
    name: 'a closed schema around all its members',
    schema: { ...closed, allOf: [a] },
    want: { unevaluatedProperties: false, allOf: [a] },
    reports: /none is valid. It is read as unevaluatedProperties: false.$/,
  },
  {
    name: 'one whose parts require a member',
    schema: { ...closed, allOf: [{ ...a, required: ['a'] }] },
    want: { unevaluatedProperties: false, allOf: [{ ...a, required: ['a'] }] },
    reports: /none is valid. It is read as unevaluatedProperties: false.$/,
  },
  {
    name: 'one that is a part itself',
    schema: { allOf: [{ ...closed, allOf: [a] }, b] },
    want: { allOf: [{ allOf: [a] }, b] },
    reports: /none is valid. It is ignored.$/,
  },
  {
    name: 'no schema with members of its own',
    schema: { ...a, ...closed, allOf: [b] },
    want: { ...a, ...closed, allOf: [b] },
  },
])('opens $name', ({ schema, want, reports }) => {
  const reported: string[] = [];
  const root = { components: { schemas: { A: schema } } };
  expect(openClosedParts(root, (_, message) => reported.push(message))).toEqual({
    components: { schemas: { A: want } },
  });
  expect(reported).toEqual(reports === undefined ? [] : [expect.stringMatching(reports)]);
});
