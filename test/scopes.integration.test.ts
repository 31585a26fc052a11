import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations as table } from '@lockstep/contract/operations';
import { isObject, readPointer } from '@lockstep/json/json-pointer';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getToken } from '../mock/fixtures/get-token.ts';
import { startSandbox } from '../mock/sandbox/start-sandbox.ts';
import type { DemoClients } from '../server/demo/seed-demo.ts';
import { sampleRequest } from '../server/http/fixtures/sample-request.ts';
import { startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, a token opens more than its scopes, or less. Tokens are those of each side's own OAuth server.

const operations = Object.values<Operation>(table).filter(({ basePath }) => basePath === '/v1');
const scopes = Object.keys(contract.components.securitySchemes.oauth2.flows.clientCredentials.scopes);

interface Side {
  readonly origin: string;
  readonly clients: DemoClients;
  readonly close: () => Promise<unknown>;
}

let folder: string;
let running: Readonly<Record<string, Side>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-scopes-'));
  const listening = { port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }) };
  running = {
    service: await startDemoService(),
    mock: await startSandbox({ keyFile: join(folder, 'mock-keys.json'), ...listening }),
  };
});
afterAll(async () => {
  await Promise.all(Object.values(running).map(({ close }) => close()));
  await rm(folder, { recursive: true });
});

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request whose only fault is one that is looked for after the scopes of the operation, so that nothing comes of it. */
function withLaterFault(operation: Operation): Sent {
  const sample = sampleRequest(operation);
  return { ...sample, target: `${sample.target}?unknown=1` };
}

/** Read from the contract itself, not from the table that the server reads. */
function readAlternatives({ pointer }: Operation): string[][] {
  const operation = readPointer(contract, pointer);
  const security = isObject(operation) && Array.isArray(operation.security) ? operation.security : [];
  return security.map((alternative: Record<string, string[]>) => Object.values(alternative).flat());
}

const covers = (granted: readonly string[], alternatives: readonly string[][]) =>
  alternatives.some((alternative) => alternative.every((scope) => granted.includes(scope)));

/** The scopes that a challenge asks for. */
function readNamed(challenge: string | null): string[] {
  const form = /^Bearer realm="serviceapi", error="insufficient_scope", scope="([^"]+)"$/;
  return form.exec(challenge ?? '')?.[1]?.split(' ') ?? [];
}

const missing = '403 insufficient_scope';
const passed = '400 invalid_request';

const ofJob = 'serviceapi/%-bridge-proxied-job';
const pin = { accessName: 'Courier', pin: '654321', pinType: 1 };
const jobs: readonly { scope: string; bodies: readonly object[] }[] = [
  { scope: 'lock', bodies: [{ jobType: 'LOCK' }, { jobType: '1' }, { jobType: 1 }] },
  { scope: 'unlock', bodies: [{ jobType: 'UNLOCK' }, { jobType: '2' }] },
  { scope: 'create-pin', bodies: [{ jobType: 'CREATE_PIN', jobData: pin }] },
  { scope: 'delete-pin', bodies: [{ jobType: 'DELETE_PIN', jobData: { pin: '654321' } }] },
  { scope: 'get-battery-level', bodies: [{ jobType: 'GET_BATTERY_LEVEL' }, { jobType: 9 }] },
  { scope: 'get-device-status', bodies: [{ jobType: 'GET_DEVICE_STATUS' }] },
  { scope: 'get-activity-logs', bodies: [{ jobType: 'GET_ACTIVITY_LOGS' }] },
].map(({ scope, bodies }) => ({ scope: ofJob.replace('%', scope), bodies }));
const [reading, keys] = ['serviceapi/get-devices', 'serviceapi/create-ekey-access'];

test('each scope that lets a job in is asked for by a value', () => {
  const asked = jobs.map(({ scope }) => [scope]);
  expect(new Set(asked)).toEqual(new Set(readAlternatives(table.createBridgeProxiedJob)));
});

const absent = /^404 /;

/** Beyond these, of all operations and values: the service is asked each time, the mock, whose steps and scopes are the same, in `full`. */
const ofMock = ['getDevices', 'createPassageAlgoPin'];

describe.each(['service', 'mock'])('the %s', (name) => {
  const inFull = { tags: name === 'mock' ? ['full'] : [] };
  const tokens = new Map<string, Promise<string>>();

  /** The answer to a token with these scopes and no other. */
  async function call({ method, target, headers, body }: Sent, granted: readonly string[]) {
    const side = running[name];
    if (side === undefined) throw new Error(`there is no ${name}`);
    const issued = tokens.get(granted.join(' ')) ?? getToken(side, 'demo-own', granted);
    tokens.set(granted.join(' '), issued);
    const sent = { ...headers, authorization: `Bearer ${await issued}` };
    const init = { method, headers: sent, ...(body === undefined ? {} : { body }) };
    const answer = await fetch(side.origin + target, init);
    const { code } = (await answer.json()) as { code?: string };
    return { outcome: `${answer.status} ${code}`, challenge: answer.headers.get('www-authenticate') };
  }

  const asked = operations.map((operation) => ({ operation, id: operation.operationId }));
  describe.each(asked.filter(({ id }) => ofMock.includes(id)))('$id', describeScopes);
  describe.each(asked.filter(({ id }) => !ofMock.includes(id)))('$id', inFull, describeScopes);

  function describeScopes({ operation }: (typeof asked)[number]): void {
    const request = withLaterFault(operation);
    const alternatives = readAlternatives(operation);

    test('answers 403 to each scope alone that covers no alternative, and to no other', async () => {
      const answers = await Promise.all(
        scopes.map(async (scope) => [scope, (await call(request, [scope])).outcome] as const),
      );
      const want = scopes.map((scope) => [scope, covers([scope], alternatives) ? passed : missing]);
      expect(answers).toEqual(want);
    });

    test('takes each alternative whole, and not with one scope less', async () => {
      for (const alternative of alternatives) {
        expect((await call(request, alternative)).outcome).toBe(passed);
        for (const left of alternative) {
          const rest = alternative.filter((scope) => scope !== left);
          if (rest.length > 0) expect((await call(request, rest)).outcome, left).toBe(missing);
        }
      }
    });

    test('names in its challenge the scopes that suffice together with all others', async () => {
      const firsts = alternatives.map(([first]) => first);
      const granted = scopes.filter((scope) => !firsts.includes(scope));
      const { outcome, challenge } = await call(request, granted);
      expect(outcome).toBe(missing);
      const named = readNamed(challenge);
      const wanted = scopes.filter((scope) => granted.includes(scope) || named.includes(scope));
      expect((await call(request, wanted)).outcome).toBe(passed);
    });
  }

  const rows = jobs.flatMap(({ scope, bodies }) => bodies.map((body) => ({ scope, text: JSON.stringify(body) })));
  const title = 'refuses a value to every scope but its own, and names it: $text';
  test.each(rows.slice(0, 1))(title, refusesOthers);
  test.each(rows.slice(1))(title, inFull, refusesOthers);

  async function refusesOthers({ scope: own, text }: (typeof rows)[number]): Promise<void> {
    const target = '/v1/devices/NOPE/jobs/bridges/NOPE';
    const request = { method: 'POST', target, headers: { 'content-type': 'application/json' }, body: text };
    for (const { scope } of jobs) {
      const { outcome } = await call(request, [scope]);
      expect(outcome, scope).toMatch(scope === own ? absent : missing);
    }
    const { outcome, challenge } = await call(
      request,
      scopes.filter((scope) => scope !== own),
    );
    expect([outcome, readNamed(challenge)]).toEqual([missing, [own]]);
  }

  test.each(['1', 'true'])('requires a scope in addition to that of the operation: admin_key=%s', async (value) => {
    const request = { method: 'GET', target: `/v1/devices/NOPE?admin_key=${value}` };
    const granted = [[reading], [keys], scopes.filter((scope) => scope !== keys)];
    const answers = await Promise.all(granted.map(async (one) => (await call(request, one)).outcome));
    expect(answers).toEqual([missing, missing, missing]);
    expect((await call(request, [reading, keys])).outcome).toMatch(absent);
  });

  test('requires no scope but that of the operation: admin_key=0', async () => {
    const request = { method: 'GET', target: '/v1/devices/NOPE?admin_key=0' };
    expect((await call(request, [reading])).outcome).toMatch(absent);
  });
});
