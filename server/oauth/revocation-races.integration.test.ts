import fc from 'fast-check';
import { afterEach, describe, expect, vi } from 'vitest';
import { testLaw } from '../fixtures/test-law.ts';
import { type CreatedClient, createClientMetadata } from './create-client-metadata.ts';
import { type Browser, openBrowser, type Page } from './fixtures/browser.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { expectNothingUsable } from './fixtures/nothing-usable.ts';
import { shuffleStore, waitTurns } from './fixtures/shuffle-store.ts';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { type Answer, isHere, logIn, loginQuery } from './fixtures/talk.ts';
import { exchangeCode, refresh, revoke } from './fixtures/token-requests.ts';

// If these fail, an owner's revocation of an app's access may have no effect, as in Keycloak: #51312.

let running: RunningAuth | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await running?.close();
});

interface Scene {
  readonly running: RunningAuth;
  readonly client: CreatedClient;
  /** From an earlier login. */
  readonly refreshToken: unknown;
  /** Logged in on the owner's own page. */
  readonly browser: Browser;
  readonly formToken: string;
}

interface Revoker {
  readonly who: string;
  /** That login alone, all logins of the client, or all that began before. */
  readonly ends: 'login' | 'client' | 'everything';
  readonly act: (scene: Scene) => Promise<void>;
}

const revokers: readonly Revoker[] = [
  {
    who: 'the client revokes its refresh token',
    ends: 'login',
    act: async ({ running, client, refreshToken }) => {
      const { status } = await revoke(running, refreshToken, { client });
      expect(status).toBe(200);
    },
  },
  {
    who: 'the owner disconnects the app',
    ends: 'client',
    act: async ({ browser, client, formToken: token }) => {
      const { status } = await browser.post('/auth/apps/disconnect', { token, client: client.clientId });
      expect(status).toBe(200);
    },
  },
  {
    who: 'the operator revokes its grants',
    ends: 'client',
    act: async ({ running, client: { clientId } }) => {
      const now = Math.floor(Date.now() / 1000);
      await running.store.oidc.revokeGrants({ clientId }, now, now + 86_460);
    },
  },
  {
    who: 'the owner logs out everywhere',
    ends: 'everything',
    act: async ({ browser, formToken: token }) => {
      const { text } = await browser.post('/auth/apps/log-out-everywhere', { token });
      expect(text).toContain('name="password"');
    },
  },
  {
    who: 'the owner is disabled, and enabled again',
    ends: 'everything',
    act: async ({ running }) => {
      const entry = { accountId: owner.accountId, clientId: owner.id, deviceId: null, requestId: null };
      for (const at of [Date.now(), null]) {
        await running.store.owners.setDisabled(owner.id, at, { ...entry, at: Date.now(), action: 'set_disabled' });
      }
    },
  },
];

interface Racer {
  readonly what: string;
  readonly isRotating?: true;
  readonly endedBy: readonly Revoker['ends'][];
  /** @returns the concurrent request of the client; its result is undefined if it got no answer with a token */
  readonly prepare: (scene: Scene) => Promise<() => Promise<Answer | undefined>>;
}

const refreshing: Racer['prepare'] =
  async ({ running, client, refreshToken }) =>
  () =>
    refresh(running, refreshToken, { client });

const racers: readonly Racer[] = [
  { what: 'a refresh', endedBy: ['login', 'client', 'everything'], prepare: refreshing },
  {
    what: 'a refresh that rotates',
    isRotating: true,
    endedBy: ['login', 'client', 'everything'],
    prepare: refreshing,
  },
  {
    what: 'the exchange of a code',
    endedBy: ['client', 'everything'],
    prepare: async ({ running, client }) => {
      const code = await issueCode(running.auth.provider, running.resource, { clientId: client.clientId });
      return () => exchangeCode(running, code, { client });
    },
  },
  {
    what: 'a login without a page, since the owner is logged in and consented before,',
    endedBy: ['everything'],
    prepare: async ({ running, client }) => {
      const query = loginQuery({ client_id: client.clientId });
      const browser = openBrowser(running.origin);
      await logIn(running, query, { browser });
      return async () => finish(running, client, await browser.get(`/auth/login?${query}`));
    },
  },
  {
    what: 'a consent',
    endedBy: ['everything'],
    prepare: async ({ running, client }) => {
      const browser = openBrowser(running.origin);
      const { address } = await browser.get(`/auth/login?${loginQuery({ client_id: client.clientId })}`);
      const { email, password } = owner;
      const consent = await browser.post(`${address}/login`, { email, password });
      return async () => finish(running, client, await browser.post(`${consent.address}/confirm`, {}));
    },
  },
];

/** Exchanges the code immediately if the page is the callback. */
async function finish(running: RunningAuth, client: CreatedClient, page: Page): Promise<Answer | undefined> {
  if (isHere(running, page)) return undefined;
  const code = new URL(page.address).searchParams.get('code') ?? '';
  return exchangeCode(running, code, { client });
}

/** A lead with which one is done before the other begins. */
const apart = 2000;

const race = fc.record({
  delays: fc.infiniteStream(fc.nat(3)),
  /** Turns of the event loop by which one begins before the other. */
  lead: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -60, max: 60 }) }, fc.constantFrom(-apart, apart)),
});

/** One is done before the other begins, so that few runs cover both orders too. */
const oneByOne = [-apart, apart].map((lead): [{ delays: fc.Stream<number>; lead: number }] => [
  { delays: fc.stream(withoutDelay()), lead },
]);

function* withoutDelay(): Generator<number, void> {
  for (;;) yield 0;
}

describe.each(racers)('$what', ({ isRotating = false, endedBy, prepare }) => {
  const those = revokers.filter(({ ends }) => endedBy.includes(ends));
  describe.each(those)('when $who at the same moment', ({ act }) =>
    testLaw('leaves nothing usable', { few: 10, many: 50 }, async (numRuns) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      let turns = () => 0;
      const started = await startAuth({ faultyStore: (store) => shuffleStore(store, () => turns()) });
      running = started;
      const client = await createPartner(started, isRotating);
      const seen = new Set<boolean>();
      const law = async ({ delays, lead }: { delays: fc.Stream<number>; lead: number }): Promise<void> => {
        turns = () => 0;
        // A login of the second in which all were ended is ended too.
        vi.setSystemTime(Date.now() + 2000);
        const code = await issueCode(started.auth.provider, started.resource, { clientId: client.clientId });
        const login = await exchangeCode(started, code, { client });
        const scene = {
          running: started,
          client,
          refreshToken: login.body?.refresh_token,
          ...(await openApps(started)),
        };
        const run = await prepare(scene);
        turns = () => delays.next().value;
        const answers: (Answer | undefined)[] = [];
        const steps = [
          async () => void answers.push(await waitTurns(Math.max(0, lead)).then(run)),
          () => waitTurns(Math.max(0, -lead)).then(() => act(scene)),
        ];
        // A database of its own is not done after some turns of this process.
        if (Math.abs(lead) === apart) for (const step of lead < 0 ? steps : steps.toReversed()) await step();
        else await Promise.all(steps.map((step) => step()));
        const [answer] = answers;
        turns = () => 0;
        if (answer !== undefined && answer.status !== 200) expect(answer.body?.error).toBe('invalid_grant');
        await expectNothingUsable(started, [login, ...(answer === undefined ? [] : [answer])], { client });
        seen.add(answer?.status === 200);
      };
      await fc.assert(fc.asyncProperty(race, law), { numRuns, examples: oneByOne });
      // Each was first at times; otherwise the two never raced.
      expect([...seen].sort()).toEqual([false, true]);
    }),
  );
});

async function createPartner({ store }: RunningAuth, rotateRefreshToken: boolean): Promise<CreatedClient> {
  const [clientId, redirectUris] = ['test-racing', [callback]];
  const client = createClientMetadata({ kind: 'partner', clientId, name: 'Racing', redirectUris, rotateRefreshToken });
  await store.clients.create(client);
  return client;
}

async function openApps({ origin }: RunningAuth): Promise<{ browser: Browser; formToken: string }> {
  const browser = openBrowser(origin);
  const { text } = await browser.get('/auth/apps');
  const [, formToken = ''] = /name="token" value="([^"]+)"/.exec(text) ?? [];
  const { email, password } = owner;
  const page = await browser.post('/auth/apps/login', { token: formToken, email, password });
  if (page.status !== 200 || !page.text.includes('log-out-everywhere')) throw new Error(`not logged in: ${page.text}`);
  return { browser, formToken };
}
