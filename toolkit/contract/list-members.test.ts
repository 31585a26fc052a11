import { expect, test } from 'vitest';
import { listMembers } from './list-members.ts';

test('a part of several parts is listed once', () => {
  const levels = Array.from({ length: 60 }, (_, level) => {
    const $ref = `#/components/schemas/A${level}`;
    return [`A${level + 1}`, { allOf: [{ $ref }, { $ref }] }] as const;
  });
  const schemas = { A0: { properties: { a: {} } }, ...Object.fromEntries(levels) };
  const value = { allOf: [{ $ref: '#/components/schemas/A60' }] };
  const members = listMembers({ components: { schemas } } as never, { value, pointer: '#' });
  expect(members.map(({ name }) => name)).toEqual(['a']);
});
