import { expect, test } from 'vitest';
import { checks } from '../checks/checks.ts';
import { addressOfClause, explainFinding, isContractChange } from './clauses.ts';

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

test('the texts of a check with several failures are those of the one that a finding shows', () => {
  const aboutOf = (check: string, keyword: string, clause = 'c') => explainFinding({ check, keyword, clause })?.about;
  expect(aboutOf('header-schema', 'required')).toMatch(/missing$/);
  expect(aboutOf('header-schema', 'minimum')).toMatch(/breaks its schema$/);
  expect(aboutOf('conditional', 'lost-update')).toMatch(/If-Match/);
  expect(aboutOf('tenant-leak', 'security', 'the contract, response 404')).toMatch(/parent/);
  expect(aboutOf('tenant-leak', 'security', 'OWASP API1:2023')).not.toMatch(/parent/);
});

test('advice about the server is no change of the contract', () => {
  const isChange = Object.fromEntries(checks.map(({ name, allow }) => [name, isContractChange(allow)]));
  expect(isChange).toMatchObject({ conditional: false, 'no-answer': false, 'put-repeat': false, 'put-partial': true });
});
