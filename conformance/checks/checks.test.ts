import { describe, expect, test } from 'vitest';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { failureOf } from './checks.ts';

describe('a schema that breaks a norm is a finding with its pointer, its clause and the expectation', () => {
  const at = '#/components/schemas/A/properties/x';
  test.each<{ schema: object; version?: string; want: readonly [string, string, string, RegExp] }>([
    { schema: { type: 'str' }, want: ['suspect', '/type', 'validation, 6.1.1', /one of null, boolean/] },
    { schema: { type: [] }, want: ['suspect', '/type', 'validation, 6.1.1', /one of null, boolean/] },
    { schema: { type: 'str' }, version: '3.0.3', want: ['suspect', '/type', 'validation-00, 5.21', /one of null/] },
    { schema: { enum: [] }, want: ['suspect', '/enum', 'validation, 6.1.2', /List the values/] },
    { schema: { enum: [] }, version: '3.0.3', want: ['suspect', '/enum', 'validation-00, 5.20', /List the values/] },
    { schema: { enum: 'a' }, want: ['suspect', '/enum', 'validation, 6.1.2', /List the values/] },
    { schema: { $ref: '#/components/schemas/' }, want: ['suspect', '', 'RFC 6901 7', /has no target.*Correct/] },
    { schema: { minLength: -1 }, want: ['suspect', '/minLength', 'validation, 6.3.2', /non-negative integer/] },
    { schema: { maximum: '7' }, want: ['suspect', '/maximum', 'validation, 6.2.2', /a number/] },
    { schema: { pattern: '(' }, want: ['suspect', '/pattern', 'validation, 6.3.3', /ECMA-262/] },
    { schema: { pattern: 7 }, want: ['suspect', '/pattern', 'validation, 6.3.3', /ECMA-262/] },
    { schema: { items: 'text' }, want: ['suspect', '/items', 'core, 4.3', /an object or a boolean/] },
  ])('$schema of $version', ({ schema, version = '3.1.0', want }) => {
    const contract = contractOf(
      { '/a': { get: { responses: { 200: { description: 'OK' } } } } },
      { schemas: { A: { type: 'object', properties: { x: schema } } } },
      version,
    );
    const { judge } = contextOf(contract);
    judge.judge('#/components/schemas/A', 'response', { x: [1] });
    const [problem, ...more] = judge.problems();
    const failure = problem === undefined ? undefined : failureOf(problem);
    const [severity, pointer, clause, message] = want;
    expect([more, failure?.severity, failure?.pointer]).toEqual([[], severity, `${at}${pointer}`]);
    expect(failure?.clause).toContain(clause);
    expect(failure?.message).toMatch(message);
  });

  test('repeated ids are one cause', () => {
    const get = (operationId: string) => ({ get: { operationId, responses: { 200: { description: 'OK' } } } });
    const { problems } = contractOf({ '/a': get('x'), '/b': get('x'), '/c': get('yes'), '/d': get('yes') });
    const causes = problems.flatMap((problem) => failureOf(problem)?.causes.map(String) ?? []);
    expect([causes.length, new Set(causes).size]).toEqual([4, 2]);
  });

  test('names that differ are one cause', () => {
    const get = { get: { responses: { 200: { description: 'OK' } } } };
    const { problems } = contractOf({ '/a/{cup}': get, '/b/{saucer}': get });
    const shared = problems.map((problem) => String(failureOf(problem)?.causes.at(-1)));
    expect([shared.length, new Set(shared).size]).toEqual([2, 1]);
  });

  test('the same fault at nine places is one cause', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`p${index}`, { $ref: `#/components/schemas/None${index}` }]),
    );
    const contract = contractOf(
      { '/a': { get: { responses: { 200: { description: 'OK' } } } } },
      { schemas: { A: { properties } } },
    );
    const { judge } = contextOf(contract);
    judge.judge('#/components/schemas/A', 'response', {});
    const causes = judge.problems().map((problem) => JSON.stringify(failureOf(problem)?.causes));
    expect([causes.length, new Set(causes).size]).toEqual([9, 1]);
  });
});
