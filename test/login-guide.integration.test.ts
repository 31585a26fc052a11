import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../server/commands/fixtures/run-command.ts';
import { type Browser, openBrowser, type Page } from '../server/oauth/fixtures/browser.ts';
import { untilPrinted } from './until-printed.ts';

// If these fail, a partner who follows the guide to the login step by step gets stuck.

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/login.md'), 'utf8');

interface Access {
  readonly origin: string;
  readonly clients: readonly { readonly clientId: string; readonly secret: string }[];
  readonly owners: readonly { readonly email: string; readonly password: string }[];
}

let folder: string;
const children = new Set<ChildProcess>();
let access: Access;
let callbackUrl: string;
/** Settings of a client and of the owner who logs in, as environment variables. */
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  // Inside the project, where the program finds `openid-client` as it would in a project of its reader.
  await mkdir(join(root, 'dist'), { recursive: true });
  folder = await mkdtemp(join(root, 'dist/login-guide-'));
  callbackUrl = `http://127.0.0.1:${await freePort()}/callback`;
  const keyFile = join(folder, 'mock-keys.json');
  const line = ['--port', '0', '--key-file', keyFile, '--loopback-callback', callbackUrl, '--json'];
  const mock = start(join(root, 'mock/main.ts'), line);
  access = JSON.parse(await untilPrinted(mock, '\n'));
  const client = access.clients.find(({ clientId }) => clientId === 'demo-partner');
  const [owner] = access.owners;
  env = {
    ...process.env,
    AUTH_URL: `${access.origin}/auth`,
    CALLBACK_URL: callbackUrl,
    CLIENT_SECRET: client?.secret,
    OWNER_EMAIL: owner?.email,
    OWNER_PASSWORD: owner?.password,
  };
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe('its blocks of shell, one after the other', () => {
  let file: string;
  beforeAll(async () => {
    file = join(folder, 'guide.sh');
    await writeFile(file, readBlocks('sh').join('\n').replaceAll('http://localhost:8080', access.origin));
  });
  beforeEach(async ({ skip }) => {
    if (!((await isThere('curl')) && (await isThere('openssl')))) skip('curl or openssl is not installed.');
  });

  test('log in without a browser, exchange, call, refresh and revoke', async () => {
    const [devices = '', refusal = ''] = (await run('bash', [file])).split(/(?<=\})\s*(?=\{"message")/);
    expect(JSON.parse(devices)).toMatchObject({
      payload: expect.arrayContaining([expect.objectContaining({ type: 'Lock' })]),
    });
    expect(JSON.parse(refusal)).toMatchObject({ code: 'token_revoked' });
  });

  test.each([
    {
      name: 'password',
      change: { OWNER_PASSWORD: 'wrong' },
      says: 'The login rejected this e-mail address and password.',
    },
    { name: 'client', client: 'nobody', says: 'curl: (22) The requested URL returned error: 400' },
  ])('stop at a wrong $name and say so', async ({ change, client = 'demo-partner', says }) => {
    const changed = join(folder, 'changed.sh');
    await writeFile(changed, (await readFile(file, 'utf8')).replace(/^CLIENT_ID=.*$/m, `CLIENT_ID=${client}`));
    const failure = await run('bash', [changed], { env: { ...env, ...change } }).catch(({ message }: Error) => message);
    // Node's message has what was printed as well.
    expect(new Set(failure.split('\n').slice(1).filter(Boolean))).toEqual(new Set([says]));
  });
});

describe('its blocks of TypeScript, one after the other', () => {
  let file: string;
  let api: Server;
  /** The credentials of each call to the API, on their way to the mock. */
  const calls: (string | undefined)[] = [];
  let program: ChildProcess | undefined;

  beforeAll(async () => {
    file = join(folder, 'partner.ts');
    await writeFile(file, readBlocks('ts').join('\n'));
    api = createServer(async ({ url, headers: { authorization } }, response) => {
      calls.push(authorization);
      const answer = await fetch(access.origin + url, { headers: authorization ? { authorization } : {} });
      response.writeHead(answer.status).end(await answer.text());
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => api.close(resolve)));
  afterEach(() => stopProgram());

  test('are right by their types', async () => {
    const config = { extends: '../../tsconfig.json', include: ['*.ts'], exclude: [] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    expect(await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder])).toBe('');
  });

  test.each([
    { name: 'a token that is good for long', refreshBefore: '1', isSame: true },
    { name: 'a token that expires soon', refreshBefore: '24', isSame: false },
  ])('connect an account, call with $name, connect again and disconnect', async ({ refreshBefore, isSame }) => {
    await startProgram({ REFRESH_BEFORE_HOURS: refreshBefore });
    const partner = openBrowser(new URL(callbackUrl).origin);
    const owner = openBrowser(access.origin);
    const [first, again] = [await connect(partner, owner), await connect(partner, owner)];
    for (const { address, text } of [first, again]) {
      expect(new URL(address).pathname).toBe('/devices');
      expect(JSON.parse(text)).toMatchObject({
        payload: expect.arrayContaining([expect.objectContaining({ type: 'Lock' })]),
      });
    }
    calls.length = 0;
    for (const _ of ['one', 'two']) expect((await partner.get('/devices')).status).toBe(200);
    expect(calls).toEqual([expect.stringMatching(/^Bearer ./), expect.stringMatching(/^Bearer ./)]);
    expect(calls[0] === calls[1]).toBe(isSame);

    expect((await partner.post('/disconnect', {})).text).toContain('action="/connect"');
    const refused = await fetch(`${access.origin}/v1/devices`, { headers: { authorization: calls[1] ?? '' } });
    expect(await refused.json()).toMatchObject({ code: 'token_revoked' });
    expect((await partner.get('/devices')).status).toBe(502);
  });

  test('say that nothing was connected where the owner cancels', async () => {
    await startProgram();
    const partner = openBrowser(new URL(callbackUrl).origin);
    const owner = openBrowser(access.origin);
    const login = await owner.get((await partner.post('/connect', {})).address);
    const back = await submit(owner, login, 'abort');
    expect((await partner.get(back.address)).text).toBe('Nothing was connected.');
  });

  test.each([
    { given: { CLIENT_SECRET: '' }, message: 'Set CLIENT_SECRET to the secret of demo-partner' },
    {
      given: { AUTH_URL: 'http://localhost:1/auth' },
      message: 'AUTH_URL is http://localhost:1/auth, where no OAuth server answers',
    },
  ])('name the variable that is missing from the environment: $message', async ({ given, message }) => {
    const ended = run(process.execPath, [file], { env: { ...env, ...given } });
    const printed = await ended.catch(({ message }: Error) => message);
    expect(printed).toContain(message);
    expect(printed).not.toMatch(/^ +at /m);
  });

  async function startProgram(more: NodeJS.ProcessEnv = {}): Promise<void> {
    const { port } = api.address() as AddressInfo;
    program = start(file, [], { API_URL: `http://127.0.0.1:${port}/v1`, ...more });
    await untilPrinted(program, 'Connect an account at ');
  }

  /** The next one listens at the same address. */
  async function stopProgram(): Promise<void> {
    const ended = program?.exitCode === null ? once(program, 'exit') : undefined;
    program?.kill();
    program = undefined;
    await ended;
  }
});

/** As one browser does, which keeps the cookies of both sides; what is still agreed to is not asked again. */
async function connect(partner: Browser, owner: Browser) {
  let shown = await owner.get((await partner.post('/connect', {})).address);
  const { OWNER_EMAIL: email = '', OWNER_PASSWORD: password = '' } = env;
  if (isPage(shown)) shown = await submit(owner, shown, 'login', { email, password });
  if (isPage(shown)) shown = await submit(owner, shown, 'confirm');
  if (!shown.address.startsWith(callbackUrl)) throw new Error(`${shown.status} at ${shown.address}: ${shown.text}`);
  return partner.get(shown.address);
}

function isPage({ address }: Page): boolean {
  return address.includes('/interaction/');
}

/** As a person does, who needs a page with that form on it. @throws Error with what is shown instead */
function submit(browser: Browser, { address, status, text }: Page, step: string, fields: Record<string, string> = {}) {
  const target = `${new URL(address).pathname}/${step}`;
  if (status !== 200 || !text.includes(`method="post" action="${target}"`)) {
    throw new Error(`${status} at ${address}, without the form ${step}: ${/<h1>.*/.exec(text)?.[0] ?? text}`);
  }
  return browser.post(target, fields);
}

test('registers a client with the command that the operator runs', async () => {
  const data = await mkdtemp(join(tmpdir(), 'login-guide-'));
  const more = { LOCKSTEP_KEYS: join(data, 'keys.json'), DATABASE_URL: `sqlite:${join(data, 'service.sqlite')}` };
  await writeFile(join(data, 'account.json'), '{"account": {"id": "acme", "name": "Acme"}}');
  const command = readBlocks('console').find((block) => block.includes('client create')) ?? '';
  const operator = { ...process.env, ...more };
  for (const args of [
    ['keys', 'create'],
    ['import', join(data, 'account.json')],
  ])
    expect(await runHere(args, { env: operator })).toMatchObject({ exitCode: 0 });
  expect(await run('bash', ['-eu', '-c', command.replace(/^\$ /, '')], { cwd: root, env: operator })).toContain(
    'Created the client acme-partner',
  );
  await rm(data, { recursive: true });
});

/** The contents of the fenced blocks of that language, in order. */
function readBlocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]+?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1] ?? '',
  );
}

function start(file: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, [file, ...args], { env: { ...env, ...more }, stdio: [...stdio] });
  children.add(child);
  return child;
}

/** Runs a program to its end. @throws Error with all that it printed where it fails */
function run(file: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(file, args, { cwd: folder, env, ...options }, (error, stdout, stderr) =>
    error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`)),
  );
  return promise;
}

function isThere(program: string): Promise<boolean> {
  return run(program, [program === 'openssl' ? 'version' : '--version']).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
