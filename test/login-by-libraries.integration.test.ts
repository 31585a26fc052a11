import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../mock/sandbox/start-sandbox.ts';
import type { DemoOwners } from '../server/demo/demo-owners.ts';
import type { DemoClients } from '../server/demo/seed-demo.ts';
import { openBrowser } from '../server/oauth/fixtures/browser.ts';
import { createTestKeys } from '../server/oauth/fixtures/keys.ts';
import { startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, a partner who takes a library as it comes can't get through the login, or has to switch its checks off.

interface Side {
  readonly origin: string;
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
  readonly close: () => Promise<unknown>;
}

const sides = {
  server: (): Promise<Side> => startDemoService(),
  mock: async (): Promise<Side> =>
    startSandbox({
      keys: await createTestKeys(),
      port: 0,
      host: '127.0.0.1',
      logger: pino({ level: 'silent' }),
    }),
};

const scope = 'openid profile serviceapi/get-devices serviceapi/get-job-status';
const narrowed = 'serviceapi/get-devices';

describe.each(Object.entries(sides))('the login at the %s', (_, start) => {
  let side: Side;
  let issuer: URL;
  let clientId: string;
  let secret: string;
  let redirectUri: string;
  let owner: DemoOwners[number];

  beforeAll(async () => {
    side = await start();
    issuer = new URL(`${side.origin}/auth`);
    const partner = side.clients.find(({ kind }) => kind === 'partner');
    if (partner === undefined || side.owners[0] === undefined) throw new Error('the demo has no partner or no owner');
    [owner] = side.owners as [DemoOwners[number]];
    ({ clientId, secret } = partner);
    redirectUri = String(partner.redirectUris[0]);
  });
  afterAll(() => side.close());

  /** Opens the address that a library has built, as the owner's browser does. @returns the address of the callback */
  async function agree(address: URL): Promise<URL> {
    const browser = openBrowser(side.origin);
    const login = await browser.get(address.href);
    const consent = await browser.post(`${login.address}/login`, { email: owner.email, password: owner.password });
    return new URL((await browser.post(`${consent.address}/confirm`, {})).address);
  }

  const callApi = async (token: string) =>
    (await fetch(`${side.origin}/v1/devices`, { headers: { Authorization: `Bearer ${token}` } })).status;

  test('openid-client: PKCE, state, nonce, max_age, iss and the signature of the ID token checked', async () => {
    const config = await openid.discovery(issuer, clientId, {}, openid.ClientSecretBasic(secret), {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const maxAge = 3600;
    const callback = await agree(
      openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: expectedState,
        nonce: expectedNonce,
        max_age: String(maxAge),
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      }),
    );
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, callback, checks);
    expect(tokens.claims()).toMatchObject({
      sub: expect.stringMatching(/^owner-[0-9a-f]{24}$/),
      preferred_username: owner.email,
      name: expect.any(String),
      updated_at: expect.any(Number),
      auth_time: expect.any(Number),
    });
    expect(await callApi(tokens.access_token)).toBe(200);

    const refreshed = await openid.refreshTokenGrant(config, String(tokens.refresh_token), { scope: narrowed });
    expect([refreshed.refresh_token, refreshed.scope]).toEqual([tokens.refresh_token, `openid ${narrowed}`]);
    expect(refreshed.claims()?.sub).toBe(tokens.claims()?.sub);
    await openid.tokenRevocation(config, String(tokens.refresh_token));
    expect([await callApi(tokens.access_token), await callApi(refreshed.access_token)]).toEqual([401, 401]);
    await expect(openid.refreshTokenGrant(config, String(tokens.refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('oauth4webapi: the same, and the access token checked as RFC 9068 specifies', async () => {
    const options = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
    const client: oauth.Client = { client_id: clientId };
    const authentication = oauth.ClientSecretBasic(secret);
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const address = new URL(String(server.authorization_endpoint));
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const answer = oauth.validateAuthResponse(server, client, await agree(address), state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      answer,
      redirectUri,
      verifier,
      options,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
    await oauth.validateApplicationLevelSignature(server, response, options);
    expect(oauth.getValidatedIdTokenClaims(tokens)?.preferred_username).toBe(owner.email);

    const resource = `${side.origin}/v1`;
    const request = new Request(`${resource}/devices`, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, resource, options);
    expect(claims).toMatchObject({ client_id: clientId, sub: oauth.getValidatedIdTokenClaims(tokens)?.sub });
    expect(claims.scope?.split(' ').sort()).toEqual(['serviceapi/get-devices', 'serviceapi/get-job-status']);
    expect(await callApi(tokens.access_token)).toBe(200);

    const refresh = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      String(tokens.refresh_token),
      options,
    );
    const refreshed = await oauth.processRefreshTokenResponse(server, client, refresh);
    expect(refreshed.refresh_token).toBe(tokens.refresh_token);
    const revocation = await oauth.revocationRequest(
      server,
      client,
      authentication,
      String(tokens.refresh_token),
      options,
    );
    await oauth.processRevocationResponse(revocation);
    expect(await callApi(refreshed.access_token)).toBe(401);
  });

  test('a denial by the owner reaches the library as an OAuth error', async () => {
    const config = await openid.discovery(issuer, clientId, {}, openid.ClientSecretBasic(secret), {
      execute: [openid.allowInsecureRequests],
    });
    const expectedState = openid.randomState();
    const browser = openBrowser(side.origin);
    const parameters = { redirect_uri: redirectUri, scope, state: expectedState };
    const login = await browser.get(openid.buildAuthorizationUrl(config, parameters).href);
    const callback = new URL((await browser.post(`${login.address}/abort`, {})).address);
    await expect(openid.authorizationCodeGrant(config, callback, { expectedState })).rejects.toMatchObject({
      error: 'access_denied',
    });
  });
});
