import { describe, expect, test } from 'vitest';
import { newLock, openLock } from './fixtures/open-lock.ts';
import { logTypesOf } from './fixtures/read-items.ts';

const refused = (reason: string) => ({ opened: false, reason, lockedOutUntil: null });
const opened = (by: string, isFirstUse = true) => ({ opened: true, by, isFirstUse });

describe('an entry', () => {
  // The lock's clock shows 12:00 in Berlin, 10:00 UTC.
  test.each([
    { kind: 'hourly', startsAt: '2026-06-01T10:00:00Z', duration: 1, want: opened('hourly') },
    { kind: 'hourly', startsAt: '2026-06-01T11:00:00Z', duration: 1, want: refused('too_early') },
    { kind: 'hourly', startsAt: '2026-06-01T09:00:00Z', duration: 1, want: refused('expired') },
    { kind: 'hourly', startsAt: '2026-05-31T10:00:00Z', duration: 25, want: refused('lapsed') },
    { kind: 'daily', startsAt: '2026-05-31T11:00:00Z', duration: 29, want: opened('daily') },
    { kind: 'onetime', startsAt: '2026-05-31T11:00:00Z', duration: 0, want: opened('onetime') },
    { kind: 'onetime', startsAt: '2026-05-31T10:00:00Z', duration: 0, want: refused('expired') },
    { kind: 'permanent', startsAt: '2026-05-31T11:00:00Z', duration: 0, want: opened('permanent') },
    { kind: 'permanent', startsAt: '2026-05-31T10:00:00Z', duration: 0, want: refused('lapsed') },
    { kind: 'passage', startsAt: '2026-06-01T10:00:00Z', duration: 3, want: opened('passage') },
  ] as const)('of a $kind code from $startsAt: $want', ({ kind, startsAt, duration, want }) => {
    const { lock, pin } = openLock();
    expect(lock.enter(pin(kind, startsAt, { duration }))).toEqual(want);
  });

  test.each([
    { name: 'digits of no code', entry: '999999999', want: refused('unknown') },
    { name: 'a first digit of 0', entry: '012345678', want: refused('malformed') },
    { name: 'eight digits', entry: '12345678', want: refused('malformed') },
    { name: 'four digits that nobody stored', entry: '1234', want: refused('unknown') },
    { name: 'nothing', entry: '', want: refused('malformed') },
    { name: 'letters', entry: 'open sesame', want: refused('malformed') },
    { name: 'a megabyte', entry: '1'.repeat(2 ** 20), want: refused('malformed') },
  ])('of $name is refused and counted', ({ entry, want }) => {
    const { lock } = openLock();
    expect(lock.enter(entry)).toEqual(want);
    expect(lock.state().wrongEntries).toBe(1);
  });

  test('opens for an activated code until the end of its window', () => {
    const { lock, clock, pin } = openLock();
    const week = pin('hourly', '2026-06-01T10:00:00Z', { duration: 168 });
    expect(lock.enter(week)).toEqual(opened('hourly'));
    clock.pass({ days: 6 });
    expect(lock.enter(week)).toEqual(opened('hourly', false));
    clock.set('2026-06-08T09:59:59.999Z');
    expect(lock.enter(week)).toEqual(opened('hourly', false));
    clock.set('2026-06-08T10:00:00Z');
    expect(lock.enter(week)).toEqual(refused('expired'));
    expect(lock.state().codes).toBe(0);
  });

  test.each([
    { kind: 'hourly', duration: 48, endsAt: '2026-06-03T15:00:00Z', activateBy: '2026-06-02T15:00:00Z' },
    { kind: 'onetime', duration: 0, endsAt: '2026-06-02T15:00:00Z', activateBy: '2026-06-02T15:00:00Z' },
    { kind: 'permanent', duration: 0, endsAt: null, activateBy: '2026-06-02T15:00:00Z' },
  ] as const)('has the window of a $kind code before, within and after it', ({ kind, duration, ...want }) => {
    const { lock, clock, pin } = openLock();
    const startsAt = '2026-06-01T15:00:00Z';
    const digits = pin(kind, startsAt, { duration });
    const before = lock.exportMemory();
    for (const now of ['2026-06-01T10:00:00Z', startsAt, '2026-06-08T10:00:00Z']) {
      clock.set(now);
      const { endsAt = null, ...window } = lock.findWindow(digits) ?? {};
      const times = { startsAt, ...want };
      const ms = Object.entries(times).map(([name, time]) => [name, time && Date.parse(time)]);
      expect({ endsAt, ...window }).toEqual({ kind, ...Object.fromEntries(ms) });
    }
    expect(lock.exportMemory()).toBe(before);
    for (const none of ['999999999', '12345678', '1234', 'letters']) expect(lock.findWindow(none)).toBeUndefined();
    const simple = openLock({ capabilities: { ...newLock, algoPin: false } });
    expect(simple.lock.findWindow(simple.pin(kind, startsAt, { duration }))).toBeUndefined();
  });

  test('is refused by a lock without offline codes, and passage codes by a lock of older firmware', () => {
    const simple = openLock({ capabilities: { ...newLock, algoPin: false } });
    expect(simple.lock.enter(simple.pin('onetime', '2026-06-01T10:00:00Z'))).toEqual(refused('unknown'));
    const old = openLock({ capabilities: { ...newLock, passagePin: false } });
    expect(old.lock.enter(old.pin('passage', '2026-06-01T10:00:00Z', { duration: 1 }))).toEqual(refused('unknown'));
    expect(old.lock.enter(old.pin('onetime', '2026-06-01T10:00:00Z'))).toEqual(opened('onetime'));
  });

  test('opens within the tolerance of a lock that drifts', () => {
    const { lock, clock, pin } = openLock({ toleranceSeconds: 90 });
    const next = pin('onetime', '2026-06-01T11:00:00Z');
    clock.set('2026-06-01T10:58:29Z');
    expect(lock.enter(next)).toEqual(refused('too_early'));
    clock.set('2026-06-01T10:58:30Z');
    expect(lock.enter(next)).toEqual(opened('onetime'));
    clock.set('2026-06-02T11:01:29Z');
    expect(lock.enter(next)).toEqual(refused('spent'));
  });

  test('opens for the same digits on one lock alone', () => {
    const front = openLock();
    const back = openLock({ deviceId: 'LK2A00000003' });
    const digits = front.pin('permanent', '2026-06-01T10:00:00Z');
    // At the other lock the digits are another code, if any; the chance that it opens at this minute is 1 in 12,000.
    expect(front.lock.enter(digits).opened).toBe(true);
    expect(back.pin('permanent', '2026-06-01T10:00:00Z')).not.toBe(digits);
  });
});

describe('a lockout', () => {
  test('begins with the fifth wrong entry, judges no entry, and lasts through a restart', () => {
    const { lock, clock, pin, restart } = openLock();
    const good = pin('permanent', '2026-06-01T10:00:00Z');
    for (const entry of ['0000', '000000000', '99999', '999999999']) lock.enter(entry);
    expect(lock.enter(good)).toEqual(opened('permanent'));
    const until = { lockedOutUntil: Date.parse('2026-06-01T10:05:00Z') };
    expect(lock.enter('0001')).toEqual({ ...refused('unknown'), ...until });
    expect(lock.enter(good)).toEqual({ ...refused('locked_out'), ...until });
    const again = restart().lock;
    clock.set('2026-06-01T10:04:59.999Z');
    expect(again.enter(good)).toEqual({ ...refused('locked_out'), ...until });
    clock.set('2026-06-01T10:05:00Z');
    expect(again.enter(good)).toEqual(opened('permanent', false));
    expect(logTypesOf(again.readLog())).toEqual([16, 16, 16, 16, 22, 16, 202, 13, 18]);
  });

  test.each([
    {
      name: 'a code that is too early',
      make: (fixture: ReturnType<typeof openLock>) => fixture.pin('onetime', '2026-06-02T10:00:00Z'),
    },
    {
      name: 'a code that has ended',
      make: (fixture: ReturnType<typeof openLock>) => fixture.pin('onetime', '2026-05-02T10:00:00Z'),
    },
    { name: 'a custom PIN that nobody stored', make: () => '123456' },
  ])('follows five times $name: the lock takes them for guesses', ({ make }) => {
    const fixture = openLock();
    const entry = make(fixture);
    for (let times = 0; times < 5; times += 1) fixture.lock.enter(entry);
    expect(fixture.lock.state()).toMatchObject({ lockoutLevel: 1, lockedOutUntil: Date.parse('2026-06-01T10:05:00Z') });
  });

  test('keeps its length when the clock is turned back', () => {
    const { lock, clock } = openLock();
    for (let times = 0; times < 5; times += 1) lock.enter('0000');
    clock.pass({ minutes: 2 });
    lock.enter('0000');
    clock.set('2025-01-01T00:00:00Z');
    expect(lock.enter('0000')).toMatchObject({
      reason: 'locked_out',
      lockedOutUntil: Date.parse('2025-01-01T00:03:00Z'),
    });
    clock.set('2025-01-01T00:02:59Z');
    expect(lock.enter('0000')).toMatchObject({ reason: 'locked_out' });
    clock.set('2025-01-01T00:03:00Z');
    expect(lock.enter('0000')).toMatchObject({ reason: 'unknown' });
  });

  test('locks the keypad alone: a bridge still opens', () => {
    const { lock, run } = openLock();
    for (let times = 0; times < 5; times += 1) lock.enter('0000');
    expect(run('UNLOCK')).toMatchObject({ result: 0, output: { lockState: 'unlocked' } });
  });
});
