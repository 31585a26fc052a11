import { expect, test } from 'vitest';
import type { Contract } from '../contract/contract.ts';
import { parseJson } from '../contract/document.ts';
import { readContractFile } from '../contract/read-contract.ts';
import type { RunOptions } from '../run/run.ts';
import { createJudge } from '../schema/create-judge.ts';
import { apis, runAgainst } from '../seeded/apis.ts';
import type { Handler } from '../seeded/serve.ts';

const contract = await readContractFile(apis.library.file);

/** A server that also rejects what the contract does not allow. */
function strict(handle: Handler, { operations }: Contract = contract): Handler {
  const judge = createJudge(contract);
  return (request) => {
    const { method, path, query, body } = request;
    const operation = operations.find(
      (one) =>
        one.method === method.toLowerCase() &&
        new RegExp(`^/v2${one.path.replaceAll(/\{.*?\}/g, '[^/]+')}$`).test(path),
    );
    const schema = operation?.body?.contents[0]?.schema;
    const isWrong = schema !== undefined && !judge.accepts(schema, 'request', parseJson(body));
    const isWrongQuery = operation?.parameters.some(
      ({ name, in: where, schema: own }) =>
        where === 'query' && query.has(name) && own !== undefined && !judge.accepts(own, 'request', query.get(name)),
    );
    return isWrong || isWrongQuery
      ? { status: path.endsWith('/readers') ? 422 : 400, body: { reason: 'invalid' } }
      : handle(request);
  };
}

const run = (handle: Handler, change: Partial<RunOptions> = {}) =>
  runAgainst('library', handle, { phases: ['baseline', 'random'], ...change });

/** The contract has no DELETE of a reader. */
const keeps = [expect.objectContaining({ message: expect.stringContaining('Left behind: enrolReader') })];

const randomOf = (log: readonly string[]): readonly string[] => log.filter((line) => / random \(/.test(line));
const budgetOf = (requests: number | undefined, milliseconds?: number): Partial<RunOptions> => ({
  budget: { requests, milliseconds },
});

test('cases are sent until the budget is spent, and the run is complete', async () => {
  const { result, log } = await run(strict(apis.library.create()), budgetOf(250));
  expect([result.verdict, result.requests, result.warnings]).toEqual(['passed', 250, keeps]);
  const cases = randomOf(log);
  expect(new Set(cases).size).toBe(cases.length);
  // All kinds of cases, and operations in turns.
  for (const kind of [/\(random values, \d+\)/, /\(random values, \d+: /, /\(two faults, \d+\)/])
    expect(cases.filter((line) => kind.test(line)).length).toBeGreaterThan(10);
  const turns = Map.groupBy(
    cases.filter((line) => !line.includes(': undo')),
    (line) => line.split(' ')[0],
  );
  expect(turns.get('addBook')?.length).toBeGreaterThan(50);
  expect(turns.get('listBooks')?.length).toBeGreaterThan(20);
});

test('a budget of time is used too', async () => {
  const started = performance.now();
  const { result } = await run(strict(apis.library.create()), budgetOf(undefined, 1_500));
  expect(performance.now() - started).toBeGreaterThan(1_400);
  expect([result.verdict, result.warnings]).toEqual(['passed', keeps]);
});

test('without a budget, the phase is over when its cases show nothing new', async () => {
  const { result, log } = await run(strict(apis.library.create()));
  expect([result.verdict, result.warnings]).toEqual(['passed', keeps]);
  expect(randomOf(log).length).toBeGreaterThan(10);
  expect(randomOf(log).length).toBeLessThan(120);
});

test('the same cases are sent by any number of workers', async () => {
  const runs = await Promise.all(
    [1, 4, 16].map((workers) => run(strict(apis.library.create()), { ...budgetOf(150), workers })),
  );
  const [one, ...others] = runs.map(({ log }) => log);
  expect(one?.length).toBeGreaterThan(100);
  for (const other of others) expect(other).toEqual(one);
  const { log } = await run(strict(apis.library.create()), { ...budgetOf(150), seed: 2 });
  expect(log).not.toEqual(one);
});

test('an operation that the run may no longer call gets few further cases', async () => {
  const handle = strict(apis.library.create());
  let [requests, forbidden] = [0, 0];
  await run((request) => {
    requests += 1;
    if (requests < 60 || request.method !== 'POST' || !request.path.endsWith('/books')) return handle(request);
    forbidden += 1;
    return { status: 403, body: { reason: 'no longer' } };
  }, budgetOf(250));
  expect([requests > 240, forbidden]).toEqual([true, 8]);
});

test('objects are deleted, or are few', async () => {
  const { served } = await run(strict(apis.library.create()), budgetOf(400));
  const count = (start: string): number => served.requests.filter((line) => line.startsWith(start)).length;
  expect(count('DELETE /v2/books/')).toBeGreaterThan(20);
  expect(count('POST /v2/readers')).toBeLessThan(120);
  const { log } = await run(strict(apis.library.create()), {
    ...budgetOf(100),
    permissions: { effects: [], readOnly: true, writes: 'restore' },
  });
  expect(randomOf(log).length).toBeGreaterThan(10);
  expect(randomOf(log).filter((line) => !/ GET /.test(line))).toEqual([]);
});

test.each<[string, (handle: Handler) => Handler, string]>([
  [
    'fails on a combination of two members',
    (handle) => (request) =>
      /"isbn".*"due"/.test(request.body) && request.method === 'POST' ? { status: 500 } : handle(request),
    'server-error',
  ],
  [
    'ignores the maximum of large numbers',
    (handle) => (request) => {
      const pages = Number(Object(parseJson(request.body)).pages);
      return pages > 10_000
        ? handle({ ...request, body: request.body.replace(/"pages":\d+/, '"pages":1') })
        : handle(request);
    },
    'invalid-accepted',
  ],
])('a server that %s is found', async (_, change, check) => {
  const { result } = await run(change(strict(apis.library.create())), budgetOf(400));
  expect(result.findings.map((one) => one.check)).toEqual([check]);
});

test('a run of other checks finishes, without a random request', async () => {
  const { result, log } = await run(apis.library.create(), { checks: ['media-type'] });
  expect(result.verdict).toBe('passed');
  expect(randomOf(log)).toEqual([]);
});

test('changes for which the run has no object of its own do not keep it from its end', async () => {
  const creates = contract.operations.filter(({ method }) => method === 'post').map(({ id }) => id);
  const changes = { selection: { only: [], exclude: creates }, ...budgetOf(100_000) };
  const { result } = await run(strict(apis.library.create()), changes);
  expect(result.requests).toBeLessThan(100_000);
});
