import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callback, owner, type RunningAuth, startAuth } from '../server/oauth/fixtures/start-auth.ts';

const script = join(import.meta.dirname, '../get-token.ts');
let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

function getToken(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { env: { ...process.env, ...env } }, (failure, out, error) =>
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error }),
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
    const { code, out, error } = await getToken([...asPartner(), '--scope', 'serviceapi/get-devices'], asOwner());
    expect([code, error]).toEqual([0, '']);
    expect(await running.verify(`Bearer ${out.trim()}`)).toMatchObject({
      ok: true,
      principal: { accountId: owner.accountId, clientId: 'test-partner', scopes: new Set(['serviceapi/get-devices']) },
    });
  });

  test('prints the whole answer as JSON', async () => {
    const { out } = await getToken([...asPartner(), '--json'], asOwner());
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 86_400, refresh_token: expect.any(String) });
    expect(decodeJwt(answer.id_token)).toMatchObject({ sub: owner.id, preferred_username: owner.email });
  });

  test('needs no login where the client has an account of its own', async () => {
    const { clientId, secret } = running.own;
    const { out } = await getToken(['--auth-url', `${running.issuer}/`, '--client', clientId], {
      CLIENT_SECRET: secret,
    });
    expect(await running.verify(`Bearer ${out.trim()}`)).toMatchObject({ ok: true, principal: { clientId } });
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
      says: /login answers 400: The way back/,
    },
    { name: 'an unknown client', args: ['--client', 'nobody'], says: /login answers 400: Unknown application/ },
    {
      name: 'no server',
      args: ['--auth-url', 'http://localhost:1/auth'],
      says: /^http:\/\/localhost:1 gives no answer: /,
    },
  ])('says why there is none: $name', async ({ args = [], env = {}, says }) => {
    const { code, out, error } = await getToken([...asPartner(), ...args], { ...asOwner(), ...env });
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(says);
  });

  test('says that nothing answers, or something else', async () => {
    const server = createServer((_, response) => void response.end('<!doctype html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = () =>
      getToken(['--auth-url', `http://127.0.0.1:${port}/auth`, '--client', 'x'], { CLIENT_SECRET: 'x' });
    expect((await ask()).error).toBe(
      `What answers at http://127.0.0.1:${port}/auth is no OAuth server of Lockstep.\nStart it: npm start\n`,
    );
    await new Promise((resolve) => server.close(resolve));
    expect((await ask()).error).toBe(`Nothing answers at http://127.0.0.1:${port}.\nStart it: npm start\n`);
  });

  test.each([
    { args: ['--clent', 'x'], says: "Unknown option '--clent'" },
    { args: ['--auth-url', 'http://localhost:1/auth'], says: '--auth-url needs --client' },
    { args: ['--auth-url', 'localhost', '--client', 'x'], says: '--auth-url is localhost' },
    { args: ['--auth-url', 'http://localhost:1', '--client', 'x'], says: 'CLIENT_SECRET is not set' },
  ])('refuses $args', async ({ args, says }) => {
    const { code, out, error } = await getToken(args, { CLIENT_SECRET: '' });
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(says);
  });
});
