import { gzipSync } from 'node:zlib';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations as table } from '@lockstep/contract/operations';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getToken } from '../mock/fixtures/get-token.ts';
import { sampleRequest } from '../mock/sample-request.ts';
import { type StartedSandbox, startSandbox } from '../mock/sandbox/start-sandbox.ts';
import { systemClock } from '../server/clock.ts';
import { type DemoClients, seedDemo } from '../server/demo/seed-demo.ts';
import { startProcesses } from '../server/fixtures/several-processes.ts';
import { type RawAnswer, sendRaw } from '../server/http/fixtures/send-raw.ts';
import { createTestKeys } from '../server/oauth/fixtures/keys.ts';
import type { RunningService } from '../server/start-service.ts';
import { openTestStore } from '../server/store/fixtures/test-database.ts';

// If these fail, a client that is tried against the sandbox meets another answer at the service.

interface Side {
  readonly origin: string;
  readonly clients: DemoClients;
}

let sandbox: StartedSandbox;
let service: RunningService;
let sides: readonly Side[];
/** One for each side, by the name a request calls it: a token is good where it was issued. */
let tokens: readonly Readonly<Record<string, string>>[];

beforeAll(async () => {
  const keys = await createTestKeys();
  const logger = pino({ level: 'silent' });
  const store = await openTestStore();
  const clients = await seedDemo(store, { keys, now: systemClock.now() });
  const listening = { port: 0, host: '127.0.0.1', logger, keys };
  service = await startProcesses({
    ...listening,
    store,
    clock: systemClock,
    checkResponses: true,
    differentialValidation: 'fatal',
  });
  sandbox = await startSandbox(listening);
  sides = [{ origin: service.origin, clients }, sandbox];
  tokens = await Promise.all(
    sides.map(async (side) => ({
      all: await getToken(side, 'demo-own'),
      narrow: await getToken(side, 'demo-readonly'),
      lapsed: await getToken(side, 'lapsed-own'),
      trial: await getToken(side, 'meadow-own'),
    })),
  );
});
afterAll(() => Promise.all([service.close(), sandbox.close()]));

const all = 'Authorization: Bearer {all}';
const json = 'Content-Type: application/json';

/** `{all}`, `{narrow}`, `{lapsed}` and `{trial}` in a header stand for a token. */
interface Given {
  readonly name: string;
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  readonly status: number;
}

const get = (name: string, target: string, status: number, ...headers: string[]): Given => ({
  name,
  target: `/v1${target}`,
  status,
  headers: [all, ...headers],
});
const send =
  (method: string) =>
  (name: string, target: string, status: number, body: string | Buffer, type = json): Given => ({
    name,
    method,
    target: `/v1${target}`,
    status,
    headers: [all, ...type.split('\n')],
    body,
  });
const post = send('POST');
const put = send('PUT');
const withCredentials = (name: string, status: number, ...headers: string[]): Given => ({
  name,
  target: '/v1/devices',
  status,
  headers,
});

const job = '/devices/LK2A00000001/jobs/bridges/BR1A00000001';
const pin = '/devices/LK2A00000001/algopin/daily';

const formType = 'Content-Type: application/x-www-form-urlencoded';
/** A whole hour, the same for both, that is not over before they are asked. */
const startDate = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 7_200_000).toISOString();
const item = JSON.stringify({ id: 'same-1', ts: Date.now() - 60_000, payload: { log: 'text of a lock' } });
const unlock = '{"jobType":"UNLOCK"}';
const wrongClient = `Authorization: Basic ${Buffer.from('nobody:nothing').toString('base64')}`;
const form = { method: 'POST', target: '/auth/oauth2/token', headers: [formType] };

const requests: readonly Given[] = [
  // Actions.
  get('a page of devices', '/devices?limit=3&expand=properties,linkedDevices', 200),
  get('those that take codes', '/devices/support-pins?type=Keypad&sort=-pairedAt', 200),
  get('a device', '/devices/LK2A00000001', 200),
  get('a device with what its scope shows', '/devices/LK2A00000001?admin_key=true&lock_id=true', 200),
  { ...get('a device, without content', '/devices/LK2A00000001', 200), method: 'HEAD' },
  { ...get('the devices of a trial', '/devices', 200), headers: ['Authorization: Bearer {trial}'] },
  get('a page of activity', '/devices/LK2A00000001/activity?limit=50&locale=ja', 200),
  post('a daily code', pin, 200, JSON.stringify({ accessName: 'A', startDate, variance: 2 })),
  post('an hourly code', '/devices/LK2A00000001/algopin/hourly', 200, JSON.stringify({ accessName: 'B', startDate })),
  put('a battery level', '/devices/LK2A00000003', 200, '{"batteryLevel":"7"}'),
  post('an entry', '/devices/LK2A00000003/activity', 200, JSON.stringify({ logsPayload: [item, '{'] })),
  get('the entry', '/devices/LK2A00000003/activity', 200),
  post('a job', job, 200, unlock, `${json}\nIdempotency-Key: same-1`),
  post('a job again', job, 200, unlock, `${json}\nIdempotency-Key: same-1`),
  post('another job under its key', job, 400, '{"jobType":"LOCK"}', `${json}\nIdempotency-Key: same-1`),
  ...[1, 2, 3].map((count) =>
    post(`status of a bridge, ${count}`, '/devices/BR1A00000001/jobs', 200, '{"jobType":10}'),
  ),
  post('status of a bridge, once too often', '/devices/BR1A00000001/jobs', 429, '{"jobType":10}'),
  post('a bridge that is offline', '/devices/LK2A00000004/jobs/bridges/BR1A00000002', 406, unlock),
  post('a property without timezone', '/devices/LK2A00000005/algopin/onetime', 409, '{"accessName":"A"}'),
  post('a keypad without codes', '/devices/KP0A00000003/algopin/permanent', 418, '{"accessName":"A"}'),
  get('a job that nobody created', `/jobs/${'6'.repeat(24)}`, 404),
  get('a device of another account', '/devices/LK2B00000001', 404),

  // Routes.
  { name: 'an unknown path', target: '/v1/device', status: 404 },
  { name: 'a path like no other', target: '/qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', status: 404 },
  { name: 'a path of the OAuth server without its base', target: '/v1/oauth2/token', status: 404 },
  { name: 'a trailing slash', target: '/v1/devices/', status: 404 },
  { name: 'another case', target: '/v1/Devices?a=1', status: 404 },
  { name: 'a method not declared', method: 'DELETE', target: '/v1/devices', status: 405 },
  { name: 'OPTIONS', method: 'OPTIONS', target: '/v1/devices/LK2A00000001', status: 204 },
  { name: 'HEAD of an unknown path', method: 'HEAD', target: '/v1/nowhere', status: 404 },

  // Credentials.
  withCredentials('no token', 401),
  withCredentials('another scheme', 401, 'Authorization: Basic ZGVtbw=='),
  withCredentials('a scheme without a token', 401, 'Authorization: Bearer'),
  withCredentials('a token that is none', 401, 'Authorization: Bearer not-a-token'),
  withCredentials('a token cut short', 401, 'Authorization: Bearer {all}x'),
  withCredentials('two tokens', 401, all, all),
  withCredentials('a token in the body alone', 401, json),
  withCredentials('an ended trial', 402, 'Authorization: Bearer {lapsed}'),
  { ...put('a scope that is missing', '/devices/LK2A00000001', 403, '{'), headers: ['Authorization: Bearer {narrow}'] },
  { ...post('scopes of which one would do', job, 403, '{}'), headers: ['Authorization: Bearer {narrow}', json] },
  {
    ...get('a value that asks for a scope', '/devices/LK2A00000001?admin_key=1', 403),
    headers: ['Authorization: Bearer {narrow}'],
  },

  // Bodies.
  put('a body without a type', '/devices/LK2A00000001', 415, '{}', 'X-Nothing: 1'),
  put('another type', '/devices/LK2A00000001', 415, '{}', 'Content-Type: text/plain'),
  put('another charset', '/devices/LK2A00000001', 415, '{}', `${json}; charset=latin1`),
  put('a coding', '/devices/LK2A00000001', 415, gzipSync('{}'), `${json}\nContent-Encoding: gzip`),
  put('a body too large', '/devices/LK2A00000001', 413, JSON.stringify({ a: 'x'.repeat(70_000) })),
  put('no body', '/devices/LK2A00000001', 400, ''),
  put('malformed JSON', '/devices/LK2A00000001', 400, '{"batteryLevel":'),
  put('an unknown member', '/devices/LK2A00000001', 400, '{"batterylevel":1}'),
  put('a name of every object', '/devices/LK2A00000001', 400, '{"__proto__":1}'),
  put('a value out of range', '/devices/LK2A00000001', 400, '{"batteryLevel":101}'),
  put('a list', '/devices/LK2A00000001', 400, '[]'),
  post('a member that is missing', pin, 400, '{}'),
  post('a name that is empty', pin, 400, '{"accessName":" "}'),
  post('a time without offset', pin, 400, '{"accessName":"A","startDate":"2026-12-01T15:00:00"}'),
  post('half a surrogate pair', pin, 400, '{"accessName":"\\ud800"}'),
  post('an unknown jobType', job, 400, '{"jobType":"OPEN"}'),
  post('jobData that does not fit', job, 400, '{"jobType":"LOCK","jobData":{"pin":"1234"}}'),
  post('jobData that is no JSON', job, 400, '{"jobType":"LOCK","jobData":"{"}'),
  post('faults in several places', `${job}?a=1`, 400, '{"jobType":"CREATE_PIN","jobData":"{}"}'),

  // Parameters.
  get('an unknown query parameter', '/devices?limt=5', 400),
  get('a query parameter of a thousand letters', `/devices?${'x'.repeat(1_000)}=5`, 400),
  get('a value sent twice', '/devices?limit=5&limit=5', 400),
  get('a number out of range', '/devices?limit=301', 400),
  get('a number that is none', '/devices?limit=1e1', 400),
  get('a broken escape in the query', '/devices?search=%ZZ', 400),
  get('a broken escape in the path', '/devices/%ZZ', 400),
  get('an unknown value', '/devices?sort=devicename', 400),
  get('an empty value', '/devices?cursor=', 400),
  get('a jobId that is none', '/jobs/nope', 422),

  // The OAuth server.
  { name: 'an unknown path below it', target: '/auth/nowhere', status: 404 },
  { name: 'a method it does not have there', method: 'DELETE', target: '/auth/oauth2/token', status: 405 },
  { name: 'a token for nobody', ...form, body: 'grant_type=client_credentials', status: 400 },
  {
    name: 'a token for an unknown client',
    ...form,
    headers: [formType, wrongClient],
    body: 'grant_type=client_credentials',
    status: 401,
  },
  { name: 'a login without anything', target: '/auth/login', status: 400 },
];

/** Headers of the contract; security headers are for browsers. */
const compared = [
  'api-version',
  'cache-control',
  'www-authenticate',
  'allow',
  'content-type',
  'content-length',
  'x-request-id',
  'trial-ends-at',
  'ratelimit-policy',
  'ratelimit',
  'retry-after',
  'idempotency-replayed',
];

async function ask({ method = 'GET', target, headers = [], body }: Given, index: number): Promise<RawAnswer> {
  const { origin = '' } = sides[index] ?? {};
  const known = tokens[index] ?? {};
  const lines = headers.map((header) => header.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? ''));
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${new URL(origin).host}`,
    'Connection: close',
    'X-Request-Id: same-1',
    ...lines,
    ...length,
    '',
    '',
  ];
  const bytes = Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), Buffer.from(body ?? '')]);
  return sendRaw(origin, { bytes });
}

async function expectSame(given: Given): Promise<void> {
  const [served, mocked] = await Promise.all([ask(given, 0), ask(given, 1)]);
  expect([served.status, served.body]).toEqual([given.status, expect.any(String)]);
  expect(shape(mocked, 1)).toEqual(shape(served, 0));
}

/** The comparable part of an answer. Each side has its own address and its own second of the start. */
function shape({ status, headers, body }: RawAnswer, index: number): unknown {
  const named = compared.map((name) => {
    const value = headers[name] ?? null;
    return [name, name === 'retry-after' && value !== null ? /^[1-9]\d*$/.test(value) : withoutRun(value)];
  });
  const text = JSON.stringify({ status, headers: named, body: withoutRun(body) });
  return JSON.parse(text.replaceAll(sides[index]?.origin ?? '', '{origin}'));
}

/** Codes keep their times: what they are made of is the same on both sides. */
function withoutRun(text: string | null): string | null {
  if (text === null) return null;
  return text
    .replace(/("(?:pairedAt|lastSync|activityTimeAt|receivedAt|issuedAt|jobId|nextCursor)":")[^"]+/g, '$1…')
    .replace(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, '…')
    .replace(/\b\d+ seconds\b/, '… seconds');
}

describe('service and sandbox answer alike', () => {
  for (const given of requests) test(given.name, () => expectSame(given));
});

describe('service and sandbox refuse alike, whatever the operation', () => {
  for (const operation of Object.values<Operation>(table).filter(({ basePath }) => basePath === '/v1')) {
    const { method, target, body = '' } = sampleRequest(contract, operation);
    const base = { name: operation.operationId, method: method.toUpperCase(), target };
    test(operation.operationId, async () => {
      await expectSame({ ...base, status: 401 });
      await expectSame({ ...base, status: 402, headers: ['Authorization: Bearer {lapsed}'] });
      await expectSame({ ...base, target: `${target}?unknown=1`, status: 400, headers: [all, json], body });
    });
  }
});
