// If these fail, a test of a client gets the data, the faults, the time or the tokens of another test.

import { type Browser, openBrowser, type Page } from '@lockstep/server/oauth/fixtures/browser';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ControlRejection, type RunningSandbox, type SandboxWorld, startMock } from '../index.ts';

let mock: RunningSandbox;
beforeAll(async () => {
  mock = await startMock({ clock: '2026-06-01T12:00:00Z', worlds: 3 });
});
afterAll(() => mock.close());
afterEach(async () => {
  for (const name of (await mock.control.readState()).worlds) await mock.control.removeWorld(name);
});

const device = '/devices/LK2A00000001';

async function call(world: SandboxWorld, token: string, method: string, path: string, body?: object) {
  const answer = await fetch(world.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

const setLevel = (world: SandboxWorld, token: string, batteryLevel: number) =>
  call(world, token, 'PUT', device, { batteryLevel: String(batteryLevel) });
const readLevel = async (world: SandboxWorld, token: string) =>
  (await call(world, token, 'GET', device)).body.batteryLevel;

/** Two worlds, each with a token, and the sandbox at paths without a world. */
async function openThree() {
  const [a, b] = [mock.world('a'), mock.world('b')];
  return { a, b, tokens: { a: await a.token(), b: await b.token(), main: await mock.token() } };
}

test('worlds never show the data of another, and a reset of one leaves the others alone', async () => {
  const { a, b, tokens } = await openThree();
  expect((await mock.control.readState()).worlds).toEqual(['a', 'b']);
  expect(await a.control.readState()).toMatchObject({ world: 'a', worlds: ['a', 'b'] });
  await setLevel(a, tokens.a, 1);
  await setLevel(b, tokens.b, 2);
  const levels = async () => [
    await readLevel(a, tokens.a),
    await readLevel(b, tokens.b),
    await readLevel(mock, tokens.main),
  ];
  expect(await levels()).toEqual([1, 2, 87]);
  await a.control.reset();
  expect(await levels()).toEqual([87, 2, 87]);
  await b.control.useScenario('empty');
  expect((await call(b, tokens.b, 'GET', '/devices')).body.payload).toEqual([]);
  expect((await call(a, tokens.a, 'GET', '/devices')).body.payload).not.toEqual([]);
});

test('faults, clock, journal, keypads and tokens of a world do not reach another', async () => {
  const { a, b, tokens } = await openThree();
  await a.control.addFault({ operationId: 'getDevice', status: 503 });
  expect((await call(b, tokens.b, 'GET', device)).status).toBe(200);
  expect((await call(mock, tokens.main, 'GET', device)).status).toBe(200);
  expect((await call(a, tokens.a, 'GET', device)).status).toBe(503);

  await a.control.changeClock({ by: 'P1D' });
  const days = await Promise.all([a, b, mock].map(async ({ control }) => (await control.readClock()).now.slice(0, 10)));
  expect(days).toEqual(['2026-06-02', '2026-06-01', '2026-06-01']);

  const inJournal = async ({ control }: SandboxWorld) =>
    (await control.listRequests()).map(({ path, verdict }) => `${path} ${verdict}`);
  expect(await inJournal(a)).toEqual([`/v1${device} fault`, '/auth/oauth2/token accepted']);
  await b.control.removeRequests();
  expect(await inJournal(b)).toEqual([]);
  expect(await inJournal(a)).toHaveLength(2);

  for (let count = 0; count < 10; count += 1) await a.control.enterDigits('LK2A00000001', '111111111');
  expect((await a.control.enterDigits('LK2A00000001', '111111111')).lockedOutUntil).not.toBeNull();
  expect((await b.control.enterDigits('LK2A00000001', '111111111')).lockedOutUntil).toBeNull();

  for (const [world, token] of [
    [b, tokens.a],
    [mock, tokens.a],
    [a, tokens.main],
  ] as const)
    expect(await call(world, token, 'GET', device)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  await a.control.expireTokens();
  expect((await call(a, tokens.a, 'GET', device)).body.code).toBe('token_expired');
  expect((await call(b, tokens.b, 'GET', device)).status).toBe(200);
});

test('each address of a world has its prefix', async () => {
  const world = mock.world('a');
  const read = async (url: string) => (await (await fetch(url)).json()) as Readonly<Record<string, string>>;
  const discovery = await read(`${world.authUrl}/.well-known/openid-configuration`);
  const addresses = Object.entries(discovery).filter(([, value]) => String(value).startsWith('http'));
  expect(addresses.length).toBeGreaterThan(4);
  for (const [, address] of addresses) expect(String(address)).toContain(world.authUrl);
  expect((await fetch(discovery.jwks_uri ?? '')).status).toBe(200);
  const paths = await read(`${world.origin}/`);
  for (const path of Object.values(paths)) expect(path).toMatch(/^\/w\/a\//);
  for (const path of Object.values(paths).slice(2)) expect((await fetch(`${mock.origin}${path}`)).status).toBe(200);
  const page = await (await fetch(`${world.origin}/`, { headers: { accept: 'text/html' } })).text();
  expect(page).toContain(`${world.origin}/v1/devices`);
  expect(page).not.toMatch(new RegExp(`(href="|${mock.origin})/(v1|auth|_sandbox)`));
});

describe('an owner in one browser', () => {
  const signIn = async (browser: Browser, { authUrl }: SandboxWorld): Promise<Page> => {
    const partner = mock.clients.find(({ kind }) => kind === 'partner');
    const [owner = { email: '', password: '' }] = mock.owners;
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: partner?.clientId ?? '',
      redirect_uri: partner?.redirectUris[0] ?? '',
      scope: 'openid',
      state: 'state',
    });
    const login = await browser.get(`${authUrl}/login?${query}`);
    const { email, password } = owner;
    return login.text.includes('name="password"') ? browser.post(`${login.address}/login`, { email, password }) : login;
  };

  test('has a session in each world, and the callback names the issuer of the world', async () => {
    const [a, b] = [mock.world('a'), mock.world('b')];
    const browser = openBrowser(mock.origin);
    for (const world of [a, b]) {
      const consent = await signIn(browser, world);
      expect([consent.status, consent.address.startsWith(`${world.authUrl}/interaction/`)]).toEqual([200, true]);
      const { address } = await browser.post(`${consent.address}/confirm`, {});
      expect(new URL(address).searchParams.get('iss')).toBe(world.authUrl);
      expect(new URL(address).searchParams.get('code')).toBeTruthy();
    }
    // The session of the first is still there: the login page is not shown again.
    const again = await browser.get(`${a.authUrl}/apps`);
    expect([again.status, again.text.includes('name="password"')]).toEqual([200, false]);
    await a.control.expireTokens('all');
    expect((await browser.get(`${a.authUrl}/apps`)).text).toContain('name="password"');
    expect((await browser.get(`${b.authUrl}/apps`)).text).not.toContain('name="password"');
  });
});

test('worlds are bounded, and removed with their state', async () => {
  for (const name of ['a', 'b', 'c']) await mock.world(name).control.readState();
  await expect(mock.world('d').control.readState()).rejects.toMatchObject({ status: 507, code: 'too_many_worlds' });
  const refused = await fetch(`${mock.origin}/w/d/v1/devices`);
  expect([refused.status, await refused.text()]).toEqual([
    507,
    expect.stringContaining('DELETE /_sandbox/worlds/NAME'),
  ]);
  const token = await mock.world('a').token();
  await setLevel(mock.world('a'), token, 5);
  await mock.control.removeWorld('a');
  await expect(mock.control.removeWorld('a')).rejects.toThrow(ControlRejection);
  expect((await mock.world('d').control.readState()).worlds).toEqual(['b', 'c', 'd']);
  await mock.control.removeWorld('d');
  // A new world of this name has a new start: its tokens are new too.
  expect(await readLevel(mock.world('a'), await mock.world('a').token())).toBe(87);
  expect((await fetch(`${mock.origin}/w/a%20b/v1/devices`)).status).toBe(400);
  for (const wrong of ['a b', 'a/b', '..', '']) expect(() => mock.world(wrong)).toThrow(/^the name of a world has/);
});

test('a request that the control rejects creates no world', async () => {
  const rejections = [
    { origin: 'https://evil.example' },
    { 'x-forwarded-for': '203.0.113.7' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  ];
  for (const headers of rejections)
    for (const path of ['/_sandbox/state', '/_sandbox', '/_sandbox/reset'])
      expect((await fetch(`${mock.origin}/w/a${path}`, { headers })).status).toBe(403);
  expect((await mock.control.readState()).worlds).toEqual([]);
});

test('a sandbox without worlds has no such paths', async () => {
  await using alone = await startMock({ worlds: 0 });
  expect((await fetch(`${alone.origin}/w/a/v1/devices`)).status).toBe(404);
});

test('a world that is asked for by many at once is created once', async () => {
  const world = mock.world('a');
  await Promise.all(Array.from({ length: 8 }, () => world.control.readClock()));
  await world.control.changeClock({ ticking: false });
  expect((await world.control.readClock()).ticking).toBe(false);
  expect((await mock.control.readState()).worlds).toEqual(['a']);
});

const standing = { now: '2026-06-01T12:00:00Z', ticking: false } as const;

/** A step of a test, whose result depends on nothing but the steps before it. */
type Step = (world: SandboxWorld, token: string) => Promise<unknown>;

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.integer({ min: 0, max: 100 }).map(
    (level): Step =>
      async (world, token) =>
        (await setLevel(world, token, level)).status,
  ),
  fc.constant<Step>(readLevel),
  fc.constantFrom('PT1H', 'P1D', '-PT3H').map(
    (by): Step =>
      ({ control }) =>
        control.changeClock({ by }),
  ),
  fc.constant<Step>(
    async ({ control }) => (await control.addFault({ operationId: 'getDevice', status: 503 })).operationId,
  ),
  fc.constant<Step>(async ({ control }) => (await control.enterDigits('LK2A00000001', '111111111')).reason),
  fc.constant<Step>(async (world, token) => {
    const job = await call(world, token, 'POST', `${device}/jobs/bridges/BR1A00000001`, { jobType: 'UNLOCK' });
    return job.status;
  }),
  fc.constant<Step>(async (world, token) => {
    const { body } = await call(world, token, 'GET', `${device}/activity?limit=3`);
    return (body.payload as { activityTimeAt: string }[] | undefined)?.map(({ activityTimeAt }) => activityTimeAt);
  }),
  fc.constant<Step>(async ({ control }) =>
    (await control.listRequests()).map(({ path, status }) => `${path} ${status}`),
  ),
  fc.constant<Step>(async ({ control }) => {
    await control.reset();
    return control.changeClock(standing);
  }),
);

test('the interleaving of two programs answers as the two alone do', { tags: ['full'] }, async () => {
  const begin = async (name: string) => {
    const world = mock.world(name);
    const token = await world.token();
    await world.control.changeClock(standing);
    return (step: Step) => step(world, token);
  };
  const runAlone = async (name: string, program: readonly Step[]) => {
    const run = await begin(name);
    const results: unknown[] = [];
    for (const step of program) results.push(await run(step));
    await mock.control.removeWorld(name);
    return results;
  };
  const program = fc.array(steps, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(program, program, fc.infiniteStream(fc.boolean()), async (first, second, turns) => {
      const alone = { first: await runAlone('first', first), second: await runAlone('second', second) };
      const together = { first: [] as unknown[], second: [] as unknown[] };
      const runs = { first: await begin('first'), second: await begin('second') };
      const left = { first: [...first], second: [...second] };
      for (const isFirst of turns) {
        const own = (isFirst && left.first.length > 0) || left.second.length === 0 ? 'first' : 'second';
        const step = left[own].shift();
        if (step === undefined) break;
        together[own].push(await runs[own](step));
      }
      for (const name of ['first', 'second']) await mock.control.removeWorld(name);
      expect(together).toEqual(alone);
    }),
    { numRuns: 10 },
  );
});
