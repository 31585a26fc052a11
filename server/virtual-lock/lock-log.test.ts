import { describe, expect, test } from 'vitest';
import { deviceId, openLock } from './fixtures/open-lock.ts';
import { addToLog, emptyLog, type LockLog, logCapacity } from './lock-log.ts';

describe('the log', () => {
  test('writes an item as locks do', () => {
    const { lock, pin, run } = openLock();
    const guest = pin('permanent', '2026-06-01T10:00:00Z');
    const at = Date.parse('2026-06-01T10:00:00Z');
    lock.enter(guest);
    lock.enter('999999999');
    const { output } = run('CREATE_PIN', { accessName: 'Cleaner', pin: '4711', pinType: 2 });
    lock.enter('4711');
    expect(lock.readLog()).toEqual([
      item(1, { logType: 22, entryDate: at, keyId: 0, pin: guest }),
      item(2, { logType: 16, entryDate: at, keyId: 0, pin: '999999999' }),
      item(3, { logType: 203, entryDate: at, keyId: output.accessId, accessName: 'Cleaner' }),
      item(4, { logType: 24, entryDate: at, keyId: output.accessId, accessName: 'Cleaner' }),
    ]);

    function item(number: number, log: object): object {
      return { id: `${deviceId}-${number}-${at}`, ts: at, payload: { log: JSON.stringify(log) } };
    }
  });

  test('notes a battery that runs low once', () => {
    const { lock } = openLock({ batteryLevel: 40 });
    for (const level of [21, 20, 19, 4, 60]) lock.setBatteryLevel(level);
    expect(lock.readLog().map(({ payload }) => JSON.parse(payload.log).logType)).toEqual([207]);
    expect(lock.state().batteryLevel).toBe(60);
  });

  test.each(['1'.repeat(5000), 'open sesame', '12345678x'])(
    'does not keep text that no keypad could send: %.12s',
    (typed) => {
      const { lock } = openLock();
      lock.enter(typed);
      expect(JSON.parse(lock.readLog()[0]?.payload.log ?? '')).not.toHaveProperty('pin');
    },
  );

  test('keeps the newest entries and uses no number twice', () => {
    const events = Array.from({ length: logCapacity + 20 }, (_, at) => at);
    const log = events.reduce<LockLog>((so, at) => addToLog(so, { at, logType: 16 }), emptyLog);
    expect(log.entries).toHaveLength(logCapacity);
    expect(log.entries.map(({ number }) => number)).toEqual(events.slice(20).map((index) => index + 1));
    expect(log.next).toBe(events.length + 1);
  });

  test('reads the same on every call and from any start, and reading the state changes nothing', () => {
    const { lock, clock, run, restart } = openLock();
    run('UNLOCK');
    clock.pass({ minutes: 5 });
    const memory = lock.exportMemory();
    lock.state();
    expect(lock.exportMemory()).toBe(memory);
    const log = lock.readLog();
    clock.pass({ minutes: 5 });
    expect(lock.readLog()).toEqual(log);
    expect(restart().lock.readLog()).toEqual(log);
    expect(restart({ memory }).lock.readLog()).toEqual(log);
  });
});
