import { describe, expect, test } from 'vitest';
import { newLock, openLock } from './fixtures/open-lock.ts';
import { logTypesOf, readItems } from './fixtures/read-items.ts';

const opened = (by: string, isFirstUse = true) => ({ opened: true, by, isFirstUse });

describe('the door', () => {
  test('locks itself 30 seconds after an entry, logged with that time', () => {
    const { lock, clock, pin } = openLock();
    lock.enter(pin('onetime', '2026-06-01T10:00:00Z'));
    clock.pass({ seconds: 29 });
    expect(lock.state().lockState).toBe('unlocked');
    clock.pass({ seconds: 1 });
    expect(lock.state().lockState).toBe('locked');
    clock.pass({ hours: 5 });
    expect(readItems(lock.readLog()).at(-1)).toMatchObject({
      logType: 13,
      entryDate: Date.parse('2026-06-01T10:00:30Z'),
    });
  });

  test('stays open for the hours of a passage code; entries in between change nothing', () => {
    const { lock, clock, pin } = openLock();
    const party = pin('passage', '2026-06-01T10:00:00Z', { duration: 3 });
    const guest = pin('permanent', '2026-06-01T10:00:00Z');
    lock.enter(party);
    clock.pass({ hours: 1 });
    lock.enter(guest);
    clock.set('2026-06-01T12:59:59.999Z');
    expect(lock.state()).toMatchObject({ lockState: 'unlocked', passageUntil: Date.parse('2026-06-01T13:00:00Z') });
    clock.set('2026-06-01T13:00:00Z');
    expect(lock.state()).toMatchObject({ lockState: 'locked', passageUntil: null });
    expect(logTypesOf(lock.readLog())).toEqual([200, 22, 201]);
  });

  test('stays open beyond the window of the code that opened it, by all of its hours', () => {
    const { lock, clock, pin } = openLock();
    const party = pin('passage', '2026-06-01T10:00:00Z', { duration: 24 });
    clock.set('2026-06-02T09:59:59Z');
    expect(lock.enter(party)).toEqual(opened('passage'));
    clock.set('2026-06-02T10:00:00Z');
    expect(lock.enter(party)).toMatchObject({ opened: false, reason: 'expired' });
    clock.set('2026-06-03T09:59:58.999Z');
    expect(lock.state().lockState).toBe('unlocked');
    clock.set('2026-06-03T09:59:59Z');
    expect(lock.state().lockState).toBe('locked');
  });

  test('counts the hours of a passage anew at each entry, and another key stops no passage', () => {
    const { lock, clock, pin } = openLock();
    const party = pin('passage', '2026-06-01T10:00:00Z', { duration: 2 });
    lock.enter(party);
    clock.pass({ hours: 1 });
    lock.enter(party);
    lock.pair(openLock({ deviceId: 'KEY-OF-ANOTHER-PAIRING' }).key);
    expect(lock.state().passageUntil).toBe(Date.parse('2026-06-01T13:00:00Z'));
  });

  test('an entry just before the end of a passage keeps its 30 seconds', () => {
    const { lock, clock, pin } = openLock();
    lock.enter(pin('passage', '2026-06-01T10:00:00Z', { duration: 1 }));
    clock.set('2026-06-01T10:59:50Z');
    lock.enter(pin('permanent', '2026-06-01T10:00:00Z'));
    clock.set('2026-06-01T11:00:19Z');
    expect(lock.state()).toMatchObject({ lockState: 'unlocked', passageUntil: null });
    clock.set('2026-06-01T11:00:20Z');
    expect(lock.state().lockState).toBe('locked');
    expect(logTypesOf(lock.readLog())).toEqual([200, 22, 201, 13]);
  });

  test('the longer of two passages counts', () => {
    const { lock, clock, pin } = openLock();
    lock.enter(pin('passage', '2026-06-01T10:00:00Z', { duration: 5 }));
    clock.pass({ hours: 1 });
    lock.enter(pin('passage', '2026-06-01T10:00:00Z', { duration: 2 }));
    expect(lock.state().passageUntil).toBe(Date.parse('2026-06-01T15:00:00Z'));
    lock.enter(pin('passage', '2026-06-01T10:00:00Z', { duration: 12 }));
    expect(lock.state().passageUntil).toBe(Date.parse('2026-06-01T23:00:00Z'));
  });

  test('locks when a person cancels the passage code that opened it, and stays open when another code is ended', () => {
    const { lock, clock, pin } = openLock();
    const party = pin('passage', '2026-06-01T10:00:00Z', { duration: 3 });
    const guest = pin('permanent', '2026-06-01T10:00:00Z');
    for (const code of [party, guest]) lock.enter(code);
    clock.pass({ hours: 1 });
    lock.forget(guest);
    lock.forget(pin('passage', '2026-06-01T10:00:00Z', { duration: 4 }));
    expect(lock.state().passageUntil).toBe(Date.parse('2026-06-01T13:00:00Z'));
    lock.forget(party);
    expect(lock.state()).toMatchObject({ lockState: 'locked', passageUntil: null });
    clock.pass({ hours: 9 });
    expect(logTypesOf(lock.readLog())).toEqual([200, 22, 204, 204, 201, 204]);
  });

  test('a clock that is turned back keeps it open no longer', () => {
    const { lock, clock, pin } = openLock();
    lock.enter(pin('passage', '2026-06-01T10:00:00Z', { duration: 1 }));
    clock.pass({ minutes: 30 });
    lock.readLog();
    clock.set('2026-05-01T00:00:00Z');
    expect(lock.state().passageUntil).toBe(Date.parse('2026-05-01T00:30:00Z'));
  });

  test('is unknown to a keypad, which opens it nevertheless', () => {
    const { lock, clock, pin } = openLock({ capabilities: { ...newLock, type: 'Keypad' } });
    expect(lock.enter(pin('onetime', '2026-06-01T10:00:00Z'))).toEqual(opened('onetime'));
    expect(lock.state().lockState).toBe('unknown');
    clock.pass({ hours: 1 });
    expect(logTypesOf(lock.readLog())).toEqual([22]);
  });

  test('is kept open by the lock behind a keypad: the keypad logs the beginning of a passage, and no end', () => {
    const { lock, clock, pin } = openLock({ capabilities: { ...newLock, type: 'Keypad' } });
    expect(lock.enter(pin('passage', '2026-06-01T10:00:00Z', { duration: 1 }))).toEqual(opened('passage'));
    clock.pass({ hours: 2 });
    expect(lock.state()).toMatchObject({ lockState: 'unknown', passageUntil: null });
    expect(logTypesOf(lock.readLog())).toEqual([200]);
  });
});

describe('a clock of its own', () => {
  test('can be set, stays set over a restart, and codes go by it', () => {
    const fixture = openLock();
    fixture.lock.moveClock(24 * 3_600_000);
    const tomorrow = fixture.pin('onetime', '2026-06-02T10:00:00Z');
    const { lock } = fixture.restart();
    expect(lock.state().clock).toBe(Date.parse('2026-06-02T10:00:00Z'));
    expect(lock.enter(tomorrow)).toEqual(opened('onetime'));
    expect(logTypesOf(lock.readLog())).toEqual([206, 22]);
  });
});
