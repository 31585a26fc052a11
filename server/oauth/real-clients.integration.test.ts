import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { logIn, loginQuery } from './fixtures/talk.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

const insecure = { execute: [openid.allowInsecureRequests] };

describe('openid-client, as it comes', () => {
  test('discovers the server and gets an own-account token', async () => {
    const { clientId, secret } = running.own;
    const config = await openid.discovery(
      new URL(running.issuer),
      clientId,
      {},
      openid.ClientSecretBasic(secret),
      insecure,
    );
    const tokens = await openid.clientCredentialsGrant(config, { scope: 'serviceapi/get-devices' });
    expect(tokens).toMatchObject({ expires_in: 86_400, scope: 'serviceapi/get-devices' });
    expect(await running.verify(tokens.access_token)).toMatchObject({
      kind: 'good',
      principal: { accountId: 'acc-harbour' },
    });
  });

  test('logs in with PKCE, refreshes and revokes', async () => {
    const { clientId, secret } = running.partner;
    const config = await openid.discovery(
      new URL(running.issuer),
      clientId,
      {},
      openid.ClientSecretBasic(secret),
      insecure,
    );
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const challenge = await openid.calculatePKCECodeChallenge(verifier);
    const query = loginQuery({ state, nonce, code_challenge: challenge, code_challenge_method: 'S256' });
    const { answer } = await logIn(running, query);
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, new URL(`${callback}?${answer}`), checks);
    expect(tokens.claims()).toMatchObject({
      sub: owner.id,
      nonce,
      name: owner.name,
      preferred_username: owner.email,
      updated_at: expect.any(Number),
    });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.refresh_token).toBe(tokens.refresh_token);
    await openid.tokenRevocation(config, tokens.refresh_token ?? '');
    expect(await running.verify(refreshed.access_token)).toEqual({ kind: 'bad', reason: 'revoked' });
    await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('oauth4webapi, as it comes', () => {
  const options = { [oauth.allowInsecureRequests]: true };

  async function discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(running.issuer);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  }

  async function ask(scope: string): Promise<oauth.TokenEndpointResponse> {
    const server = await discover();
    const client = { client_id: running.own.clientId };
    const authentication = oauth.ClientSecretBasic(running.own.secret);
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, { scope }, options);
    return oauth.processClientCredentialsResponse(server, client, response);
  }

  test("validates this server's access token by RFC 9068", async () => {
    const { access_token: token } = await ask('serviceapi/get-devices');
    const request = new Request(`${running.resource}/devices`, { headers: { Authorization: `Bearer ${token}` } });
    const claims = await oauth.validateJwtAccessToken(await discover(), request, running.resource, options);
    expect(claims).toMatchObject({
      iss: running.issuer,
      aud: running.resource,
      sub: running.own.clientId,
      client_id: running.own.clientId,
      own: 'acc-harbour',
      scope: 'serviceapi/get-devices',
    });
    expect(claims.exp - claims.iat).toBe(86_400);
    await expect(
      oauth.validateJwtAccessToken(await discover(), request, 'https://other.example/v1', options),
    ).rejects.toThrow(/aud/);
  });

  test("reads this server's rejections as OAuth errors", async () => {
    await expect(ask('nothing')).rejects.toMatchObject({ error: 'invalid_scope', status: 400 });
  });
});

describe('tokens for another purpose', () => {
  test('a real ID token and a real refresh token are no access tokens', async () => {
    const { clientId, secret } = running.partner;
    const config = await openid.discovery(
      new URL(running.issuer),
      clientId,
      {},
      openid.ClientSecretBasic(secret),
      insecure,
    );
    const { answer } = await logIn(running);
    const tokens = await openid.authorizationCodeGrant(config, new URL(`${callback}?${answer}`), {
      idTokenExpected: true,
    });
    for (const token of [tokens.id_token, tokens.refresh_token, answer.get('code')]) {
      expect(await running.verify(String(token))).toEqual({ kind: 'bad', reason: 'invalid' });
    }
  });
});
