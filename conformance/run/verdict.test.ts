import { describe, expect, test } from 'vitest';
import { watchAddress } from '../circumstances/address.ts';
import type { Operation } from '../contract/contract.ts';
import { readContract } from '../contract/read-contract.ts';
import type { Answer, Exchange, Intent, NoAnswer } from '../execute/exchange.ts';
import type { Cut } from '../execute/queue.ts';
import { plainIntent } from '../seeded/apis.ts';
import { contractOf, exchangeOf as exchangeWith } from '../seeded/by-hand.ts';
import { createStatistics, explainUnreached, measureCoverage } from './statistics.ts';
import { exitCodes, judgeVerdict } from './verdict.ts';

const { operations } = readContract(
  'api.yaml',
  `
openapi: 3.1.0
info: {title: T, version: '1'}
servers: [{url: https://a.example}]
paths:
  /guarded: {get: {operationId: guarded, security: [{Key: []}], responses: {2XX: {description: Done}}}}
  /guarded2: {get: {operationId: guarded2, security: [{Key: []}], responses: {2XX: {description: Done}}}}
  /guarded3: {get: {operationId: guarded3, security: [{Key: []}], responses: {2XX: {description: Done}}}}
  /guarded4: {get: {operationId: guarded4, security: [{Key: []}], responses: {2XX: {description: Done}}}}
  /optional: {get: {operationId: optional, security: [{}, {Key: []}], responses: {2XX: {description: Done}}}}
  /open: {get: {operationId: open, responses: {2XX: {description: Done}}}}
  /token: {servers: [{url: https://b.example}], post: {operationId: token, responses: {2XX: {description: Done}}}}
`,
);

const probe = { checks: [], name: '', operation: 'guarded', role: 'case' };

/** The outcome of each operation: a status, or the reason for a missing answer. */
type Came = Readonly<Record<string, number | NoAnswer['reason']>>;

function judge(
  came: Came,
  tokenProblems: readonly string[] = [],
  cut?: Cut,
  ended?: string,
  findings: Parameters<typeof judgeVerdict>[0]['findings'] = [],
): ReturnType<typeof judgeVerdict> {
  const selected = operations.filter(({ id }) => id in came);
  const [counts, targets] = [createStatistics(), watchAddress()];
  for (const operation of selected) {
    const exchange = exchangeOf(operation, came[operation.id] ?? 0);
    counts.onExchange(exchange);
    targets.onExchange(exchange);
  }
  const { away, option } = targets.judged();
  const coverage = measureCoverage(selected, counts);
  const rest = { findings, cut, lost: undefined, tokenProblems, ended };
  return judgeVerdict({ ...rest, statistics: counts.all(), away, option, coverage });
}

function exchangeOf(operation: Operation, came: number | NoAnswer['reason']): Exchange {
  const outcome: Answer | NoAnswer =
    typeof came === 'number'
      ? { kind: 'answer', status: came, headers: [], body: Buffer.from(''), durationMs: 1 }
      : { kind: 'none', reason: came, message: came, durationMs: 1 };
  const request = {
    method: 'GET',
    base: `http://${operation.target}`,
    path: operation.path,
    headers: [],
    body: undefined,
  };
  const seen = { path: {}, query: {}, requestHeaders: {}, requestBody: undefined };
  return { operation, intent: plainIntent, request, outcome, seen, isPause: false, atMs: 1 };
}

describe('the verdict of a run', () => {
  const rows: readonly { name: string; came: Came; cut?: Cut; verdict: string; message?: RegExp }[] = [
    { name: 'all accepted', came: { guarded: 200, open: 204 }, verdict: 'passed', message: /^No defect found\.$/ },
    {
      name: 'one never accepted',
      came: { guarded: 200, open: 409 },
      verdict: 'passed',
      message: /, but 1 of 2 operations was never accepted: open\.$/,
    },
    {
      name: 'the only one never accepted',
      came: { open: 409 },
      verdict: 'nothing-tested',
      message: /^Nothing tested: 1 of 1 operation was never accepted: open\.$/,
    },
    {
      name: 'an undocumented redirect',
      came: { guarded: 200, open: 301 },
      verdict: 'passed',
      message: /, but 1 of 2 operations was never accepted: open\.$/,
    },
    { name: 'nothing sent', came: {}, verdict: 'nothing-tested', message: /no request could be sent/ },
    {
      name: 'only rejections of credentials',
      came: { guarded: 401 },
      verdict: 'nothing-tested',
      message: /answered only 401/,
    },
    {
      name: 'the same with an open operation',
      came: { guarded: 401, open: 200 },
      verdict: 'nothing-tested',
      message: /^Nothing tested of the operations that need credentials: /,
    },
    {
      name: 'the same with an operation of optional credentials',
      came: { guarded: 429, optional: 200 },
      verdict: 'nothing-tested',
    },
    { name: 'only rejections of rights', came: { guarded: 403 }, verdict: 'nothing-tested', message: /only 403/ },
    {
      name: 'rejections of credentials with answers that may come before them',
      came: { guarded: 401, guarded2: 500, guarded3: 404, guarded4: 302 },
      verdict: 'nothing-tested',
      message: /answered only 302, 401, 404, 500/,
    },
    {
      name: 'rejections of credentials with failed validation',
      came: { guarded: 401, guarded2: 422, guarded3: 400 },
      verdict: 'nothing-tested',
      message: /answered only 400, 401, 422/,
    },
    {
      name: 'a rejection about data',
      came: { guarded: 400 },
      verdict: 'nothing-tested',
      message: /never accepted/,
    },
    {
      name: 'an API that is away',
      came: { guarded: 'refused', open: 'refused' },
      verdict: 'unreachable',
      message: /\(http:\/\/api\)/,
    },
    { name: 'an API without a name', came: { guarded: 'unresolved' }, verdict: 'unreachable' },
    {
      name: 'an API that is away, with another server',
      came: { open: 'refused', token: 200 },
      verdict: 'unreachable',
    },
    {
      name: 'another server that is away, tested alone',
      came: { token: 'refused' },
      verdict: 'unreachable',
      message: /\(http:\/\/auth\)/,
    },
    { name: 'another server that is away, with an API', came: { open: 200, token: 'refused' }, verdict: 'passed' },
    { name: 'an API that went away', came: { guarded: 200, open: 'refused' }, verdict: 'passed' },
    {
      name: 'silence alone',
      came: { guarded: 'timeout' },
      verdict: 'nothing-tested',
      message: /no request was answered/,
    },
    {
      name: 'a budget that ended before the first answer',
      came: {},
      cut: 'time',
      verdict: 'nothing-tested',
      message: /the budget was spent before the first answer/,
    },
  ];
  test.each(rows)('$name: $verdict', ({ came, cut, verdict, message = /./ }) => {
    const judged = judge(came, [], cut);
    expect([judged.verdict, judged.message]).toEqual([verdict, expect.stringMatching(message)]);
    expect(judged.fix === undefined).toBe(verdict === 'passed');
  });
});

test.each([
  { path: '/a/{id}', statuses: [], isCut: false, message: 'no id for its path was found' },
  { path: '/a/{id}', statuses: [], isCut: true, message: 'the run stopped before its turn' },
  { path: '/a', statuses: [], isCut: false, message: 'the run stopped before its turn' },
  { path: '/a', statuses: [0], isCut: false, message: 'no request was answered' },
  { path: '/a/{id}', statuses: [404], isCut: false, message: 'valid requests were answered 404: no known id' },
  { path: '/a', statuses: [409, 0], isCut: false, message: 'valid requests were answered 409, or not at all' },
])('$path with $statuses was never accepted: $message', ({ path, statuses, isCut, message }) => {
  const [operation] = operations;
  if (operation === undefined) throw new Error('no operation');
  const rest = { requests: statuses.length, isAccepted: false, reasons: [] };
  expect(explainUnreached({ ...rest, operation: { ...operation, path }, statuses }, isCut)).toBe(message);
});

test.each<{ name: string; intent: Partial<Intent>; isAccepted: boolean }>([
  { name: 'a step of a story', intent: { phase: 'story', probe: { ...probe, role: 'create' } }, isAccepted: true },
  { name: 'a request without credentials', intent: { identity: 'anonymous', probe }, isAccepted: false },
  { name: 'an invalid request', intent: { polarity: 'invalid', probe }, isAccepted: false },
  { name: 'a request that may be invalid', intent: { polarity: 'grey', probe }, isAccepted: false },
])('$name that is accepted counts: $isAccepted', ({ intent, isAccepted }) => {
  const [operation] = operations;
  if (operation === undefined) throw new Error('no operation');
  const counts = createStatistics();
  counts.onExchange({ ...exchangeOf(operation, 200), intent: { ...plainIntent, ...intent } });
  expect(counts.of(operation).isAccepted).toBe(isAccepted);
});

test('the fix names the option of the unreachable host', () => {
  expect(judge({ open: 'refused' }).fix).toContain('--base-url');
  expect(judge({ token: 'refused' }).fix).toContain('--auth-url');
});

test('the first reason for a missing token is in the fix, with the number of others', () => {
  expect(judge({ guarded: 401 }, ['one', 'two', 'three']).fix).toMatch(/^No token: one \(and 2 more\)\. /);
  expect(judge({ guarded: 401 }, ['one']).fix).toMatch(/^No token: one\. /);
  expect(judge({ guarded: 401 }).fix).toMatch(/^Check --token/);
});

test('the reason for a missing token is in the fix if nothing was accepted, for any answers', () => {
  expect(judge({ guarded: 409 }, ['one']).fix).toMatch(/^No token: one\. /);
});

test('rejected credentials go before defects of their rejections', () => {
  const judged = judge({ guarded: 401 }, [], undefined, undefined, [{ severity: 'defect' }]);
  expect([judged.verdict, exitCodes[judged.verdict]]).toEqual(['nothing-tested', 2]);
});

test('a run that could not continue does not pass', () => {
  const judged = judge(
    { guarded: 200, open: 204 },
    [],
    undefined,
    'the deployment no longer accepts the credentials of the run.',
  );
  expect([judged.verdict, exitCodes[judged.verdict]]).toEqual(['cut-short', 2]);
  expect(judged.message).toContain('Cut short: the deployment no longer accepts the credentials of the run.');
});

test('each answer covers the one response that describes it', () => {
  const statuses = ['200', '4XX', '404', '5XX', 'default'];
  const responses = Object.fromEntries(statuses.map((status) => [status, { description: 'D' }]));
  const contract = contractOf({ '/a': { get: { operationId: 'a', responses } } });
  const seenBy = (...answered: readonly number[]) => {
    const counts = createStatistics();
    for (const status of answered) counts.onExchange(exchangeWith(contract, { status }));
    return measureCoverage(contract.operations, counts).operations[0]?.unseen;
  };
  expect(seenBy(200, 404)).toEqual(['4XX', '5XX', 'default']);
  expect(seenBy(201, 409)).toEqual(['200', '404', '5XX']);
});
