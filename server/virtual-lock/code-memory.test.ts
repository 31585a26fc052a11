import { describe, expect, test } from 'vitest';
import { makeRoom } from './code-memory.ts';
import { newLock, openLock } from './fixtures/open-lock.ts';
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
    const { lock, clock, pin } = openLock({ capabilities: { ...newLock, codeCapacity: 1 } });
    const once = pin('onetime', '2026-06-01T10:00:00Z');
    lock.enter(once);
    clock.pass({ days: 3 });
    expect(lock.state().codes).toBe(0);
    expect(lock.enter(pin('hourly', '2026-06-04T10:00:00Z', { duration: 1 }))).toEqual(opened('hourly'));
    clock.set('2026-06-01T11:00:00Z');
    expect(lock.enter(once)).toEqual(refused('lapsed'));
  });

  // The same hour of UTC begins at 10:15 on one clock and at 10:30 on the other.
  test.each([
    {
      end: 'spent',
      from: 'Asia/Kathmandu',
      to: 'Asia/Kolkata',
      at: '2026-06-01T10:15:00Z',
      again: '2026-06-02T10:20:00Z',
    },
    {
      end: 'spent',
      from: 'Europe/Berlin',
      to: 'Asia/Kolkata',
      at: '2026-06-01T10:00:00Z',
      again: '2026-06-02T10:29:59Z',
    },
    {
      end: 'forgotten',
      from: 'Europe/Berlin',
      to: 'Asia/Kathmandu',
      at: '2026-06-01T10:00:00Z',
      again: '2026-06-02T10:14:59Z',
    },
  ])(
    'stays $end when the zone of its lock changes from $from to $to, also in a full memory',
    ({ end, from, to, at, again }) => {
      const fixture = openLock({ at, timeZone: from, capabilities: { ...newLock, codeCapacity: 1 } });
      const code = fixture.pin(end === 'spent' ? 'onetime' : 'permanent', at);
      if (end === 'spent') expect(fixture.lock.enter(code)).toEqual(opened('onetime'));
      else expect(fixture.lock.forget(code)).toBe('forgotten');
      fixture.clock.set(again);
      const { lock, clock } = fixture.restart({ timeZone: to });
      expect(lock.enter(fixture.pin('hourly', '2026-06-02T09:30:00Z', { duration: 2 }))).toEqual(
        refused('memory_full'),
      );
      expect(lock.enter(code)).toEqual(refused(end));
      clock.set('2026-06-03T13:00:00Z');
      expect(lock.enter(fixture.pin('onetime', '2026-06-03T12:30:00Z'))).toEqual(opened('onetime'));
      clock.set(again);
      expect(lock.enter(code)).toEqual(refused('lapsed'));
    },
  );

  test('stays spent although others made room after it, for any change of the clock', () => {
    const { lock, clock, pin } = openLock({ capabilities: { ...newLock, codeCapacity: 2 } });
    const once = pin('onetime', '2026-06-01T10:00:00Z');
    const early = pin('onetime', '2026-05-31T12:00:00Z');
    for (const code of [once, early]) expect(lock.enter(code)).toEqual(opened('onetime'));
    clock.pass({ days: 3 });
    // Codes make room by their end, the earliest first: the lock refuses codes up to the later end.
    for (const startsAt of ['2026-06-04T10:00:00Z', '2026-06-04T09:00:00Z'])
      expect(lock.enter(pin('permanent', startsAt))).toEqual(opened('permanent'));
    clock.set('2026-06-01T11:00:00Z');
    for (const code of [once, early]) expect(lock.enter(code).opened).toBe(false);
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

  test('can be ended before its time, and the digits of no present or future code are unknown', () => {
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
  test.each(['at the lock', 'between two starts'])('forgets every code of the previous key: %s', (how) => {
    const fixture = openLock();
    const permanent = fixture.pin('permanent', '2026-06-01T10:00:00Z');
    fixture.lock.enter(permanent);
    fixture.run('CREATE_PIN', { accessName: 'Cleaner', pin: '4711', pinType: 2 });
    const key = openLock({ deviceId: 'KEY-OF-ANOTHER-PAIRING' }).key;
    const { lock } = how === 'at the lock' ? fixture : fixture.restart({ key });
    if (how === 'at the lock') lock.pair(key);
    expect(lock.state().codes).toBe(0);
    expect(lock.enter(permanent).opened).toBe(false);
    expect(lock.enter('4711')).toEqual(opened('custom', false));
    expect(logTypesOf(lock.readLog())).toContain(205);
  });

  test('that equals the old one changes nothing', () => {
    const { lock, pin, key, restart } = openLock();
    const permanent = pin('permanent', '2026-06-01T10:00:00Z');
    lock.enter(permanent);
    lock.pair(key);
    expect(restart().lock.enter(permanent)).toEqual(opened('permanent', false));
  });
});

describe('a code in use', () => {
  test('opens again when the clock ran ahead for once and is set right', () => {
    const { lock, clock, pin } = openLock();
    const days = pin('hourly', '2026-06-01T10:00:00Z', { duration: 48 });
    lock.enter(days);
    clock.pass({ days: 365 });
    expect(lock.enter(days)).toEqual(refused('expired'));
    clock.set('2026-06-02T20:00:00Z');
    expect(lock.enter(days)).toEqual(opened('hourly', false));
  });

  test('is known as long as the tolerance moves its end', () => {
    const { lock, clock, pin } = openLock({ toleranceSeconds: 90 });
    const days = pin('hourly', '2026-06-01T10:00:00Z', { duration: 48 });
    lock.enter(days);
    clock.set('2026-06-03T10:01:29Z');
    expect(lock.state().codes).toBe(1);
    expect(lock.enter(days)).toEqual(opened('hourly', false));
    clock.set('2026-06-03T10:01:30Z');
    expect(lock.state().codes).toBe(0);
    expect(lock.enter(days)).toEqual(refused('expired'));
  });
});

describe('room for one more', () => {
  const at = Date.parse('2026-06-10T00:00:00Z');
  const ended = (pin: string, hoursAgo: number) => ({ pin, until: at - hoursAgo * 3_600_000 });

  test.each([
    { name: 'of those over, 26 hours after its end', inUse: [], over: [ended('1', 26)], left: [], overUntil: at },
    { name: 'of those in use alike', inUse: [ended('1', 26)], over: [], left: [], overUntil: 0 },
    { name: 'and no other than the first', inUse: [ended('1', 30)], over: [ended('2', 29)], left: ['2'], overUntil: 0 },
    {
      name: 'and moves the mark by its own end',
      inUse: [],
      over: [ended('1', 30), ended('2', 29)],
      left: ['2'],
      overUntil: at - 4 * 3_600_000,
    },
    {
      name: 'in use, at a tie with one over: so the mark stays',
      inUse: [ended('1', 30)],
      over: [ended('2', 30)],
      left: ['2'],
      overUntil: 0,
    },
    {
      name: 'that was remembered first, at a tie of those in use',
      inUse: [ended('2', 30), ended('1', 30)],
      over: [],
      left: ['1'],
      overUntil: 0,
    },
    {
      name: 'that was remembered first, at a tie of those over',
      inUse: [],
      over: [ended('2', 30), ended('1', 30)],
      left: ['1'],
      overUntil: at - 4 * 3_600_000,
    },
    {
      name: 'that had an end, however long permanent ones are there',
      inUse: [{ pin: '1', until: null }, ended('2', 26)],
      over: [],
      left: ['1'],
      overUntil: 0,
    },
  ])('is made by a code $name', ({ inUse, over, left, overUntil }) => {
    const room = makeRoom({ inUse, over, overUntil: 0 }, at, inUse.length + over.length);
    expect([...(room?.inUse ?? []), ...(room?.over ?? [])].map(({ pin }) => pin)).toEqual(left);
    expect(room?.overUntil).toBe(overUntil);
  });

  test('leaves a later mark unchanged', () => {
    expect(makeRoom({ inUse: [], over: [ended('1', 400)], overUntil: at }, at, 1)?.overUntil).toBe(at);
  });

  test.each([
    { name: 'over', inUse: [], over: [ended('1', 25.999)] },
    { name: 'in use', inUse: [ended('1', 25.999)], over: [] },
    { name: 'in use for ever', inUse: [{ pin: '1', until: null }], over: [] },
  ])('is not made by one that is $name', ({ inUse, over }) => {
    expect(makeRoom({ inUse, over, overUntil: 0 }, at, 1)).toBeUndefined();
  });

  test('is not needed below the capacity', () => {
    const codes = { inUse: [ended('1', 999)], over: [ended('2', 999)], overUntil: 5 };
    expect(makeRoom(codes, at, 3)).toBe(codes);
  });
});

describe('the memory of codes', () => {
  test('holds 1,000; a valid code beyond them is refused but is no wrong entry', () => {
    const { lock, clock, pin } = openLock();
    const hours = (number: number) => ({ duration: 25 + Math.floor(number / 3), variance: 1 + (number % 3) });
    for (let number = 0; number < 1000; number += 1) {
      expect(lock.enter(pin('hourly', '2026-06-01T10:00:00Z', hours(number))).opened).toBe(true);
    }
    const next = pin('permanent', '2026-06-01T10:00:00Z');
    expect(lock.enter(next)).toEqual(refused('memory_full'));
    expect(lock.forget(next)).toBe('memory_full');
    expect(lock.state()).toMatchObject({ codes: 1000, wrongEntries: 0 });
    // A remembered code needs no further room.
    expect(lock.enter(pin('hourly', '2026-06-01T10:00:00Z', hours(999))).opened).toBe(true);
    // The shortest code, of 25 hours, makes room 26 hours after its end.
    clock.set('2026-06-03T12:59:59Z');
    expect(lock.enter(pin('permanent', '2026-06-03T12:00:00Z'))).toEqual(refused('memory_full'));
    clock.set('2026-06-03T13:00:00Z');
    expect(lock.enter(pin('permanent', '2026-06-03T12:00:00Z'))).toEqual(opened('permanent'));
    // 25 to 51 hours have ended, three codes each.
    expect(lock.state().codes).toBe(1000 - 81 + 1);
  });
});
