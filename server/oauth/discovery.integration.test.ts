import { createHash } from 'node:crypto';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, loginQuery, loginTokens, openAt, post, send, type Tokens } from './fixtures/talk.ts';
import { addPartner, ask, askConsent, connect, exchange, press, whereIs } from './fixtures/walk.ts';

// Every member of the published configuration is true. A member without a proof fails the first test.

interface Configuration {
  readonly [member: string]: unknown;
  readonly issuer: string;
}

let running: RunningAuth;
let published: Configuration;
let tokens: Tokens;
beforeAll(async () => {
  running = await startAuth();
  const { body } = await send(running, '/.well-known/openid-configuration');
  published = body as unknown as Configuration;
  tokens = await connect(running, { scope: 'openid profile serviceapi/get-devices' });
});
afterAll(() => running.close());

const words = (member: string) => published[member] as readonly string[];
const pathOf = (member: string) => String(published[member]).slice(published.issuer.length);
const errorOf = async (parameters: Record<string, string>) => {
  const { headers, text } = await send(running, `/login?${loginQuery(parameters)}`);
  const location = headers.get('location');
  return location === null ? text : new URL(location, running.issuer).searchParams.get('error');
};
const keysOf = async () => (await send(running, pathOf('jwks_uri'))).body as unknown as JSONWebKeySet;

/** One proof for each member. */
const proofs: Readonly<Record<string, () => Promise<void>>> = {
  async issuer() {
    expect(published.issuer).toBe(running.issuer);
    for (const token of [tokens.id_token, tokens.access_token]) expect(decodeJwt(token).iss).toBe(published.issuer);
    const found = await fetch(`${published.issuer}/.well-known/openid-configuration`);
    expect(await found.json()).toEqual(published);
  },
  async authorization_endpoint() {
    const page = await openAt(running).get(`${published.authorization_endpoint}?${loginQuery()}`);
    expect(whereIs(running, page)).toBe('login');
  },
  async token_endpoint() {
    const fields = { grant_type: 'client_credentials' };
    expect((await post(running, pathOf('token_endpoint'), fields, basic(running.own))).status).toBe(200);
  },
  async revocation_endpoint() {
    const { refresh_token } = await connect(running);
    const revoked = await post(
      running,
      pathOf('revocation_endpoint'),
      { token: refresh_token },
      basic(running.partner),
    );
    expect(revoked.status).toBe(200);
    const fields = { grant_type: 'refresh_token', refresh_token };
    expect((await post(running, '/oauth2/token', fields, basic(running.partner))).body?.error).toBe('invalid_grant');
  },
  async jwks_uri() {
    const { keys } = await keysOf();
    for (const token of [tokens.id_token, tokens.access_token]) {
      const { kid } = decodeProtectedHeader(token);
      expect(keys.map((key) => key.kid)).toContain(kid);
    }
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  },
  async response_types_supported() {
    expect(words('response_types_supported')).toEqual(['code']);
    expect(await errorOf({ response_type: 'code' })).toBeNull();
    for (const response_type of ['token', 'id_token', 'code id_token', 'none'])
      expect(await errorOf({ response_type })).toBe('unsupported_response_type');
  },
  async response_modes_supported() {
    expect(words('response_modes_supported')).toEqual(['query']);
    expect(await errorOf({ response_mode: 'query' })).toBeNull();
    for (const response_mode of ['fragment', 'form_post', 'jwt'])
      expect(await errorOf({ response_mode })).toBe('unsupported_response_mode');
  },
  async grant_types_supported() {
    const { page, browser } = await askConsent(running);
    const code = new URL((await press(browser, page, 'confirm')).address).searchParams.get('code') ?? '';
    const works: Record<string, [object, object]> = {
      authorization_code: [{ code, redirect_uri: callback }, basic(running.partner)],
      refresh_token: [{ refresh_token: tokens.refresh_token }, basic(running.partner)],
      client_credentials: [{}, basic(running.own)],
    };
    expect(words('grant_types_supported')).toEqual(Object.keys(works));
    for (const [grant_type, [fields, headers]] of Object.entries(works))
      expect((await post(running, '/oauth2/token', { grant_type, ...fields }, headers)).status).toBe(200);
    for (const grant_type of [
      'implicit',
      'password',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
    ]) {
      const { body } = await post(running, '/oauth2/token', { grant_type }, basic(running.partner));
      expect(body?.error).toBe('unsupported_grant_type');
    }
  },
  async subject_types_supported() {
    expect(words('subject_types_supported')).toEqual(['public']);
    const other = await addPartner(running, 'other-partner', {
      redirectUris: [callback, 'https://other.example/back'],
    });
    const subjects = [tokens, await connect(running, { client: other })].map(({ id_token }) => decodeJwt(id_token).sub);
    expect(subjects).toEqual([owner.id, owner.id]);
  },
  async id_token_signing_alg_values_supported() {
    const { protectedHeader } = await jwtVerify(tokens.id_token, createLocalJWKSet(await keysOf()), {
      issuer: published.issuer,
      audience: running.partner.clientId,
    });
    expect(words('id_token_signing_alg_values_supported')).toEqual([protectedHeader.alg]);
  },
  async token_endpoint_auth_methods_supported() {
    expect(words('token_endpoint_auth_methods_supported')).toEqual(['client_secret_basic']);
    const fields = { grant_type: 'client_credentials' };
    const { clientId: client_id, secret: client_secret } = running.own;
    expect((await post(running, '/oauth2/token', fields, basic(running.own))).status).toBe(200);
    for (const more of [{ client_id, client_secret }, { client_id }])
      expect((await post(running, '/oauth2/token', { ...fields, ...more })).status).toBe(401);
  },
  async code_challenge_methods_supported() {
    const code_verifier = 'v'.repeat(50);
    const challenges: Record<string, string> = {
      S256: createHash('sha256').update(code_verifier).digest('base64url'),
      plain: code_verifier,
    };
    for (const [code_challenge_method, code_challenge = ''] of Object.entries(challenges)) {
      const isTold = words('code_challenge_methods_supported').includes(code_challenge_method);
      const error = await errorOf({ code_challenge, code_challenge_method });
      expect([code_challenge_method, error]).toEqual([code_challenge_method, isTold ? null : 'invalid_request']);
    }
    expect(words('code_challenge_methods_supported')).toEqual(['S256']);
    const query = loginQuery({ code_challenge: challenges.S256, code_challenge_method: 'S256' });
    await expect(loginTokens(running, query)).rejects.toThrow('invalid_grant');
  },
  async scopes_supported() {
    const { flows } = contract.components.securitySchemes.oauth2;
    expect([...words('scopes_supported')].sort()).toEqual(Object.keys(flows.authorizationCode.scopes).sort());
    const all = await connect(running, { scope: words('scopes_supported').join(' ') });
    expect(all.scope.split(' ').sort()).toEqual([...words('scopes_supported')].sort());
    expect(await errorOf({ scope: 'openid offline_access' })).toBe('invalid_scope');
  },
  async authorization_response_iss_parameter_supported() {
    expect(published.authorization_response_iss_parameter_supported).toBe(true);
    const { page, browser } = await askConsent(running);
    const back = await press(browser, page, 'confirm');
    expect(new URL(back.address).searchParams.get('iss')).toBe(published.issuer);
  },
  async prompt_values_supported() {
    for (const prompt of ['none', 'login', 'consent', 'select_account', 'create']) {
      const isTold = words('prompt_values_supported').includes(prompt);
      const error = await errorOf({ prompt });
      expect([prompt, error === 'invalid_request']).toEqual([prompt, !isTold]);
    }
  },
  async ui_locales_supported() {
    for (const ui_locales of ['en', 'de', 'es', 'fr', 'ja', 'se']) {
      const { page } = await ask(running, { ui_locales: `${ui_locales} en` });
      const isTold = words('ui_locales_supported').includes(ui_locales);
      expect(page.text).toContain(`<html lang="${isTold ? ui_locales : 'en'}">`);
    }
  },
  async claims_supported() {
    const { page, browser } = await askConsent(running, { scope: '', max_age: '60', nonce: 'n', acr_values: 'x' });
    const { id_token } = await exchange(running, await press(browser, page, 'confirm'));
    // Members that every token has, or that repeat the request, are no claims about the owner.
    const about = Object.keys(decodeJwt(String(id_token))).filter(
      (name) => !['aud', 'exp', 'iat', 'nonce'].includes(name),
    );
    expect([...words('claims_supported')].sort()).toEqual(about.sort());
  },
  async claim_types_supported() {
    expect(words('claim_types_supported')).toEqual(['normal']);
    expect(Object.keys(decodeJwt(tokens.id_token))).not.toContain('_claim_sources');
  },
  async claims_parameter_supported() {
    expect(published.claims_parameter_supported).toBe(false);
    const claims = '{"id_token":{"auth_time":{"essential":true},"preferred_username":null}}';
    const { page, browser } = await askConsent(running, { scope: 'openid', claims });
    const { id_token } = await exchange(running, await press(browser, page, 'confirm'));
    expect(Object.keys(decodeJwt(String(id_token))).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sub']);
  },
  async request_uri_parameter_supported() {
    expect(published.request_uri_parameter_supported).toBe(false);
    expect(await errorOf({ request_uri: 'https://partner.example/request.jwt' })).toBe('request_uri_not_supported');
  },
};

describe('the published configuration', () => {
  test('has a proof for each member', () => {
    expect(Object.keys(published).sort()).toEqual(Object.keys(proofs).sort());
  });

  test.each(Object.entries(proofs))('%s is true', (_, proof) => proof());

  test('equals the example in the contract', () => {
    const { value } = contract.components.examples.OpenIdConfiguration;
    const relocated = JSON.parse(JSON.stringify(value).replaceAll('http://localhost:8080/auth', running.issuer));
    expect({ ...published, scopes_supported: [...words('scopes_supported')].sort() }).toEqual({
      ...relocated,
      scopes_supported: relocated.scopes_supported.toSorted(),
    });
  });
});

describe('features outside the configuration', () => {
  test.each([
    ['request_parameter_supported', () => errorOf({ request: 'x' }), 'request_not_supported'],
    ['registration of clients', () => errorOf({ registration: '{}' }), 'registration_not_supported'],
  ] as const)('%s is refused', async (_, ask, error) => {
    expect(await ask()).toBe(error);
  });

  test.each([
    ['userinfo_endpoint', '/me'],
    ['end_session_endpoint', '/session/end'],
    ['introspection_endpoint', '/token/introspection'],
    ['registration_endpoint', '/reg'],
    ['pushed_authorization_request_endpoint', '/request'],
    ['device_authorization_endpoint', '/device/auth'],
    ['backchannel_authentication_endpoint', '/backchannel'],
    ['challenge_endpoint', '/challenge'],
  ])('there is no %s: %s', async (_, path) => {
    for (const method of ['GET', 'POST']) expect((await send(running, path, { method })).status).toBe(404);
  });

  test('acr_values_supported: a token has no acr even if one is requested', async () => {
    const { page, browser } = await askConsent(running, { acr_values: 'urn:mace:incommon:iap:silver' });
    const { id_token } = await exchange(running, await press(browser, page, 'confirm'));
    expect(decodeJwt(String(id_token))).not.toHaveProperty('acr');
  });
});
