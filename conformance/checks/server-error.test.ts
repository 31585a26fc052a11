import { expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import { plainIntent } from '../planted/apis.ts';
import { createJudge } from '../schema/create-judge.ts';
import { serverError } from './server-error.ts';

const contract = readContract(
  'api.yaml',
  `
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /plain: {get: {operationId: plain, responses: {'200': {}}}}
  /exact: {get: {operationId: exact, responses: {'500': {}, '501': {}, '502': {}, '503': {}, '504': {}}}}
  /range: {get: {operationId: range, responses: {5XX: {}}}}
`,
);

/** Statuses that are defects, of an operation that documents none, each by itself, or all as a range. */
const rows: readonly { operation: string; defects: readonly number[] }[] = [
  { operation: 'plain', defects: [500, 501, 502, 503, 504, 507] },
  { operation: 'exact', defects: [500, 502, 504, 507] },
  { operation: 'range', defects: [500, 501, 502, 504, 507] },
];

test.each(rows)('$operation: $defects are defects, documented or not', ({ operation: id, defects }) => {
  const operation = contract.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`no ${id}`);
  const isDefect = (status: number, isPause = false): boolean => {
    const exchange: NumberedExchange = {
      operation,
      intent: plainIntent,
      request: { method: 'GET', base: '', path: operation.path, headers: [], body: undefined },
      outcome: { kind: 'answer', status, headers: [], body: Buffer.from(''), durationMs: 1 },
      seen: { path: {}, query: {}, requestHeaders: {}, requestBody: undefined },
      isPause,
      atMs: 0,
      number: 1,
    };
    const context = { contract, judge: createJudge(contract), slowMs: undefined, secretsSeen: [] };
    return serverError.judge(exchange, context).some(({ failures }) => failures.length > 0);
  };
  const statuses = [200, 404, 499, 500, 501, 502, 503, 504, 507];
  expect(statuses.filter((status) => isDefect(status))).toEqual(defects);
  expect(statuses.filter((status) => isDefect(status, true))).toEqual([]);
});
