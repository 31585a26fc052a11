import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningSandbox, startMock } from '../index.ts';

// If these fail, a person who tries a code in the sandbox sees another decision than a guest at the door.

const clock = '2026-06-01T12:00:00Z';
/** A lock of the demo in Berlin, where the clock shows 14:00. */
const deviceId = 'LK2A00000001';

let mock: RunningSandbox;
beforeAll(async () => {
  mock = await startMock({ scenario: 'demo', clock });
});
beforeEach(() => mock.control.reset());
afterAll(() => mock.close());

async function post(path: string, body: object): Promise<{ readonly pin: string }> {
  const headers = { authorization: `Bearer ${await mock.token()}`, 'content-type': 'application/json' };
  const answer = await fetch(`${mock.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { readonly pin: string };
}

const enter = (digits: string) => mock.control.enterDigits(deviceId, digits);

describe('an entry at the keypad of the sandbox', () => {
  test('is judged at its time, with the window of the code', async () => {
    const window = { startDate: '2026-06-01T15:00:00+02:00', endDate: '2026-06-03T10:00:00+02:00' };
    const { pin } = await post(`/devices/${deviceId}/algopin/hourly`, { accessName: 'Guest', ...window });
    const code = {
      kind: 'hourly',
      startsAt: '2026-06-01T13:00:00.000Z',
      endsAt: '2026-06-03T08:00:00.000Z',
      activateBy: '2026-06-02T13:00:00.000Z',
    };
    expect(await enter(pin)).toMatchObject({ opened: false, reason: 'too_early', code, timezone: 'Europe/Berlin' });
    await mock.control.changeClock({ by: 'PT1H' });
    expect(await enter(pin)).toMatchObject({ opened: true, reason: null, code, lockState: 'unlocked' });
    await mock.control.changeClock({ now: '2026-06-03T08:00:00Z' });
    expect(await enter(pin)).toMatchObject({ opened: false, reason: 'expired', code, lockState: 'locked' });
  });

  test('uses a one-time code up, and a reset restores it', async () => {
    const { pin } = await post(`/devices/${deviceId}/algopin/onetime`, { accessName: 'Courier' });
    expect(await enter(pin)).toMatchObject({ opened: true, message: 'The lock opened by a one-time code.' });
    expect(await enter(pin)).toMatchObject({ opened: false, reason: 'spent' });
    await mock.control.reset();
    expect(await enter(pin)).toMatchObject({ opened: true });
  });

  test('locks the keypad after five wrong ones, until a time that the answer has', async () => {
    for (let wrong = 0; wrong < 5; wrong += 1)
      expect(await enter('1234')).toMatchObject({ opened: false, reason: 'unknown', code: null });
    const { reason, lockedOutUntil } = await enter('1234');
    expect([reason, Date.parse(String(lockedOutUntil)) > Date.parse(clock)]).toEqual(['locked_out', true]);
    await mock.control.changeClock({ now: String(lockedOutUntil) });
    expect(await enter('1234')).toMatchObject({ reason: 'unknown', lockedOutUntil: null });
  });

  test('is possible at each listed lock, and not at a bridge', async () => {
    const locks = await mock.control.listLocks();
    expect(locks.length).toBeGreaterThan(3);
    for (const lock of locks)
      expect(await mock.control.enterDigits(lock.deviceId, '1234')).toMatchObject({ timezone: lock.timezone });
    expect(await mock.control.listLocks(1)).toEqual(locks.slice(0, 1));
    await expect(mock.control.enterDigits('BR1A00000001', '1234')).rejects.toMatchObject({ code: 'lock_not_found' });
  });
});
