import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { type Answer, logIn, loginQuery } from './fixtures/talk.ts';
import { exchangeCode, refresh } from './fixtures/token-requests.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

/** The answers to an exchange of a code and to a refresh after it. */
async function askBoth(query: Readonly<Record<string, string>>, narrowed?: string): Promise<[Answer, Answer]> {
  const { answer } = await logIn(running, loginQuery(query));
  const exchanged = await exchangeCode(running, answer.get('code') ?? '');
  const fields = narrowed === undefined ? {} : { scope: narrowed };
  return [exchanged, await refresh(running, exchanged.body?.refresh_token, { fields })];
}

const readIdToken = ({ body }: Answer) => decodeJwt(String(body?.id_token));

async function profile() {
  const found = await running.store.owners.find(owner.id);
  return {
    name: owner.name,
    preferred_username: owner.email,
    updated_at: Math.floor((found?.updatedAt ?? Number.NaN) / 1000),
  };
}

describe('the ID token, of an exchange and of a refresh', () => {
  test('contains the profile if it was granted, and the time in seconds', async () => {
    for (const answer of await askBoth({ scope: 'openid profile serviceapi/get-devices' })) {
      const claims = readIdToken(answer);
      expect(claims).toMatchObject(await profile());
      // Milliseconds would be a date some fifty thousand years from now.
      expect(Math.abs(Number(claims.updated_at) - Date.now() / 1000)).toBeLessThan(600);
    }
  });

  test.each(['openid serviceapi/get-devices', 'openid', 'serviceapi/get-devices'])(
    'contains no profile if it was not granted: %s',
    async (scope) => {
      for (const answer of await askBoth({ scope })) {
        const claims = readIdToken(answer);
        expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sub']);
        expect(claims.sub).toBe(owner.id);
      }
    },
  );

  test.each([
    { narrowed: 'serviceapi/get-devices', hasProfile: false },
    { narrowed: 'openid serviceapi/get-devices', hasProfile: false },
    { narrowed: 'profile', hasProfile: true },
  ])('of a refresh for $narrowed alone has the profile: $hasProfile', async ({ narrowed, hasProfile }) => {
    const [, refreshed] = await askBoth({ scope: 'openid profile serviceapi/get-devices' }, narrowed);
    const claims = readIdToken(refreshed);
    if (hasProfile) expect(claims).toMatchObject(await profile());
    else expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sub']);
  });

  test('is signed by a published key, for this client, for an hour, with the nonce and the time of the login', async () => {
    const keys = createRemoteJWKSet(new URL(`${running.issuer}/.well-known/jwks.json`));
    const before = Math.floor(Date.now() / 1000);
    for (const { body } of await askBoth({ nonce: 'n-0S6_WzA2Mj', max_age: '3600' })) {
      const { payload, protectedHeader } = await jwtVerify(String(body?.id_token), keys, {
        issuer: running.issuer,
        audience: 'test-partner',
        algorithms: ['RS256'],
      });
      expect(protectedHeader.typ).not.toBe('at+jwt');
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
      expect(payload).toMatchObject({ sub: owner.id, nonce: 'n-0S6_WzA2Mj' });
      expect(Number(payload.auth_time)).toBeGreaterThanOrEqual(before);
    }
  });

  test('alone contains personal data: the access token has only the id of the owner', async () => {
    for (const { body } of await askBoth({})) {
      const claims = decodeJwt(String(body?.access_token));
      expect(claims.sub).toBe(owner.id);
      expect(JSON.stringify(claims)).not.toMatch(/Harbour Owner|owner@harbour/);
    }
  });
});
