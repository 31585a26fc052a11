import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { startTrial, subscribe, switchAccount, type TrialEnd } from './account.ts';

const now = Date.UTC(2026, 10, 21, 8);
const day = 86_400_000;

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
});
afterEach(() => store.close());

describe('account trial', () => {
  test.each<{
    before: number | null;
    end: TrialEnd;
    force?: true;
    kind: string;
    want: number | null;
    message: string;
  }>([
    { before: null, end: { days: 3 }, kind: 'declined', want: null, message: 'acme is subscribed' },
    { before: null, end: { until: now + 5 }, kind: 'declined', want: null, message: '--force' },
    {
      before: null,
      end: { days: 3 },
      force: true,
      kind: 'done',
      want: now + 3 * day,
      message: '2026-11-24T08:00:00.000Z',
    },
    { before: null, end: { until: now + 5 }, force: true, kind: 'done', want: now + 5, message: '08:00:00.005Z' },
    { before: now + 1, end: { days: 3 }, kind: 'done', want: now + 1, message: 'already; nothing changed' },
    { before: now + 1, end: { days: 3 }, force: true, kind: 'done', want: now + 3 * day, message: 'runs until' },
    { before: now + 1, end: { until: now + 1 }, kind: 'done', want: now + 1, message: 'already; nothing changed' },
    { before: now + 1, end: { until: now - 5 }, kind: 'done', want: now - 5, message: 'runs until' },
    { before: now, end: { days: 3 }, kind: 'declined', want: now, message: 'would start another' },
    { before: now, end: { until: now + 5 }, kind: 'done', want: now + 5, message: 'runs until' },
  ])('$end before $before, forced: $force', async ({ before, end, force = false, kind, want, message }) => {
    await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: before });
    const result = await startTrial(store, 'acme', { end, force, now });
    expect(result).toMatchObject({ kind, text: expect.stringContaining(message) });
    expect(await store.accounts.find('acme')).toMatchObject({ trialEndsAt: want });
    if (kind === 'done') expect(result.json).toEqual({ account: 'acme', trialEndsAt: want, changed: before !== want });
  });

  test('run on a timer gives one trial', async () => {
    await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
    await startTrial(store, 'acme', { end: { days: 3 }, force: true, now });
    for (let at = now; at < now + 9 * day; at += day / 2)
      await startTrial(store, 'acme', { end: { days: 3 }, force: false, now: at });
    expect(await store.accounts.find('acme')).toMatchObject({ trialEndsAt: now + 3 * day });
  });
});

test('account subscribe replaces a trial', async () => {
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: now });
  for (const changed of [true, false])
    expect((await subscribe(store, 'acme')).json).toEqual({ account: 'acme', trialEndsAt: null, changed });
  expect(await store.accounts.find('acme')).toMatchObject({ trialEndsAt: null });
});

test('account disable and enable report whether they changed anything', async () => {
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
  for (const [verb, changed, disabledAt] of [
    ['enable', false, null],
    ['disable', true, now],
    ['disable', false, now],
    ['enable', true, null],
  ] as const) {
    const { kind, json } = await switchAccount(store, 'acme', verb, now);
    expect([kind, json]).toEqual(['done', { account: 'acme', disabled: verb === 'disable', changed }]);
    expect(await store.accounts.find('acme')).toMatchObject({ disabledAt });
  }
});

test('an unknown account is refused, with the nearest name', async () => {
  await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
  const results = [
    startTrial(store, 'acm', { end: { days: 1 }, force: true, now }),
    subscribe(store, 'acm'),
    switchAccount(store, 'acm', 'disable', now),
  ];
  for (const result of await Promise.all(results))
    expect(result).toMatchObject({ kind: 'refused', text: 'There is no account acm; nearest: acme' });
});
