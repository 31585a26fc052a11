import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import { makeDevice, openFixture, type Page } from '../fixtures/open-fixture.ts';
import { filters, holdsPagingLaw, listOperations, listSlowly, makeDevices, sorts } from './fixtures/paging-law.ts';

const devices = makeDevices(1000);
const fixture = await openFixture(devices);
afterAll(() => fixture.store.close());

const limits = [99, 100, 300];
const furtherLimits = [37, 101, 299];
const lists = listOperations.flatMap((operation) => sorts.map((sort) => ({ operation, sort })));

describe('1,000 devices in pages', () => {
  for (const { operation, sort } of lists) {
    const isWalked = async (underLimits: readonly number[]) => {
      for (const filter of filters)
        for (const limit of underLimits) await holdsPagingLaw(fixture, devices, { operation, sort, filter, limit });
    };
    test(`${operation} by ${sort}: each once, in order, under every filter`, () => isWalked(limits));
    test(`${operation} by ${sort}: so under further limits`, { tags: ['full'] }, () => isWalked(furtherLimits));
  }

  test('one at a time', async () => {
    const found = await holdsPagingLaw(fixture, devices, {
      operation: 'getDevices',
      sort: '-deviceName',
      filter: {},
      limit: 1,
    });
    expect(found).toBe(1000);
  });

  test('in pages that divide the list exactly: the last is full and its cursor is empty', async () => {
    for (const limit of [50, 100, 125, 200, 250])
      await holdsPagingLaw(fixture, devices, { operation: 'getDevices', sort: 'pairedAt', filter: {}, limit });
  });

  test('and -x is the exact reverse of x', async () => {
    for (const sort of ['deviceName', 'pairedAt']) {
      const [up, down] = await Promise.all([sort, `-${sort}`].map((given) => readIds({ sort: given, limit: 300 })));
      expect(down).toEqual(up?.toReversed());
      expect(up).toHaveLength(1000);
    }
  });

  test('and each filter finds some but not all', () => {
    for (const filter of filters.slice(1)) {
      const found = listSlowly(devices, { operation: 'getDevices', sort: 'deviceName', filter });
      expect(found.length).toBeGreaterThan(1);
      expect(found.length).toBeLessThan(1000);
    }
  });

  async function readIds(query: Record<string, string | number>): Promise<string[]> {
    return (await fixture.walk(query)).flatMap(({ payload }) => payload.map(({ deviceId }) => deviceId));
  }
});

/** 100 code points each, of which 99 are the same. NFC triples the bytes or the code points of the last ones. */
const longNames = ['a', 'ß', '\uffff', '\u{10fffd}', '\u{1f422}', '\u{1d160}', '\ufb2c', '\u0390', 'İ'].flatMap(
  (character) => [0x41, 0x1f600, 0x10ffff].map((last) => character.repeat(99) + String.fromCodePoint(last)),
);

describe('the longest names', () => {
  test.each(sorts)('make no cursor longer than 512 characters, and lose no device, by %s', async (sort) => {
    const own = await openFixture(
      longNames.map((deviceName, index) => makeDevice({ deviceId: `${index}`.padStart(30, 'Z'), deviceName })),
    );
    const pages = await own.walk({ sort, limit: 1, expand: 'properties,linkedDevices' });
    expect(new Set(pages.map(({ payload }) => payload[0]?.deviceName))).toEqual(new Set(longNames));
    expect(Math.max(...pages.map(({ nextCursor }) => nextCursor.length))).toBe(506);
    await own.store.close();
  });

  test.each(sorts)('do so with the longest search too, by %s', async (sort) => {
    for (const name of longNames) {
      const own = await openFixture(
        ['A', 'B', 'C'].map((letter) => makeDevice({ deviceId: letter.repeat(30), deviceName: name })),
      );
      const search = [...name].slice(10, 74).join('');
      const pages = await own.walk({ sort, search, limit: 1, type: 'Lock' });
      expect(pages.map(({ payload }) => payload.length)).toEqual([1, 1, 1]);
      for (const { nextCursor } of pages) expect(nextCursor.length).toBeLessThanOrEqual(512);
      await own.store.close();
    }
  });
});

describe('a walk among changes', () => {
  describe.each(sorts)('shows each device that does not change exactly once, in order, by %s', (sort) => {
    const newName = fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }).filter((text) => !text.includes('\0'));
    const change = fc.record({ at: fc.nat(39), newName, last: fc.boolean() });
    testLaw('whatever is changed', { few: 8, many: 25 }, (numRuns) =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 9 }),
          fc.array(change, { maxLength: 12 }),
          async (limit, changes) => {
            const own = await openFixture(makeDevices(40));
            const changed = new Set<string>();
            const pending = [...changes];
            const between = async ({ payload }: Page) => {
              const next = pending.shift();
              const deviceId = next?.last ? payload.at(-1)?.deviceId : `new-${next?.at}`;
              if (next === undefined || deviceId === undefined) return;
              const before = await own.store.devices.find('harbour', deviceId);
              changed.add(deviceId);
              const given = before ?? makeDevice({ deviceId, id: `${changed.size}`.padStart(24, 'f') });
              await own.store.imports.write({ properties: [], devices: [{ ...given, deviceName: next.newName }] });
            };
            const pages = await own.walk({ sort, limit }, { between });
            const seen = pages.flatMap(({ payload }) => payload.map(({ deviceId }) => deviceId));
            const want = listSlowly(makeDevices(40), { operation: 'getDevices', sort, filter: {} });
            expect(seen.filter((id) => !changed.has(id))).toEqual(want.filter((id) => !changed.has(id)));
            await own.store.close();
          },
        ),
        { numRuns },
      ),
    );
  });

  test('goes on from where the last device was, wherever its new name is', async () => {
    for (const newName of ['aaa', 'zzz']) {
      const own = await openFixture(
        'bcdefg'.split('').map((letter) => makeDevice({ deviceId: letter, deviceName: letter })),
      );
      let renamed = 0;
      const pages = await own.walk(
        { limit: 2 },
        {
          between: async ({ payload }) => {
            const last = await own.store.devices.find('harbour', payload.at(-1)?.deviceId ?? '');
            if (last === undefined || renamed > 0) return;
            renamed += 1;
            await own.store.imports.write({ properties: [], devices: [{ ...last, deviceName: newName }] });
          },
        },
      );
      expect(renamed).toBe(1);
      const again = newName === 'zzz' ? ['c'] : [];
      expect(pages.flatMap(({ payload }) => payload.map(({ deviceId }) => deviceId))).toEqual([...'bcdefg', ...again]);
      await own.store.close();
    }
  });
});
