import { expect, test } from 'vitest';
import { collectFindings } from '../failures/finding.ts';
import { createRedactor } from '../failures/redact.ts';
import type { RunResult } from '../run/run.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { formatHtml } from './html.ts';

// If these fail, an answer or a contract can run a script in the browser of a reader, or the page asks the network for something.

const hostile = '</script><script>alert(1)</script><!--\u202e<img src=x onerror=alert(2)>';
const contract = contractOf({
  '/v1/a/{id}': { get: { operationId: 'read', summary: hostile, responses: { 200: { description: hostile } } } },
  '/v1/b': { get: { operationId: 'list', responses: { 200: { description: 'OK' } } } },
});

function pageOf(change: Partial<RunResult> = {}): string {
  const findings = collectFindings({ ...createRedactor(contract), excerptAt: contract.excerptAt });
  const failure = {
    check: 'http-law',
    severity: 'defect',
    keyword: 'allow-lists-refused',
    clause: 'RFC 9110 10.2.1',
  } as const;
  const place = 'response 405 header Allow';
  const exchange = exchangeOf(contract, { status: 405, headers: { allow: hostile }, body: hostile });
  findings.add({ ...failure, place, pointer: '#/paths/~1v1~1a~1{id}', message: hostile, causes: [['a']] }, exchange);
  const open = { pointer: '#', keyword: undefined, polarity: 'valid' } as const;
  const result = {
    ...{
      title: hostile,
      contractFile: hostile,
      baseUrl: 'http://h',
      seed: 1,
      now: '2026-01-02T03:04:05.678Z',
      message: 'm',
    },
    ...{ findings: findings.all(), known: [], warnings: [{ message: hostile, fix: hostile }], notTested: [hostile] },
    obligations: [
      { ...open, id: '1', operation: 'read', check: 'http-law', place: 'every answer', state: 'violated' },
      { ...open, id: '2', operation: 'read', check: 'body-schema', place: 'p', state: 'not reached', reason: 'r' },
      { ...open, id: '3', operation: 'read', check: 'body-schema', place: 'q', state: 'not reached', reason: 'r' },
      { ...open, id: '4', operation: 'list', check: 'http-law', place: 'every answer', state: 'met' },
    ],
    coverage: {
      operations: ['read', 'list'].map((operation) => ({
        operation,
        isReached: true,
        requests: 2,
        seen: [200],
        unseen: [],
      })),
      ...{ reached: 2, responses: 2, responsesSeen: 2, parts: [], requestKeywords: [], responseKeywords: [] },
    },
    ...{ phases: ['baseline', 'auth'], requests: 4, durationMs: 1234, fix: undefined },
    ...change,
  };
  return formatHtml(result as unknown as RunResult, { exitCode: 1, contract, failures: [], root: '' });
}

const dataOf = (page: string) => JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '');

test('markup of an answer and of the contract is only in JSON, where it closes nothing', () => {
  const page = pageOf();
  expect(page.match(/<\/?(script|style|img)\b|<!--/g)).toEqual([
    '<style',
    '</style',
    '<script',
    '</script',
    '<script',
    '</script',
  ]);
  const [finding] = dataOf(page).findings;
  expect(finding.message).toBe(hostile.replace('\u202e', '\\u202e'));
  expect(finding.exchanges[0].answer.body.lines).toEqual([finding.message]);
});

test('the policy allows the one style and the one script, and nothing from the network', () => {
  const page = pageOf();
  const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'$/,
  );
  expect(page.replaceAll('src=x', '').match(/\bsrc(set)?=|@import|\burl\(/g)).toBe(null);
});

test('an operation has its checks as counts, and its reasons with places', () => {
  const { operations, checks, reasons, rules, facts } = dataOf(pageOf());
  const [read, list] = operations;
  expect([checks, reasons]).toEqual([['http-law', 'body-schema'], ['r']]);
  expect(read).toMatchObject({ method: 'GET', path: '/v1/a/{id}', group: '/a' });
  expect(read.checks).toEqual([
    [0, 0, 1, 0],
    [1, 0, 0, 2],
  ]);
  expect(read.open).toEqual([[0, 2, ['body-schema p', 'body-schema q']]]);
  expect([list.group, list.checks]).toEqual(['/b', [[0, 1, 0, 0]]]);
  expect(rules[0]).toMatchObject({ name: 'http-law allow-lists-refused', fix: expect.stringContaining('Allow') });
  expect(Object.fromEntries(facts)).toMatchObject({ phases: 'baseline, auth', time: '1.23 s', requests: '4' });
});

test('a violation counts once, at the operation of the finding that shows it', () => {
  const [finding] = dataOf(pageOf()).findings;
  const [read, list] = dataOf(pageOf({ findings: [{ ...finding, operations: ['list'] }] })).operations;
  expect(list.checks).toEqual([[1, 1, 1, 0]]);
  expect(read.checks).toEqual([[0, 0, 0, 2]]);
  const { operations, reasons } = dataOf(pageOf({ findings: [] }));
  expect(operations[0].checks).toEqual([
    [0, 0, 0, 1],
    [1, 0, 0, 2],
  ]);
  expect(reasons).toContain('a failure that no finding shows');
});

test('the gravest finding is first, by kind and then by check', () => {
  const [finding] = dataOf(pageOf()).findings;
  const given = [
    { ...finding, severity: 'suspect', check: 'server-error' },
    { ...finding, check: 'http-law' },
    { ...finding, check: 'tenant-leak' },
  ];
  const { findings } = dataOf(pageOf({ findings: given }));
  expect(findings.map(({ check }: { check: string }) => check)).toEqual(['tenant-leak', 'http-law', 'server-error']);
});

test('an exchange names its account, and a finding lists the values tried at its place', () => {
  const [finding] = dataOf(pageOf()).findings;
  const [exchange] = finding.exchanges;
  const accounts = [
    { ...exchange, identity: 'own', curl: `curl -H 'key: '"$TOKEN" "$BASE"/a` },
    { ...exchange, identity: 'own', curl: 'curl "$BASE"/a' },
    { ...exchange, identity: 'second' },
  ];
  const obligations = ['a text', 'null'].map((value, index) => ({
    ...{ id: value, operation: 'read', check: 'invalid-accepted', pointer: '#', place: `body /n: ${value}` },
    state: index === 0 ? 'violated' : 'met',
  }));
  const given = { ...finding, check: 'invalid-accepted', place: 'body /n', exchanges: accounts };
  const change = { findings: [given], obligations } as unknown as Partial<RunResult>;
  const [shown] = dataOf(pageOf(change)).findings;
  expect(shown.exchanges.map(({ account }: { account: string }) => account)).toEqual([
    'first account',
    'no credentials',
    'second account',
  ]);
  expect(shown.places).toEqual({ violated: ['a text'], met: ['null'] });
});

test('known findings are apart from the others', () => {
  const page = pageOf();
  const [finding] = dataOf(page).findings;
  const known = [{ ...finding, known: { reason: 'later', until: '2026-12-31' } }];
  const unsure = [{ ...finding, severity: 'suspect' }];
  const { findings } = dataOf(pageOf({ findings: unsure, known }));
  expect(findings.map(({ kind }: { kind: string }) => kind)).toEqual(['inconclusive', 'known']);
});
