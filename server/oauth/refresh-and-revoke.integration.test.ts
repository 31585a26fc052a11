import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClientMetadata } from './create-client-metadata.ts';
import { callback, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { logIn, loginQuery, loginTokens } from './fixtures/talk.ts';
import { exchangeCode, refresh, revoke } from './fixtures/token-requests.ts';
import { hashSecret } from './hash-secret.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

describe('refreshing and revoking', () => {
  test('answers with the same refresh token, its seconds left, and an ID token', async () => {
    const { refresh_token } = await loginTokens(running);
    const { status, body } = await refresh(running, refresh_token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      refresh_token,
      token_type: 'Bearer',
      expires_in: 86400,
      id_token: expect.any(String),
    });
    expect(body?.refresh_token_expires_in).toBeGreaterThan(365 * 86400 - 60);
    expect(body?.refresh_token_expires_in).toBeLessThanOrEqual(365 * 86400);
  });

  test('narrows the scope of one access token, and keeps the ID token', async () => {
    const { refresh_token, scope: whole } = await loginTokens(running, loginQuery({ scope: '' }));
    const scope = 'serviceapi/get-devices';
    const narrow = await refresh(running, refresh_token, { fields: { scope } });
    expect(narrow.body).toMatchObject({ scope: `openid ${scope}`, id_token: expect.any(String) });
    expect(await running.verify(String(narrow.body?.access_token))).toMatchObject({
      kind: 'good',
      scopes: new Set([scope]),
    });
    const again = await refresh(running, refresh_token);
    expect(again.body?.scope).toBe(whole);
  });

  test('never widens it', async () => {
    const { refresh_token } = await loginTokens(running);
    const scope = 'serviceapi/get-devices serviceapi/update-device';
    const { status, body } = await refresh(running, refresh_token, { fields: { scope } });
    expect([status, body?.error, body?.error_description]).toEqual([
      400,
      'invalid_scope',
      'serviceapi/update-device is unavailable',
    ]);
  });

  test.each(['serviceapi/nothing', 'offline_access', 'openid profile serviceapi/get-devices serviceapi/update-device'])(
    'grants nothing at all if %j asks for more',
    async (scope) => {
      const { refresh_token } = await loginTokens(running);
      const { status, body } = await refresh(running, refresh_token, { fields: { scope } });
      expect([status, body?.error, body?.access_token]).toEqual([400, 'invalid_scope', undefined]);
      expect((await refresh(running, refresh_token)).status).toBe(200);
    },
  );

  test('never exceeds the scopes to which the client was narrowed since', async () => {
    const { refresh_token } = await loginTokens(running, loginQuery({ scope: '' }));
    const { metadata: before = '' } = (await running.store.clients.find('test-partner')) ?? {};
    const narrowed = JSON.stringify({ ...JSON.parse(before), api_scopes: 'serviceapi/get-devices' });
    const change = { clientId: 'test-partner', accountId: 'test-partner', action: 'test', deviceId: null };
    await replace(before, narrowed);
    const { body } = await refresh(running, refresh_token);
    await replace(narrowed, before);
    expect(body?.scope).toBe('openid profile serviceapi/get-devices');
    expect(await running.verify(String(body?.access_token))).toMatchObject({
      kind: 'good',
      scopes: new Set(['serviceapi/get-devices']),
    });

    async function replace(from: string, to: string): Promise<void> {
      const audit = { ...change, at: Date.now(), requestId: null };
      expect(await running.store.clients.replaceMetadata({ clientId: 'test-partner', from, to }, audit)).toBe(true);
    }
  });

  test('works for its own client alone, and stays valid for it', async () => {
    const { refresh_token } = await loginTokens(running);
    const other = createClientMetadata({
      kind: 'partner',
      clientId: 'test-other',
      name: 'Other',
      redirectUris: [callback],
    });
    await running.store.clients.create(other);
    for (const client of [other, { ...running.partner, secret: 'wrong' }, running.own]) {
      const { status, body } = await refresh(running, refresh_token, { client });
      expect([status, body?.access_token]).toEqual([status === 401 ? 401 : 400, undefined]);
    }
    expect((await refresh(running, refresh_token, { client: other })).body?.error).toBe('invalid_grant');
    expect((await revoke(running, refresh_token, { client: other })).status).toBe(200);
    expect((await refresh(running, refresh_token)).status).toBe(200);
  });

  test('revokes the refresh token and its access tokens at once, also when repeated', async () => {
    const { refresh_token, access_token } = await loginTokens(running);
    expect(await running.verify(access_token)).toMatchObject({ kind: 'good' });
    for (const token of [refresh_token, refresh_token]) {
      const answer = await revoke(running, token);
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '', null]);
    }
    expect(await running.verify(access_token)).toEqual({ kind: 'bad', reason: 'revoked' });
    const again = await refresh(running, refresh_token);
    expect([again.status, again.body?.error]).toEqual([400, 'invalid_grant']);
  });

  test("leaves another client's refresh token alone", async () => {
    const { refresh_token, access_token } = await loginTokens(running);
    expect((await revoke(running, refresh_token, { client: running.own })).status).toBe(200);
    expect(await running.verify(access_token)).toMatchObject({ kind: 'good' });
  });

  test('does not revoke access tokens on their own', async () => {
    const { access_token } = await loginTokens(running);
    const answer = await revoke(running, access_token);
    expect([answer.status, answer.body?.error]).toEqual([400, 'unsupported_token_type']);
  });

  test('goes on after the browser session has ended', async () => {
    const { answer, bearers } = await logIn(running);
    for (const value of bearers) await running.store.oidc.remove('Session', hashSecret(value));
    const { status, body } = await exchangeCode(running, answer.get('code') ?? '');
    expect(status).toBe(200);
    expect((await refresh(running, body?.refresh_token)).status).toBe(200);
  });
});
