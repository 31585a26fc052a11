import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningSandbox, startMock } from '../mock/index.ts';
import { startSandbox } from '../mock/sandbox/start-sandbox.ts';
import { readConfig } from '../server/config.ts';
import { createClientMetadata } from '../server/oauth/create-client-metadata.ts';
import { createToken } from '../server/oauth/fixtures/hostile-tokens.ts';
import { type DemoService, startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, the list of differences for integrators has one that doesn't exist, or lacks one.

let service: DemoService;
let sandbox: RunningSandbox;
let tokens: Readonly<Record<'service' | 'sandbox', string>>;
beforeAll(async () => {
  service = await startDemoService();
  sandbox = await startMock();
  tokens = { service: await requestToken(service), sandbox: await requestToken(sandbox) };
});
afterAll(() => Promise.all([service.close(), sandbox.close()]));

type Side = keyof typeof tokens;
const sides: readonly Side[] = ['service', 'sandbox'];

async function requestToken({ origin, clients }: Pick<DemoService, 'origin' | 'clients'>): Promise<string> {
  const client = clients.find(({ clientId }) => clientId === 'demo-own');
  const answer = await fetch(`${origin}/auth/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`demo-own:${client?.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** Sends the same request to both, and returns the parts of the answers that `read` selects. */
async function askBoth<Told>(
  path: string,
  read: (answer: Response) => Told | Promise<Told>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<Side, Told>> {
  const told = sides.map(async (side) => {
    const { origin } = side === 'service' ? service : sandbox;
    const answer = await fetch(origin + path, { headers: { authorization: `Bearer ${tokens[side]}`, ...headers } });
    return [side, await read(answer)] as const;
  });
  return Object.fromEntries(await Promise.all(told)) as Record<Side, Told>;
}

const readStatus = ({ status }: Response): number => status;

/** By the word that a line of the page begins with: what shows that it is so. */
const differences: Readonly<Record<string, () => Promise<void>>> = {
  State: async () => {
    const headers = { authorization: `Bearer ${tokens.sandbox}`, 'content-type': 'application/json' };
    const url = `${sandbox.baseUrl}/devices/LK2A00000001`;
    const before = (await (await fetch(url, { headers })).json()) as { batteryLevel: number };
    await fetch(url, { method: 'PUT', headers, body: '{"batteryLevel":"1"}' });
    expect(await (await fetch(url, { headers })).json()).toEqual({ ...before, batteryLevel: 1 });
    await sandbox.control.reset();
    expect(await (await fetch(url, { headers })).json()).toMatchObject({ batteryLevel: before.batteryLevel });
  },
  Secrets: async () => {
    await using another = await startMock();
    expect(another.clients).toEqual(sandbox.clients);
    expect(another.owners).toEqual(sandbox.owners);
    const answer = await fetch(`${another.baseUrl}/devices`, {
      headers: { authorization: `Bearer ${tokens.sandbox}` },
    });
    expect(answer.status).toBe(401);
  },
  Devices: async () => {
    const list = await askBoth('/v1/devices?limit=300', async (answer) => {
      const { payload } = (await answer.json()) as { payload: { deviceId: string; online?: boolean }[] };
      return payload.map(({ deviceId, online }) => [deviceId, online]);
    });
    expect(list.sandbox).toEqual(list.service);
  },
  Clock: async () => {
    const read = async (answer: Response): Promise<string> =>
      ((await answer.json()) as { startDate?: string; expiryDate?: string }).expiryDate ?? '';
    const create = async (): Promise<string> => {
      const answer = await fetch(`${sandbox.baseUrl}/devices/LK2A00000001/jobs/bridges/BR1A00000001`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.sandbox}`, 'content-type': 'application/json' },
        body: '{"jobType":"UNLOCK"}',
      });
      const { jobId } = (await answer.json()) as { jobId: string };
      return read(
        await fetch(`${sandbox.baseUrl}/jobs/${jobId}`, { headers: { authorization: `Bearer ${tokens.sandbox}` } }),
      );
    };
    await sandbox.control.changeClock({ now: '2030-06-01T12:00:00Z' });
    expect(await create()).toMatch(/^2030-06-01T12:0/);
    // Tokens go on.
    expect((await askBoth('/v1/devices', readStatus)).sandbox).toBe(200);
    await sandbox.control.reset();
    expect((await askBoth('/_sandbox/clock', readStatus)).service).toBe(404);
  },
  Prefer: async () => {
    expect(await askBoth('/v1/devices', readStatus, { prefer: 'code=503' })).toEqual({ service: 200, sandbox: 503 });
    for (const query of ['__code=503', '__code=503&__example=unavailable', '__code=503&__dynamic=true&__seed=1'])
      expect(await askBoth(`/v1/devices?${query}`, readStatus)).toEqual({ service: 400, sandbox: 503 });
  },
  Quota: async () => {
    const readLimit = ({ headers }: Response): string | null => headers.get('ratelimit-policy');
    expect((await askBoth('/v1/devices', readLimit)).sandbox).toBeNull();
    await sandbox.control.useScenario('quota');
    expect((await askBoth('/v1/devices', readLimit)).sandbox).toBe('"account";q=20;w=3600');
    await sandbox.control.useScenario('demo');
    expect(readConfig({ LOCKSTEP_KEYS: 'keys.json' }).accountQuota).toBe(3600);
  },
  'Pages of any origin': async () => {
    const readLeave = ({ headers }: Response): string | null => headers.get('access-control-allow-origin');
    const leave = await askBoth('/v1/devices', readLeave, { origin: 'https://app.example' });
    expect(leave).toEqual({ service: null, sandbox: '*' });
  },
  Callbacks: async () => {
    const callback = 'http://127.0.0.1:3000/callback';
    await using another = await startMock({ loopbackCallbacks: [callback] });
    expect(another.clients.find(({ kind }) => kind === 'partner')?.redirectUris).toContain(callback);
    expect(sandbox.clients.flatMap(({ redirectUris }) => redirectUris)).not.toContain(callback);
    const partner = { kind: 'partner', clientId: 'partner', name: 'Partner', redirectUris: [callback] } as const;
    expect(() => createClientMetadata(partner)).toThrow(/https/);
  },
  'Expiry of tokens': async () => {
    const logger = pino({ level: 'silent' });
    const own = await startSandbox({ keys: service.keys, port: 0, host: '127.0.0.1', logger });
    const ask = async (origin: string, ago: number): Promise<number> => {
      const [key = {}] = service.keys.jwks.keys;
      const nowSeconds = Math.floor(Date.now() / 1000);
      const maker = { issuer: `${origin}/auth`, audience: `${origin}/v1`, key, otherKey: key, nowSeconds };
      const claims = {
        sub: 'demo-own',
        client_id: 'demo-own',
        own: 'account-harbour-stays',
        gid: undefined,
        exp: nowSeconds - ago,
      };
      const headers = { authorization: `Bearer ${createToken(maker).good(claims)}` };
      return (await fetch(`${origin}/v1/devices`, { headers })).status;
    };
    try {
      // Neither is far enough from the bound for a slow machine to matter: the one has ended, the other lasts for a minute.
      expect([await ask(service.origin, -60), await ask(own.origin, -60)]).toEqual([200, 200]);
      expect([await ask(service.origin, 1), await ask(own.origin, 1)]).toEqual([200, 401]);
    } finally {
      await own.close();
    }
  },
  'Headers for browsers': async () => {
    const read = ({ headers }: Response): string[] =>
      [...headers.keys()].filter((name) => !ofConnection.test(name)).sort();
    for (const path of ['/v1/devices', '/v1/devices/none', '/v1/nowhere']) {
      const names = await askBoth(path, read);
      expect({ path, more: names.sandbox.filter((name) => !names.service.includes(name)) }).toEqual({ path, more: [] });
      const less = names.service.filter((name) => !names.sandbox.includes(name));
      expect(less).toContain('content-security-policy');
      for (const name of less) expect(name).toMatch(forBrowsers);
    }
  },
  Reference: async () => {
    expect((await askBoth('/docs', readStatus)).sandbox).toBe(404);
    const types = await askBoth('/', ({ headers }) => headers.get('content-type'), { accept: 'text/html' });
    expect(types.sandbox).toContain('text/html');
    expect(types.service).toContain('application/json');
  },
};

/** Of the message, and of pages of other origins, which have a line of their own. */
const ofConnection = /^(connection|date|keep-alive|content-length|vary|access-control-.*)$/;
const forBrowsers =
  /^(content-security-policy|cross-origin-.*|origin-agent-cluster|referrer-policy|strict-transport-security|x-content-type-options|x-dns-prefetch-control|x-download-options|x-frame-options|x-permitted-cross-domain-policies|x-xss-protection)$/;

test('the page lists these, and no others', async () => {
  const page = await readFile(new URL('../docs/sandbox.md', import.meta.url), 'utf8');
  const [, list = ''] = page.split('## What differs from the service\n');
  const listed = list.split('\n').flatMap((line) => /^- \*\*(.+?)\*\*/.exec(line)?.[1] ?? []);
  expect(listed).toEqual(Object.keys(differences));
});

describe('it differs in', () => {
  for (const [name, show] of Object.entries(differences)) test(name, show);
});
