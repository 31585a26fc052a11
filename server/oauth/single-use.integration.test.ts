import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { testLaw } from '../fixtures/test-law.ts';
import { createTestDatabase } from '../store/fixtures/test-database.ts';
import { createRotating } from './fixtures/create-rotating.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { expectNothingUsable } from './fixtures/nothing-usable.ts';
import { shuffleStore } from './fixtures/shuffle-store.ts';
import { type RunningAuth, type StartOptions, startAuth } from './fixtures/start-auth.ts';
import { type Answer, logIn } from './fixtures/talk.ts';
import { exchangeCode, refresh, revoke } from './fixtures/token-requests.ts';

// If these fail, a thief of a code or a refresh token has the access of its client.

const start = Date.UTC(2026, 11, 1, 12);
const second = 1000;
const day = 86_400 * second;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

async function begin(options: StartOptions = {}): Promise<RunningAuth> {
  const running = await startAuth(options);
  ends.push(running.close);
  return running;
}

async function beginOnDatabase(): Promise<RunningAuth> {
  const database = await createTestDatabase();
  ends.push(database.remove);
  return begin({ store: await database.open() });
}

const places: readonly { readonly place: string; readonly start: () => Promise<RunningAuth> }[] = [
  { place: 'in memory', start: () => begin() },
  { place: 'in a database of its own', start: beginOnDatabase },
];

function twenty(ask: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: 20 }, ask));
}

function expectOne(answers: readonly Answer[]): void {
  const refused = answers.filter(({ status }) => status !== 200);
  expect(answers.length - refused.length).toBe(1);
  expect(new Set(refused.map(({ status, body }) => `${status} ${body?.error}`))).toEqual(
    new Set(['400 invalid_grant']),
  );
}

describe.each(places)('twenty requests at once $place', ({ start: startServer }) => {
  testLaw('one of them gets tokens for a code, and these are revoked', { few: 2, many: 5 }, async (rounds) => {
    const running = await startServer();
    for (let round = 0; round < rounds; round += 1) {
      const code = await issueCode(running.auth.provider, running.resource);
      const answers = await twenty(() => exchangeCode(running, code));
      expectOne(answers);
      await expectNothingUsable(running, answers);
    }
  });

  testLaw(
    'one of them uses a rotating refresh token, and its whole family is revoked',
    { few: 2, many: 5 },
    async (rounds) => {
      const running = await startServer();
      const client = await createRotating(running);
      for (let round = 0; round < rounds; round += 1) {
        const code = await issueCode(running.auth.provider, running.resource, { clientId: client.clientId });
        const login = await exchangeCode(running, code, { client });
        const answers = await twenty(() => refresh(running, login.body?.refresh_token, { client }));
        expectOne(answers);
        await expectNothingUsable(running, [login, ...answers], { client });
      }
    },
  );

  test('all of them use one that does not rotate', async () => {
    const running = await startServer();
    const login = await exchangeCode(running, await issueCode(running.auth.provider, running.resource));
    const answers = await twenty(() => refresh(running, login.body?.refresh_token));
    expect(answers.map(({ status, body }) => [status, body?.refresh_token])).toEqual(
      answers.map(() => [200, login.body?.refresh_token]),
    );
  });
});

describe('in every order of concurrent requests', () => {
  describe.each([
    { name: 'a code', isRotating: false },
    { name: 'a rotating refresh token', isRotating: true },
  ])('$name', ({ isRotating }) =>
    testLaw('is used by one of five, and everything is revoked', { few: 12, many: 50 }, async (numRuns) => {
      let turns = () => 0;
      const running = await begin({ faultyStore: (store) => shuffleStore(store, () => turns()) });
      const client = isRotating ? await createRotating(running) : running.partner;
      const law = async (delays: fc.Stream<number>): Promise<void> => {
        turns = () => 0;
        const code = await issueCode(running.auth.provider, running.resource, { clientId: client.clientId });
        const login = isRotating ? await exchangeCode(running, code, { client }) : undefined;
        turns = () => delays.next().value;
        const answers = await Promise.all(
          Array.from({ length: 5 }, () =>
            isRotating
              ? refresh(running, login?.body?.refresh_token, { client })
              : exchangeCode(running, code, { client }),
          ),
        );
        expectOne(answers);
        await expectNothingUsable(running, login === undefined ? answers : [login, ...answers], { client });
      };
      await fc.assert(fc.asyncProperty(fc.infiniteStream(fc.nat(4)), law), { numRuns });
    }),
  );
});

describe('a code, one exchange after the other', () => {
  test('is accepted once: the second is rejected, and revokes the tokens of the first', async () => {
    const running = await begin();
    const { answer } = await logIn(running);
    const first = await exchangeCode(running, answer.get('code') ?? '');
    expect(first.status).toBe(200);
    expect(await running.verify(String(first.body?.access_token))).toMatchObject({ kind: 'good' });
    const second = await exchangeCode(running, answer.get('code') ?? '');
    expect([second.status, second.body?.error]).toEqual([400, 'invalid_grant']);
    await expectNothingUsable(running, [first]);
  });
});

describe('the replay of a code', () => {
  // A consumed code is kept for a day after its 60 seconds.
  test.each([
    { later: 'at once', ms: 0 },
    { later: 'in its last second', ms: 59 * second },
    { later: 'as it has ended', ms: 60 * second },
    { later: 'a second after', ms: 61 * second },
    { later: 'an hour later', ms: 3600 * second },
    { later: 'in the last second of that day', ms: 60 * second + day - second },
  ])('$later revokes the refresh token and the access tokens of its login', async ({ ms }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const running = await begin();
    const { answer } = await logIn(running);
    const first = await exchangeCode(running, answer.get('code') ?? '');
    vi.setSystemTime(start + ms);
    await purgeAll(running);
    const refreshed = await refresh(running, first.body?.refresh_token);
    expect(refreshed.status).toBe(200);
    const replayed = await exchangeCode(running, answer.get('code') ?? '');
    expect([replayed.status, replayed.body?.error]).toEqual([400, 'invalid_grant']);
    // An expired token is rejected as expired: the refreshed one is new.
    await expectNothingUsable(running, ms < day ? [first, refreshed] : [refreshed]);
  });

  test.each([
    { later: 'a second later', ms: second },
    { later: 'an hour later', ms: 3600 * second },
  ])('$later revokes a family that has rotated meanwhile', async ({ ms }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const running = await begin();
    const client = await createRotating(running);
    const code = await issueCode(running.auth.provider, running.resource, { clientId: client.clientId });
    const family = [await exchangeCode(running, code, { client })];
    for (let rotation = 0; rotation < 3; rotation += 1) {
      family.push(await refresh(running, family.at(-1)?.body?.refresh_token, { client }));
    }
    expect(family.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    vi.setSystemTime(start + ms);
    expect((await exchangeCode(running, code, { client })).body?.error).toBe('invalid_grant');
    await expectNothingUsable(running, family, { client });
  });

  test('by another client revokes it too: two have the code', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const running = await begin();
    const other = await createRotating(running);
    const code = await issueCode(running.auth.provider, running.resource);
    const first = await exchangeCode(running, code);
    vi.setSystemTime(start + 61 * second);
    expect((await exchangeCode(running, code, { client: other })).body?.error).toBe('invalid_grant');
    await expectNothingUsable(running, [first]);
  });
});

describe('a consumed refresh token', () => {
  test.each([
    { later: 'at once', ms: 0 },
    { later: '300 days later', ms: 300 * day },
  ])('revokes its whole family when it is used again $later', async ({ ms }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const running = await begin();
    const client = await createRotating(running);
    const code = await issueCode(running.auth.provider, running.resource, { clientId: client.clientId });
    const first = await exchangeCode(running, code, { client });
    const second = await refresh(running, first.body?.refresh_token, { client });
    vi.setSystemTime(start + ms);
    await purgeAll(running);
    const third = await refresh(running, second.body?.refresh_token, { client });
    expect(third.status).toBe(200);
    expect((await refresh(running, first.body?.refresh_token, { client })).body?.error).toBe('invalid_grant');
    await expectNothingUsable(running, ms === 0 ? [first, second, third] : [third], { client });
  });

  test('is revoked like a valid one: a client that lost the answer can end the login', async () => {
    const running = await begin();
    const client = await createRotating(running);
    const code = await issueCode(running.auth.provider, running.resource, { clientId: client.clientId });
    const first = await exchangeCode(running, code, { client });
    const second = await refresh(running, first.body?.refresh_token, { client });
    expect((await revoke(running, first.body?.refresh_token, { client })).status).toBe(200);
    await expectNothingUsable(running, [first, second], { client });
  });
});

async function purgeAll({ store }: RunningAuth): Promise<void> {
  while ((await store.oidc.purge(Math.floor(Date.now() / 1000), 500)) > 0);
}
