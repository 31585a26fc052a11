import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import type { Activity, ActivityQuery } from '../activity/activity-store.ts';
import type { Store } from '../store.ts';
import { objectId } from './records.ts';

const start = 1_790_000_000_000;

let devices = 0;

/** An id of a device that no other test uses. The log needs no stored device, since entries outlive it. */
function nameDevice(): string {
  devices += 1;
  return `LK-activity-${devices}`;
}

function makeEntry(deviceId: string, name: string | number, given: Partial<Activity> = {}): Activity {
  return {
    id: objectId(`entry ${name}`),
    deviceId,
    at: start,
    receivedAt: start + 5000,
    type: 'UNLOCK',
    method: 'pin',
    rawType: 22,
    firstUse: true,
    pinId: objectId('code'),
    accessName: 'Cleaner é🐢',
    details: '{"b":1,"a":2}',
    ...given,
  };
}

const everything = { from: null, before: null, descending: false, after: null, limit: 1000 };

/** Few instants, so that many entries share one and bounds are on, between and outside them. */
const instant = fc.integer({ min: 0, max: 6 }).map((offset) => start + offset);
const log = fc.array(instant, { maxLength: 25 });
const listing = fc.record({
  from: fc.option(instant),
  before: fc.option(instant),
  descending: fc.boolean(),
});

const laws = { few: 40, many: 150 };

export function describeActivity(get: () => Store): void {
  describe('the activity log', () => {
    test('reads back as it was written', async () => {
      const deviceId = nameDevice();
      const full = makeEntry(deviceId, 'full');
      const bare = { rawType: null, firstUse: null, pinId: null, accessName: null, details: '{}' };
      const empty = makeEntry(deviceId, 'empty', { ...bare, at: start + 1 });
      const no = makeEntry(deviceId, 'no', { firstUse: false, at: start + 2 });
      expect(await get().activity.add([no, full, empty])).toBe(3);
      expect(await get().activity.list({ ...everything, deviceId })).toEqual([full, empty, no]);
      expect(await get().activity.list({ ...everything, deviceId: nameDevice() })).toEqual([]);
    });

    testLaw(
      'walked with any filters and limit gives each entry once, in order, and backwards the exact reverse',
      laws,
      async (numRuns) => {
        await fc.assert(
          fc.asyncProperty(log, listing, fc.integer({ min: 1, max: 7 }), async (times, query, limit) => {
            const deviceId = nameDevice();
            const entries = times.map((at, index) => makeEntry(deviceId, `${deviceId} ${index}`, { at }));
            const foreign = makeEntry(nameDevice(), 'foreign');
            expect(await get().activity.add([...entries, foreign])).toBe(entries.length + 1);
            const want = expectList(entries, query);
            expect(await walk(get(), { ...query, deviceId }, limit)).toEqual(want);
            const reverse = { ...query, deviceId, descending: !query.descending };
            expect(await walk(get(), reverse, limit)).toEqual(want.toReversed());
          }),
          { numRuns },
        );
      },
    );

    test('goes on behind a place where no entry is, and never leaves its filters', async () => {
      const deviceId = nameDevice();
      const entries = [0, 1, 2, 3].map((offset) => makeEntry(deviceId, offset, { at: start + offset }));
      await get().activity.add(entries);
      const list = (given: Partial<ActivityQuery>) => get().activity.list({ ...everything, deviceId, ...given });
      const between = { at: start + 1, id: 'ffffffffffffffffffffffff' };
      expect(await list({ after: between })).toEqual(entries.slice(2));
      expect(await list({ after: between, descending: true })).toEqual([entries[1], entries[0]]);
      const bounds = { from: start + 1, before: start + 3 };
      expect(await list({ ...bounds, after: { at: 0, id: '' } })).toEqual(entries.slice(1, 3));
      expect(await list({ ...bounds, after: { at: start + 9, id: '' }, descending: true })).toEqual([
        entries[2],
        entries[1],
      ]);
    });

    test.each([0, 1, 9, 10, 99, 100, 101, 257])('takes %i entries at once, and again none of them', async (count) => {
      const deviceId = nameDevice();
      const entries = Array.from({ length: count }, (_, index) => makeEntry(deviceId, index, { at: start + index }));
      expect(await get().activity.add(entries)).toBe(count);
      expect(await get().activity.add(entries.toReversed())).toBe(0);
      expect(await get().activity.list({ ...everything, deviceId })).toEqual(entries);
    });

    test('keeps what was said first about one id, in a push and over pushes; on another device it is another entry', async () => {
      const [deviceId, other] = [nameDevice(), nameDevice()];
      const first = makeEntry(deviceId, 'one', { type: 'LOCK', at: start + 9 });
      const second = makeEntry(deviceId, 'one', { type: 'UNLOCK', at: start });
      const elsewhere = makeEntry(other, 'one');
      expect(await get().activity.add([first, second, elsewhere])).toBe(2);
      expect(await get().activity.add([second])).toBe(0);
      expect(await get().activity.list({ ...everything, deviceId })).toEqual([first]);
      expect(await get().activity.list({ ...everything, deviceId: other })).toEqual([elsewhere]);
    });

    test('neither loses nor doubles an entry when pushes that share some come at once', async () => {
      const deviceId = nameDevice();
      const entries = Array.from({ length: 300 }, (_, index) => makeEntry(deviceId, index, { at: start + index }));
      // Each entry is in two pushes; every other push comes in reverse.
      const pushes = Array.from({ length: 30 }, (_, index) => {
        const push = [...entries, ...entries].slice(index * 10, index * 10 + 20);
        return index % 2 === 0 ? push : push.toReversed();
      });
      const counts = await Promise.all(pushes.map((push) => get().activity.add(push)));
      expect(counts.reduce((sum, count) => sum + count)).toBe(300);
      expect(await get().activity.list({ ...everything, deviceId })).toEqual(entries);
    });

    test('takes a push whole or not at all', async () => {
      const deviceId = nameDevice();
      const entries = Array.from({ length: 150 }, (_, index) => makeEntry(deviceId, index));
      const broken = makeEntry(deviceId, 'broken', { receivedAt: Number.NaN });
      await expect(get().activity.add([...entries, broken])).rejects.toThrow();
      expect(await get().activity.list({ ...everything, deviceId })).toEqual([]);
    });

    test('forgets what arrived before an instant, at most so many entries', async () => {
      const deviceId = nameDevice();
      // The entry that arrived first has the latest time.
      const entries = [1, 2, 3, 4, 5].map((arrival) =>
        makeEntry(deviceId, arrival, { at: start - arrival, receivedAt: arrival }),
      );
      await get().activity.add(entries);
      expect(await get().activity.purge(5, 3)).toBe(3);
      expect(await get().activity.purge(5, 3)).toBe(1);
      expect(await get().activity.purge(5, 3)).toBe(0);
      expect(await get().activity.list({ ...everything, deviceId })).toEqual(entries.slice(4));
      expect(await get().activity.purge(6, 9)).toBe(1);
      const reset = makeEntry(deviceId, 'reset', { at: 0, receivedAt: 6 });
      await get().activity.add([reset]);
      expect(await get().activity.purge(6, 9)).toBe(0);
      expect(await get().activity.list({ ...everything, deviceId })).toEqual([reset]);
      expect(await get().activity.purge(7, 9)).toBe(1);
    });
  });
}

/** Page after page, as a client does. */
async function walk(store: Store, query: Omit<ActivityQuery, 'after' | 'limit'>, limit: number): Promise<Activity[]> {
  const seen: Activity[] = [];
  for (;;) {
    const last = seen.at(-1);
    const page = await store.activity.list({
      ...query,
      after: last ? { at: last.at, id: last.id } : null,
      limit: limit + 1,
    });
    seen.push(...page.slice(0, limit));
    if (page.length <= limit) return seen;
    if (seen.length > 100) throw new Error(`the walk does not end: ${seen.map(({ id }) => id).join(' ')}`);
  }
}

/** The obvious implementation: filter all, sort all. */
function expectList(
  entries: readonly Activity[],
  { from, before, descending }: Pick<ActivityQuery, 'from' | 'before' | 'descending'>,
): Activity[] {
  const ascending = entries
    .filter(({ at }) => (from === null || at >= from) && (before === null || at < before))
    .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  return descending ? ascending.toReversed() : ascending;
}
