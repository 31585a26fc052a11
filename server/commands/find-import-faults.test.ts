import { afterEach, describe, expect, test, vi } from 'vitest';
import { findImportFaults, nothingTaken } from './find-import-faults.ts';

afterEach(() => void vi.restoreAllMocks());

describe('timezones of properties', () => {
  const read = (timezones: readonly string[]) => {
    const judged = vi.spyOn(Intl, 'DateTimeFormat');
    const properties = timezones.map((timezone, index) => ({
      id: index.toString(16).padStart(24, '0'),
      name: 'House',
      timezone,
    }));
    const faults = findImportFaults({ account: { id: 'hill', name: 'Hill' }, properties }, nothingTaken);
    return { faults, judged: judged.mock.calls.length };
  };
  const many = (name: (index: number) => string) => Array.from({ length: 3000 }, (_, index) => name(index));

  test.each([
    { name: 'the same', names: many(() => 'Europe/Berlin'), faults: 0, most: 1 },
    {
      name: 'the same in other capitals',
      names: many((n) => (n % 2 ? 'europe/Berlin' : 'EUROPE/Berlin')),
      faults: 0,
      most: 1,
    },
    { name: 'the same wrong one', names: many(() => 'Europe/Belin'), faults: 3000, most: 1 },
    { name: 'one of its own each', names: many((n) => `Europe/Berlin${n}`), faults: 200, most: 200 },
  ])('are judged once each, and as many as are told: $name', ({ names, faults, most }) => {
    const seen = read(names);
    expect(seen.faults).toHaveLength(faults);
    expect(seen.judged).toBeLessThanOrEqual(most);
  });
});

test('a name that nothing has is compared with as many as make a million in all', () => {
  const devices = Array.from({ length: 30_000 }, (_, index) => ({
    deviceId: `D${index}`,
    deviceName: 'Door',
    type: 'Lock' as const,
    links: index < 60 ? [`X${index}`] : [],
  }));
  const faults = findImportFaults({ account: { id: 'hill', name: 'Hill' }, devices }, nothingTaken);
  expect(faults).toHaveLength(60);
  expect(faults.filter((fault) => fault.includes('nearest'))).toHaveLength(34);
});
