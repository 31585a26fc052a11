import { createHash } from 'node:crypto';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import fc from 'fast-check';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testLaw } from '../fixtures/test-law.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { type Answer, basic, loginQuery, post, send, type Tokens } from './fixtures/talk.ts';
import { addPartner, askConsent, connect, exchange, press, whereIs } from './fixtures/walk.ts';
import { apiScopes } from './scopes.ts';

// The parameters of a login request. The modules named in comments are those of the OpenID conformance suite.

const keys = await createTestKeys();
// The limit of login requests is per address: these come from many.
const behindProxy = { publicOrigin: 'https://locks.example' } as const;
const address = (index: number) => `198.51.${Math.floor(index / 250)}.${(index % 250) + 1}`;

const loginParameters = contract.paths['/login'].get.parameters.map(({ name }) => name);

/** The query of the callback, or status and error of an answer without a redirect. */
function answerOf({ status, headers, body }: Answer): Record<string, unknown> {
  const location = headers.get('location') ?? '';
  if (location.startsWith(`${callback}?`)) return Object.fromEntries(new URL(location).searchParams);
  return { status, error: body?.error, location };
}

describe('with one server', () => {
  let running: RunningAuth;
  beforeAll(async () => {
    running = await startAuth({ keys, ...behindProxy });
  });
  afterAll(() => running.close());

  let asked = 0;
  /** Each request from another address. */
  const ask = (query: URLSearchParams | string, headers: object = {}) => {
    asked += 1;
    return send(running, `/login?${query}`, { headers: { 'X-Forwarded-For': address(asked), ...headers } });
  };

  describe('state', () => {
    /** Any text except JSON and the empty text. */
    const state = fc
      .string({
        unit: fc.oneof(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
          fc.string({ minLength: 1, maxLength: 1 }),
          fc.constantFrom('+', '%', '&', '=', '#', '%20', '%00', '\r\n', '\0', ' ', '"', '{'),
        ),
        minLength: 1,
        maxLength: 60,
      })
      .filter((text) => !isJson(text));

    testLaw('comes back equal, of a hundred random Unicode texts each time', { few: 2, many: 100 }, async (numRuns) => {
      let tried = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(state, { minLength: 100, maxLength: 100 }), async (states) => {
          tried += states.length;
          const answers = await Promise.all(states.map((text) => ask(loginQuery({ scope: 'nothing', state: text }))));
          for (const [index, answer] of answers.entries()) {
            const { error, state: back, iss } = answerOf(answer);
            expect([error, back, iss]).toEqual(['invalid_scope', states[index], running.issuer]);
          }
        }),
        { numRuns },
      );
      expect(tried).toBeGreaterThanOrEqual(100 * numRuns);
    });

    test('is returned at every length up to 2048, and a longer one causes an error', async () => {
      for (const length of [1, 2, 255, 256, 2047, 2048]) {
        expect(answerOf(await ask(loginQuery({ scope: 'nothing', state: 'ä'.repeat(length) })))).toMatchObject({
          error: 'invalid_scope',
          state: 'ä'.repeat(length),
        });
      }
      expect(answerOf(await ask(loginQuery({ state: 'ä'.repeat(2049) })))).toMatchObject({
        error: 'invalid_request',
        state: 'ä'.repeat(2049),
      });
    });

    test.each(
      [
        fc.object({ key: fc.string({ unit: 'binary' }), maxDepth: 2 }),
        fc.array(fc.jsonValue()),
        fc.string({ unit: 'binary' }),
      ].map((values, index) => [['objects', 'arrays', 'strings'][index], values] as const),
    )('is rejected as the JSON text of %s, in any notation', async (_, values) => {
      const spaces = fc.constantFrom('', ' ', '\n', '\t ');
      await fc.assert(
        fc.asyncProperty(values as fc.Arbitrary<unknown>, spaces, spaces, async (value, before, after) => {
          const text = before + JSON.stringify(value, null, before) + after;
          fc.pre(text.length <= 2048 && text.isWellFormed());
          expect(answerOf(await ask(loginQuery({ state: text })))).toMatchObject({
            error: 'invalid_request',
            state: text,
          });
        }),
        { numRuns: 50 },
      );
    });
  });

  describe('a parameter sent twice', () => {
    const values: Readonly<Record<string, string>> = {
      ...Object.fromEntries(loginQuery()),
      state: 'a',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      nonce: 'n',
      prompt: 'login',
      max_age: '60',
      login_hint: owner.email,
      ui_locales: 'de',
    };

    test('the contract has no parameter besides these', () => {
      expect(Object.keys(values).sort()).toEqual([...loginParameters].sort());
    });

    test.each(
      loginParameters.flatMap((name) => [
        { name, second: 'alike', value: values[name] },
        { name, second: 'with another value', value: 'other' },
        { name, second: 'empty', value: '' },
      ]),
    )('$name, $second, is rejected', async ({ name, value = '' }) => {
      for (const isFirst of [true, false]) {
        const query = new URLSearchParams(values);
        const pairs = [...query, ...(isFirst ? [] : [[name, value] as [string, string]])];
        const answer = await ask(new URLSearchParams(isFirst ? [[name, value], ...pairs] : pairs));
        const said = answerOf(answer);
        // Without a valid callback, the server answers itself.
        if (name === 'client_id' || name === 'redirect_uri') expect(said).toMatchObject({ status: 400, location: '' });
        else expect(said).toMatchObject({ error: 'invalid_request', error_description: expect.stringContaining(name) });
        if (name === 'state') expect(said.state).toBeUndefined();
      }
    });
  });

  describe('response_mode', () => {
    test.each(['fragment', 'form_post', 'query.jwt', 'web_message', 'QUERY', 'query ', 'x', '"', ' '])(
      '%j is rejected by query, with state and iss',
      async (response_mode) => {
        expect(answerOf(await ask(loginQuery({ response_mode, state: 's' })))).toMatchObject({
          error: 'unsupported_response_mode',
          state: 's',
          iss: running.issuer,
        });
      },
    );
  });

  describe('iss', () => {
    test.each([
      [{ scope: 'nothing' }, 'invalid_scope'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_mode: 'fragment' }, 'unsupported_response_mode'],
      [{ prompt: 'none' }, 'login_required'],
      [{ prompt: 'create' }, 'invalid_request'],
      [{ resource: 'https://other.example' }, 'invalid_target'],
      [{ request: 'x' }, 'request_not_supported'],
      [{ request_uri: 'https://x.example' }, 'request_uri_not_supported'],
      [{ registration: '{}' }, 'registration_not_supported'],
    ] as const)('stands in the answer to %j', async (changes, error) => {
      expect(answerOf(await ask(loginQuery({ ...changes, state: 's' })))).toMatchObject({
        error,
        state: 's',
        iss: running.issuer,
      });
    });

    test('accompanies a code', async () => {
      const { browser, page } = await askConsent(running, { state: 's' });
      const back = await press(browser, page, 'confirm');
      expect(Object.fromEntries(new URL(back.address).searchParams)).toEqual({
        code: expect.stringMatching(/^[\w-]{43}$/),
        state: 's',
        iss: running.issuer,
      });
    });

    test('and no state if none was sent', async () => {
      for (const changes of [{ scope: 'nothing' }, { scope: 'nothing', state: '' }])
        expect(answerOf(await ask(loginQuery(changes)))).not.toHaveProperty('state');
    });
  });

  describe('a callback with a query of its own', () => {
    const registered = 'https://partner.example/back?tenant=1&state=theirs';
    beforeAll(() => addPartner(running, 'querying', { redirectUris: [registered, `${callback}?two=2`] }));

    // oidcc-redirect-uri-query-OK
    test('keeps it, and gets the answer in addition', async () => {
      for (const redirect_uri of [`${callback}?two=2`]) {
        const { browser, page } = await askConsent(running, { client_id: 'querying', redirect_uri, state: 's' });
        const back = new URL((await press(browser, page, 'confirm')).address);
        expect(back.origin + back.pathname).toBe(callback);
        expect(Object.fromEntries(back.searchParams)).toEqual({
          two: '2',
          code: expect.any(String),
          state: 's',
          iss: running.issuer,
        });
      }
    });

    // oidcc-redirect-uri-query-mismatch, oidcc-redirect-uri-query-added, oidcc-ensure-registered-redirect-uri
    test.each([
      `${callback}?two=3`,
      `${callback}?two=2&x=y`,
      `${callback}?`,
      callback,
      `${callback}?two=2#`,
      `${callback}?TWO=2`,
      `${callback}?two=%32`,
    ])('%s is not followed', async (redirect_uri) => {
      expect(answerOf(await ask(loginQuery({ client_id: 'querying', redirect_uri })))).toEqual({
        status: 400,
        error: 'invalid_request',
        location: '',
      });
    });
  });

  describe('a forbidden callback', () => {
    test.each([
      'http://partner.example/back',
      'com.partner.app:/back',
      'https://user@partner.example/back',
      'https://user:secret@partner.example/back',
      'https://*.partner.example/back',
      'https://partner.example/*',
      'https://partner.example/back#fragment',
      'javascript:alert(1)',
      'data:text/html,x',
      '//partner.example/back',
      '/back',
    ])('%s can neither be registered nor used', async (redirect_uri) => {
      await expect(addPartner(running, 'never', { redirectUris: [redirect_uri] })).rejects.toThrow('static https URLs');
      const id = `by-hand-${createHash('sha256').update(redirect_uri).digest('hex').slice(0, 8)}`;
      // A row that another program wrote does not help either.
      const metadata = JSON.stringify({ client_id: id, client_secret: 'x', redirect_uris: [redirect_uri, callback] });
      await running.store.clients.create({ clientId: id, metadata });
      for (const one of [redirect_uri, callback]) {
        expect(answerOf(await ask(loginQuery({ client_id: id, redirect_uri: one })))).toMatchObject({
          status: 400,
          location: '',
        });
      }
    });
  });
});

describe('with a server for each', () => {
  let running: RunningAuth;
  beforeEach(async () => {
    running = await startAuth({ keys });
  });
  afterEach(() => running.close());

  const claimsOf = ({ id_token }: Pick<Tokens, 'id_token'>) => Object.keys(decodeJwt(id_token)).sort();

  describe('scope', () => {
    test('each single one is granted', async () => {
      for (const scope of apiScopes) {
        const tokens = await connect(running, { scope });
        expect(tokens.scope.split(' ').sort()).toEqual(['openid', scope].sort());
        expect(await running.verify(tokens.access_token)).toMatchObject({
          kind: 'good',
          scopes: new Set([scope]),
        });
      }
    });

    test.each([
      {
        registered: ['serviceapi/get-devices', 'serviceapi/get-job-status'],
        asked: '',
        gets: 'openid profile serviceapi/get-devices serviceapi/get-job-status',
      },
      {
        registered: ['serviceapi/get-devices'],
        asked: 'serviceapi/get-devices',
        gets: 'openid serviceapi/get-devices',
      },
      { registered: ['serviceapi/get-devices'], asked: 'openid', gets: 'openid' },
      { registered: ['serviceapi/get-devices'], asked: 'serviceapi/get-job-status', gets: 'invalid_scope' },
      {
        registered: ['serviceapi/get-devices'],
        asked: 'openid profile serviceapi/get-devices serviceapi/update-device',
        gets: 'invalid_scope',
      },
      { registered: [], asked: '', gets: 'openid profile' },
      { registered: [], asked: 'serviceapi/get-devices', gets: 'invalid_scope' },
    ])('a client registered for $registered that asks for "$asked" gets $gets', async ({ registered, asked, gets }) => {
      const client = await addPartner(running, 'registered', { scopes: registered });
      const { browser, page } = await askConsent(running, { client_id: 'registered', scope: asked });
      if (gets === 'invalid_scope') {
        expect(whereIs(running, page)).toBe('invalid_scope');
        expect(new URL(page.address).searchParams.get('error_description')).not.toContain('openid');
        return;
      }
      const tokens = await exchange(running, await press(browser, page, 'confirm'), client);
      expect(String(tokens.scope).split(' ').sort()).toEqual(gets.split(' ').sort());
    });

    // RFC 6749, 3.3: one space between two words, none around them.
    test.each([' ', ' openid', 'openid ', 'openid  serviceapi/get-devices', 'openid\tprofile', 'openid,profile'])(
      '%j is not a valid list of scopes',
      async (scope) => {
        const answer = await send(running, `/login?${loginQuery({ scope })}`);
        expect(answerOf(answer)).toMatchObject({ error: 'invalid_scope' });
      },
    );

    test.each([{ nonce: 'n' }, { max_age: '60' }])(
      'an empty one asks for openid too, so %j may come with it',
      async (more) => {
        const { browser, page } = await askConsent(running, { scope: '', ...more });
        const tokens = await exchange(running, await press(browser, page, 'confirm'));
        expect(String(tokens.scope).split(' ').sort()).toEqual(['openid', 'profile', ...apiScopes].sort());
        expect(claimsOf(tokens as unknown as Tokens)).toContain('nonce' in more ? 'nonce' : 'auth_time');
      },
    );

    test('order and repetition have no effect', async () => {
      const tokens = await connect(running, { scope: 'serviceapi/get-devices openid serviceapi/get-devices openid' });
      expect(tokens.scope).toBe('openid serviceapi/get-devices');
    });
  });

  describe('optional and unknown parameters of a login', () => {
    const whole = ['aud', 'exp', 'iat', 'iss', 'name', 'preferred_username', 'sub', 'updated_at'];
    test.each<{ name: string; parameters: Record<string, string>; claims: readonly string[] }>([
      // oidcc-ensure-request-without-nonce-succeeds-for-code-flow
      { name: 'no nonce', parameters: {}, claims: whole },
      // oidcc-scope-profile
      { name: 'a nonce', parameters: { nonce: 'n' }, claims: [...whole, 'nonce'] },
      { name: 'openid without profile', parameters: { scope: 'openid' }, claims: ['aud', 'exp', 'iat', 'iss', 'sub'] },
      // oidcc-ensure-request-with-unknown-parameter-succeeds
      {
        name: 'an unknown parameter',
        parameters: { extra: 'foobar', __proto__x: 'y', constructor: 'z' },
        claims: whole,
      },
      // oidcc-display-page, oidcc-display-popup; and values without a module
      { name: 'display=page', parameters: { display: 'page' }, claims: whole },
      { name: 'display=popup', parameters: { display: 'popup' }, claims: whole },
      { name: 'display=touch', parameters: { display: 'touch' }, claims: whole },
      { name: 'display=wap', parameters: { display: 'wap' }, claims: whole },
      // oidcc-ensure-request-with-acr-values-succeeds: none is reached, so the token has none
      { name: 'acr_values', parameters: { acr_values: '1 urn:mace:incommon:iap:silver' }, claims: whole },
      // oidcc-claims-locales
      { name: 'claims_locales', parameters: { claims_locales: 'se' }, claims: whole },
      // oidcc-claims-essential: by discovery, `claims` is not supported
      {
        name: 'claims',
        parameters: { claims: '{"id_token":{"email":{"essential":true},"auth_time":null,"acr":null}}' },
        claims: whole,
      },
      { name: 'max_age', parameters: { max_age: '60' }, claims: [...whole, 'auth_time'] },
      { name: 'prompt=login', parameters: { prompt: 'login' }, claims: [...whole, 'auth_time'] },
      { name: 'the resource API', parameters: { resource: 'RESOURCE' }, claims: whole },
      { name: 'the answer by query', parameters: { response_mode: 'query' }, claims: whole },
    ])('lead to tokens with $name', async ({ parameters, claims }) => {
      const given = { ...parameters };
      if (given.resource) given.resource = running.resource;
      const { browser, page } = await askConsent(running, given);
      const tokens = await exchange(running, await press(browser, page, 'confirm'));
      expect(claimsOf(tokens as unknown as Tokens)).toEqual([...claims].sort());
      expect(await running.verify(String(tokens.access_token))).toMatchObject({ kind: 'good' });
    });

    // oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported, oidcc-request-uri-unsigned
    test.each([
      {
        request: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"state":"theirs","scope":"openid"}').toString('base64url')}.`,
        error: 'request_not_supported',
      },
      { request_uri: 'https://evil.example/request.jwt', error: 'request_uri_not_supported' },
      { request_uri: 'urn:ietf:params:oauth:request_uri:x', error: 'request_uri_not_supported' },
    ])('a request object is rejected by its own error, unread: %j', async ({ error, ...parameters }) => {
      const answer = await send(running, `/login?${loginQuery({ ...parameters, state: 'ours' })}`);
      expect(answerOf(answer)).toMatchObject({ error, state: 'ours', iss: running.issuer });
    });
  });

  describe('PKCE is required of a client that is registered so', () => {
    const verifier = 'v'.repeat(43);
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');

    test('without a challenge the login is rejected at the callback', async () => {
      await addPartner(running, 'careful', { requirePkce: true });
      const answer = await send(running, `/login?${loginQuery({ client_id: 'careful', state: 's' })}`);
      expect(answerOf(answer)).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining('PKCE'),
        state: 's',
        iss: running.issuer,
      });
    });

    test('with one it leads to tokens, for the verifier alone', async () => {
      const client = await addPartner(running, 'careful', { requirePkce: true });
      const parameters = { client_id: 'careful', code_challenge, code_challenge_method: 'S256' };
      const { browser, page } = await askConsent(running, parameters);
      const back = await press(browser, page, 'confirm');
      expect(await exchange(running, back, client)).toMatchObject({ error: 'invalid_grant' });
      const code = new URL(back.address).searchParams.get('code') ?? '';
      const fields = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
      expect((await post(running, '/oauth2/token', fields, basic(client))).status).toBe(200);
    });

    test('other clients may omit it', async () => {
      expect((await connect(running)).access_token).toMatch(/^ey/);
    });
  });
});

/** The rule of the interface: the JSON text of an object, an array or a string. */
function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' || (typeof value === 'object' && value !== null);
  } catch {
    return false;
  }
}
