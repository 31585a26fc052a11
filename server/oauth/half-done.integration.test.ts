import { afterEach, describe, expect, test } from 'vitest';
import type { CreatedClient } from './create-client-metadata.ts';
import { createRotating } from './fixtures/create-rotating.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { createMortalStore } from './fixtures/mortal-store.ts';
import { expectNothingUsable } from './fixtures/nothing-usable.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import type { Answer } from './fixtures/talk.ts';
import { exchangeCode, refresh, revoke } from './fixtures/token-requests.ts';

// A killed process stops between two calls of the store. These tests stop it before the first call of a request, before the second, and so
// on: in each case the login is complete or ended. `kill.integration.test.ts` kills a real process at random times.

let running: RunningAuth | undefined;
afterEach(() => running?.close());

interface Login {
  readonly code: string;
  readonly first: Answer;
  /** The valid token after one refresh. */
  readonly last: Answer;
}

interface Request {
  readonly name: string;
  readonly isRotating: boolean;
  readonly send: (auth: RunningAuth, login: Login, client: CreatedClient) => Promise<Answer>;
  readonly ends: boolean;
}

const requests: readonly Request[] = [
  {
    name: 'a revocation',
    isRotating: false,
    send: (auth, { last }, client) => revoke(auth, last.body?.refresh_token, { client }),
    ends: true,
  },
  {
    name: 'the replay of a code',
    isRotating: false,
    send: (auth, { code }, client) => exchangeCode(auth, code, { client }),
    ends: true,
  },
  {
    name: 'the replay of a code whose tokens rotate',
    isRotating: true,
    send: (auth, { code }, client) => exchangeCode(auth, code, { client }),
    ends: true,
  },
  {
    name: 'the replay of a refresh token that rotated',
    isRotating: true,
    send: (auth, { first }, client) => refresh(auth, first.body?.refresh_token, { client }),
    ends: true,
  },
  {
    name: 'a refresh',
    isRotating: false,
    send: (auth, { last }, client) => refresh(auth, last.body?.refresh_token, { client }),
    ends: false,
  },
  {
    name: 'a refresh that rotates',
    isRotating: true,
    send: (auth, { last }, client) => refresh(auth, last.body?.refresh_token, { client }),
    ends: false,
  },
];

describe.each(requests)('$name that stops halfway', ({ isRotating, send, ends }) => {
  test('leaves a login that is complete or ended, and succeeds when it is repeated', async () => {
    const { auth, stopAfter, fix } = await begin();
    const client = isRotating ? await createRotating(auth) : auth.partner;
    let calls = 0;
    for (let isThrough = false; !isThrough; calls += 1) {
      const login = await logIn(auth, client);
      stopAfter(calls);
      isThrough = (await send(auth, login, client)).status < 500;
      fix();

      const refreshed = await refresh(auth, login.last.body?.refresh_token, { client });
      if (refreshed.status === 200) expect(await isGood(auth, login.last)).toBe(true);
      else await expectNothingUsable(auth, [login.first, login.last], { client });

      await send(auth, login, client);
      if (ends) await expectNothingUsable(auth, [login.first, login.last, refreshed], { client });
      else await auth.store.oidc.revokeGrants({ clientId: client.clientId }, 0, Number.MAX_SAFE_INTEGER);
    }
    expect(calls).toBeGreaterThan(3);
  });
});

describe('the exchange of a code that stops halfway', () => {
  test('can be repeated, and either returns the tokens or leaves none', async () => {
    const { auth, stopAfter, fix } = await begin();
    const seen: number[] = [];
    for (let isThrough = false; !isThrough; ) {
      const code = await issueCode(auth.auth.provider, auth.resource);
      stopAfter(seen.length);
      isThrough = (await exchangeCode(auth, code)).status < 500;
      fix();
      const again = await exchangeCode(auth, code);
      seen.push(again.status);
      if (again.status === 200) {
        expect(await isGood(auth, again)).toBe(true);
        expect((await revoke(auth, again.body?.refresh_token)).status).toBe(200);
      }
      await expectNothingUsable(auth, [again]);
    }
    expect(new Set(seen)).toEqual(new Set([200, 400]));
  });
});

async function begin() {
  const { faultyStore, stopAfter, fix } = createMortalStore(() => new Error('the process is gone'));
  running = await startAuth({ faultyStore });
  return { auth: running, stopAfter, fix };
}

async function logIn(auth: RunningAuth, client: CreatedClient): Promise<Login> {
  const code = await issueCode(auth.auth.provider, auth.resource, { clientId: client.clientId });
  const first = await exchangeCode(auth, code, { client });
  return { code, first, last: await refresh(auth, first.body?.refresh_token, { client }) };
}

async function isGood(auth: RunningAuth, { body }: Answer): Promise<boolean> {
  return (await auth.verify(String(body?.access_token))).kind === 'good';
}
