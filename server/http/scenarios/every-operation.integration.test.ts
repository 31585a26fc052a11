import { type Operation, operations } from '@lockstep/contract/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../../store/store.ts';
import { goodIds, type Ids, makeRequest, type Scenario, scenarios } from './fixtures/operation-scenarios.ts';
import { quota, serveTroubled } from './fixtures/serve-troubled.ts';

// Every status that the contract documents for an operation of the resource API is caused here, by the handlers that are served.

const served: readonly Operation[] = Object.values(operations).filter(({ basePath }) => basePath === '/v1');
const declares = (operation: Operation, status: number) => operation.statuses.includes(status);
const rowsOf = (operation: Operation) =>
  scenarios.filter(({ status, only }) => declares(operation, status) && (only?.(operation) ?? true));

/** What a store says of itself, which is nobody's business outside. */
const secret = 'disk I/O error in data.sqlite';
const failures = [
  { status: 500, code: 'internal', error: new Error(secret) },
  { status: 503, code: 'unavailable', error: new StoreUnavailable(secret) },
];

let service: Awaited<ReturnType<typeof serveTroubled>>;
let ids: Required<Ids>;
const tokens = { all: '', lapsed: '', spent: '', scopeless: '', other: '' };

beforeAll(async () => {
  service = await serveTroubled();
  tokens.all = await service.fetchToken('demo-own');
  tokens.lapsed = await service.fetchToken('lapsed-own');
  tokens.spent = await service.fetchToken('meadow-own');
  tokens.scopeless = await service.fetchToken('demo-own', 'serviceapi/get-job-status');
  tokens.other = await service.fetchToken('demo-own', 'serviceapi/get-devices');
  const job = await send(operations.createBridgeProxiedJob, { ...goodIds }, {});
  ids = { ...goodIds, jobId: JSON.parse(job.text).jobId };
  const useUp = async () => {
    for (let left = quota / 20; left > 0; left -= 1) await send(operations.getDevices, ids, { token: 'spent' });
  };
  await Promise.all(Array.from({ length: 20 }, useUp));
});
afterAll(() => service.close());

function tokenFor({ operationId }: Operation, token: Scenario['token'] | undefined): string | undefined {
  if (token === 'none') return undefined;
  if (token === 'scopeless') return operationId === 'getJobStatus' ? tokens.other : tokens.scopeless;
  return tokens[token ?? 'all'];
}

async function send(operation: Operation, filled: Required<Ids>, scenario: Partial<Scenario>) {
  const { path, method, mediaType, body } = makeRequest(operation, filled, scenario);
  const token = tokenFor(operation, scenario.token);
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined || mediaType === undefined ? {} : { 'content-type': mediaType }),
  };
  const answer = await fetch(service.origin + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Nothing of the inside, of the token, of another account or of what was sent by mistake. */
function expectNothingTold(text: string): void {
  for (const token of Object.values(tokens)) expect(text.includes(token)).toBe(false);
  for (const inside of [secret, 'sqlite', service.folder, 'node_modules', '.ts:', 'Meadow', 'Lapsed', 'xxxxxxxx'])
    expect(text).not.toContain(inside);
}

describe.each(served.map((operation) => ({ name: operation.operationId, operation })))('$name', ({ operation }) => {
  let calls = 0;
  let before: Awaited<ReturnType<typeof service.readTables>>;

  test('answers a good request', async () => {
    service.begin();
    const { status, text } = await send(operation, ids, {});
    expect([status, text]).toEqual([200, expect.any(String)]);
    calls = service.count();
    expect(calls).toBeGreaterThan(0);
    before = await service.readTables();
  });

  test.each(rowsOf(operation))('answers $status $code to $name', async ({ status, code, header, ...scenario }) => {
    const answer = await send(operation, ids, scenario);
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, code]);
    if (header !== undefined) expect(answer.headers.get(header)).toBeTruthy();
    expectNothingTold(answer.text);
  });

  test.each(failures)('answers $status whichever of its calls to the store fails', async ({ status, code, error }) => {
    for (let at = 1; at <= calls; at += 1) {
      service.begin({ at, with: error });
      const answer = await send(operation, ids, {});
      expect([at, answer.status, JSON.parse(answer.text).code]).toEqual([at, status, code]);
      expect(answer.headers.has('retry-after')).toBe(status === 503);
      expectNothingTold(answer.text);
    }
    service.begin();
  });

  test('has written nothing of all that', async () => {
    expect(await service.readTables()).toEqual(before);
  });
});

test('every status that the contract documents is caused by a row', () => {
  const always = [200, ...failures.map(({ status }) => status)];
  for (const operation of served) {
    const caused: Operation['statuses'] = [...always, ...rowsOf(operation).map(({ status }) => status)];
    const uncaused = operation.statuses.filter((status) => !caused.includes(status));
    expect([operation.operationId, uncaused]).toEqual([operation.operationId, []]);
  }
});
