import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { collectFindings } from '../failures/finding.ts';
import { createRedactor } from '../failures/redact.ts';
import type { RunResult } from '../run/run.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { formatSarif } from './sarif.ts';

// If these fail, a code scanning service rejects the file, or reports known failures as new ones.

// The schema of OASIS, without its draft 4 header: it has no keyword that later drafts read differently.
const {
  $schema: _,
  id: __,
  ...schema
} = createRequire(import.meta.url)('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, allErrors: true }).compile(
  schema,
);

const contract = contractOf({ '/a': { get: { operationId: 'read', responses: { 200: { description: 'OK' } } } } });

function findingsOf(severity: 'defect' | 'suspect', status = 200) {
  const redactor = createRedactor(contract);
  const findings = collectFindings({ ...redactor, excerptAt: contract.excerptAt });
  const failure = { check: 'http-law', severity, place: 'response 405 header Allow', pointer: '#/paths/~1a/get' };
  const texts = { keyword: 'allow-lists-refused', clause: 'RFC 9110 10.2.1', message: 'GET <b> was answered 405' };
  const exchange = exchangeOf(contract, { status, headers: { allow: 'GET', vary: 'a' }, body: '{"a":1}' });
  findings.add({ ...failure, ...texts, causes: [[severity]] }, exchange);
  findings.add({ ...failure, ...texts, pointer: '#/paths', causes: [[severity]] }, exchange);
  return findings.all();
}

function sarifOf(change: Partial<RunResult>, exitCode = 1) {
  const result = {
    title: 'T',
    contractFile: 'api (1)/a b.yaml',
    baseUrl: 'http://h',
    seed: 7,
    now: '',
    message: 'm',
    verdict: 'defects',
  };
  const lists = { findings: [], known: [], warnings: [], notTested: [], requests: 3, durationMs: 4 };
  const given = { ...result, ...lists, fix: undefined, ...change } as unknown as RunResult;
  const log = JSON.parse(formatSarif(given, { exitCode, contract, failures: [], root: process.cwd() }));
  expect(validate(log) ? [] : validate.errors).toEqual([]);
  return log.runs[0];
}

test('a rule is check and law, with the address of its clause and the fix', () => {
  const { tool } = sarifOf({ findings: findingsOf('defect') });
  expect(tool.driver.rules).toHaveLength(1);
  const [rule] = tool.driver.rules;
  expect(rule).toMatchObject({
    id: 'http-law/allow-lists-refused',
    name: 'HttpLawAllowListsRefused',
    shortDescription: { text: 'a 405 whose header Allow lists the rejected method' },
    helpUri: 'https://www.rfc-editor.org/rfc/rfc9110#section-10.2.1',
    defaultConfiguration: { level: 'error' },
  });
  expect(rule.help.text).toContain('Fix: Implement the method, or remove it from Allow.');
});

test('a result has its line of the contract, a stable fingerprint and the exchange', () => {
  const [finding] = findingsOf('defect');
  const [result, other] = sarifOf({ findings: [...findingsOf('defect'), ...findingsOf('suspect', 0)] }).results;
  expect(result).toMatchObject({
    ruleId: 'http-law/allow-lists-refused',
    level: 'error',
    partialFingerprints: { primaryLocationLineHash: `${finding?.id}:1`, 'finding/v1': finding?.id },
    webRequest: { method: 'GET', target: '/a' },
    webResponse: { statusCode: 200, headers: { allow: 'GET', vary: 'a' }, body: { text: '{ "a": 1 }' } },
  });
  expect(result.locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: 'api%20(1)/a%20b.yaml', uriBaseId: '%SRCROOT%' },
    region: { startLine: 1 },
  });
  expect(result.relatedLocations.map((one: { message: object }) => one.message)).toEqual([
    { text: 'read response 405 header Allow: GET <b> was answered 405' },
  ]);
  expect([other.level, other.suppressions]).toEqual(['warning', undefined]);
});

test('a known failure is suppressed with its reason', () => {
  const known = findingsOf('defect').map((one) => ({ ...one, known: { reason: 'comes with 4', until: '2026-12-31' } }));
  expect(sarifOf({ known }, 0).results[0].suppressions).toEqual([
    { kind: 'external', status: 'accepted', justification: 'comes with 4 (until 2026-12-31)' },
  ]);
});

test('a contract elsewhere has an address', () => {
  const uriOf = (contractFile: string): string =>
    sarifOf({ contractFile, findings: findingsOf('defect') }).results[0].locations[0].physicalLocation.artifactLocation;
  expect(uriOf('https://a/openapi.json')).toEqual({ uri: 'https://a/openapi.json' });
  expect(uriOf(join(process.cwd(), '../x y/api.yaml'))).toEqual({
    uri: expect.stringMatching(/^file:.*x%20y\/api.yaml$/),
  });
});

test('the invocation has the exit code, and what the run could not test', () => {
  const warnings = [{ message: 'No token.', fix: 'Pass --token.' }];
  const change = { warnings, notTested: ['paging'], verdict: 'nothing-tested', fix: 'Check --token.' } as const;
  const [invocation] = sarifOf(change, 2).invocations;
  expect(invocation).toMatchObject({ executionSuccessful: false, exitCode: 2, exitCodeDescription: 'm' });
  expect(invocation.toolExecutionNotifications).toEqual([
    { level: 'error', message: { text: 'm Check --token.' } },
    { level: 'warning', message: { text: 'No token. Pass --token.' } },
    { level: 'note', message: { text: 'Not tested: paging' } },
  ]);
  expect(sarifOf({ verdict: 'passed' }, 0).invocations[0]).toMatchObject({ executionSuccessful: true, exitCode: 0 });
});
