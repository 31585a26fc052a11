import { decodeJwt } from 'jose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openBrowser } from './fixtures/browser.ts';
import { createRotating } from './fixtures/create-rotating.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { loginQuery, loginTokens } from './fixtures/talk.ts';
import { exchangeCode, refresh, revoke } from './fixtures/token-requests.ts';
import { hashSecret } from './hash-secret.ts';

// A purge removes expired artifacts, but not too early: otherwise owners would have to log in again, and replays would not be detected.
// A late purge fills the database. The tests call the server's own purge a second before each end and at the end.

const start = Date.UTC(2026, 11, 1, 12);
const [minute, day] = [60, 86_400];

let running: RunningAuth | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await running?.close();
});

async function begin(): Promise<RunningAuth> {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(start);
  running = await startAuth();
  return running;
}

/** Sets the time to `seconds` after the start, and purges as `start-purging.ts` does. */
async function purgeAt(seconds: number): Promise<void> {
  vi.setSystemTime(start + seconds * 1000);
  while (((await running?.store.oidc.purge(Math.floor(Date.now() / 1000), 500)) ?? 0) >= 500);
}

interface Kept {
  readonly what: string;
  /** Seconds after the start. */
  readonly endsAfter: number;
  /** Further seconds of validity: upstream's own `clockTolerance`, if it checks the stored expiry. */
  readonly tolerance?: number;
  /** Seconds for which its row stays after its end. */
  readonly keptFor: number;
  readonly make: (auth: RunningAuth) => Promise<{
    readonly row: readonly [model: string, id: string];
    /** Called at most twice: in its last second, and at its end. */
    readonly isGood: () => Promise<boolean>;
  }>;
}

const kept: readonly Kept[] = [
  {
    what: 'a login under way',
    endsAfter: 30 * minute,
    tolerance: 15,
    keptFor: minute,
    make: async (auth) => {
      const browser = openBrowser(auth.origin);
      const { address } = await browser.get(`/auth/login?${loginQuery()}`);
      return {
        row: ['Interaction', address.split('/').at(-1) ?? ''],
        isGood: async () => (await browser.get(address)).status === 200,
      };
    },
  },
  {
    what: 'a code',
    endsAfter: minute,
    keptFor: day,
    make: async (auth) => {
      const code = await issueCode(auth.auth.provider, auth.resource);
      return { row: ['AuthorizationCode', code], isGood: async () => (await exchangeCode(auth, code)).status === 200 };
    },
  },
  {
    what: 'a browser session',
    endsAfter: 12 * 60 * minute,
    tolerance: 15,
    keptFor: minute,
    make: async (auth) => {
      const browser = openBrowser(auth.origin);
      const [, token = ''] = /name="token" value="([^"]+)"/.exec((await browser.get('/auth/apps')).text) ?? [];
      const { email, password } = owner;
      await browser.post('/auth/apps/login', { token, email, password });
      return {
        row: ['Session', browser.cookiesFor('/auth/apps').get('session') ?? ''],
        isGood: async () => (await browser.get('/auth/apps')).text.includes('log-out-everywhere'),
      };
    },
  },
  {
    what: 'a refresh token',
    endsAfter: 365 * day,
    keptFor: minute,
    make: async (auth) => {
      const { refresh_token: token } = await loginTokens(auth);
      return { row: ['RefreshToken', token], isGood: async () => (await refresh(auth, token)).status === 200 };
    },
  },
  {
    what: 'a refresh token that was rotated in after 200 days',
    endsAfter: 365 * day,
    keptFor: minute,
    make: async (auth) => {
      const client = await createRotating(auth);
      const code = await issueCode(auth.auth.provider, auth.resource, { clientId: client.clientId });
      const first = await exchangeCode(auth, code, { client });
      await purgeAt(200 * day);
      const { body } = await refresh(auth, first.body?.refresh_token, { client });
      let token = String(body?.refresh_token);
      return {
        row: ['RefreshToken', token],
        isGood: async () => {
          const answer = await refresh(auth, token, { client });
          token = String(answer.body?.refresh_token);
          return answer.status === 200;
        },
      };
    },
  },
  {
    what: 'a grant',
    endsAfter: 366 * day,
    keptFor: minute,
    make: async (auth) => {
      const { access_token: token } = await loginTokens(auth);
      const id = String(decodeJwt(token).gid);
      return {
        row: ['Grant', id],
        isGood: async () => (await auth.auth.provider.Grant.find(id))?.isValid === true,
      };
    },
  },
];

describe.each(kept)('$what', ({ endsAfter, tolerance = 0, keptFor, make }) => {
  test('is valid in its last second, and not from its end on', async () => {
    const { isGood } = await make(await begin());
    await purgeAt(endsAfter + tolerance - 1);
    expect(await isGood()).toBe(true);
    // A new one, since the check consumes some of them.
    await running?.close();
    const again = await make(await begin());
    await purgeAt(endsAfter + tolerance);
    expect(await again.isGood()).toBe(false);
  });

  test('has a row until its retention is over, and none from then on', async () => {
    const auth = await begin();
    const [model, id] = (await make(auth)).row;
    const isThere = async () => (await auth.store.oidc.find(model, hashSecret(id))) !== undefined;
    await purgeAt(endsAfter - 1);
    expect(await isThere()).toBe(true);
    await purgeAt(endsAfter + keptFor - 1);
    expect(await isThere()).toBe(true);
    await purgeAt(endsAfter + keptFor);
    expect(await isThere()).toBe(false);
  });
});

describe('a revocation', () => {
  test('is kept for longer than any access token of its grant lives, and then deleted', async () => {
    const auth = await begin();
    const { refresh_token: token } = await loginTokens(auth);
    // An access token of the last second before, which lives a day from then.
    await purgeAt(minute);
    const { body } = await refresh(auth, token);
    const gid = String(decodeJwt(String(body?.access_token)).gid);
    expect((await revoke(auth, token)).status).toBe(200);
    for (const seconds of [minute + 1, 2 * minute, minute + day - 1]) {
      await purgeAt(seconds);
      expect(await auth.verify(String(body?.access_token))).toEqual({ kind: 'bad', reason: 'revoked' });
    }
    // Up to the end of the allowed clock skew, in which the token itself would still be valid.
    await purgeAt(minute + day + 4);
    expect(await auth.verify(String(body?.access_token))).toEqual({ kind: 'bad', reason: 'revoked' });
    await purgeAt(minute + day + 59);
    expect(await auth.store.oidc.isGrantRevoked(gid)).toBe(true);
    await purgeAt(minute + day + 60);
    expect(await auth.store.oidc.isGrantRevoked(gid)).toBe(false);
    expect((await refresh(auth, token)).body?.error).toBe('invalid_grant');
  });
});

describe('a year with a purge each day', () => {
  test('removes no login early, and leaves no row behind', async () => {
    const auth = await begin();
    const { refresh_token: token } = await loginTokens(auth);
    for (let days = 1; days < 365; days += 1) {
      await purgeAt(days * day);
      if (days % 30 === 0) expect([days, (await refresh(auth, token)).status]).toEqual([days, 200]);
    }
    const nowSeconds = Math.floor(Date.now() / 1000);
    expect(await auth.store.oidc.listGrants({ ownerId: owner.id, nowSeconds, limit: 10 })).toHaveLength(1);
    await purgeAt(366 * day + minute);
    // Any remaining row would be due at the end of time.
    expect(await auth.store.oidc.purge(Number.MAX_SAFE_INTEGER, 500)).toBe(0);
  });
});
