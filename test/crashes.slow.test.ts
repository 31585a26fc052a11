import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../server/commands/fixtures/run-command.ts';
import { readKeyFile } from '../server/key-file.ts';
import { createClientMetadata } from '../server/oauth/create-client-metadata.ts';
import { issueCode } from '../server/oauth/fixtures/issue-code.ts';
import { type AuthServer, createAuthServer } from '../server/oauth/provider.ts';
import { apiScopes } from '../server/oauth/scopes.ts';
import { OwnServer } from '../server/store/postgres/fixtures/own-server.ts';
import { openPostgresStore } from '../server/store/postgres/open-store.ts';
import type { Store } from '../server/store/store.ts';
import { type Deployment, findFreePort, prepareDeployment, root } from './prepare-deployment.ts';

// If these fail, a client has an answer about something that no longer exists, or one request had two effects.

const processes = 3;
const places = 40;
const clients = 8;
const callback = 'https://partner.example/callback';
const owner = { id: `owner-${'a1'.repeat(12)}`, accountId: 'acme', email: 'owner@acme.example', name: 'Acme' } as const;

let database: OwnServer;
let deployment: Deployment;
let origin: string;
let store: Store;
let auth: AuthServer;
let secrets: { readonly own: string; readonly partner: string };
let service: Service | undefined;
beforeAll(async () => {
  database = await OwnServer.create();
  const port = await findFreePort();
  origin = `http://localhost:${port}`;
  const more = { DATABASE_URL: database.url(), PORT: String(port), ACCOUNT_QUOTA: '0', NODE_NO_WARNINGS: '1' };
  deployment = await prepareDeployment(more);
  const { env, folder } = deployment;
  const property = '65a000000000000000000001';
  const devices = Array.from({ length: places }, (_, place) => [
    {
      deviceId: `LK${place}`,
      deviceName: 'Lock',
      type: 'Lock',
      properties: [property],
      capabilities: { algoPin: true },
    },
    { deviceId: `BR${place}`, deviceName: 'Bridge', type: 'Bridge', properties: [property], links: [`LK${place}`] },
  ]).flat();
  const properties = [{ id: property, name: 'House', timezone: 'Europe/Berlin' }];
  await writeFile(
    join(folder, 'devices.json'),
    JSON.stringify({ account: { id: 'acme', name: 'Acme' }, properties, devices }),
  );
  expect(await runHere(['import', join(folder, 'devices.json')], { env })).toMatchObject({ exitCode: 0 });
  store = await openPostgresStore(database.url(), { patienceMs: 10_000 });
  const kept = { kind: 'own', clientId: 'acme-own', name: 'Own', ownerAccount: 'acme' } as const;
  const own = createClientMetadata(kept);
  const rotating = { kind: 'partner', clientId: 'acme-partner', name: 'P', redirectUris: [callback] } as const;
  const partner = createClientMetadata({ ...rotating, rotateRefreshToken: true });
  for (const client of [own, partner]) await store.clients.create(client);
  await store.owners.create({ ...owner, passwordHash: '-', createdAt: Date.now() });
  secrets = { own: own.secret, partner: partner.secret };
  const keys = await readKeyFile(String(env.LOCKSTEP_KEYS));
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  auth = createAuthServer({ issuer: `${origin}/auth`, resource: `${origin}/v1`, store, keys, scopes: apiScopes, log });
}, 120_000);
afterAll(async () => {
  service?.child.kill('SIGKILL');
  await store.close();
  await deployment[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
}, 60_000);

type Line = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

class Service {
  readonly child: ChildProcess;
  /** Without the line of each request. */
  readonly log: Line[] = [];
  errors = '';
  readonly #ready = Promise.withResolvers<void>();
  readonly #exited: Promise<unknown>;

  constructor() {
    const args = ['server/main.ts', 'serve', '--processes', String(processes)];
    this.child = spawn(process.execPath, args, { cwd: root, env: deployment.env });
    this.#exited = once(this.child, 'close');
    createInterface({ input: this.child.stdout ?? process.stdin }).on('line', (text) => {
      const line: Line = JSON.parse(text);
      if (line.msg === 'ready') this.#ready.resolve();
      if (line.msg !== 'request') this.log.push(line);
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.errors += text;
    });
    void this.#exited.then(() => this.#ready.reject(new Error(`exited: ${this.errors}`)));
  }

  static async start(): Promise<Service> {
    service = new Service();
    await service.#ready.promise;
    return service;
  }

  /** The serving processes that run now. */
  get pids(): readonly number[] {
    const { pid } = this.child;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    expect(await this.#exited).toEqual([0, null]);
    expect(this.errors).toBe('');
  }
}

/** A client that gets no answer does not take the processor from the processes that start. */
const pauseMs = 100;

/** An answer, or undefined if the connection was lost. */
type Got =
  | { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly ms: number }
  | undefined;

async function send(path: string, init: RequestInit): Promise<Got> {
  const began = performance.now();
  try {
    const answer = await fetch(origin + path, { method: 'POST', ...init });
    const body = (await answer.json()) as Readonly<Record<string, unknown>>;
    const ms = performance.now() - began;
    if (answer.status === 503) await setTimeout(pauseMs);
    return { status: answer.status, body, ms };
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    await setTimeout(pauseMs);
    return undefined;
  }
}

const requestToken = (client: 'own' | 'partner', fields: Readonly<Record<string, string>>) =>
  send('/auth/oauth2/token', {
    headers: { Authorization: `Basic ${btoa(`acme-${client}:${secrets[client]}`)}` },
    body: new URLSearchParams(fields),
  });

/** The refresh tokens of one grant. Each is valid once. */
interface Chain {
  token: string;
  readonly used: string[];
  /** Whether the last request had no answer: it may have happened. */
  isUnsure: boolean;
}

/** Clients that write without a pause, and remember each answer. */
class Load {
  readonly figures = { acknowledged: 0, unavailable: 0, lost: 0, rejected: 0, slowestMs: 0 };
  /** By idempotency key, the id in each answer; empty while there was none. */
  readonly jobs = new Map<string, Set<unknown>>();
  readonly pins = new Map<string, unknown>();
  /** By authorization code or refresh token, how often it was accepted. */
  readonly accepted = new Map<string, number>();
  readonly exchanged: string[] = [];
  readonly violations: unknown[] = [];
  readonly chains: Chain[] = [];
  readonly dead: Chain[] = [];
  #codes: string[] = [];
  #token = '';
  #isStopped = false;
  #running: readonly Promise<void>[] = [];
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined;

  async begin(): Promise<void> {
    const got = await requestToken('own', { grant_type: 'client_credentials' });
    this.#token = String(got?.body.access_token);
    this.#isStopped = false;
    this.#running = Array.from({ length: clients }, (_, client) => this.#work(client));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  /** Codes that are exchanged within their minute. */
  async addCodes(count: number): Promise<void> {
    const issue = () => issueCode(auth.provider, `${origin}/v1`, { ownerId: owner.id, clientId: 'acme-partner' });
    this.#codes = await Promise.all(Array.from({ length: count }, issue));
  }

  /** Waits until so many further requests are acknowledged. */
  async until(further: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { count: this.figures.acknowledged + further, resolve };
    await promise;
  }

  async #work(client: number): Promise<void> {
    const acts = [() => this.#createJob(), () => this.#rotate(), () => this.#createJob(), () => this.#createPin()];
    for (let turn = client; !this.#isStopped; turn += 1) {
      await acts[turn % acts.length]?.();
    }
  }

  #note(got: Got): number {
    const { figures } = this;
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(got?.ms ?? 0));
    if (got === undefined) figures.lost += 1;
    else if (got.status === 503) figures.unavailable += 1;
    else if (got.status < 300) figures.acknowledged += 1;
    else figures.rejected += 1;
    if (got !== undefined && ![200, 400, 429, 503].includes(got.status)) this.violations.push(got);
    if (this.#waiting !== undefined && figures.acknowledged >= this.#waiting.count) this.#waiting.resolve();
    return got?.status ?? 0;
  }

  /** Repeats a request without an answer, as clients do. */
  async #createJob(): Promise<void> {
    const key = `job-${this.jobs.size}`;
    const ids = new Set<unknown>();
    this.jobs.set(key, ids);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const got = await this.sendJob(key);
      const status = this.#note(got);
      if (status === 200) ids.add(got?.body.jobId);
      // Sometimes an acknowledged one is repeated too.
      if (status === 429 || (status === 200 && (attempt > 0 || this.jobs.size % 5 > 0))) return;
    }
  }

  sendJob(key: string): Promise<Got> {
    const place = Number(key.slice(4)) % places;
    return send(`/v1/devices/LK${place}/jobs/bridges/BR${place}`, {
      headers: { ...this.#headers, 'Idempotency-Key': key },
      body: '{"jobType":"GET_BATTERY_LEVEL"}',
    });
  }

  get #headers() {
    return { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' };
  }

  async #createPin(): Promise<void> {
    const count = this.pins.size;
    const hour = 3_600_000;
    const start = new Date((Math.floor(Date.now() / hour) + 1 + (Math.floor(count / places) % 5000)) * hour);
    const name = `guest ${count}`;
    this.pins.set(name, undefined);
    const got = await send(`/v1/devices/LK${count % places}/algopin/onetime`, {
      headers: this.#headers,
      body: JSON.stringify({ accessName: name, startDate: start.toISOString() }),
    });
    if (this.#note(got) === 200) this.pins.set(name, got?.body.pinId);
  }

  async #rotate(): Promise<void> {
    const chain = this.chains.shift();
    if (chain === undefined) return this.#exchange();
    const got = await requestToken('partner', { grant_type: 'refresh_token', refresh_token: chain.token });
    const status = this.#note(got);
    if (status === 200) {
      this.#accept(chain.token);
      chain.used.push(chain.token);
      chain.token = String(got?.body.refresh_token);
      chain.isUnsure = false;
    } else if (status === 400) {
      if (!chain.isUnsure) this.violations.push({ lost: 'a refresh token', got });
      this.dead.push(chain);
      return;
    } else chain.isUnsure = true;
    this.chains.push(chain);
  }

  /** Sends some codes twice at once: then at most one is accepted, and the grant is revoked. */
  async #exchange(): Promise<void> {
    const code = this.#codes.pop();
    if (code === undefined) return this.#createJob();
    const fields = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const isDoubled = this.#codes.length % 3 === 0;
    const all = await Promise.all(Array.from({ length: isDoubled ? 2 : 1 }, () => requestToken('partner', fields)));
    for (const got of all)
      if (this.#note(got) === 200) {
        this.#accept(code);
        this.exchanged.push(code);
        const token = String(got?.body.refresh_token);
        if (!isDoubled) this.chains.push({ token, used: [], isUnsure: false });
      }
  }

  #accept(secret: string): void {
    this.accepted.set(secret, (this.accepted.get(secret) ?? 0) + 1);
  }
}

/** Everything acknowledged exists, nothing exists twice, and nothing single-use is accepted again. */
async function expectLaw(load: Load): Promise<object> {
  expect(load.violations).toEqual([]);
  expect([...load.accepted.values()].filter((times) => times !== 1)).toEqual([]);
  expect([...load.jobs.values()].filter((ids) => ids.size > 1)).toEqual([]);
  const admin = await database.connect();
  const select = async (query: string) => (await admin.query({ text: query, rowMode: 'array' })).rows.flat();
  const jobs = new Set(await select('select job_id from job'));
  const acknowledged = [...load.jobs.values()].filter((ids) => ids.size === 1);
  expect(acknowledged.flatMap((ids) => [...ids]).filter((id) => !jobs.has(String(id)))).toEqual([]);
  // A job that was created without an answer exists once too: each has its key.
  expect(await select('select count(*)::int from idempotency_key')).toEqual([jobs.size]);
  expect(jobs.size).toBeLessThanOrEqual(load.jobs.size);
  const pins = new Map(
    (await admin.query('select access_name, pin_id from access_code')).rows.map((row) => [row.access_name, row.pin_id]),
  );
  const issued = [...load.pins].filter(([, pinId]) => pinId !== undefined);
  expect(issued.filter(([name, pinId]) => pins.get(name) !== pinId)).toEqual([]);
  await admin.end();
  // Jobs without an answer are requested again, and get one.
  for (const [key, ids] of load.jobs) if (ids.size === 0 && Number(key.slice(4)) % 10 === 0) await load.sendJob(key);
  const live = load.chains.filter(({ isUnsure }) => !isUnsure);
  const refresh = (token: string) => requestToken('partner', { grant_type: 'refresh_token', refresh_token: token });
  for (const chain of live) {
    const got = await refresh(chain.token);
    expect(got?.status).toBe(200);
    chain.used.push(chain.token);
    chain.token = String(got?.body.refresh_token);
  }
  let replayed = 0;
  for (const { used } of [...live, ...load.dead].slice(0, 100))
    for (const token of used.slice(-1)) {
      expect((await refresh(token))?.status).toBe(400);
      replayed += 1;
    }
  for (const code of load.exchanged.slice(-20)) {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: callback };
    expect((await requestToken('partner', fields))?.status).toBe(400);
  }
  const rotations = live.reduce((sum, { used }) => sum + used.length, 0);
  return {
    ...load.figures,
    jobs: acknowledged.length,
    pins: issued.length,
    codes: load.exchanged.length,
    rotations,
    replayed,
  };
}

/** A place whose process dies again within a minute waits longer each time: after three deaths the service starts anew. */
const [rounds, killsEach] = [23, 9];

test('two hundred kills of a serving process lose nothing that was acknowledged', async () => {
  const load = new Load();
  const began = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const running = await Service.start();
    await load.addCodes(30);
    await load.begin();
    const made = await runHere(['client', 'create', `made-${round}`, '--name', 'M', '--account', 'acme'], deployment);
    expect(made).toMatchObject({ exitCode: 0 });
    const killed = new Set<number>();
    while (killed.size < killsEach) {
      await load.until(5);
      const pids = running.pids.filter((pid) => !killed.has(pid));
      const victim = pids[Math.floor(Math.random() * pids.length)];
      if (victim === undefined) continue;
      process.kill(victim, 'SIGKILL');
      killed.add(victim);
    }
    await load.until(10);
    await load.stop();
    await running.stop();
    const exits = running.log.filter(({ msg }) => msg === 'a process exited');
    expect(exits.map(({ signal }) => signal)).toEqual(Array(killsEach).fill('SIGKILL'));
  }
  await Service.start();
  const figures = await expectLaw(load);
  const made = (await store.clients.list()).filter(({ clientId }) => clientId.startsWith('made-'));
  expect(made).toHaveLength(rounds);
  await service?.stop();
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${JSON.stringify({ kills: rounds * killsEach, seconds, ...figures })}\n`);
});

test('fifty restarts of the database lose nothing that was acknowledged, and no process exits', async () => {
  const load = new Load();
  const admin = await database.connect();
  await admin.query('truncate job, idempotency_key, access_code');
  await admin.end();
  const began = performance.now();
  const running = await Service.start();
  const { pids } = running;
  await load.addCodes(20);
  await load.begin();
  const backMs: number[] = [];
  for (let restart = 0; restart < 50; restart += 1) {
    await load.until(40);
    await database.stop(restart % 2 === 0 ? 'fast' : 'immediate');
    const before = load.figures.unavailable;
    await expect.poll(() => load.figures.unavailable, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before + 5);
    await database.start();
    const startedAt = performance.now();
    await load.until(1);
    backMs.push(Math.round(performance.now() - startedAt));
    // An interrupted rotation may end a grant, and the codes live for a minute.
    if (restart % 5 === 0) await load.addCodes(20);
  }
  await load.until(40);
  await load.stop();
  expect(running.pids).toEqual(pids);
  const figures = await expectLaw(load);
  await running.stop();
  const seconds = Math.round((performance.now() - began) / 1000);
  const faults = running.log.filter(({ level }) => level >= 40);
  // A line a minute for each process, text and reason, and not one for each of the thousands of requests.
  expect(faults.length).toBeLessThan((seconds / 60 + 1) * processes * 12);
  const slowestBackMs = Math.max(...backMs);
  process.stdout.write(
    `${JSON.stringify({ restarts: backMs.length, seconds, slowestBackMs, logged: faults.length, ...figures })}\n`,
  );
});
