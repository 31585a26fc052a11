import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { Answer, NoAnswer, NumberedExchange, OutgoingRequest } from '../execute/exchange.ts';
import { plainIntent } from '../seeded/apis.ts';
import { contextOf } from '../seeded/by-hand.ts';
import { noAnswer, serverError } from './server-failure.ts';

const contract = readContract(
  'api.yaml',
  `
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /plain: {get: {operationId: plain, responses: {'200': {}}}, post: {operationId: make, responses: {'200': {}}}}
  /exact: {get: {operationId: exact, responses: {'500': {}, '501': {}, '502': {}, '503': {}, '504': {}}}}
  /range: {get: {operationId: range, responses: {5XX: {}}}}
`,
);
const context = contextOf(contract);

type Outcome = number | NoAnswer['reason'];

function outcomeOf(outcome: Outcome, body: string): Answer | NoAnswer {
  if (typeof outcome === 'string') return { kind: 'none', reason: outcome, message: 'nothing came', durationMs: 1 };
  return { kind: 'answer', status: outcome, headers: [], body: Buffer.from(body), durationMs: 1 };
}

/** An exchange, and a repeat of the request alone if a second outcome is given. */
function traceOf(id: string, first: Outcome, again?: Outcome, body = ''): readonly NumberedExchange[] {
  const operation = contract.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`no ${id}`);
  const request: OutgoingRequest = { method: 'GET', base: '', path: operation.path, headers: [], body: undefined };
  const exchange = (outcome: Outcome, number: number): NumberedExchange => ({
    operation,
    intent: plainIntent,
    request,
    outcome: outcomeOf(outcome, body),
    seen: { path: {}, query: {}, requestHeaders: {}, requestBody: undefined },
    isPause: false,
    atMs: 0,
    number,
  });
  return [exchange(first, 1), ...(again === undefined ? [] : [{ ...exchange(again, 2), isAlone: true }])];
}

function severitiesOf(check: typeof serverError, trace: readonly NumberedExchange[]): readonly string[] {
  return check
    .judge(trace, context)
    .flatMap(({ failures }) => failures)
    .map(({ severity }) => severity);
}

describe('a 5xx that occurs again when repeated alone', () => {
  /** Statuses that are defects of an operation that documents none of them, each of them, or a range. */
  const rows: readonly { operation: string; defects: readonly number[] }[] = [
    { operation: 'plain', defects: [500, 502, 503, 504, 507] },
    { operation: 'exact', defects: [500, 502, 504, 507] },
    { operation: 'range', defects: [500, 502, 504, 507] },
  ];
  test.each(rows)('$operation: $defects are defects, documented or not', ({ operation, defects }) => {
    const statuses = [200, 404, 499, 500, 501, 502, 503, 504, 507];
    const isDefect = (status: number) =>
      severitiesOf(serverError, traceOf(operation, status, status)).includes('defect');
    expect(statuses.filter(isDefect)).toEqual(defects);
  });
});

test.each([
  { first: 500, again: 200, body: '', want: ['suspect'] },
  { first: 500, again: 404, body: '', want: ['suspect'] },
  { first: 500, again: 502, body: '', want: ['defect'] },
  { first: 500, again: 'reset', body: '', want: ['defect'] },
  { first: 503, again: 200, body: '', want: [] },
  { first: 503, again: 404, body: '', want: [] },
  { first: 502, again: undefined, body: '', want: ['suspect'] },
  { first: 501, again: undefined, body: '', want: ['warning'] },
  { first: 500, again: 500, body: 'Actions are disabled on this instance', want: ['warning'] },
  { first: 503, again: 503, body: '{"error":"search is not configured"}', want: ['warning'] },
  {
    first: 500,
    again: 500,
    body: "TypeError: '<' not supported between instances of 'int' and 'str'",
    want: ['defect'],
  },
  { first: 500, again: 500, body: "unsupported operand type(s) for +: 'int' and 'str'", want: ['defect'] },
  { first: 500, again: 500, body: '{"message":"getaddrinfo EAI_AGAIN registry.example"}', want: ['suspect'] },
  { first: 500, again: 500, body: `{"detail":"Can't resolve hostname peer.example"}`, want: ['suspect'] },
  { first: 503, again: 503, body: 'Service Unavailable: no broker', want: ['suspect'] },
  {
    first: 500,
    again: 500,
    body: 'Traceback (most recent call last):\n  File "/a.py", line 1, in x\nfeature is disabled',
    want: ['defect'],
  },
] as const)('$first, and $again when sent again alone ($body): $want', ({ first, again, body, want }) => {
  expect(severitiesOf(serverError, traceOf('plain', first, again, body))).toEqual(want);
});

test.each([
  { first: 'reset', again: 'reset', want: ['defect'] },
  { first: 'truncated', again: 200, want: ['suspect'] },
  { first: 'timeout', again: 'timeout', want: ['defect'] },
  { first: 'timeout', again: undefined, want: ['suspect'] },
  { first: 'refused', again: undefined, want: [] },
] as const)('$first, and $again when sent again alone: $want', ({ first, again, want }) => {
  expect(severitiesOf(noAnswer, traceOf('plain', first, again))).toEqual(want);
});

describe('a 5xx about a missing part of the environment is only inconclusive', () => {
  test.each([
    '{"message":"getaddrinfo EAI_AGAIN registry.example"}',
    '{"detail":"Can\'t resolve hostname peer.example"}',
    'socket.gaierror: [Errno -2] Name or service not known',
    'dial tcp: lookup db.example on 127.0.0.1:53: no such host',
    'java.net.UnknownHostException: smtp.example',
    'connect ECONNREFUSED 127.0.0.1:6379',
    '[Errno 111] Connection refused',
    'connect ETIMEDOUT 192.0.2.7:443',
    'HTTPSConnectionPool(host=peer.example): Max retries exceeded with url',
    'spawn ffmpeg ENOENT',
    'exec: "git": executable file not found in $PATH',
    'Cannot run program "convert"',
    'sh: pandoc: command not found',
    'Pairing Information Not Available Yet',
    'The index is still loading',
    'Network is unreachable',
  ])('%s', (body) => {
    expect(severitiesOf(serverError, traceOf('plain', 500, 500, body))).toEqual(['suspect']);
    expect(severitiesOf(serverError, traceOf('plain', 503, 503, body))).toEqual(['suspect']);
  });

  test.each([
    'Internal Server Error',
    "'NoneType' object has no attribute 'host'",
    'list index out of range',
    "Field 'id' expected a number but got 'conform-1'.",
    'no such table: hosts',
    'invalid input syntax for type integer: "x"',
    'cannot find module ./host',
    'the value is not available in the enum Colour',
  ])('but not: %s', (body) => {
    expect(severitiesOf(serverError, traceOf('plain', 500, 500, body))).toEqual(['defect']);
  });
});

describe('an unrepeated request is judged by another request of the operation', () => {
  const [post] = traceOf('make', 500);
  test.each([
    { times: 1, isUndisturbed: true, want: 'suspect', suffix: 'it was not repeated, and the failure may be temporary' },
    { times: 2, isUndisturbed: false, want: 'suspect', suffix: 'each time other requests were in flight' },
    { times: 2, isUndisturbed: true, want: 'defect', suffix: 'while no other request was in flight' },
  ])('500, $times times in all, undisturbed: $isUndisturbed, is a $want', ({ times, isUndisturbed, want, suffix }) => {
    const trace = post === undefined ? [] : [{ ...post, isUndisturbed }];
    const [failure] = serverError
      .judge(trace, { ...context, failedLike: () => times })
      .flatMap(({ failures }) => failures);
    expect(failure?.severity).toBe(want);
    expect(failure?.message).toMatch(new RegExp(`${suffix}$`));
  });

  test.each([
    { times: 1, want: 'suspect' },
    { times: 2, want: 'defect' },
  ])('a reset, $times times in all, is a $want', ({ times, want }) => {
    const found = noAnswer.judge(traceOf('make', 'reset'), { ...context, failedLike: () => times });
    expect(found.flatMap(({ failures }) => failures.map(({ severity }) => severity))).toEqual([want]);
  });
});

test('of several requests that fail alike in one turn, only the smallest is judged', () => {
  const [large] = traceOf('plain', 500).map((one) => ({ ...one, isSuperseded: true }));
  if (large === undefined) throw new Error('no trace');
  const trace = [large, ...traceOf('plain', 500, 500)];
  const verdicts = serverError.judge(trace, context);
  expect(verdicts.map(({ exchange }) => exchange)).toEqual([trace[1]]);
  expect(noAnswer.judge([{ ...large, outcome: outcomeOf('reset', '') }], context)).toEqual([]);
});

test('a word of the request that the page of each failure has by chance makes no second cause', () => {
  const page = '<title>500</title> the name of the server is unknown';
  const causes = ['title', 'server', 'none of them'].map((word) => {
    const trace = traceOf('plain', 500, 500, page).map((one) => ({
      ...one,
      seen: { ...one.seen, query: { q: word } },
    }));
    return serverError.judge(trace, context).flatMap(({ failures }) => failures.flatMap((one) => one.causes));
  });
  const [first = [], ...others] = causes.map((own) => own.map((cause) => JSON.stringify(cause)));
  for (const other of others) expect(first.some((cause) => other.includes(cause))).toBe(true);
});
