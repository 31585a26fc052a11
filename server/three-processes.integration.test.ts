import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createJobRunner } from './bridge/job-runner.ts';
import type { Progress } from './bridge/link.ts';
import { createOpenLocks } from './bridge/open-locks.ts';
import { createAccountQuota } from './http/account-quota.ts';
import { createGuessLimits, guessLimits } from './oauth/limit-guesses.ts';
import { passwordsAtOnce } from './oauth/passwords.ts';
import { createDatabase } from './store/postgres/fixtures/create-database.ts';
import { openPostgresStore } from './store/postgres/open-store.ts';
import type { Device } from './store/records.ts';
import { type Store, StoreUnavailable } from './store/store.ts';
import { addSite, day, makeJob, makeKey, makeSettlement, proxied, start, targeted } from './store/suite/job-records.ts';
import { addAccount, addOwner, makeDevice } from './store/suite/records.ts';

// Three processes on one database: each call goes to the next of three stores. A test of this file fails if its lock or condition is removed.

let stores: readonly Store[];
beforeAll(async () => {
  const url = await createDatabase();
  stores = [await openPostgresStore(url), await openPostgresStore(url), await openPostgresStore(url)];
  // Connections are open by now, so that the first calls run at once too.
  await atOnce(30, (store) => store.ping());
});
afterAll(async () => {
  for (const store of stores) await store.close();
});

/** Runs `act` so many times at once, in turns on the three stores. A call that could not be made is made again, as by a client after 503. */
function atOnce<Result>(times: number, act: (store: Store, index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(
    Array.from({ length: times }, (_, index) => {
      const store = stores[index % stores.length];
      if (store === undefined) throw new Error('no store is open');
      const run = (): Promise<Result> =>
        act(store, index).catch((error) => {
          if (error instanceof StoreUnavailable) return run();
          throw error;
        });
      return run();
    }),
  );
}

const countKinds = (answers: readonly { readonly kind: string }[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ kind }) => kind)
      .entries()
      .map(([kind, all]) => [kind, all.length]),
  );

describe('three processes at once', () => {
  test('judge no more wrong passwords than one, also while others are under way', async () => {
    const limiters = new Map(stores.map((store) => [store, createGuessLimits({ openCounter: store.counters.open })]));
    const guess = { email: 'ann@harbour.example', address: '192.0.2.1', isWaited: () => true };
    const wrong = async () => ({ kind: 'wrong' }) as const;
    const attempt = async (store: Store, judge: typeof wrong) =>
      (await limiters.get(store)?.(guess, judge)) ?? { kind: 'none' };
    for (let failed = 1; failed < guessLimits.together.failures; failed += 1) await attempt(stores[0] as Store, wrong);

    // One attempt is left. Each that is judged waits until the other two are judged or rejected too.
    let underWay = stores.length;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const arrive = () => {
      underWay -= 1;
      if (underWay === 0) resolve();
    };
    const answers = await atOnce(stores.length, async (store) => {
      let isJudged = false;
      const answer = await attempt(store, async () => {
        isJudged = true;
        arrive();
        await all;
        return wrong();
      });
      if (!isJudged) arrive();
      return answer;
    });
    expect(countKinds(answers)).toEqual({ wrong: 1, throttled: 2 });
  });

  test('count the quota of a client together, and return another rest each time', async () => {
    const limit = 25;
    const quotas = new Map(
      stores.map((store) => [store, createAccountQuota(limit, store.counters.open, { now: () => start })]),
    );
    const principal = { accountId: 'quota', clientId: 'quota-own', trialEndsAt: null };
    const answers = await atOnce(60, async (store) => quotas.get(store)?.(principal));
    const rests = answers.filter((quota) => quota?.accepted).map((quota) => quota?.left ?? -1);
    expect(rests.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, index) => index));
  });

  test('consume a code once', async () => {
    const code = {
      model: 'AuthorizationCode',
      idHash: 'race',
      grantId: 'race',
      uid: null,
      ownerId: null,
      clientId: null,
    };
    await stores[0]?.oidc.put({ ...code, payload: '{}', expiresAt: null, purgeAt: null });
    const taken = await atOnce(30, (store) => store.oidc.consume(code.model, code.idHash, 1));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('create exactly as many jobs as a bridge may have', async () => {
    const site = await addSite(stores[0] as Store);
    const waiting = await atOnce(60, (store) => store.jobs.create(makeJob(site), proxied, null));
    expect(countKinds(waiting)).toEqual({ created: 20, queue_full: 40 });
    const other = await addSite(stores[0] as Store);
    const rated = await atOnce(30, (store) => store.jobs.create(makeJob(other), targeted, null));
    expect(countKinds(rated)).toEqual({ created: 3, rate: 27 });
  });

  test('create one job for an idempotency key, and return it to all', async () => {
    const site = await addSite(stores[0] as Store);
    const key = makeKey(site, 'race');
    const creations = await atOnce(30, (store) => store.jobs.create(makeJob(site), proxied, key));
    expect(countKinds(creations)).toEqual({ created: 1, replayed: 29 });
  });

  test('use a lock one after the other, so that no wrong PIN is forgotten', async () => {
    const { accountId, bridgeId } = await addSite(stores[0] as Store);
    const device = makeDevice(accountId, `${bridgeId}-lock`);
    await stores[0]?.imports.write({ properties: [], devices: [device] });
    const clock = { now: () => start };
    const found = await stores[0]?.devices.find(accountId, device.deviceId);
    const keys = { deviceKey: Buffer.alloc(32, 7) };
    const locks = new Map(stores.map((store) => [store, createOpenLocks({ store, keys, clock, randomBytes })]));
    await atOnce(3, async (store) => locks.get(store)?.use(found as Device, (lock) => lock.enter('9999')));
    const state = await locks.get(stores[0] as Store)?.use(found as Device, (lock) => lock.state());
    expect(state?.wrongEntries).toBe(3);
  });

  test('run the jobs of a device in one of them, and in another after its lease', async () => {
    const now = start + 1000;
    const sites = await Promise.all(Array.from({ length: 6 }, () => addSite(stores[0] as Store)));
    const jobs = sites.flatMap((site) => [makeJob(site), makeJob(site)]);
    for (const job of jobs) await stores[0]?.jobs.create(job, proxied, null);
    const ids = new Set(jobs.map(({ jobId }) => jobId));
    const leaseAll = async (at: number) => {
      const leased = await atOnce(3, async (store) => (await store.jobs.lease(at)).jobs);
      return leased.map((mine) => mine.map(({ jobId }) => jobId).filter((jobId) => ids.has(jobId)));
    };
    const first = await leaseAll(now);
    expect(first.flat().sort()).toEqual([...ids].sort());
    const devices = first.map(
      (mine) => new Set(jobs.filter(({ jobId }) => mine.includes(jobId)).map((job) => job.deviceId)),
    );
    expect(devices.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(jobs.map(({ deviceId }) => deviceId)).size);
    expect(await leaseAll(now + 5000)).toEqual(first);

    // The process that has most of them dies, or stops.
    const holder = first.findIndex((mine) => mine.length === Math.max(...first.map(({ length }) => length)));
    const others = stores.filter((_, index) => index !== holder);
    const countOf = async (at: number) => {
      const leased = await Promise.all(others.map((store) => store.jobs.lease(at)));
      return leased.flatMap(({ jobs: mine }) => mine.filter(({ jobId }) => ids.has(jobId))).length;
    };
    expect(await countOf(now + 14_999)).toBe(ids.size - (first[holder]?.length ?? 0));
    expect(await countOf(now + 15_000)).toBe(ids.size);
    for (const store of others) await store.jobs.release(now + 15_000);
    expect((await stores[holder]?.jobs.lease(now + 15_001))?.jobs.filter(({ jobId }) => ids.has(jobId))).toHaveLength(
      ids.size,
    );
  });

  test('run no further job after their lease, which another has taken', async () => {
    const site = await addSite(stores[0] as Store);
    const clock = { at: start + day, now: () => clock.at };
    const jobs = [0, 1].map(() => makeJob(site, { createdAt: clock.at }));
    for (const job of jobs) await stores[0]?.jobs.create(job, proxied, null);
    const done: Progress = { kind: 'done', report: { result: 0, output: {}, items: [], batteryLevel: null } };
    const delivered: string[] = [];
    const [first, second] = stores.slice(0, 2).map((store, index) =>
      createJobRunner({
        store,
        clock,
        link: {
          deliver: async ({ jobId }) => {
            delivered.push(`${index} ${jobs.findIndex((job) => job.jobId === jobId)}`);
            if (delivered.length > 1) return done;
            clock.at += 15_000;
            await second?.tick();
            return done;
          },
        },
        jobData: { seal: () => new Uint8Array(), open: () => ({}) },
        settle: async ({ jobId }) => void (await store.jobs.settle(makeSettlement(jobId, { at: clock.at }))),
        logger: { error: (_fields, text) => delivered.push(text) },
      }),
    );
    await first?.tick();
    expect(delivered).toEqual(['0 0', '1 0', '1 1']);
  });

  test('have one that purges', async () => {
    let [underWay, arrived] = [0, 0];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const arrive = () => {
      arrived += 1;
      if (arrived === stores.length) resolve();
    };
    let most = 0;
    const led = await atOnce(stores.length, async (store) => {
      let isLeading = false;
      const hasLed = await store.lead(async () => {
        isLeading = true;
        underWay += 1;
        most = Math.max(most, underWay);
        arrive();
        await all; // the others try meanwhile
        underWay -= 1;
      });
      if (!isLeading) arrive();
      return hasLed;
    });
    expect([most, led.filter(Boolean)]).toEqual([1, [true]]);
    expect(await stores[1]?.lead(async () => undefined)).toBe(true);
  });
});

// docs/operating.md names what each process counts or limits for itself.
describe('N processes have N times as many', () => {
  const [email, network] = ['bob@harbour.example', '198.51.100'];
  const isWaited = () => true;

  test('attempts in a second at an e-mail with too many wrong passwords', async () => {
    const wrong = async () => ({ kind: 'wrong' }) as const;
    const pauses = stores.map(() => 0);
    let held: (() => void)[] = [];
    const limiters = stores.map((store, index) =>
      createGuessLimits({
        openCounter: store.counters.open,
        pause: () => {
          pauses[index] = (pauses[index] ?? 0) + 1;
          return new Promise<void>((resolve) => held.push(resolve));
        },
      }),
    );
    const attempt = (index: number) =>
      limiters[index % limiters.length]?.({ email, address: `${network}.${index}`, isWaited }, wrong);
    const free = guessLimits.email.failures + 1;
    for (let index = 0; index < free; index += 1) expect(await attempt(index)).toEqual({ kind: 'wrong' });

    let judged = 0;
    const attempts = Array.from({ length: 3 * stores.length }, async (_, index) => {
      await attempt(free + index);
      judged += 1;
    });
    for (let round = 1; round <= 3; round += 1) {
      await vi.waitFor(() => expect([judged, held.length]).toEqual([(round - 1) * stores.length, stores.length]));
      const all = held;
      held = [];
      for (const release of all) release();
    }
    await Promise.all(attempts);
    expect(pauses).toEqual(stores.map(() => 3));
  });

  test('checks of passwords at once', async () => {
    let [underWay, most] = [0, 0];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const places = passwordsAtOnce * stores.length;
    const limiters = stores.map((store) => createGuessLimits({ openCounter: store.counters.open }));
    const attempts = Array.from({ length: 2 * places }, (_, index) =>
      limiters[index % limiters.length]?.({ email: `${index}`, address: `203.0.113.${index}`, isWaited }, async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        if (underWay === places) resolve();
        await all;
        underWay -= 1;
        return { kind: 'right' } as const;
      }),
    );
    await Promise.all(attempts);
    expect(most).toBe(places);
  });
});

describe('the next request to another process sees', () => {
  const at = 1_790_000_000_000;
  const changes: readonly { name: string; change: (store: Store, ids: Ids) => Promise<unknown> }[] = [
    { name: 'a disabled account', change: (store, { accountId }) => store.accounts.setDisabled(accountId, at) },
    { name: 'a disabled client', change: (store, { clientId }) => store.clients.setDisabled(clientId, at / 1000) },
    {
      name: 'a disabled owner',
      change: (store, { accountId, clientId, ownerId }) => {
        const entry = { at, accountId, clientId, action: 'set_disabled', deviceId: null, requestId: null };
        return store.owners.setDisabled(ownerId, at, entry);
      },
    },
    { name: 'a revoked grant', change: (store, { grantId }) => store.oidc.revokeGrant(grantId, grantId, 1, 2) },
  ];
  test.each(changes)('$name', async ({ change }) => {
    const [first, ...others] = stores as [Store, ...Store[]];
    const accountId = await addAccount(first);
    const ids = {
      accountId,
      clientId: `client of ${accountId}`,
      ownerId: await addOwner(first, accountId),
      grantId: `grant of ${accountId}`,
    };
    await first.clients.create({ clientId: ids.clientId, metadata: '{}' });
    const find = (store: Store) => store.principals.find(ids.clientId, { kind: 'owner', ...ids });
    for (const store of stores) expect(await find(store)).toMatchObject({ accountId });
    await change(first, ids);
    for (const store of others) expect(await find(store)).toBeUndefined();
  });
});

interface Ids {
  readonly accountId: string;
  readonly clientId: string;
  readonly ownerId: string;
  readonly grantId: string;
}
