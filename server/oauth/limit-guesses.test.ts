import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGuessLimits, guessLimits } from './limit-guesses.ts';

const start = Date.UTC(2026, 11, 1, 12);
const wrong = async () => ({ kind: 'wrong' }) as const;
const right = async () => ({ kind: 'right' }) as const;
const at = (address: string, email = 'ann@harbour.example') => ({ email, address });

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }));
afterEach(() => void vi.useRealTimers());

/** Pauses cost no time here, and are written down. */
function begin() {
  const pauses: number[] = [];
  const attempt = createGuessLimits(async (ms) => void pauses.push(ms));
  return { attempt, pauses };
}

const { together, email, address } = guessLimits;

describe('one e-mail from one address', () => {
  it('errs ten times, then nothing is looked at until the first is ten minutes old', async () => {
    const { attempt } = begin();
    for (let failure = 0; failure < together.failures; failure += 1) {
      expect(await attempt(at('192.0.2.1'), wrong)).toEqual({ kind: 'wrong' });
      vi.setSystemTime(start + (failure + 1) * 20_000);
    }
    const looked = vi.fn(right);
    expect(await attempt(at('192.0.2.1'), looked)).toEqual({ kind: 'throttled', waitSeconds: 400 });
    expect(looked).not.toHaveBeenCalled();
    vi.setSystemTime(start + together.windowMs);
    expect(await attempt(at('192.0.2.1'), looked)).toEqual({ kind: 'right' });
  });

  it('is judged one at a time, so that a hundred at once are ten', async () => {
    const { attempt } = begin();
    let underWay = 0;
    const judge = vi.fn(async () => {
      underWay += 1;
      expect(underWay).toBe(1);
      await Promise.resolve();
      underWay -= 1;
      return { kind: 'wrong' } as const;
    });
    const answers = await Promise.all(Array.from({ length: 100 }, () => attempt(at('192.0.2.1'), judge)));
    expect(judge).toHaveBeenCalledTimes(together.failures);
    expect(answers.filter(({ kind }) => kind === 'throttled')).toHaveLength(90);
  });

  it('keeps neither another owner at that address out, nor that owner elsewhere', async () => {
    const { attempt } = begin();
    for (let failure = 0; failure < together.failures; failure += 1) await attempt(at('192.0.2.1'), wrong);
    expect(await attempt(at('192.0.2.1'), right)).toMatchObject({ kind: 'throttled' });
    expect(await attempt(at('192.0.2.1', 'bob@harbour.example'), right)).toEqual({ kind: 'right' });
    expect(await attempt(at('192.0.2.2'), right)).toEqual({ kind: 'right' });
  });

  it('counts failures alone', async () => {
    const { attempt } = begin();
    for (let login = 0; login < 50; login += 1)
      expect(await attempt(at('192.0.2.1'), right)).toEqual({ kind: 'right' });
  });

  it('goes on after a judge that failed', async () => {
    const { attempt } = begin();
    await expect(attempt(at('192.0.2.1'), () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    expect(await attempt(at('192.0.2.1'), right)).toEqual({ kind: 'right' });
  });
});

describe('many at once', () => {
  it('an owner who is attacked from everywhere gets in, after pauses that grow', async () => {
    const { attempt, pauses } = begin();
    for (let failure = 0; failure < email.failures + 100; failure += 1) await attempt(at(`192.0.2.${failure}`), wrong);
    expect(pauses.slice(0, 3)).toEqual([500, 1000, 1500]);
    expect(Math.max(...pauses)).toBe(email.longestPauseMs);
    expect(await attempt(at('198.51.100.7'), right)).toEqual({ kind: 'right' });
    expect(pauses.at(-1)).toBe(email.longestPauseMs);
  });

  it('all behind an address from which somebody guesses get in, after pauses', async () => {
    const { attempt, pauses } = begin();
    for (let failure = 0; failure < address.failures + 100; failure += 1)
      await attempt(at('192.0.2.1', `guess-${failure}@harbour.example`), wrong);
    expect(Math.max(...pauses)).toBe(address.longestPauseMs);
    expect(await attempt(at('192.0.2.1'), right)).toEqual({ kind: 'right' });
    expect(await attempt(at('192.0.2.2'), right)).toEqual({ kind: 'right' });
    expect(pauses).toHaveLength(100);
  });

  it('sends away who would have to stand in a line too long, and takes nobody out of turn', async () => {
    const { promise: open, resolve } = Promise.withResolvers<void>();
    const attempt = createGuessLimits(() => open);
    for (let failure = 0; failure <= email.failures; failure += 1)
      void attempt(at(`192.0.2.${failure}`), wrong).catch(() => undefined);
    await vi.waitFor(async () =>
      expect(await attempt(at('203.0.113.1', 'bob@harbour.example'), right)).toEqual({ kind: 'right' }),
    );
    const inLine = Array.from({ length: email.inLine + 1 }, (_, place) => attempt(at(`198.51.100.${place}`), right));
    await expect(inLine.at(-1)).resolves.toEqual({ kind: 'throttled', waitSeconds: 15 });
    resolve();
    for (const { kind } of await Promise.all(inLine.slice(0, -2))) expect(kind).toBe('right');
  });
});
