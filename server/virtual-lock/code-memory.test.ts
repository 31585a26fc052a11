import { describe, expect, test } from 'vitest';
import { openLock } from './fixtures/open-lock.ts';
import { logTypesOf } from './fixtures/read-items.ts';

const refused = (reason: string) => ({ opened: false, reason, lockedOutUntil: null });
const opened = (by: string, isFirstUse = true) => ({ opened: true, by, isFirstUse });

describe('a code that is over', () => {
  test('opens once when it is a one-time code, also after a restart', () => {
    const { lock, pin, restart } = openLock();
    const once = pin('onetime', '2026-06-01T10:00:00Z');
    expect(lock.enter(once)).toEqual(opened('onetime'));
    expect(lock.enter(once)).toEqual(refused('spent'));
    expect(restart().lock.enter(once)).toEqual(refused('spent'));
  });

  test('stays spent when the clock is turned back into its window after the lock dropped it', () => {
    const { lock, clock, pin } = openLock();
    const once = pin('onetime', '2026-06-01T10:00:00Z');
    lock.enter(once);
    clock.pass({ days: 3 });
    expect(lock.enter('1234')).toEqual(refused('unknown'));
    expect(lock.state().codes).toBe(0);
    clock.set('2026-06-01T11:00:00Z');
    expect(lock.enter(once)).toEqual(refused('lapsed'));
    // Codes that came after it are not touched by that.
    expect(lock.enter(pin('onetime', '2026-06-01T11:00:00Z'))).toEqual(opened('onetime'));
  });

  test.each([
    { used: true, later: { hours: 1 } },
    { used: true, later: { days: 40 } },
    { used: false, later: { hours: 1 } },
  ])('does not open again once a person ended it (used: $used, after $later)', ({ used, later }) => {
    const { lock, clock, pin } = openLock();
    const permanent = pin('permanent', '2026-06-01T10:00:00Z');
    if (used) lock.enter(permanent);
    if (used) clock.pass(later);
    expect(lock.forget(permanent)).toBe('forgotten');
    expect(lock.forget(permanent)).toBe('unknown');
    expect(lock.enter(permanent).opened).toBe(false);
    clock.set('2026-06-01T12:00:00Z');
    expect(lock.enter(permanent).opened).toBe(false);
    clock.pass({ days: 400 });
    expect(lock.enter(permanent)).toEqual(refused('lapsed'));
  });

  test('can be ended before its time, and what stands for no present or coming code is unknown', () => {
    const { lock, clock, pin } = openLock();
    const tomorrow = pin('permanent', '2026-06-02T10:00:00Z');
    expect(lock.forget(tomorrow)).toBe('forgotten');
    clock.pass({ days: 1 });
    expect(lock.enter(tomorrow)).toEqual(refused('forgotten'));
    expect(lock.forget(pin('onetime', '2026-05-20T10:00:00Z'))).toBe('unknown');
    expect(lock.forget('999999999')).toBe('unknown');
    expect(lock.forget('1234')).toBe('unknown');
  });
});

describe('another key', () => {
  test.each(['at the lock', 'between two starts'])('ends every code of the one before: %s', (how) => {
    const world = openLock();
    const permanent = world.pin('permanent', '2026-06-01T10:00:00Z');
    world.lock.enter(permanent);
    world.run('CREATE_PIN', { accessName: 'Cleaner', pin: '4711', pinType: 2 });
    const key = openLock({ deviceId: 'KEY-OF-ANOTHER-PAIRING' }).key;
    const { lock } = how === 'at the lock' ? world : world.restart({ key });
    if (how === 'at the lock') lock.pair(key);
    expect(lock.state().codes).toBe(0);
    expect(lock.enter(permanent).opened).toBe(false);
    expect(lock.enter('4711')).toEqual(opened('custom', false));
    expect(logTypesOf(lock.readLog())).toContain(205);
  });

  test('that is the same one ends nothing', () => {
    const { lock, pin, key, restart } = openLock();
    const permanent = pin('permanent', '2026-06-01T10:00:00Z');
    lock.enter(permanent);
    lock.pair(key);
    expect(restart().lock.enter(permanent)).toEqual(opened('permanent', false));
  });
});

describe('the memory of codes', () => {
  test('takes 1,000; a right code that finds no place is refused without being a wrong entry', () => {
    const { lock, clock, pin } = openLock();
    const hours = (number: number) => ({ duration: 25 + Math.floor(number / 3), variance: 1 + (number % 3) });
    for (let number = 0; number < 1000; number += 1) {
      expect(lock.enter(pin('hourly', '2026-06-01T10:00:00Z', hours(number))).opened).toBe(true);
    }
    const next = pin('permanent', '2026-06-01T10:00:00Z');
    expect(lock.enter(next)).toEqual(refused('memory_full'));
    expect(lock.forget(next)).toBe('memory_full');
    expect(lock.state()).toMatchObject({ codes: 1000, wrongEntries: 0 });
    // What is there already needs no place.
    expect(lock.enter(pin('hourly', '2026-06-01T10:00:00Z', hours(999))).opened).toBe(true);
    // The end of the shortest makes room.
    clock.set('2026-06-02T11:00:00Z');
    expect(lock.enter(pin('permanent', '2026-06-01T12:00:00Z'))).toEqual(opened('permanent'));
    expect(lock.state().codes).toBe(998);
  });
});
