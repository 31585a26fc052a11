import { describe, expect, test } from 'vitest';
import { createFaults, type NewFault } from './faults.ts';

const slow: NewFault = { operationId: 'getDevices', times: 1, delayMs: 10 };

describe('faults', () => {
  test('meet as many requests as they are meant for, then are gone', () => {
    const faults = createFaults();
    const { id } = faults.add({ ...slow, times: 2 });
    expect(faults.list()).toEqual([{ ...slow, times: 2, id, left: 2 }]);
    expect(faults.take('getDevices')).toEqual({ ...slow, times: 2, id, left: 1 });
    expect(faults.list()).toEqual([{ ...slow, times: 2, id, left: 1 }]);
    expect(faults.take('getDevices')).toMatchObject({ id, left: 0 });
    expect(faults.list()).toEqual([]);
    expect(faults.take('getDevices')).toBeUndefined();
  });

  test('meet the operation they name, or any', () => {
    const faults = createFaults();
    faults.add(slow);
    expect(faults.take('getDevice')).toBeUndefined();
    const any = faults.add({ ...slow, operationId: '*', times: 2 });
    expect(faults.take('getDevice')?.id).toBe(any.id);
    expect(faults.take('login')?.id).toBe(any.id);
  });

  test('come in the order they were added, the one that counts down keeping its place', () => {
    const faults = createFaults();
    const ids = [faults.add({ ...slow, times: 2 }), faults.add({ ...slow, operationId: '*' }), faults.add(slow)].map(
      ({ id }) => id,
    );
    const [first, second, third] = ids;
    const taken = Array.from({ length: 5 }, () => faults.take('getDevices')?.id);
    expect(taken).toEqual([first, first, second, third, undefined]);
  });

  test('are removed by id, or all at once', () => {
    const faults = createFaults();
    const { id } = faults.add(slow);
    const other = faults.add(slow);
    expect([faults.remove(id), faults.remove(id)]).toEqual([true, false]);
    expect(faults.list()).toEqual([other]);
    faults.clear();
    expect(faults.list()).toEqual([]);
    expect(faults.take('getDevices')).toBeUndefined();
  });

  test('never have the id of another, also of one that is gone', () => {
    const faults = createFaults();
    const { id } = faults.add(slow);
    faults.clear();
    expect(faults.add(slow).id).not.toBe(id);
  });

  test.each([0, -1, Number.NaN])('that would meet %s requests are a bug', (times) => {
    expect(() => createFaults().add({ ...slow, times })).toThrow(RangeError);
  });
});
