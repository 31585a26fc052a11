import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callback, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, logIn, loginQuery, loginTokens, post } from './fixtures/talk.ts';
import { hashSecret } from './hash-secret.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

const own = () => basic(running.own);

describe('refreshing and revoking', () => {
  it('answers with the same refresh token, its seconds left, and an ID token', async () => {
    const { refresh_token } = await loginTokens(running);
    const { status, body } = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token },
      basic(running.partner),
    );
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

  it('narrows the scope of one access token, and keeps the ID token', async () => {
    const { refresh_token, scope: whole } = await loginTokens(running, loginQuery({ scope: '' }));
    const scope = 'serviceapi/get-devices';
    const narrow = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token, scope },
      basic(running.partner),
    );
    expect(narrow.body).toMatchObject({ scope: `openid ${scope}`, id_token: expect.any(String) });
    expect(await running.verify(`Bearer ${narrow.body?.access_token}`)).toMatchObject({
      ok: true,
      principal: { scopes: new Set([scope]) },
    });
    const again = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token },
      basic(running.partner),
    );
    expect(again.body?.scope).toBe(whole);
  });

  it('never widens it', async () => {
    const { refresh_token } = await loginTokens(running);
    const scope = 'serviceapi/get-devices serviceapi/update-device';
    const { status, body } = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token, scope },
      basic(running.partner),
    );
    expect([status, body?.error, body?.error_description]).toEqual([
      400,
      'invalid_scope',
      'serviceapi/update-device is unavailable',
    ]);
  });

  it('ends the refresh token and its access tokens at once, as often as it is asked', async () => {
    const { refresh_token, access_token } = await loginTokens(running);
    expect(await running.verify(`Bearer ${access_token}`)).toMatchObject({ ok: true });
    for (const token of [refresh_token, refresh_token]) {
      const answer = await post(running, '/oauth2/revoke', { token }, basic(running.partner));
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '', null]);
    }
    expect(await running.verify(`Bearer ${access_token}`)).toEqual({ ok: false, code: 'token_revoked' });
    const again = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token },
      basic(running.partner),
    );
    expect([again.status, again.body?.error]).toEqual([400, 'invalid_grant']);
  });

  it("leaves another client's refresh token alone", async () => {
    const { refresh_token, access_token } = await loginTokens(running);
    expect((await post(running, '/oauth2/revoke', { token: refresh_token }, own())).status).toBe(200);
    expect(await running.verify(`Bearer ${access_token}`)).toMatchObject({ ok: true });
  });

  it('does not revoke access tokens on their own', async () => {
    const { access_token } = await loginTokens(running);
    const answer = await post(running, '/oauth2/revoke', { token: access_token }, basic(running.partner));
    expect([answer.status, answer.body?.error]).toEqual([400, 'unsupported_token_type']);
  });

  it('goes on after the browser session has ended', async () => {
    const { answer, bearers } = await logIn(running);
    for (const value of bearers) await running.store.oidc.remove('Session', hashSecret(value));
    const fields = { grant_type: 'authorization_code', code: answer.get('code') ?? '', redirect_uri: callback };
    const { status, body } = await post(running, '/oauth2/token', fields, basic(running.partner));
    expect(status).toBe(200);
    const again = { grant_type: 'refresh_token', refresh_token: String(body?.refresh_token) };
    expect((await post(running, '/oauth2/token', again, basic(running.partner))).status).toBe(200);
  });

  it('refuses to refresh for a disabled client', async () => {
    const { refresh_token } = await loginTokens(running);
    await running.store.clients.setDisabled('test-partner', 1);
    const answer = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token },
      basic(running.partner),
    );
    await running.store.clients.setDisabled('test-partner', null);
    expect([answer.status, answer.body?.error]).toEqual([401, 'invalid_client']);
  });
});
