import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../store/sqlite/open-store.ts';
import type { Store } from '../store/store.ts';
import { startTrial, subscribe, switchAccount, type TrialEnd } from './account.ts';

const now = Date.UTC(2026, 10, 21, 8);
const day = 86_400_000;

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
});
afterEach(() => store.close());

describe('account trial', () => {
  test.each<{
    before: number | null;
    end: TrialEnd;
    force?: true;
    exitCode: number;
    want: number | null;
    says: string;
  }>([
    { before: null, end: { days: 3 }, exitCode: 1, want: null, says: 'acme is subscribed' },
    { before: null, end: { until: now + 5 }, exitCode: 1, want: null, says: '--force' },
    { before: null, end: { days: 3 }, force: true, exitCode: 0, want: now + 3 * day, says: '2026-11-24T08:00:00.000Z' },
    { before: null, end: { until: now + 5 }, force: true, exitCode: 0, want: now + 5, says: '08:00:00.005Z' },
    { before: now + 1, end: { days: 3 }, exitCode: 0, want: now + 1, says: 'already; nothing changed' },
    { before: now + 1, end: { days: 3 }, force: true, exitCode: 0, want: now + 3 * day, says: 'ends' },
    { before: now + 1, end: { until: now + 1 }, exitCode: 0, want: now + 1, says: 'already; nothing changed' },
    { before: now + 1, end: { until: now - 5 }, exitCode: 0, want: now - 5, says: 'ends' },
    { before: now, end: { days: 3 }, exitCode: 1, want: now, says: 'would begin another' },
    { before: now, end: { until: now + 5 }, exitCode: 0, want: now + 5, says: 'ends' },
  ])('$end before $before, forced: $force', async ({ before, end, force = false, exitCode, want, says }) => {
    await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: before });
    const result = await startTrial(store, 'acme', { end, force, now });
    expect(result).toMatchObject({ exitCode, text: expect.stringContaining(says) });
    expect(await store.accounts.find('acme')).toMatchObject({ trialEndsAt: want });
    if (exitCode === 0) expect(result.json).toEqual({ account: 'acme', trialEndsAt: want, changed: before !== want });
  });

  test('run on a timer gives one trial', async () => {
    await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
    await startTrial(store, 'acme', { end: { days: 3 }, force: true, now });
    for (let at = now; at < now + 9 * day; at += day / 2)
      await startTrial(store, 'acme', { end: { days: 3 }, force: false, now: at });
    expect(await store.accounts.find('acme')).toMatchObject({ trialEndsAt: now + 3 * day });
  });
});

test('account subscribe ends a trial', async () => {
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: now });
  for (const changed of [true, false])
    expect((await subscribe(store, 'acme')).json).toEqual({ account: 'acme', trialEndsAt: null, changed });
  expect(await store.accounts.find('acme')).toMatchObject({ trialEndsAt: null });
});

test('account disable and enable say whether they changed anything', async () => {
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
  for (const [verb, changed, disabledAt] of [
    ['enable', false, null],
    ['disable', true, now],
    ['disable', false, now],
    ['enable', true, null],
  ] as const) {
    const { exitCode, json } = await switchAccount(store, 'acme', verb, now);
    expect([exitCode, json]).toEqual([0, { account: 'acme', disabled: verb === 'disable', changed }]);
    expect(await store.accounts.find('acme')).toMatchObject({ disabledAt });
  }
});

test('an unknown account is told, with what comes near', async () => {
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
  const results = [
    startTrial(store, 'acm', { end: { days: 1 }, force: true, now }),
    subscribe(store, 'acm'),
    switchAccount(store, 'acm', 'disable', now),
  ];
  for (const result of await Promise.all(results))
    expect(result).toMatchObject({ exitCode: 2, text: 'There is no account acm; nearest: acme' });
});
