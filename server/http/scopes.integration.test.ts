import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations as table } from '@lockstep/contract/operations';
import { isObject, readPointer } from '@lockstep/json/json-pointer';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../demo/start-demo.ts';
import { sampleRequest } from './fixtures/sample-request.ts';

// Tokens of the service's own OAuth server, each with the one scope, against every operation.

const operations = Object.values<Operation>(table).filter(({ basePath }) => basePath === '/v1');
const scopes = Object.keys(contract.components.securitySchemes.oauth2.flows.clientCredentials.scopes);

let folder: string;
let demo: Demo;
const tokens = new Map<string, Promise<string>>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-scopes-'));
  demo = await startDemo({ folder, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }), passwordCost: 12 });
});
afterAll(async () => {
  await demo.close();
  await rm(folder, { recursive: true });
});

/** A token with these scopes and no other. */
function getToken(granted: readonly string[]): Promise<string> {
  const scope = granted.join(' ');
  const token = tokens.get(scope) ?? issueToken(scope);
  tokens.set(scope, token);
  return token;
}

async function issueToken(scope: string): Promise<string> {
  const client = demo.clients.find(({ clientId }) => clientId === 'demo-own');
  const answer = await fetch(`${demo.origin}/auth/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client?.clientId}:${client?.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const { access_token: token, scope: granted } = (await answer.json()) as Record<string, string>;
  if (token === undefined || granted !== scope) throw new Error(`no token with ${scope} but with ${granted}`);
  return token;
}

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The answer to a token with these scopes; `null` sends none. */
async function call({ method, target, headers, body }: Sent, granted: readonly string[] | null) {
  const token = granted === null ? {} : { authorization: `Bearer ${await getToken(granted)}` };
  const init = { method, headers: { ...headers, ...token }, ...(body === undefined ? {} : { body }) };
  const answer = await fetch(demo.origin + target, init);
  const { code } = (await answer.json()) as { code?: string };
  return { outcome: `${answer.status} ${code}`, challenge: answer.headers.get('www-authenticate') };
}

/** A request whose only fault is one that is looked for after the scopes of the operation, so that nothing comes of it. */
function withLaterFault(operation: Operation): Sent {
  const sample = sampleRequest(operation);
  return { ...sample, target: `${sample.target}?beside=1` };
}

/** What the contract itself says, not the table that the server reads. */
function readAlternatives({ pointer }: Operation): string[][] {
  const operation = readPointer(contract, pointer);
  const security = isObject(operation) && Array.isArray(operation.security) ? operation.security : [];
  return security.map((alternative: Record<string, string[]>) => Object.values(alternative).flat());
}

const covers = (granted: readonly string[], alternatives: readonly string[][]) =>
  alternatives.some((alternative) => alternative.every((scope) => granted.includes(scope)));

const missing = '403 insufficient_scope';
const passed = '400 invalid_request';

describe('an operation', () => {
  test('is one of fourteen, and there are twenty scopes', () => {
    expect([operations.length, scopes.length]).toEqual([14, 20]);
  });

  describe.each(operations.map((operation) => ({ operation, id: operation.operationId })))('$id', ({ operation }) => {
    const request = withLaterFault(operation);
    const alternatives = readAlternatives(operation);

    test('answers 401 without a token', async () => {
      expect(await call(request, null)).toEqual({
        outcome: '401 token_missing',
        challenge: 'Bearer realm="serviceapi"',
      });
    });

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

    test('names in its challenge what is enough beside all other scopes', async () => {
      const firsts = alternatives.map(([first]) => first);
      const granted = scopes.filter((scope) => !firsts.includes(scope));
      const { outcome, challenge } = await call(request, granted);
      expect(outcome).toBe(missing);
      const [, named = ''] =
        /^Bearer realm="serviceapi", error="insufficient_scope", scope="([^"]+)"$/.exec(challenge ?? '') ?? [];
      const wanted = scopes.filter((scope) => granted.includes(scope) || named.split(' ').includes(scope));
      expect((await call(request, wanted)).outcome).toBe(passed);
    });
  });
});

const ofJob = '-bridge-proxied-job';
const pin = { accessName: 'Courier', pin: '654321', pinType: 1 };
const jobs: readonly { scope: string; bodies: readonly object[] }[] = [
  { scope: 'lock', bodies: [{ jobType: 'LOCK' }, { jobType: '1' }, { jobType: 1 }] },
  { scope: 'unlock', bodies: [{ jobType: 'UNLOCK' }, { jobType: '2' }] },
  { scope: 'create-pin', bodies: [{ jobType: 'CREATE_PIN', jobData: pin }] },
  { scope: 'delete-pin', bodies: [{ jobType: 'DELETE_PIN', jobData: { pin: '654321' } }] },
  { scope: 'get-battery-level', bodies: [{ jobType: 'GET_BATTERY_LEVEL' }] },
  { scope: 'get-device-status', bodies: [{ jobType: 'GET_DEVICE_STATUS' }] },
  { scope: 'get-activity-logs', bodies: [{ jobType: 'GET_ACTIVITY_LOGS' }] },
];

describe('a value, sent to what is not there,', () => {
  const rows = jobs.flatMap(({ scope, bodies }) => bodies.map((body) => ({ scope, text: JSON.stringify(body) })));
  test.each(rows)('is refused to every scope but its own: $text', async ({ scope: own, text }) => {
    const target = '/v1/devices/NOPE/jobs/bridges/NOPE';
    const request = { method: 'POST', target, headers: { 'content-type': 'application/json' }, body: text };
    for (const { scope } of jobs) {
      const { outcome } = await call(request, [`serviceapi/${scope}${ofJob}`]);
      expect(outcome, scope).toMatch(scope === own ? /^404 / : missing);
    }
    const others = scopes.filter((scope) => scope !== `serviceapi/${own}${ofJob}`);
    expect((await call(request, others)).outcome).toBe(missing);
  });

  test.each(['1', 'true'])('is refused without the scope beside that of the operation: admin_key=%s', async (value) => {
    const request = { method: 'GET', target: `/v1/devices/NOPE?admin_key=${value}` };
    const [reading, keys] = ['serviceapi/get-devices', 'serviceapi/create-ekey-access'];
    const granted = [[reading], [keys], scopes.filter((scope) => scope !== keys), [reading, keys]];
    const answers = await Promise.all(granted.map(async (one) => (await call(request, one)).outcome));
    expect(answers).toEqual([missing, missing, missing, '404 device_not_found']);
  });
});
