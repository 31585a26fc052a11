import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { createStore } from '../server/store/create-store.ts';
import { createPool, preparing } from '../server/store/postgres/create-pool.ts';
import { findFreePort, startPostgres } from '../server/store/postgres/fixtures/start-postgres.ts';
import { postgresSpelling } from '../server/store/postgres/postgres-spelling.ts';
import type { Tables } from '../server/store/schema.ts';
import type { Store } from '../server/store/store.ts';
import { versionsOf } from './package-folder.ts';
import type { PostgresPeerOptions, Sent } from './peers/peer.ts';
import { type Load, load, startPeer } from './peers.ts';
import { median, type Question } from './question.ts';
import { readAnswer, requireSameAnswer } from './same-answer.ts';
import { prepareServer } from './start-server.ts';

const run = promisify(execFile);
const rounds = 7;
const secondsPerTurn = 2;
const connections = 10;
/** Every other one a bridge, with the lock before it. */
const pairs = 1000;
const accountId = 'bench';
/** Processes on each side: one for each of two cores, and one alone. */
const sizes = [1, 2] as const;

const lockId = (number: number) => `LK${String(number).padStart(8, '0')}`;
const bridgeId = (number: number) => `BR${String(number).padStart(8, '0')}`;
const codePath = (number: number) => `/devices/${lockId(number)}/algopin/hourly`;
const everyPair = Array.from({ length: pairs }, (_, number) => number);

interface Kind {
  readonly name: string;
  readonly load: Omit<Load, 'url' | 'headers' | 'connections' | 'duration'> & { readonly path: string };
  /** How long ours may take, in times of the peer. */
  readonly target?: number;
}

const kinds = {
  page: { name: `a page of 50 of ${2 * pairs} devices`, load: { path: '/devices?limit=50' }, target: 1.6 },
  device: { name: 'one device', load: { path: `/devices/${lockId(500)}` } },
  code: {
    name: 'a code',
    load: {
      path: '',
      requests: everyPair.map((number) => ({ path: `/v1${codePath(number)}` })),
      method: 'POST',
      body: JSON.stringify({ accessName: 'Guest' }),
    },
  },
  job: {
    name: 'a job',
    load: {
      path: '',
      requests: everyPair.map((number) => ({ path: `/v1/devices/${lockId(number)}/jobs/bridges/${bridgeId(number)}` })),
      method: 'POST',
      body: JSON.stringify({ jobType: 'UNLOCK' }),
    },
  },
  push: {
    name: 'a push of 100 entries',
    load: {
      path: '',
      requests: everyPair.map((number) => ({ path: `/v1/devices/${lockId(number)}/activity` })),
      method: 'POST',
      body: makePush(),
      idReplacement: true,
    },
  },
} as const satisfies Record<string, Kind>;
type KindName = keyof typeof kinds;
const kindNames = Object.keys(kinds) as KindName[];

/**
 * Ours runs as `serve` does it. The peer is Express with `pg`: it sends the same statements for the answer itself, and none for a token, a
 * limit or a check. Another holder has the leases of the jobs, so that no side runs them.
 */
export const postgres: Question = {
  asks: 'How many requests a second does `serve` answer on PostgreSQL, by one process and by several, compared with bare Express and `pg` with the same bytes?',
  needsPeers: true,
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-postgres-'));
    const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })];
    try {
      progress('starting PostgreSQL');
      const server = await startPostgres('18');
      ends.push(server.stop);
      const control = new pg.Client({ connectionString: `${server.url}/postgres` });
      await control.connect();
      await control.query("create database bench encoding 'UTF8' template template0");
      await control.end();
      const database = `${server.url}/bench`;
      const client = new pg.Client({ connectionString: database });
      await client.connect();
      ends.push(() => client.end());
      const port = await findFreePort();
      const files = await prepareServer(folder, everyPair.map(lockId), { database, port });
      await importBridges(folder, files.env);
      await client.query('vacuum analyze');
      const sample = await sampleStatements(database);
      await client.query('truncate job, activity, access_code');
      // The sides of one size run at once, and take turns.
      const times = new Map<string, number[]>();
      for (const processes of sizes) {
        const ours = await files.start(processes === 1 ? [] : ['--processes', String(processes)]);
        const page = await readAnswer(`${ours.base}${kinds.page.load.path}`, ours.token);
        const code = await fetch(`${ours.base}${codePath(500)}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ours.token}`, 'content-type': 'application/json' },
          body: kinds.code.load.body,
        });
        const options: PostgresPeerOptions = {
          port: await findFreePort(),
          processes,
          database,
          cursorLength: page.cursorLength,
          ...sample,
          code: (await code.json()) as PostgresPeerOptions['code'],
        };
        const peer = await startPeer('serve-postgres.ts', options);
        try {
          for (const { path } of [kinds.page.load, kinds.device.load])
            await requireSameAnswer(`${peer.base}${path}`, {
              url: `${ours.base}${path}`,
              token: ours.token,
              hasOurDuties: false,
            });
          const bases = { ours: ours.base, bare: peer.base };
          // One round more than counted warms all up.
          for (let round = 0; round <= rounds; round += 1)
            for (const kind of kindNames)
              for (const [side, base] of Object.entries(bases)) {
                progress(`${processes} processes, round ${round} of ${rounds}: ${kinds[kind].name}, ${side}`);
                await prepareTurn(client, kind);
                const time = await load(makeLoad(kinds[kind], base, ours.token));
                const key = keyOf(kind, side, processes);
                if (round > 0) times.set(key, [...(times.get(key) ?? []), time]);
              }
        } finally {
          await peer.close();
          await ours.close();
        }
      }
      return {
        rows: sizes.flatMap((processes) =>
          kindNames.flatMap((kind) =>
            ['ours', 'bare'].map((side) => {
              const milliseconds = times.get(keyOf(kind, side, processes)) ?? [];
              return {
                name: `${describeKind(kind, processes)}, ${side === 'ours' ? 'ours' : 'bare Express and pg'}: ms for 1000 (${perSecond(milliseconds)}/s)`,
                milliseconds,
              };
            }),
          ),
        ),
        ratios: sizes.flatMap((processes) => kindNames.map((kind) => compare(times, kind, processes))),
        versions: await versionsOf(['express', 'pg', 'kysely'], 'server'),
      };
    } finally {
      for (const end of ends.reverse()) await end();
    }
  },
};

async function importBridges(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const property = '65a000000000000000000001';
  const devices = everyPair.map((number) => ({
    deviceId: bridgeId(number),
    deviceName: `Bridge ${number}`,
    type: 'Bridge',
    properties: [property],
    links: [lockId(number)],
  }));
  const file = join(folder, 'bridges.json');
  await writeFile(file, JSON.stringify({ account: { id: accountId, name: 'Bench' }, devices }));
  await run(process.execPath, [join(import.meta.dirname, '../server/main.ts'), 'import', file], { env });
}

/** Records the statements that our store sends, so that the peer sends the same. */
async function sampleStatements(database: string): Promise<Pick<PostgresPeerOptions, 'sample' | 'sent'>> {
  const queries: CompiledQuery[] = [];
  const pool = createPool(database);
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: preparing(pool) }),
    log: ({ query }) => void queries.push(query),
  });
  const store = createStore(kysely, postgresSpelling, () => kysely.destroy());
  const record = async (act: (store: Store) => Promise<unknown>): Promise<readonly [Sent, ...Sent[]]> => {
    queries.length = 0;
    await act(store);
    const sent = queries.filter(({ sql }) => !/^(begin|commit)/.test(sql)).map(keepText);
    return sent as unknown as [Sent, ...Sent[]];
  };
  const now = Date.now();
  const sample = { deviceId: lockId(500), bridgeId: bridgeId(500), jobId: 'a'.repeat(24), pinId: 'c'.repeat(24), now };
  const sort = { by: 'deviceName', descending: false } as const;
  const [page] = await record(({ devices }) => devices.list({ accountId, sort, limit: 51 }));
  const [device] = await record(({ devices }) => devices.find(accountId, sample.deviceId));
  const hour = Math.floor(now / 3_600_000) * 3_600_000;
  const [code] = await record(({ accessCodes }) =>
    accessCodes.issue({
      ...{
        pinId: sample.pinId,
        deviceId: sample.deviceId,
        generation: 1,
        kind: 'hourly',
        startsAt: hour,
        endsAt: hour + 3_600_000,
      },
      ...{ activateBy: hour + 3_600_000, variance: 1, durationHours: null, accessName: 'Guest', issuedAt: now },
    }),
  );
  const [lockBridge, job] = await record(({ jobs }) =>
    jobs.create(
      {
        ...{
          jobId: sample.jobId,
          accountId,
          clientId: 'bench-own',
          bridgeId: sample.bridgeId,
          deviceId: sample.deviceId,
        },
        ...{ jobType: 'UNLOCK', createdAt: now, expiresAt: now + 120_000, sealedData: new Uint8Array(64) },
      },
      { unfinished: 20, rate: null },
      null,
    ),
  );
  const nothing = { rawType: 13, firstUse: null, pinId: null, accessName: null, details: '{}' };
  const [push] = await record(({ activity }) =>
    activity.add(
      Array.from({ length: 100 }, (_, index) => ({
        ...{
          id: index.toString(16).padStart(24, '0'),
          deviceId: sample.deviceId,
          at: now,
          receivedAt: now,
          type: 'UNLOCK',
          method: 'pin',
        },
        ...nothing,
      })),
    ),
  );
  await store.close();
  if (job === undefined) throw new Error('a job was created by one statement');
  return { sample, sent: { page, device, code, lockBridge, job, push } };
}

function keepText({ sql, parameters }: CompiledQuery): Sent {
  return {
    sql,
    parameters: parameters.map((value) =>
      value instanceof Uint8Array
        ? { bytes: Buffer.from(value).toString('base64') }
        : (value as string | number | null),
    ),
  };
}

/** No turn finds the rows of the one before it; no process runs a job, since another holder has the devices. */
async function prepareTurn(client: pg.Client, kind: KindName): Promise<void> {
  if (kind === 'push') await client.query('truncate activity');
  if (kind !== 'job') return;
  await client.query('truncate job');
  const until = Date.now() + 25_000;
  await client.query(
    `insert into job_lease select device_id, 'bench', ${until} from device where type = 'Lock' on conflict (device_id) do update set holder = 'bench', until = ${until}`,
  );
}

function makeLoad({ load: { path, requests, ...rest } }: Kind, base: string, token: string): Load {
  return {
    url: `${base}${path}`,
    ...(requests === undefined ? {} : { requests }),
    ...rest,
    headers: {
      authorization: `Bearer ${token}`,
      ...(rest.method === 'POST' ? { 'content-type': 'application/json' } : {}),
    },
    connections,
    duration: secondsPerTurn,
  };
}

/** As a phone reads them from a lock. The marks make each request's ids new. */
function makePush(): string {
  const now = Date.now();
  const logsPayload = Array.from({ length: 100 }, (_, index) => {
    const log = JSON.stringify({ logType: 13, entryDate: Math.floor(now / 1000) - index, keyId: 1 });
    return JSON.stringify({ id: `[<id>]-${index}`, user: 'owner', ts: now, payload: { lockName: 'Door', log } });
  });
  return JSON.stringify({ logsPayload });
}

function keyOf(kind: KindName, side: string, processes: number): string {
  return `${kind} ${side} ${processes}`;
}

function describeKind(kind: KindName, processes: number): string {
  return `${kinds[kind].name}, ${processes === 1 ? 'one process' : `${processes} processes`}`;
}

function compare(times: ReadonlyMap<string, readonly number[]>, kind: KindName, processes: number) {
  const theirs = times.get(keyOf(kind, 'bare', processes)) ?? [];
  // Round by round: what else the machine does in one falls on both sides of it.
  const ratio = median(
    (times.get(keyOf(kind, 'ours', processes)) ?? []).map((time, index) => time / (theirs[index] ?? Number.NaN)),
  );
  const { target }: Kind = kinds[kind];
  return {
    name: `${describeKind(kind, processes)}: time of ours over bare Express and pg`,
    ratio,
    ...(target === undefined ? {} : { target }),
  };
}

function perSecond(times: readonly number[]): string {
  return Math.round(1e6 / median(times)).toLocaleString('en');
}
