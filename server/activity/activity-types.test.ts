import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { activityRows, readActivityKind } from './activity-types.ts';

const { ActivityEntry, LockLog } = contract.components.schemas;

/** Rows of the table in the contract: numbers, types, methods, each split at `;` and lined up. */
const described = LockLog.description
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .flatMap((line) => {
    const [numbers = [], types = [], methods = []] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.split(';').map((part) => part.trim()));
    return numbers.flatMap((part, index) => {
      const [type, method] = [types[index] ?? types.at(-1), methods[index] ?? methods.at(-1)];
      return readNumbers(part).map((rawType) => ({ rawType, type, method }));
    });
  });

function readNumbers(part: string): number[] {
  const [from = Number.NaN, to = from] = (/^[\d to]+/.exec(part)?.[0] ?? '').split(' to ').map(Number);
  return Number.isNaN(from) || part === 'any other'
    ? []
    : Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('the numbers of a lock log', () => {
  test('are those that the contract lists, with its types and methods', () => {
    expect(described.length).toBeGreaterThan(25);
    for (const { rawType, type, method } of described)
      expect({ rawType, ...readActivityKind(rawType) }).toMatchObject({ rawType, type, method });
    const numbers = activityRows.flatMap(({ raw }) => raw);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(
      described.map(({ rawType }) => rawType).toSorted((a, b) => a - b),
    );
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('mark a first use for 22 alone', () => {
    expect(readActivityKind(22).firstUse).toBe(true);
    expect(activityRows.flatMap(({ raw }) => raw).filter((raw) => readActivityKind(raw).firstUse !== null)).toEqual([
      22,
    ]);
  });

  test.each([undefined, 0, 12, 17, 27, 199, 210, 65_535])('%s is something else', (rawType) => {
    expect(readActivityKind(rawType)).toEqual({ type: 'OTHER', method: 'unknown', firstUse: null });
  });
});

test('types and methods are those of the contract, each of some number', () => {
  const types = new Set([...activityRows.map(({ type }) => type), 'OTHER']);
  expect([...types].toSorted()).toEqual(ActivityEntry.properties.activityType.enum.toSorted());
  const methods = new Set(activityRows.map(({ method }) => method));
  expect([...methods].toSorted()).toEqual(ActivityEntry.properties.method.enum.toSorted());
});
