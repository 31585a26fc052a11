import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../store/fixtures/test-database.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, logIn, loginQuery, loginTokens, ownToken, post } from './fixtures/talk.ts';
import { hashSecret } from './hash-secret.ts';

let database: TestDatabase;
let running: RunningAuth;
beforeAll(async () => {
  database = await createTestDatabase();
  running = await startAuth({ store: await database.open() });
});
afterAll(async () => {
  await running.close();
  await database.remove();
});

describe('a stolen database', () => {
  test('contains no secret, token, code, cookie or key', async () => {
    const own = await ownToken(running);
    // A second login during the first session creates interactions that copy the session.
    const waiting = await logIn(running, loginQuery({ prompt: 'login' }));
    const tokens = await loginTokens(running);
    const refreshed = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
      basic(running.partner),
    );
    const login = await logIn(running);
    const { keys } = running;
    const bearers = {
      ownToken: own,
      'access token': tokens.access_token,
      'signature of the access token': tokens.access_token.split('.')[2],
      'refreshed access token': String(refreshed.body?.access_token),
      'ID token': tokens.id_token,
      'refresh token': tokens.refresh_token,
      'own secret': running.own.secret,
      'partner secret': running.partner.secret,
      'cookie key': keys.cookieKeys[0],
      'private key': keys.jwks.keys[0]?.d?.slice(0, 40),
      ...Object.fromEntries(
        [...login.bearers, ...waiting.bearers].map((value, index) => [`cookie or code ${index}`, value]),
      ),
    };
    expect(Object.keys(bearers).length).toBeGreaterThan(20);
    const text = await database.readAll();
    // The dump does contain the hashes of the refresh token and of the secret.
    expect(text).toContain(hashSecret(tokens.refresh_token));
    expect(text).toContain(hashSecret(running.own.secret));
    const found = Object.entries(bearers).filter(
      ([, value]) => value === undefined || value.length < 20 || text.includes(value),
    );
    expect(found).toEqual([]);
  });

  test('an interaction under way contains neither its own id nor the session of its browser', async () => {
    const before = new Set((await database.readAll()).match(/[A-Za-z0-9_-]{43}/g));
    const response = await fetch(`${running.origin}/auth/login?${loginQuery()}`, { redirect: 'manual' });
    const id = response.headers.get('location')?.split('/').at(-1) ?? '';
    expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const text = await database.readAll();
    expect(text).not.toContain(id);
    expect(text).toContain(hashSecret(id));
    expect(before.has(hashSecret(id))).toBe(false);
  });
});

describe('client secrets', () => {
  test('are stored as a hash, which is not accepted as a secret', async () => {
    const kept = JSON.parse((await running.store.clients.find('test-own'))?.metadata ?? '{}').client_secret;
    expect(kept).toBe(hashSecret(running.own.secret));
    const fields = { grant_type: 'client_credentials' };
    expect((await post(running, '/oauth2/token', fields, basic({ clientId: 'test-own', secret: kept }))).status).toBe(
      401,
    );
    expect((await post(running, '/oauth2/token', fields, basic(running.own))).status).toBe(200);
  });

  test('are compared by a function whose time does not depend on them', async () => {
    const source = await readFile(new URL('./hash-secret.ts', import.meta.url), 'utf8');
    expect(source).toContain('timingSafeEqual(given, expected)');
  });
});
