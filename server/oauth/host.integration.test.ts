import { type IncomingHttpHeaders, request as sendRaw } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw as sendBytes } from '../http/fixtures/send-raw.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { loginQuery } from './fixtures/talk.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

describe('Host and X-Forwarded-Host', () => {
  test('another loopback name gets the addresses of the published one', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const { status, body } = await raw('/auth/.well-known/openid-configuration', { Host: `${host}:${running.port}` });
      expect(status).toBe(200);
      expect(body.issuer).toBe(running.issuer);
      expect(body.token_endpoint).toBe(`${running.issuer}/oauth2/token`);
    }
  });

  test('any other name is rejected, with the right one', async () => {
    for (const path of ['/auth/login', '/auth/.well-known/openid-configuration', '/auth/nothing']) {
      const { status, body } = await raw(path, { Host: 'evil.example' });
      expect(status).toBe(400);
      expect(body.error_description).toBe(
        `This server is localhost:${running.port}, not evil.example: use ${running.issuer}`,
      );
    }
  });

  test.each([
    { name: 'two Host lines', lines: ['Host: localhost:PORT', 'Host: localhost:PORT'], says: 'Host is sent 2 times' },
    {
      name: 'an unknown transfer coding',
      lines: ['Host: localhost:PORT', 'Transfer-Encoding: gzip, chunked'],
      says: 'Transfer-Encoding gzip, chunked is not taken',
      connection: 'close',
    },
  ])('$name is rejected at every endpoint', async ({ lines, says, connection = 'keep-alive' }) => {
    for (const line of ['GET /auth/.well-known/openid-configuration', 'POST /auth/oauth2/token', 'GET /auth/nothing']) {
      const head = [`${line} HTTP/1.1`, ...lines].join('\r\n').replaceAll('PORT', String(running.port));
      const { status, headers, body } = await sendBytes(running.origin, { bytes: `${head}\r\n\r\n` });
      expect([status, headers.connection]).toEqual([400, connection]);
      expect(JSON.parse(body)).toEqual({ error: 'invalid_request', error_description: expect.stringContaining(says) });
    }
  });

  test('forwarded headers have no effect without a proxy', async () => {
    const forwarded = {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'host=evil.example',
    };
    const { body, text } = await raw('/auth/.well-known/openid-configuration', forwarded);
    expect(body.issuer).toBe(running.issuer);
    expect(text).not.toMatch(/evil|https:/);
    const login = await raw(`/auth/login?${loginQuery()}`, forwarded);
    // Ids and signatures are random letters, which contain `evil` by chance.
    expect(`${login.headers.location} ${login.headers['set-cookie']}`).not.toMatch(/evil\.example|; ?secure/i);
  });

  // RFC 9112, 3.2.2: the target's own authority counts, and `Host` does not.
  describe.each(['plain', 'express'] as const)('an absolute target, mounted %s', (mount) => {
    let mounted: RunningAuth;
    beforeAll(async () => {
      mounted = await startAuth({ mount, keys: running.keys });
    });
    afterAll(() => mounted.close());

    test.each(['http://evil.example', 'https://evil.example', 'HTTP://evil.example', 'ftp://evil.example'])(
      '%s is rejected, with the right name',
      async (origin) => {
        for (const path of ['/auth/.well-known/openid-configuration', `/auth/login?${loginQuery()}`]) {
          const { status, headers, body } = await raw(origin + path, {}, mounted.port);
          expect(status).toBe(400);
          expect(body.error_description).toBe(
            `This server is localhost:${mounted.port}, not evil.example: use ${mounted.issuer}`,
          );
          expect(headers.location).toBeUndefined();
        }
      },
    );

    test.each(['http://user@localhost', 'http://', 'http://localhost\\', 'http://localhost:1/@localhost'])(
      '%s is rejected',
      async (start) => {
        const target = `${start}:${mounted.port}/auth/.well-known/openid-configuration`;
        const { status, text } = await raw(target, {}, mounted.port);
        expect([400, 404]).toContain(status);
        expect(text).not.toContain('token_endpoint');
      },
    );

    test('of this server gets the published addresses for any `Host`', async () => {
      for (const origin of [mounted.origin, `https://127.0.0.1:${mounted.port}`]) {
        const target = `${origin}/auth/.well-known/openid-configuration`;
        const { status, body } = await raw(target, { Host: 'evil.example' }, mounted.port);
        expect([status, body.token_endpoint]).toEqual([200, `${mounted.issuer}/oauth2/token`]);
      }
    });

    test('of this server logs in under the published address', async () => {
      const target = `${mounted.origin}/auth/login?${loginQuery()}`;
      const { status, headers } = await raw(target, {}, mounted.port);
      expect([status, headers.location]).toEqual([303, expect.stringContaining('/auth/interaction/')]);
      const [, id = ''] = /interaction\/([^/?]+)/.exec(headers.location ?? '') ?? [];
      const interaction = await mounted.auth.provider.Interaction.find(id);
      expect(interaction?.returnTo).toMatch(new RegExp(`^${mounted.issuer}/login/`));
    });
  });

  test('behind a TLS proxy the published name counts, and cookies are Secure', async () => {
    const behind = await startAuth({ publicOrigin: 'https://api.example', keys: running.keys });
    try {
      const of = (headers: Record<string, string>) =>
        raw('/auth/.well-known/openid-configuration', headers, behind.port);
      for (const headers of [{ Host: 'api.example' }, { Host: 'internal:1', 'X-Forwarded-Host': 'api.example' }]) {
        const { status, body } = await of(headers);
        expect([status, body.authorization_endpoint]).toEqual([200, 'https://api.example/auth/login']);
      }
      for (const headers of [{ Host: 'internal:1' }, { Host: 'api.example', 'X-Forwarded-Host': 'evil.example' }]) {
        expect((await of(headers)).status).toBe(400);
      }
      const login = await raw(`/auth/login?${loginQuery()}`, { Host: 'api.example' }, behind.port);
      expect(login.headers['set-cookie']?.length).toBeGreaterThan(0);
      for (const cookie of login.headers['set-cookie'] ?? [])
        expect(cookie).toMatch(/; samesite=lax; secure; httponly$/);
    } finally {
      await behind.close();
    }
  });

  function raw(path: string, headers: Record<string, string>, port = running.port) {
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number | undefined;
      headers: IncomingHttpHeaders;
      text: string;
      body: Record<string, unknown>;
    }>();
    const request = sendRaw(
      { host: '127.0.0.1', port, path, headers: { Host: `localhost:${port}`, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const body = text.startsWith('{') ? JSON.parse(text) : {};
          resolve({ status: response.statusCode, headers: response.headers, text, body });
        });
      },
    );
    request.on('error', reject).end();
    return promise;
  }
});
