import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProcess } from '../server/commands/fixtures/run-command.ts';
import { type CreatedClient, createClientMetadata } from '../server/oauth/create-client-metadata.ts';
import {
  openServed,
  prepareFiles,
  type ServedFiles,
  type ServerProcess,
  serveProcess,
} from '../server/oauth/fixtures/serve-process.ts';
import { accountId, owner } from '../server/oauth/fixtures/start-auth.ts';
import { basic, loginQuery, openAt, post, send } from '../server/oauth/fixtures/talk.ts';
import { enterApps, sendApps } from '../server/oauth/fixtures/walk.ts';
import { guessLimits } from '../server/oauth/limit-guesses.ts';
import { loginLimit } from '../server/oauth/middleware/throttle-logins.ts';
import { throttle } from '../server/oauth/middleware/throttle-secrets.ts';
import { createPool } from '../server/store/postgres/create-pool.ts';
import { createDatabase } from '../server/store/postgres/fixtures/create-database.ts';
import { mostKnownBrowsers, type Store } from '../server/store/store.ts';
import { makeBridge } from '../server/store/suite/records.ts';
import { findFreePort } from './prepare-deployment.ts';

// If one of these fails, a client gets more from three processes than from one. They run at the same time, as no event loop lets them.

const publicOrigin = 'https://api.example';
const quota = 40;
const full = { tags: ['full'] };

let folder: string;
let files: ServedFiles;
let store: Store;
let servers: readonly ServerProcess[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'three-servers-'));
  files = await prepareFiles(folder, await createDatabase());
  store = await openServed(files);
  await store.imports.write({ properties: [], devices: makeBridge(accountId, 'BRIDGE', ['LOCK']) });
  const env = { ACCOUNT_QUOTA: String(quota) };
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()];
  servers = await Promise.all(ports.map((port) => serveProcess(files, { publicOrigin, port, env })));
});
afterAll(async () => {
  await store?.close();
  for (const { kill } of servers ?? []) await kill();
  await rm(folder, { recursive: true });
});

/** 503 answers of a busy machine. Each of these calls may have been counted. */
let busy = 0;

/** That many calls in turns to the three, thirty at once. A call that is answered 503 is made again, as by a client. */
async function atOnce<Answered extends { readonly status: number }>(
  times: number,
  act: (server: ServerProcess, index: number) => Promise<Answered>,
): Promise<readonly Answered[]> {
  busy = 0;
  const answers: Answered[] = [];
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < times; index = next++) {
      let answer = await act(serverOf(index), index);
      for (; answer.status === 503; answer = await act(serverOf(index), index)) busy += 1;
      answers.push(answer);
    }
  };
  await Promise.all(Array.from({ length: 30 }, caller));
  return answers;
}

function serverOf(index: number): ServerProcess {
  const server = servers[index % servers.length];
  if (server === undefined) throw new Error('no server');
  return server;
}

/** Of a caller with that address, behind a proxy. */
const from = (address: string) => ({ 'X-Forwarded-Host': 'api.example', 'X-Forwarded-For': address });

/** An own-account client with an unused quota. */
async function addClient(clientId: string): Promise<CreatedClient> {
  const client = createClientMetadata({ kind: 'own', clientId, name: clientId, ownerAccount: accountId });
  await store.clients.create(client);
  return client;
}

async function fetchToken(client: CreatedClient): Promise<string> {
  const grant = { grant_type: 'client_credentials' };
  const { body } = await post(serverOf(0), '/oauth2/token', grant, { ...from('192.0.2.1'), ...basic(client) });
  return String(body?.access_token);
}

async function call({ origin }: ServerProcess, path: string, token: string, more: RequestInit = {}) {
  const headers = { ...from('192.0.2.1'), Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${origin}/v1${path}`, { ...more, headers: { ...headers, ...more.headers } });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

const count = (values: readonly unknown[]) =>
  Object.fromEntries([...Map.groupBy(values, String)].map(([value, all]) => [value, all.length]));

/** Exactly `limit` of the answers are `accepted`, and the others 429. */
function expectLimit(answers: readonly { readonly status: number }[], accepted: number, limit: number): void {
  const { [accepted]: most = 0, 429: rejected = 0 } = count(answers.map(({ status }) => status));
  expect(most + rejected).toBe(answers.length);
  expect(most).toBeLessThanOrEqual(limit);
  expect(most + busy).toBeGreaterThanOrEqual(limit);
}

test('they judge as many wrong passwords as one', full, async () => {
  const { failures } = guessLimits.together;
  const browsers = servers.map((server) => openAt(server, from('192.0.2.10')));
  const wrong = { email: owner.email, password: 'wrong' };
  const pages = await atOnce(4 * failures, (_, index) =>
    enterApps(browsers[index % browsers.length] ?? openAt(serverOf(0)), wrong),
  );
  expectLimit(pages, 400, failures);
});

test('they judge as many wrong client secrets as one, and then none', full, async () => {
  const client = await addClient('guessed');
  const ask = async (index: number, { secret }: { secret: string }) => {
    const headers = { ...from('192.0.2.20'), ...basic({ clientId: client.clientId, secret }) };
    const answer = await post(serverOf(index), '/oauth2/token', { grant_type: 'client_credentials' }, headers);
    return /too many failed attempts/.test(answer.text) ? 'throttled' : answer.status;
  };
  for (let index = 0; index < throttle.failures; index += 1) expect(await ask(index, { secret: 'wrong' })).toBe(401);
  for (const index of servers.keys()) expect(await ask(index, client)).toBe('throttled');
});

test('they accept as many login requests as one', full, async () => {
  const { requests } = loginLimit;
  const answers = await atOnce(3 * requests, (server) =>
    send(server, `/login?${loginQuery()}`, { headers: from('192.0.2.30') }),
  );
  expectLimit(answers, 303, requests);
});

test('they accept the quota of a client once', full, async () => {
  const token = await fetchToken(await addClient('frequent'));
  const answers = await atOnce(3 * quota, (server) => call(server, '/devices', token));
  expectLimit(answers, 200, quota);
});

test('they create one job for an idempotency key, and as many as a bridge may have', full, async () => {
  const token = await fetchToken(await addClient('jobs'));
  const body = '{"jobType":"GET_DEVICE_STATUS"}';
  const key = { 'Idempotency-Key': 'the-same' };
  const replays = await atOnce(30, (server) =>
    call(server, '/devices/LOCK/jobs/bridges/BRIDGE', token, { method: 'POST', body, headers: key }),
  );
  expect(count(replays.map(({ status }) => status))).toEqual({ 200: 30 });
  expect(new Set(replays.map((answer) => answer.body.jobId)).size).toBe(1);
  expect(replays.filter(({ headers }) => !headers.has('idempotency-replayed')).length).toBeLessThanOrEqual(1);
  const other = await fetchToken(await addClient('rate'));
  const rated = await atOnce(30, (server) => call(server, '/devices/BRIDGE/jobs', other, { method: 'POST', body }));
  expectLimit(rated, 200, 3);
});

test('they know as many browsers of an owner as one', full, async () => {
  const logIns = await atOnce(12, async (server, index) => {
    const browser = openAt(server, from(`192.0.2.${40 + index}`));
    return sendApps(browser, 'login', { email: owner.email, password: owner.password });
  });
  expect(count(logIns.map(({ status }) => status))[200]).toBeGreaterThan(mostKnownBrowsers);
  const pool = createPool(files.databaseUrl);
  const { rowCount } = await pool.query('select from known_browser');
  await pool.end();
  expect(rowCount).toBe(mostKnownBrowsers);
});

test('two imports of one device for two accounts give it to one', full, async () => {
  const env = { ...process.env, DATABASE_URL: files.databaseUrl, LOCKSTEP_KEYS: files.keyFile };
  const imported = await Promise.all(
    ['first', 'second'].map(async (id) => {
      const devices = [{ deviceId: 'CONTESTED', deviceName: 'Door', type: 'Lock' }];
      const file = join(folder, `${id}.json`);
      await writeFile(file, JSON.stringify({ account: { id, name: id }, devices }));
      return runProcess(['import', file], { env });
    }),
  );
  expect(imported.map(({ exitCode }) => exitCode).filter((code) => code === 0)).toHaveLength(1);
  expect(imported.map(({ stderr }) => stderr).join('')).toMatch(/CONTESTED/);
});

test('a disabled account gets no answer from the next request on, while others are under way', full, async () => {
  const token = await fetchToken(await addClient('disabled'));
  let isDisabled = false;
  const seen: { readonly wasDisabled: boolean; readonly status: number }[] = [];
  const ask = async (server: ServerProcess) => {
    for (let left = quota / 4; left > 0; left -= 1) {
      const wasDisabled = isDisabled;
      const { status } = await call(server, '/devices', token);
      seen.push({ wasDisabled, status });
      if (seen.length === servers.length) {
        await store.accounts.setDisabled(accountId, Date.now());
        isDisabled = true;
      }
    }
  };
  await Promise.all(servers.map(ask));
  expect(new Set(seen.slice(0, servers.length).map(({ status }) => status))).toEqual(new Set([200]));
  const after = seen.filter(({ wasDisabled }) => wasDisabled);
  expect(after.length).toBeGreaterThan(servers.length);
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
});
