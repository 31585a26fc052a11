import { afterEach, expect, test, vi } from 'vitest';
import { rotateClient } from '../commands/client.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, post } from './fixtures/talk.ts';

// If these fail, a partner who rotates its secret has no token for a while, or an expired secret is still accepted.

const start = Date.UTC(2026, 11, 1, 12);
const second = 1000;
const hour = 3600 * second;

let running: RunningAuth | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await running?.close();
});

test('the old secret works next to the new one until its expiry, at every endpoint, and not a second longer', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  running = await startAuth();
  const auth = running;
  const { own, partner } = auth;
  const rotate = async (clientId: string, hours: number) => {
    const { json } = await rotateClient(auth.store, clientId, { overlapSeconds: hours * 3600, now: Date.now() });
    return { clientId, secret: (json as { secret: string }).secret };
  };
  const ask = async (client: { clientId: string; secret: string }) => {
    const fields = { grant_type: 'client_credentials' };
    return (await post(auth, '/oauth2/token', fields, basic(client))).status;
  };
  const revoke = async (client: { clientId: string; secret: string }) =>
    (await post(auth, '/oauth2/revoke', { token: 'x' }, basic(client))).status;

  expect(await ask(own)).toBe(200);
  const newer = await rotate('test-own', 24);
  expect([await ask(own), await ask(newer), await revoke(own), await revoke(newer)]).toEqual([200, 200, 200, 200]);
  vi.setSystemTime(start + 24 * hour - second);
  expect([await ask(own), await ask(newer)]).toEqual([200, 200]);
  vi.setSystemTime(start + 24 * hour);
  expect([await ask(own), await ask(newer), await revoke(own), await revoke(newer)]).toEqual([401, 200, 401, 200]);

  // The oldest of three expires at the second rotation, not at its own time.
  const third = await rotate('test-own', 24);
  const fourth = await rotate('test-own', 1);
  expect([await ask(newer), await ask(third), await ask(fourth)]).toEqual([401, 200, 200]);
  const last = await rotate('test-own', 0);
  expect([await ask(third), await ask(fourth), await ask(last)]).toEqual([401, 401, 200]);

  // A partner gets no token this way, but its secret is judged first.
  expect(await ask(partner)).toBe(400);
  const newPartner = await rotate('test-partner', 0);
  expect([await ask(partner), await ask(newPartner)]).toEqual([401, 400]);
  expect(await ask(auth.narrow)).toBe(200);
});
