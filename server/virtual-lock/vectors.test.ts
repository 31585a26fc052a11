import { describe, expect, test } from 'vitest';
import vectors from '../algopin/vectors.json' with { type: 'json' };
import { ObviousLock, tickMs } from './fixtures/obvious-lock.ts';
import { deviceId, newLock, openLock } from './fixtures/open-lock.ts';
import { countWrongEntry, isLockedOut, noLockout, relaxLockout } from './lockout.ts';

// If these fail, a lock that was built from the page disagrees with this one about its memory.

interface Step {
  readonly at: string;
  readonly do: string;
  readonly pin: string;
  readonly verdict: string;
  readonly timeZone?: string;
}

describe.each(vectors.lives)('life: $source', ({ deviceKey, timeZone, toleranceSeconds, capacity, steps }) => {
  const capabilities = { ...newLock, codeCapacity: capacity };

  /** @param restarts whether the lock forgets all but its memory between any two steps */
  function live(restarts: boolean): string[] {
    const key = Uint8Array.from(Buffer.from(deviceKey, 'hex'));
    let fixture = openLock({ deviceId, key, timeZone, toleranceSeconds, capabilities });
    return (steps as readonly Step[]).map((step) => {
      fixture.clock.set(step.at);
      if (restarts || step.timeZone !== undefined) fixture = fixture.restart({ timeZone: step.timeZone ?? timeZone });
      if (step.do === 'forget') return fixture.lock.forget(step.pin);
      const entry = fixture.lock.enter(step.pin);
      return entry.opened ? 'accepted' : entry.reason;
    });
  }

  test.each([false, true])('has the expected verdicts (restarted at every step: %s)', (restarts) => {
    expect(live(restarts)).toEqual(steps.map(({ verdict }) => verdict));
  });
});

describe.each(vectors.lockouts)('lockout: $source', ({ steps }) => {
  test('has the expected lockouts', () => {
    let lockout = noLockout;
    const states = steps.map((step) => {
      const at = step.afterSeconds * 1000;
      lockout = relaxLockout(lockout, at);
      if (step.do === 'enter wrong' && !isLockedOut(lockout, at)) lockout = countWrongEntry(lockout, at);
      const lockedUntilSeconds = isLockedOut(lockout, at) ? lockout.lockedUntil / 1000 : 0;
      return { ...step, wrongEntries: lockout.wrong, level: lockout.level, lockedUntilSeconds };
    });
    expect(states).toEqual(steps);
  });

  test('agrees with a lock that counts half minutes one by one', () => {
    const lock = new ObviousLock(0, []);
    const states = steps.map((step) => {
      lock.moveClock(step.afterSeconds * 1000 - lock.clock);
      return { ...step, ...enterWrong(lock, step.do) };
    });
    expect(states).toEqual(steps);
  });

  function enterWrong(lock: ObviousLock, what: string) {
    if (what === 'enter wrong') lock.refuse();
    const lockedUntilSeconds = lock.lockedTicks === 0 ? 0 : (lock.clock + lock.lockedTicks * tickMs) / 1000;
    return { wrongEntries: lock.wrong, level: lock.level, lockedUntilSeconds };
  }
});

test('the lives reach every verdict on memory', () => {
  const seen = new Set(vectors.lives.flatMap(({ steps }) => steps.map((step) => `${step.do} ${step.verdict}`)));
  for (const verdict of ['spent', 'forgotten', 'lapsed', 'expired', 'memory_full', 'accepted', 'too_early'])
    expect(seen).toContain(`enter ${verdict}`);
  for (const verdict of ['forgotten', 'unknown', 'memory_full']) expect(seen).toContain(`forget ${verdict}`);
});
