import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seedDemo } from './demo/seed-demo.ts';
import { createTestKeys } from './oauth/fixtures/keys.ts';
import { loginQuery } from './oauth/fixtures/talk.ts';
import { type RunningService, startService } from './start-service.ts';
import { OwnServer } from './store/postgres/fixtures/own-server.ts';
import { TcpProxy } from './store/postgres/fixtures/tcp-proxy.ts';
import { openPostgresStore } from './store/postgres/open-store.ts';

// If these fail, requests hang or get lost while the database is away, or the service does not recover by itself.

/** Less than the second of a server, since the answer comes a little later and the machine may be busy. */
const patienceMs = 800;
const aSecond = 1000;
// A busy machine may delay one run by some hundred milliseconds.
const full = { tags: ['full'], retry: 2 };
const device = '/devices/LK2A00000001';

let database: OwnServer;
let network: TcpProxy;
let service: RunningService;
let basic: string;
let token: string;
beforeAll(async () => {
  database = await OwnServer.create();
  network = await TcpProxy.create(database.port);
  const keys = await createTestKeys();
  const store = await openPostgresStore(database.url(network.port), { patienceMs });
  const clock = { now: Date.now };
  const clients = await seedDemo(store, { keys, now: Date.now() });
  const listening = { port: 0, host: '127.0.0.1', checkResponses: true };
  service = await startService({ ...listening, store, keys, clock, logger: pino({ level: 'silent' }) });
  const { clientId, secret } = clients.find((client) => client.clientId === 'demo-own') ?? { clientId: '', secret: '' };
  basic = `Basic ${btoa(`${clientId}:${secret}`)}`;
  token = JSON.parse((await requestToken()).text).access_token;
});
afterAll(async () => {
  await service.close();
  await network[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function send(path: string, init: RequestInit = {}) {
  const began = performance.now();
  const answer = await fetch(service.origin + path, { redirect: 'manual', ...init });
  const text = await answer.text();
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text, ms: performance.now() - began };
}

type Sent = Awaited<ReturnType<typeof send>>;

const requestToken = () =>
  send('/auth/oauth2/token', {
    method: 'POST',
    headers: { Authorization: basic },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });

/** Every key of a job that was requested, and whether a request for it was acknowledged. */
const jobs = new Map<string, boolean>();

async function createJob(key = `job-${jobs.size}`): Promise<Sent> {
  jobs.set(key, jobs.get(key) ?? false);
  const answer = await send(`/v1${device}/jobs/bridges/BR1A00000001`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: '{"jobType":"GET_BATTERY_LEVEL"}',
  });
  if (answer.status < 300) jobs.set(key, true);
  return answer;
}

/** A bridge has a queue of twenty jobs, and one that failed during a fault waits for some seconds. */
async function createWhenRoom(key = `job-${jobs.size}`): Promise<number> {
  let status = 0;
  const create = async () => {
    ({ status } = await createJob(key));
    return status;
  };
  await expect.poll(create, { timeout: 40_000, interval: 250 }).not.toBe(429);
  return status;
}

const requests = {
  read: () => send(`/v1${device}?admin_key=0&lock_id=0`, { headers: { Authorization: `Bearer ${token}` } }),
  write: () => createJob(),
  token: requestToken,
  'log-in page': () => {
    const changes = { client_id: 'demo-partner', redirect_uri: 'https://partner.example/callback' };
    return send(`/auth/login?${loginQuery(changes)}`, { headers: { Accept: 'text/html' } });
  },
} as const;
type Kind = keyof typeof requests;
const kinds = Object.keys(requests) as readonly Kind[];

const allWork = async () => {
  const statuses = await Promise.all(kinds.map(async (kind) => (await requests[kind]()).status));
  return [...statuses, (await send('/readyz')).status];
};
const works = [200, 200, 200, 303, 200];

/** Until the database recovers, and this process notices. */
const recovers = () => expect.poll(allWork, { timeout: 20_000, interval: 100 }).toEqual(works);

/** All requests for a job that failed are sent again: then each has exactly one job, and those acknowledged before are among them. */
async function expectNothingLostOrTwice(): Promise<void> {
  for (const [key, isAcknowledged] of jobs)
    if (!isAcknowledged) await expect.poll(async () => (await createJob(key)).status, { timeout: 20_000 }).toBe(200);
  const admin = await database.connect();
  const { rows } = await admin.query(
    'select (select count(*)::int from job) as jobs, (select count(*)::int from idempotency_key) as keys',
  );
  await admin.end();
  expect(rows).toEqual([{ jobs: jobs.size, keys: jobs.size }]);
}

beforeEach(recovers);

interface Fault {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** The reason that `/readyz` has. */
  readonly reason: string;
  /** Requests that are answered as always; none when omitted. */
  readonly answered?: readonly Kind[];
}

let locker: Awaited<ReturnType<OwnServer['connect']>>;
/** Raised by every statement that writes, which stands for a fault that a test can't cause. */
const raise = async (code: string) => {
  const admin = await database.connect();
  const { rows } = await admin.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  await admin.query(
    `create function fault() returns trigger language plpgsql as $$ begin raise exception 'injected' using errcode = '${code}'; end $$`,
  );
  for (const { relname } of rows)
    await admin.query(`create trigger fault before insert or update or delete on ${relname} execute function fault()`);
  await admin.end();
};
const raiseNoMore = async () => {
  const admin = await database.connect();
  await admin.query('drop function fault() cascade');
  await admin.end();
};
const cutAll = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'";

const faults: readonly Fault[] = [
  ...(['fast', 'immediate', 'kill'] as const).map((how) => ({
    name: `the server is stopped: ${how}`,
    begin: () => database.stop(how),
    end: () => database.start(),
    reason: 'unreachable',
  })),
  {
    name: 'the network is silent, also for new connections',
    begin: async () => {
      network.isSilent = true;
    },
    end: async () => {
      network.isSilent = false;
    },
    reason: 'unreachable',
  },
  {
    name: 'nobody listens at the address',
    begin: async () => {
      network.target = 1;
      network.cut();
    },
    end: async () => {
      network.target = database.port;
    },
    reason: 'unreachable',
  },
  {
    name: 'all tables are locked',
    begin: async () => {
      locker = await database.connect();
      const { rows } = await locker.query(
        "select string_agg(relname, ',') as names from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
      );
      await locker.query('begin');
      await locker.query(`lock table ${rows[0]?.names} in access exclusive mode`);
    },
    end: () => locker.end(),
    reason: 'busy',
  },
  {
    name: 'too many connections',
    begin: () => database.query('alter role app connection limit 0', cutAll),
    end: () => database.query('alter role app connection limit -1'),
    reason: 'busy',
  },
  {
    name: 'the database admits nobody',
    begin: () => database.query('alter database app allow_connections false', cutAll),
    end: () => database.query('alter database app allow_connections true'),
    reason: 'unreachable',
  },
  {
    name: 'the password was changed',
    begin: () => database.query("alter role app password 'another'", cutAll),
    end: () => database.query("alter role app password 'not-a-secret'"),
    reason: 'unreachable',
  },
  {
    name: 'the database was renamed',
    begin: () => database.query(cutAll, 'alter database app rename to other'),
    end: () => database.query('alter database other rename to app'),
    reason: 'unreachable',
  },
  {
    name: 'the server is a standby',
    begin: () => database.restartAs('standby'),
    end: () => database.restartAs('primary'),
    reason: 'read_only',
    answered: ['read'],
  },
  ...(
    [
      ['no space is left on the disk', '53100', 'disk_full'],
      ['no memory is left', '53200', 'busy'],
      ['every transaction is undone', '40001', 'busy'],
      ['every transaction deadlocks', '40P01', 'busy'],
      ['the server shuts down', '57P01', 'unreachable'],
      ['the disk fails', '58030', 'unreachable'],
    ] as const
  ).map(([name, code, reason]) => ({
    name: `${name} (${code})`,
    begin: () => raise(code),
    end: raiseNoMore,
    reason,
    answered: ['read', 'token'] as const,
  })),
];

describe('while', () => {
  test.each(faults)(
    '$name, requests are answered 503 within a second, and everything goes on afterwards',
    full,
    async ({ begin, end, reason, answered = [] }) => {
      await begin();
      try {
        // Twice: first on the connections of before, then on new ones.
        for (let round = 0; round < 2; round += 1) {
          const answers = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await requests[kind]()) })));
          for (const { kind, status, retryAfter, text, ms } of answers) {
            if (answered.includes(kind)) expect({ kind, status }).toEqual({ kind, status: 200 });
            else expect({ kind, status, retryAfter, text }).toMatchObject({ kind, status: 503, retryAfter: '1' });
            expect({ kind, isInTime: ms < aSecond, ms }).toMatchObject({ isInTime: true });
          }
        }
        // Its last answer may be up to a second old.
        await expect
          .poll(
            async () => {
              const { status, text } = await send('/readyz');
              return [status, JSON.parse(text)];
            },
            { timeout: 10_000 },
          )
          .toMatchObject([503, { status: 'unavailable', reason }]);
        expect((await send('/healthz')).status).toBe(200);
      } finally {
        await end();
      }
      await recovers();
      await expectNothingLostOrTwice();
    },
  );
});

test(
  'while one table is locked and all connections wait for it, no request waits longer than a second',
  full,
  async () => {
    const holder = await database.connect();
    await holder.query('begin; lock table device in access exclusive mode');
    const answers = await Promise.all(Array.from({ length: 60 }, () => requests.read()));
    await holder.end();
    expect(answers.filter(({ status }) => status !== 503)).toEqual([]);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(aSecond + 300); // sixty at once, by one process
  },
);

test('requests during a cut of all connections are answered, or 503, and the next ones succeed', full, async () => {
  const statuses = new Set<number>();
  for (let cut = 0; cut < 5; cut += 1) {
    const answers = Array.from({ length: 5 }, () => createJob());
    await database.query(cutAll);
    for (const { status } of await Promise.all(answers)) statuses.add(status);
    await recovers();
  }
  // 429: the queue of the bridge has twenty places.
  expect([...statuses].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  await expectNothingLostOrTwice();
});

test('a service whose database moved finds it at the new address, though the old one is silent', full, async () => {
  await using moved = await TcpProxy.create(database.port);
  network.isSilent = true;
  expect((await requests.read()).status).toBe(503);
  network.isSilent = false;
  network.target = moved.port;
  await recovers();
  network.target = database.port;
});

test('a transaction that loses against another one runs again, unseen by the client', full, async () => {
  const admin = await database.connect();
  // A sequence counts also in transactions that are undone.
  await admin.query('create sequence losses');
  await admin.query('grant all on sequence losses to app');
  await admin.query(
    `create function lose() returns trigger language plpgsql as $$ begin
      if nextval('losses') % 3 > 0 then raise exception 'injected' using errcode = '40P01'; end if; return new; end $$`,
  );
  await admin.query('create trigger lose before insert on job for each row execute function lose()');
  for (let times = 0; times < 3; times += 1) expect(await createWhenRoom()).toBe(200);
  await admin.query('drop function lose() cascade; drop sequence losses');
  await admin.end();
  await expectNothingLostOrTwice();
});

test('jobs that were waiting during a fault are run after it', full, async () => {
  await createWhenRoom();
  const { jobId } = JSON.parse((await createJob([...jobs.keys()].at(-1))).text);
  await database.stop('kill');
  await database.start();
  await recovers();
  const isDone = async () => {
    const { text } = await send(`/v1/jobs/${jobId}`, { headers: { Authorization: `Bearer ${token}` } });
    return JSON.parse(text);
  };
  await expect.poll(isDone, { timeout: 30_000, interval: 250 }).toMatchObject({ status: 'succeeded' });
});
