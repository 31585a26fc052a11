import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getToken } from '../get-token.ts';
import { callback, owner, type RunningAuth, startAuth } from '../server/oauth/fixtures/start-auth.ts';
import { createPasswords } from '../server/oauth/passwords.ts';

const root = join(import.meta.dirname, '..');
let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

async function ask(args: readonly string[], env: NodeJS.ProcessEnv = {}, folder = root) {
  const { exitCode: code, stdout: out, stderr: error } = await getToken(args, { env, folder });
  return { code, out, error };
}

/** As a shell has it. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'get-token.ts'), ...args],
      { env: { ...process.env, ...env } },
      (failure, out, error) => resolve({ code: failure === null ? 0 : Number(failure.code), out, error }),
    );
  });
}

const asPartner = () => [
  '--auth-url',
  running.issuer,
  '--client',
  running.partner.clientId,
  '--redirect-uri',
  callback,
];
const asOwner = () => ({
  CLIENT_SECRET: running.partner.secret,
  OWNER_EMAIL: owner.email,
  OWNER_PASSWORD: owner.password,
});

describe('npm run token, of any deployment', () => {
  test('walks the login over HTTP, and prints a token that the API takes', async () => {
    const { code, out, error } = await run([...asPartner(), '--scope', 'serviceapi/get-devices'], asOwner());
    expect([code, error]).toEqual([0, '']);
    expect(await running.verify(out.trim())).toMatchObject({
      kind: 'good',
      principal: { accountId: owner.accountId, clientId: 'test-partner' },
      scopes: new Set(['serviceapi/get-devices']),
    });
  });

  test('prints the whole answer as JSON', async () => {
    const { out } = await ask([...asPartner(), '--json'], asOwner());
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 86_400, refresh_token: expect.any(String) });
    expect(decodeJwt(answer.id_token)).toMatchObject({ sub: owner.id, preferred_username: owner.email });
  });

  test('needs no login where the client has an account of its own', async () => {
    const { clientId, secret } = running.own;
    const { out } = await ask(['--auth-url', `${running.issuer}/`, '--client', clientId], {
      CLIENT_SECRET: secret,
    });
    expect(await running.verify(out.trim())).toMatchObject({ kind: 'good', principal: { clientId } });
  });

  test.each([
    {
      name: 'a wrong password',
      env: { OWNER_PASSWORD: 'x' },
      says: /^\/auth\/interaction\/\S+ answers 400: Wrong e-mail/,
    },
    { name: 'a wrong secret', env: { CLIENT_SECRET: 'x' }, says: /^invalid_client: / },
    { name: 'a scope that there is not', args: ['--scope', 'nothing'], says: /^invalid_scope: nothing is unavailable/ },
    {
      name: 'another callback',
      args: ['--redirect-uri', 'https://x.example'],
      says: /login answers 400: The return address/,
    },
    { name: 'an unknown client', args: ['--client', 'nobody'], says: /login answers 400: Unknown application/ },
    {
      name: 'no server',
      args: ['--auth-url', 'http://localhost:1/auth'],
      says: /^http:\/\/localhost:1 gives no answer: /,
    },
  ])('prints why there is none: $name', async ({ args = [], env = {}, says }) => {
    const { code, out, error } = await ask([...asPartner(), ...args], { ...asOwner(), ...env });
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(says);
  });

  test.each([
    {
      name: 'on to another host',
      location: 'http://127.0.0.1:1/elsewhere',
      says: 'leads to http://127.0.0.1:1/elsewhere, not',
    },
    { name: 'in circles', location: '/again', says: '/again, not back to https://partner.example/callback.' },
    {
      name: 'to an address that only begins like the callback',
      location: `${callback}.evil.example/`,
      says: 'not back to',
    },
  ])('goes with nobody who leads it $name', async ({ location, says }) => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.writeHead(303, { Location: location, 'Set-Cookie': 'a=b' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, error } = await ask(
      ['--auth-url', `http://127.0.0.1:${port}/auth`, '--client', 'x', '--redirect-uri', callback],
      asOwner(),
    );
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect([code, error]).toEqual([1, expect.stringContaining(says)]);
    expect(requests).toBeLessThan(20);
  });

  test('reports that nothing answers, or something else', async () => {
    const server = createServer((_, response) => void response.end('<!doctype html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const asking = () => ask(['--auth-url', `http://127.0.0.1:${port}/auth`, '--client', 'x'], { CLIENT_SECRET: 'x' });
    expect((await asking()).error).toBe(
      `The server at http://127.0.0.1:${port}/auth is not an OAuth server of Lockstep.\nIs http://127.0.0.1:${port} the right address?\n`,
    );
    await new Promise((resolve) => server.close(resolve));
    expect((await asking()).error).toBe(
      `Nothing answers at http://127.0.0.1:${port}.\nIs http://127.0.0.1:${port} the right address?\n`,
    );
  });

  test('exits with 2 when it refuses, and with 1 without a token', async () => {
    const refused = await run(['--clent', 'x']);
    expect([refused.code, refused.out, refused.error]).toEqual([2, '', expect.stringContaining("option '--clent'")]);
    expect(await run([...asPartner()], { ...asOwner(), CLIENT_SECRET: 'x' })).toMatchObject({ code: 1, out: '' });
  });

  test.each([
    { args: ['--clent', 'x'], says: "Unknown option '--clent'" },
    { args: ['--auth-url', 'http://localhost:1/auth'], says: '--auth-url needs --client' },
    { args: ['--auth-url', 'localhost', '--client', 'x'], says: '--auth-url is localhost' },
    { args: ['--auth-url', 'http://localhost:1', '--client', 'x'], says: 'CLIENT_SECRET is not set' },
    ...[['--mock'], ['--port', '8080'], ['--owner', 'o@h.example']].map((more) => ({
      args: ['--auth-url', 'http://localhost:1/auth', '--client', 'x', ...more],
      says: more[0] === '--owner' ? 'OWNER_EMAIL' : `Give either ${more[0]} or --auth-url`,
    })),
    { args: ['--client', 'demo-partner', '--redirect-uri', callback], says: '--redirect-uri needs --auth-url' },
  ])('refuses $args', async ({ args, says }) => {
    const { code, out, error } = await ask(args, { CLIENT_SECRET: '' });
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(says);
  });
});

describe('npm run token, of a demo', () => {
  const second = {
    ...owner,
    id: `owner-${'b2'.repeat(12)}`,
    email: 'second@harbour.example',
    password: 'second password',
  };
  let folder: string;

  // As a start leaves it.
  beforeAll(async () => {
    const passwordHash = await createPasswords({ ln: 4 }).hash(second.password);
    await running.store.owners.create({ ...second, passwordHash, createdAt: Date.now() });
    folder = await mkdtemp(join(tmpdir(), 'lockstep-token-'));
    await mkdir(join(folder, '.lockstep'));
    const { own, partner } = running;
    const access = {
      clients: [
        { ...own, account: 'Harbour Stays', redirectUris: [] },
        { ...partner, account: null, redirectUris: [callback] },
      ],
      owners: [owner, second].map(({ email, password }) => ({ email, password, account: 'Harbour Stays' })),
    };
    await writeFile(join(folder, '.lockstep/access.json'), JSON.stringify(access));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const askDemo = (...args: readonly string[]) => ask(['--port', String(running.port), ...args], {}, folder);

  test.each([
    { name: 'the first by default', args: [], id: owner.id },
    { name: 'the one that is named', args: ['--owner', second.email], id: second.id },
    { name: 'the one that is named in capitals', args: ['--owner', second.email.toUpperCase()], id: second.id },
  ])('logs an owner in: $name', async ({ args, id }) => {
    const { out, error } = await askDemo('--client', 'test-partner', ...args);
    expect(error).toBe('');
    expect(decodeJwt(out.trim()).sub).toBe(id);
  });

  test.each([
    {
      args: ['--client', 'test-partner', '--owner', 'nobody@harbour.example'],
      says: 'There is no owner nobody@harbour.example. There are: owner@harbour.example, second@harbour.example\n',
    },
    {
      args: ['--owner', second.email],
      says: 'Nobody logs in for test-own, so --owner has no effect. Try --client test-partner\n',
    },
    { args: ['--client', 'nobody'], says: 'There is no client nobody. There are: test-own, test-partner\n' },
  ])('refuses $args', async ({ args, says }) => {
    expect(await askDemo(...args)).toEqual({ code: 2, out: '', error: says });
  });

  test('prints how to start the server when nothing answers', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await ask(['--port', String(port)], {}, folder)).toEqual({
      code: 1,
      out: '',
      error: `Nothing answers at http://localhost:${port}.\nStart it by npm start or npm run mock. If it runs on another port, add --port NUMBER\n`,
    });
  });
});
