import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClientMetadata } from './create-client-metadata.ts';
import { callback, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, logIn, loginQuery, loginTokens, ownToken, post } from './fixtures/talk.ts';

// The OAuth library reads `Date.now()` itself, so only the date is faked; timers and sockets are real.

const start = Date.UTC(2026, 11, 1, 12);
const second = 1000;
const day = 86_400 * second;

let running: RunningAuth | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await running?.close();
});

async function begin(): Promise<RunningAuth> {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  running = await startAuth();
  return running;
}

describe('how long things live', () => {
  test.each([
    [59 * second, 200],
    [60 * second, 400],
    [61 * second, 400],
  ])('a code, %i ms after it was issued: %i', async (later, status) => {
    const auth = await begin();
    const { answer } = await logIn(auth);
    vi.setSystemTime(start + later);
    const fields = { grant_type: 'authorization_code', code: answer.get('code') ?? '', redirect_uri: callback };
    const exchanged = await post(auth, '/oauth2/token', fields, basic(auth.partner));
    expect(exchanged.status).toBe(status);
    if (status !== 200) expect(exchanged.body?.error).toBe('invalid_grant');
  });

  test('a refresh token expires 365 days after the login, also if it is used', async () => {
    const auth = await begin();
    const { refresh_token } = await loginTokens(auth);
    const fields = { grant_type: 'refresh_token', refresh_token };
    for (const days of [1, 14, 15, 200, 364]) {
      vi.setSystemTime(start + days * day);
      const { status, body } = await post(auth, '/oauth2/token', fields, basic(auth.partner));
      expect([status, body?.refresh_token, body?.refresh_token_expires_in]).toEqual([
        200,
        refresh_token,
        (365 - days) * 86_400,
      ]);
    }
    vi.setSystemTime(start + 365 * day);
    const late = await post(auth, '/oauth2/token', fields, basic(auth.partner));
    expect([late.status, late.body?.error]).toEqual([400, 'invalid_grant']);
  });

  test('a rotating one expires 365 days after the login too', async () => {
    const auth = await begin();
    const partner = createClientMetadata({
      kind: 'partner',
      clientId: 'test-rotating',
      name: 'Rotating',
      redirectUris: [callback],
      rotateRefreshToken: true,
    });
    await auth.store.clients.create(partner);
    const rotating = { ...auth, partner };
    const first = await loginTokens(rotating, loginQuery({ client_id: partner.clientId }));
    const refresh = (refresh_token: unknown) =>
      post(
        auth,
        '/oauth2/token',
        { grant_type: 'refresh_token', refresh_token: String(refresh_token) },
        basic(partner),
      );
    // A second that has begun counts as remaining.
    vi.setSystemTime(start + 364 * day + 900);
    const rotated = await refresh(first.refresh_token);
    expect(rotated.body?.refresh_token).not.toBe(first.refresh_token);
    expect(rotated.body?.refresh_token_expires_in).toBe(86_400);
    vi.setSystemTime(start + 365 * day - second);
    const last = await refresh(rotated.body?.refresh_token);
    expect([last.status, last.body?.refresh_token_expires_in]).toEqual([200, 1]);
    vi.setSystemTime(start + 365 * day);
    expect((await refresh(last.body?.refresh_token)).body?.error).toBe('invalid_grant');
  });

  test('an access token expires after a day', async () => {
    const auth = await begin();
    const token = await ownToken(auth);
    vi.setSystemTime(start + day - second);
    expect(await auth.verify(token)).toMatchObject({ kind: 'good' });
    vi.setSystemTime(start + day + 5 * second);
    expect(await auth.verify(token)).toEqual({ kind: 'bad', reason: 'expired' });
  });
});
