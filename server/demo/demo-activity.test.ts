import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { describeActivity } from '../activity/describe-activity.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import { makeDemoActivity } from './demo-activity.ts';
import { seedDemo } from './seed-demo.ts';

const day = 86_400_000;
const firstStart = Date.UTC(2026, 10, 20, 18, 22);
const entries = makeDemoActivity(firstStart, 'Europe/Berlin');
const keys = { demoKey: new Uint8Array(32).fill(1) };
const everything = {
  deviceId: 'LK2A00000001',
  from: null,
  before: null,
  descending: false,
  after: null,
  limit: 1000,
};

describe('the log of the demo', () => {
  test('has entries of every type and method, each under an id of its own', () => {
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    const { activityType, method } = contract.components.schemas.ActivityEntry.properties;
    expect(new Set(entries.map(({ type }) => type))).toEqual(new Set(activityType.enum));
    expect(new Set(entries.map((entry) => entry.method))).toEqual(new Set(method.enum));
    for (const { id } of entries) expect(id).toMatch(/^[0-9a-f]{24}$/);
  });

  test('lies in the 60 days before the first start, in order, with ties', () => {
    const times = entries.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.max(...times)).toBeLessThan(firstStart - 10 * 3_600_000);
    expect(firstStart - Math.min(...times)).toBeGreaterThan(59 * day);
    expect(firstStart - Math.min(...times)).toBeLessThan(62 * day);
    expect(new Set(times).size).toBeLessThan(times.length);
    for (const { at, receivedAt } of entries) expect(receivedAt).toBeGreaterThan(at);
  });

  test('has the local hours of its property, before and after clocks change', () => {
    const cleaned = entries.filter(({ accessName }) => accessName === 'Cleaner').map(({ at }) => at);
    const hours = cleaned.map((at) =>
      new Date(at).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit' }),
    );
    expect(new Set(hours)).toEqual(new Set(['08', '10']));
    expect(new Set(cleaned.map((at) => new Date(at).getUTCHours()))).toEqual(new Set([6, 7, 8, 9]));
  });

  test('shows guests who come once, a party of three hours, and custom PINs without an offline code', () => {
    const texts = entries.map((entry) => describeActivity(entry, 'en'));
    expect(texts).toContain('Unlocked with the code "Guest 10"');
    expect(texts).toContain('Kept unlocked for 3 hours with the code "Party"');
    const names = new Set(entries.flatMap(({ accessName }) => accessName ?? []));
    const guests = [...names].filter((name) => name.startsWith('Guest '));
    expect(entries.filter(({ firstUse }) => firstUse).map(({ accessName }) => accessName)).toEqual(guests);
    const codes = [...names].filter((name) => name !== 'Reception');
    expect(new Set(entries.flatMap(({ pinId }) => pinId ?? [])).size).toBe(codes.length);
    for (const { accessName, pinId } of entries)
      expect(accessName === null || accessName === 'Reception').toBe(pinId === null);
  });
});

describe('a start of the demo', () => {
  test('writes the log once, and leaves it as it is at the next', async () => {
    const store = await openMemoryStore();
    await seedDemo(store, { keys, now: firstStart });
    const kept = await store.activity.list(everything);
    expect(kept).toHaveLength(entries.length);
    await seedDemo(store, { keys, now: firstStart + 9 * day });
    expect(await store.activity.list(everything)).toEqual(kept);
    await store.close();
  });

  test('completes a first one that was cut short before the log, at the times of the first', async () => {
    const store = await openMemoryStore();
    const broken = { ...store, activity: { ...store.activity, add: () => Promise.reject(new Error('cut short')) } };
    await expect(seedDemo(broken, { keys, now: firstStart })).rejects.toThrow('cut short');
    expect(await store.activity.list(everything)).toEqual([]);
    await seedDemo(store, { keys, now: firstStart + 9 * day });
    const ids = (await store.activity.list(everything)).map(({ id, at }) => [id, at]);
    expect(ids.toSorted()).toEqual(entries.map(({ id, at }) => [id, at]).toSorted());
    await store.close();
  });
});
