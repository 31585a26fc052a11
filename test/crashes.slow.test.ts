import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../server/commands/fixtures/run-command.ts';
import { readKeyFile } from '../server/key-file.ts';
import { createClientMetadata } from '../server/oauth/create-client-metadata.ts';
import { issueCode } from '../server/oauth/fixtures/issue-code.ts';
import { createAuthServer } from '../server/oauth/provider.ts';
import { apiScopes } from '../server/oauth/scopes.ts';
import { OwnServer } from '../server/store/postgres/fixtures/own-server.ts';
import { openPostgresStore } from '../server/store/postgres/open-store.ts';
import type { Store } from '../server/store/store.ts';
import { type Deployment, findFreePort, prepareDeployment, root } from './prepare-deployment.ts';
import { callback, type LoadTarget, places, WriteLoad } from './write-load.ts';

// If these fail, a client has an answer about something that no longer exists, or one request had two effects.

const processes = 3;
const owner = { id: `owner-${'a1'.repeat(12)}`, accountId: 'acme', email: 'owner@acme.example', name: 'Acme' } as const;

let database: OwnServer;
let deployment: Deployment;
let store: Store;
let target: LoadTarget;
let service: Service | undefined;
beforeAll(async () => {
  database = await OwnServer.create();
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
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
  const keys = await readKeyFile(String(env.LOCKSTEP_KEYS));
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const resource = `${origin}/v1`;
  const { provider } = createAuthServer({ issuer: `${origin}/auth`, resource, store, keys, scopes: apiScopes, log });
  target = {
    origin,
    secrets: { own: own.secret, partner: partner.secret },
    issueCode: () => issueCode(provider, resource, { ownerId: owner.id, clientId: 'acme-partner' }),
  };
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

/** Everything acknowledged exists, nothing exists twice, and nothing single-use is accepted again. */
async function expectLaw(load: WriteLoad): Promise<object> {
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
  for (const chain of live) {
    const got = await load.refresh(chain.token);
    expect(got?.status).toBe(200);
    chain.used.push(chain.token);
    chain.token = String(got?.body.refresh_token);
  }
  let replayed = 0;
  for (const { used } of [...live, ...load.dead].slice(0, 100))
    for (const token of used.slice(-1)) {
      expect((await load.refresh(token))?.status).toBe(400);
      replayed += 1;
    }
  for (const code of load.exchanged.slice(-20)) expect((await load.exchange(code))?.status).toBe(400);
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
  const load = new WriteLoad(target);
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
  const load = new WriteLoad(target);
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
  // A token request that was rejected has a line of its own.
  const faults = running.log.filter(({ level, msg }) => level >= 40 && msg !== 'token request rejected');
  // A line a minute for each process, text and reason, and not one for each of the thousands of requests.
  expect(faults.length).toBeLessThan((seconds / 60 + 1) * processes * 12);
  const slowestBackMs = Math.max(...backMs);
  process.stdout.write(
    `${JSON.stringify({ restarts: backMs.length, seconds, slowestBackMs, logged: faults.length, ...figures })}\n`,
  );
});
