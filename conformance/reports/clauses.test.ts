import { expect, test } from 'vitest';
import { checks } from '../checks/checks.ts';
import { addressOfClause } from './clauses.ts';

test('each clause of a norm has an address, and no other has one', () => {
  const laws = checks.flatMap((check) => Object.values(check.laws ?? {}).map(({ clause }) => clause));
  const without = laws.filter((clause) => addressOfClause(clause) === undefined);
  expect(without.filter((clause) => !/^(the contract|OWASP)/.test(clause))).toEqual([]);
  expect(without.length).toBeLessThan(laws.length / 2);
});

test.each([
  ['RFC 9110 15.5.14, 15.5.16', 'https://www.rfc-editor.org/rfc/rfc9110#section-15.5.14'],
  [
    'JSON Schema 2020-12, validation, 6.1.1',
    'https://json-schema.org/draft/2020-12/json-schema-validation#section-6.1.1',
  ],
  ['OpenAPI, Responses Object', 'https://spec.openapis.org/oas/v3.1.1.html#responses-object'],
  ['--slow', undefined],
])('%s', (clause, address) => {
  expect(addressOfClause(clause)).toBe(address);
});
