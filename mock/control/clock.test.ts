import { describe, expect, test } from 'vitest';
import { createSandboxClock, readClockTime, type SandboxClock } from './clock.ts';

const start = Date.parse('2026-06-01T12:00:00Z');

/** A clock of the sandbox, and the system's under it, which `wait` moves. */
function createClocks(options: { readonly start?: number } = { start }) {
  let system = 5_000;
  const clock = createSandboxClock({ ...options, system: { now: () => system } });
  const wait = (ms: number): void => {
    system += ms;
  };
  return { clock, wait, readSystem: () => system };
}

describe('the clock of a sandbox', () => {
  test.each<{ name: string; change: (clock: SandboxClock) => void; reads: number; ticks: boolean }>([
    { name: 'goes on from its start', change: () => undefined, reads: start + 1_000, ticks: true },
    { name: 'is set, and goes on', change: (clock) => clock.set({ at: 10 }), reads: 1_010, ticks: true },
    { name: 'is set, and stands', change: (clock) => clock.set({ at: 10, isTicking: false }), reads: 10, ticks: false },
    { name: 'stops where it is', change: (clock) => clock.set({ isTicking: false }), reads: start, ticks: false },
    { name: 'is set to nothing new', change: (clock) => clock.set({}), reads: start + 1_000, ticks: true },
    { name: 'moves forwards', change: (clock) => clock.move(60_000), reads: start + 61_000, ticks: true },
    { name: 'moves back', change: (clock) => clock.move(-60_000), reads: start - 59_000, ticks: true },
    {
      name: 'moves while it stands',
      change: (clock) => {
        clock.set({ isTicking: false });
        clock.move(7);
      },
      reads: start + 7,
      ticks: false,
    },
    {
      name: 'stays stopped when it is set',
      change: (clock) => {
        clock.set({ isTicking: false });
        clock.set({ at: 10 });
      },
      reads: 10,
      ticks: false,
    },
    {
      name: 'is reset',
      change: (clock) => {
        clock.set({ at: 10, isTicking: false });
        clock.reset();
      },
      reads: start + 1_000,
      ticks: true,
    },
  ])('$name', ({ change, reads, ticks }) => {
    const { clock, wait } = createClocks();
    change(clock);
    wait(1_000);
    expect([clock.now(), clock.isTicking]).toEqual([reads, ticks]);
  });

  test('goes on from where it stood, not from where it would be', () => {
    const { clock, wait } = createClocks();
    clock.set({ isTicking: false });
    wait(1_000);
    clock.set({ isTicking: true });
    wait(10);
    expect(clock.now()).toBe(start + 10);
  });

  test('starts again at its start, however late it is reset', () => {
    const { clock, wait } = createClocks();
    wait(1_000);
    clock.reset();
    expect(clock.now()).toBe(start);
  });

  test('is the one of the system where no start is given, also after a reset', () => {
    const { clock, wait, readSystem } = createClocks({});
    wait(1_000);
    expect(clock.now()).toBe(readSystem());
    clock.set({ at: 10, isTicking: false });
    clock.reset();
    wait(1_000);
    expect(clock.now()).toBe(readSystem());
  });
});

describe('a time for the clock', () => {
  const noon = Date.parse('2026-06-01T12:00:00Z');
  const [first, last] = [Date.parse('1971-01-01T00:00:00Z'), Date.parse('9990-12-31T23:59:59.999Z')];
  test.each<[string | number | Date, number | undefined]>([
    ['2026-06-01T12:00:00Z', noon],
    ['2026-06-01T14:00:00.000+02:00', noon],
    ['2026-06-01t12:00:00z', noon],
    ['2026-06-01 12:00:00Z', noon],
    [noon, noon],
    [new Date(noon), noon],
    ['1971-01-01T00:00:00Z', first],
    ['1971-01-01T00:59:59.999+01:00', undefined],
    [first, first],
    [first - 1, undefined],
    ['9990-12-31T23:59:59.999Z', last],
    ['9991-01-01T00:00:00Z', undefined],
    [last, last],
    [last + 1, undefined],
    [8.64e15 + 1, undefined],
    [-1e15, undefined],
    [new Date(-1e15), undefined],
    ['+020000-01-01T00:00:00Z', undefined],
    [noon + 0.5, undefined],
    [Number.NaN, undefined],
    [new Date('noon'), undefined],
    ['', undefined],
    ['noon', undefined],
    ['June 1', undefined],
    ['2026-06-01', undefined],
    ['2026-06-01T12:00:00', undefined],
    ['2026-02-29T12:00:00Z', undefined],
    ['1780315200000', undefined],
  ])('%s is %s', (time, want) => {
    expect(readClockTime(time)).toBe(want);
  });
});
